//! What must hold after the load and after a repetition. Everything is read back from the tables.

use super::rows::sum_of_k;
use super::schema::length_of_c;
use super::settings::{Settings, Test};
use super::statements::Query;
use crate::target::session::{RowView, Session, SqlError};
use crate::workload::{CheckMoment, Checked};
use std::collections::BTreeMap;

/// Rows of all tables.
const ROWS: &str = "rows";
/// Sum of column k over all tables.
const SUM_OF_K: &str = "sum of k";

/// What all tables hold together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    rows: i64,
    /// Ids below 1 or above those that were loaded.
    outside: i64,
    sum_of_k: i64,
    /// Rows whose text is not of its full length.
    short: i64,
}

impl Settings {
    /// Whether rows are ever deleted.
    pub(super) fn deletes(&self) -> bool {
        self.sends(Query::Delete)
    }

    fn sends(&self, query: Query) -> bool {
        self.groups().iter().any(|group| group.queries.contains(&query))
    }

    /// By how much a transaction makes the sum of k grow; none where that is not known.
    fn growth_of_k(&self) -> Option<i64> {
        if self.sends(Query::Insert) || self.sends(Query::Delete) || self.test == Test::BulkInsert {
            return None;
        }
        let groups = self.groups();
        let updates = groups.iter().filter(|group| group.queries == [Query::UpdateIndex]);
        Some(updates.map(|group| i64::from(group.times)).sum())
    }
}

/// The counters before clients start. Reading them would warm the caches of a server that shall be
/// measured cold; of data that are as loaded, the generator knows them.
pub(super) fn counters(
    settings: &Settings,
    loaded: Option<u64>,
    session: &mut dyn Session,
) -> Result<BTreeMap<String, i64>, SqlError> {
    let counted = |rows: i64, sum: i64| {
        BTreeMap::from([(ROWS.to_string(), rows), (SUM_OF_K.to_string(), sum)])
    };
    let Some(seed) = loaded else {
        let found = read(settings, session)?;
        return Ok(counted(found.rows, found.sum_of_k));
    };
    let rows = u64::from(settings.tables) * settings.loaded_rows();
    let sum = if settings.growth_of_k().is_some() { sum_of_k(settings, seed) } else { 0 };
    Ok(counted(rows as i64, sum))
}

fn read(settings: &Settings, session: &mut dyn Session) -> Result<Found, SqlError> {
    let mut found = Found::default();
    let int = |row: &dyn RowView, column| row.int(column).unwrap_or(0);
    let last = settings.loaded_rows();
    let short = match length_of_c(settings.data) {
        Some(length) if settings.test != Test::BulkInsert => {
            format!("SUM(CASE WHEN LENGTH(c) = {length} THEN 0 ELSE 1 END)")
        }
        _ => "0".to_string(),
    };
    for number in 1..=settings.tables {
        let table = settings.table(number);
        let sql = format!(
            "SELECT COUNT(*), SUM(CASE WHEN id BETWEEN 1 AND {last} THEN 0 ELSE 1 END), SUM(k), \
             {short} FROM {table}"
        );
        session.text_visit(&sql, &mut |row| {
            found.rows += int(row, 0);
            found.outside += int(row, 1);
            found.sum_of_k += int(row, 2);
            found.short += int(row, 3);
            true
        })?;
    }
    Ok(found)
}

/// Checks everything that applies.
pub(super) fn run(
    settings: &Settings,
    session: &mut dyn Session,
    moment: &CheckMoment,
) -> Result<Vec<Checked>, SqlError> {
    let found = read(settings, session)?;
    let loaded = (u64::from(settings.tables) * settings.loaded_rows()) as i64;
    let mut results = vec![Checked::within(
        "rows of whole text",
        found.rows - found.short,
        found.rows,
        found.rows,
    )];
    let CheckMoment::AfterRepetition { committed, before, uncertain } = moment else {
        results.push(Checked::within("rows", found.rows, loaded, loaded));
        results.push(Checked::within("rows of unknown id", found.outside, 0, 0));
        return Ok(results);
    };
    let committed = committed.first().copied().unwrap_or(0) as i64;
    let uncertain = *uncertain as i64;
    let known = |name: &str| {
        before.get(name).copied().ok_or_else(|| {
            SqlError::local(format!("the {name} before the clients started is not known"))
        })
    };
    let rows = known(ROWS)?;
    let (least, most) = match settings.test {
        Test::Insert => (rows + committed, rows + committed + uncertain),
        Test::BulkInsert => {
            let batch = i64::from(settings.batch);
            (rows + committed * batch, rows + (committed + uncertain) * batch)
        }
        // The same id may be drawn again.
        Test::Delete => ((rows - committed - uncertain).max(0), rows - committed.min(1)),
        _ => (rows, rows),
    };
    results.push(Checked::within("rows", found.rows, least, most));
    if !matches!(settings.test, Test::Insert | Test::BulkInsert) {
        results.push(Checked::within("rows of unknown id", found.outside, 0, 0));
    }
    if let Some(growth) = settings.growth_of_k() {
        let least = known(SUM_OF_K)? + growth * committed;
        results.push(Checked::within(SUM_OF_K, found.sum_of_k, least, least + growth * uncertain));
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_outside_their_bounds_say_what_was_expected() {
        assert_eq!(Checked::within("rows", 10, 10, 10).violations, 0);
        let lost = Checked::within("rows", 7, 10, 10);
        assert_eq!((lost.violations, lost.detail.as_str()), (3, "7 found, 10 expected"));
        let more = Checked::within("rows", 15, 10, 12);
        assert_eq!((more.violations, more.detail.as_str()), (3, "15 found, 10 to 12 expected"));
    }
}
