//! Plans of statements: in short, and in what two sets of them differ.

use crate::journal::record::PlansRecord;

/// How many characters of a statement are shown.
const SHOWN: usize = 60;

/// How often each way of access occurs: `const 12, ref 4, ALL 1`. Of plans in words (SQLite) their
/// number alone.
pub(super) fn in_short(plans: &PlansRecord) -> String {
    let mut ways: Vec<(&str, usize)> = Vec::new();
    for step in plans.statements.values().flat_map(|plan| plan.split(", ")) {
        // Table, way of access, key.
        let Some(way) = step.split(' ').nth(1) else { continue };
        match ways.iter_mut().find(|(known, _)| *known == way) {
            Some((_, count)) => *count += 1,
            None => ways.push((way, 1)),
        }
    }
    ways.sort_by_key(|(way, count)| (std::cmp::Reverse(*count), *way));
    let known = ["const", "eq_ref", "ref", "range", "index", "ALL", "system", "index_merge"];
    if ways.is_empty() || !ways.iter().any(|(way, _)| known.contains(way)) {
        return format!("{} statements", plans.statements.len());
    }
    let ways: Vec<String> = ways.iter().map(|(way, count)| format!("{way} {count}")).collect();
    ways.join(", ")
}

/// The first statement that both have with different plans, with both, and how many more there are.
pub(super) fn first_difference(a: &PlansRecord, b: &PlansRecord) -> Option<String> {
    let unlike: Vec<(&String, &String, &String)> = a
        .statements
        .iter()
        .filter_map(|(sql, plan)| Some((sql, plan, b.statements.get(sql)?)))
        .filter(|(_, plan, other)| plan != other)
        .collect();
    let (sql, plan, other) = unlike.first()?;
    let more = match unlike.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(format!("`{}`: {plan} against {other}{more}", shortened(sql)))
}

fn shortened(sql: &str) -> String {
    let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
    if sql.chars().count() <= SHOWN {
        return sql;
    }
    let cut: String = sql.chars().take(SHOWN).collect();
    format!("{cut}...")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CellKey;

    fn plans(statements: &[(&str, &str)]) -> PlansRecord {
        PlansRecord {
            cell: CellKey::from_pairs([("engine", "innodb")]),
            repetition: 1,
            statements: statements
                .iter()
                .map(|(sql, plan)| ((*sql).to_string(), (*plan).to_string()))
                .collect(),
        }
    }

    #[test]
    fn ways_of_access_are_counted_the_most_frequent_first() {
        let some =
            plans(&[("a", "t const PRIMARY, u ref k"), ("b", "t const PRIMARY"), ("c", "t ALL")]);
        assert_eq!(in_short(&some), "const 2, ALL 1, ref 1");
        let words = plans(&[("a", "SEARCH t USING INDEX i (a=?)")]);
        assert_eq!(in_short(&words), "1 statements");
    }

    #[test]
    fn the_first_statement_with_another_plan_is_shown_with_both() {
        let a = plans(&[("SELECT 1 FROM t", "t ref k"), ("SELECT 2 FROM t", "t const PRIMARY")]);
        let b = plans(&[("SELECT 1 FROM t", "t ALL"), ("SELECT 2 FROM t", "t const PRIMARY")]);
        assert_eq!(
            first_difference(&a, &b).as_deref(),
            Some("`SELECT 1 FROM t`: t ref k against t ALL")
        );
        assert_eq!(first_difference(&a, &a), None);
    }
}
