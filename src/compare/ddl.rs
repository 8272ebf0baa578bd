//! What SHOW CREATE TABLE says that bears on fairness: indexes, foreign keys, character sets.

use std::collections::{BTreeMap, BTreeSet};

/// What the tables of a dataset have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TableKeys {
    /// `table: KIND (columns)`.
    pub(super) indexes: BTreeSet<String>,
    /// `table: (columns) to other (columns)`.
    pub(super) foreign: BTreeSet<String>,
    /// Character sets of the tables.
    pub(super) charsets: BTreeSet<String>,
}

/// Reads the tables of a dataset; `None` when they are not in the form of SHOW CREATE TABLE.
pub(super) fn keys(ddl: &BTreeMap<String, String>) -> Option<TableKeys> {
    let mut keys = TableKeys::default();
    for (table, text) in ddl {
        if !text.contains('`') {
            return None;
        }
        for line in text.lines() {
            read_line(table, line.trim().trim_end_matches(','), &mut keys);
        }
    }
    (!ddl.is_empty()).then_some(keys)
}

fn read_line(table: &str, line: &str, keys: &mut TableKeys) {
    if line.starts_with(')') {
        if let Some(charset) = after(line, "CHARSET=") {
            // MariaDB 10.6 and MySQL 8.0.28 print the old name of three-byte UTF-8 in full.
            let charset = if charset == "utf8" { "utf8mb3" } else { charset };
            keys.charsets.insert(charset.to_string());
        }
        return;
    }
    if let Some((_, rest)) = line.split_once("FOREIGN KEY") {
        if let Some((columns, to)) = rest.split_once("REFERENCES") {
            let other = to.split('(').next().unwrap_or_default().trim().trim_matches('`');
            let (own, far) = (columns_of(columns), columns_of(to));
            keys.foreign.insert(format!("{table}: ({own}) to {other} ({far})"));
        }
        return;
    }
    // TokuDB writes CLUSTERING KEY or KEY ... CLUSTERING=YES: a property of its own, the same key.
    let line = line.strip_prefix("CLUSTERING ").unwrap_or(line);
    for (begins, kind) in [
        ("PRIMARY KEY", "PRIMARY KEY"),
        ("UNIQUE KEY", "UNIQUE KEY"),
        ("FULLTEXT KEY", "FULLTEXT KEY"),
        ("SPATIAL KEY", "SPATIAL KEY"),
        ("KEY", "KEY"),
    ] {
        if line.starts_with(begins) {
            keys.indexes.insert(format!("{table}: {kind} ({})", columns_of(line)));
            return;
        }
    }
}

/// What stands in the first parentheses, without backticks and spaces.
fn columns_of(text: &str) -> String {
    let inside = text.split_once('(').map_or("", |(_, rest)| rest);
    let mut depth = 1;
    let mut columns = String::new();
    for c in inside.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if !matches!(c, '`' | ' ') {
            columns.push(c);
        }
    }
    columns
}

/// The word after `name`.
fn after<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_once(name)?.1.split_whitespace().next()
}

/// What is in one set alone, in words: at most three of each, then how many more.
pub(super) fn only_in_one(a: &BTreeSet<String>, b: &BTreeSet<String>) -> (String, String) {
    (listed(a.difference(b)), listed(b.difference(a)))
}

fn listed<'a>(items: impl Iterator<Item = &'a String>) -> String {
    let items: Vec<&str> = items.map(String::as_str).collect();
    match items.len() {
        0 => "none beyond the other's".to_string(),
        1..=3 => items.join("; "),
        n => format!("{}; and {} more", items[..2].join("; "), n - 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn show_create_table_is_read() {
        let text = "CREATE TABLE `order_line` (\n  `ol_o_id` int(11) NOT NULL,\n  \
            `ol_i_id` int(11) DEFAULT NULL,\n  \
            PRIMARY KEY (`ol_w_id`,`ol_d_id`,`ol_o_id`,`ol_number`),\n  \
            KEY `fkey` (`ol_supply_w_id`,`ol_i_id`(10)) CLUSTERING=YES,\n  \
            CONSTRAINT `f1` FOREIGN KEY (`ol_i_id`) REFERENCES `item` (`i_id`)\n\
            ) ENGINE=InnoDB DEFAULT CHARSET=utf8 COLLATE=utf8_bin";
        let ddl = BTreeMap::from([("order_line".to_string(), text.to_string())]);
        let keys = keys(&ddl).unwrap();
        assert_eq!(
            keys.indexes.iter().map(String::as_str).collect::<Vec<_>>(),
            [
                "order_line: KEY (ol_supply_w_id,ol_i_id(10))",
                "order_line: PRIMARY KEY (ol_w_id,ol_d_id,ol_o_id,ol_number)",
            ]
        );
        assert_eq!(
            keys.foreign.iter().map(String::as_str).collect::<Vec<_>>(),
            ["order_line: (ol_i_id) to item (i_id)"]
        );
        assert_eq!(keys.charsets.iter().map(String::as_str).collect::<Vec<_>>(), ["utf8mb3"]);
    }

    #[test]
    fn other_dialects_are_not_taken_apart() {
        let ddl = BTreeMap::from([("t".to_string(), "CREATE TABLE t (a)".to_string())]);
        assert_eq!(keys(&ddl), None);
        assert_eq!(super::keys(&BTreeMap::new()), None);
    }

    #[test]
    fn long_differences_are_cut() {
        let of = |n: u32| (0..n).map(|i| i.to_string()).collect::<BTreeSet<String>>();
        assert_eq!(only_in_one(&of(1), &of(1)).0, "none beyond the other's");
        assert_eq!(only_in_one(&of(5), &of(0)).0, "0; 1; and 3 more");
    }
}
