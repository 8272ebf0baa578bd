//! Bringing an engine to rest after a load, and making statistics once, so that every repetition
//! begins at the same state.

use super::session::{Dialect, RowView, Session, SqlError};
use super::sqlite;
use crate::engine::{EngineSpec, Settle};
use crate::host::clock::Clock;
use std::collections::BTreeMap;
use std::time::Duration;

/// Between two looks at the engine.
const PAUSE: Duration = Duration::from_millis(100);
/// Dirty pages, purge and change buffer entries that are as good as none: the engine's own
/// housekeeping makes a few all the time.
const FEW: u64 = 32;
/// Pages a second while dirty pages are flushed; the usual 200 would take hours.
const FLUSH_RATE: u64 = 20_000;
/// Looks in a row at which nothing may be pending.
const QUIET_LOOKS: u32 = 5;
/// Looks in a row at which an idle purge has an unchanged history: MySQL 5.6 and 5.7 cut the list
/// every 128 batches alone, so that up to 127 purged transactions stay on it for good.
const IDLE_LOOKS: u32 = 15;

/// How long an engine may take, and whether anybody still waits for it.
pub struct Patience<'a> {
    /// The clock that is waited by.
    pub clock: &'a dyn Clock,
    /// The longest wait.
    pub within: Duration,
    /// Asked again and again; false ends the wait.
    pub go_on: &'a dyn Fn() -> bool,
}

impl Patience<'_> {
    /// Looks until `at_rest` says so (none) or the patience ends (what is left, in words).
    fn wait(
        &self,
        mut look: impl FnMut() -> Result<Option<String>, SqlError>,
    ) -> Result<Option<String>, SqlError> {
        let began = self.clock.now();
        loop {
            let Some(left) = look()? else { return Ok(None) };
            if !(self.go_on)() {
                return Ok(Some(left));
            }
            if self.clock.now().saturating_sub(began) >= self.within {
                return Ok(Some(left));
            }
            self.clock.sleep(PAUSE);
        }
    }
}

/// How settling went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// How long it took.
    pub took: Duration,
    /// What was left when the patience ended; none when the engine is at rest.
    pub unfinished: Option<String>,
}

/// Brings the engine to rest: its own way, see [`Settle`].
pub fn settle(
    session: &mut dyn Session,
    engine: &EngineSpec,
    patience: &Patience<'_>,
) -> Result<Settled, SqlError> {
    let began = patience.clock.now();
    let unfinished = match engine.settle {
        Settle::Nothing => None,
        Settle::FlushDirtyPages => innodb(session, patience)?,
        Settle::FlushAndCompact => rocksdb(session, patience)?,
        Settle::Checkpoint => {
            tokudb(session)?;
            None
        }
        Settle::FlushTables => {
            session.text("FLUSH TABLES")?;
            None
        }
        Settle::TruncateLog => {
            sqlite::catalog::settle(session)?;
            None
        }
    };
    Ok(Settled { took: patience.clock.now().saturating_sub(began), unfinished })
}

/// Makes the statistics of these tables. The server keeps them as they are from then on.
pub fn analyze(session: &mut dyn Session, database: &str, tables: &[&str]) -> Result<(), SqlError> {
    if session.dialect() == Dialect::Sqlite {
        return sqlite::catalog::analyze(session);
    }
    for table in tables {
        let mut wrong = None;
        // The outcome is a row; a failure is no error of the statement.
        let statement = format!(
            "ANALYZE NO_WRITE_TO_BINLOG TABLE `{}`.`{}`",
            database.replace('`', "``"),
            table.replace('`', "``")
        );
        session.text_visit(&statement, &mut |row| {
            if text(row, 2).eq_ignore_ascii_case("error") && wrong.is_none() {
                wrong = Some(text(row, 3));
            }
            true
        })?;
        if let Some(words) = wrong {
            return Err(SqlError::local(format!("{statement}: {words}")));
        }
    }
    Ok(())
}

fn text(row: &dyn RowView, column: usize) -> String {
    row.text(column).map_or_else(String::new, |text| String::from_utf8_lossy(&text).into_owned())
}

/// Names and values of a SHOW statement, names in lower case.
fn pairs(session: &mut dyn Session, sql: &str) -> Result<BTreeMap<String, String>, SqlError> {
    let mut found = BTreeMap::new();
    session.text_visit(sql, &mut |row| {
        found.insert(text(row, 0).to_ascii_lowercase(), text(row, 1));
        true
    })?;
    Ok(found)
}

/// Flushes dirty pages and waits for purge and change buffer, with limits lifted meanwhile.
fn innodb(session: &mut dyn Session, patience: &Patience<'_>) -> Result<Option<String>, SqlError> {
    // Wider ones first: a capacity above its maximum would be lowered or would raise it.
    let lifted = [
        ("innodb_io_capacity_max", FLUSH_RATE.to_string()),
        ("innodb_io_capacity", FLUSH_RATE.to_string()),
        ("innodb_max_dirty_pages_pct_lwm", "0".to_string()),
        ("innodb_max_dirty_pages_pct", "0".to_string()),
    ];
    let before = pairs(session, "SHOW GLOBAL VARIABLES LIKE 'innodb%'")?;
    let known: Vec<_> = lifted
        .iter()
        .filter_map(|(name, value)| Some((*name, value, before.get(*name)?)))
        .collect();
    let outcome = known
        .iter()
        // Who runs with a higher rate keeps it.
        .filter(|(_, value, was)| {
            let number = |text: &str| text.parse::<f64>().unwrap_or(0.0);
            **value == "0" || number(value) > number(was)
        })
        .try_for_each(|(name, value, _)| {
            session.text(&format!("SET GLOBAL {name} = {value}")).map(drop)
        })
        .and_then(|()| {
            let mut purge = Purge::default();
            patience.wait(|| innodb_left(session, &mut purge))
        });
    // What the cell asked for must hold again, whatever happened.
    let mut restored = Ok(());
    for (name, _, was) in known.iter().rev() {
        let done = session.text(&format!("SET GLOBAL {name} = {was}")).map(drop);
        restored = restored.and(done);
    }
    outcome.and_then(|left| restored.map(|()| left))
}

/// How the history of transactions stood at the last looks.
#[derive(Default)]
struct Purge {
    history: u64,
    /// Looks at which purge was idle and the history the same.
    idle: u32,
}

impl Purge {
    /// Whether purge still has something to do, the history being this long.
    fn goes_on(&mut self, session: &mut dyn Session, history: u64) -> Result<bool, SqlError> {
        if history <= FEW {
            return Ok(false);
        }
        let mut idle = false;
        session.text_visit("SHOW ENGINE INNODB STATUS", &mut |row| {
            idle = text(row, 2).lines().any(purge_is_idle);
            true
        })?;
        self.idle = if idle && history == self.history { self.idle + 1 } else { 0 };
        self.history = history;
        Ok(self.idle < IDLE_LOOKS)
    }
}

/// Whether this line of InnoDB's status says that purge waits for something to do. MySQL and
/// MariaDB write it alike.
fn purge_is_idle(line: &str) -> bool {
    line.starts_with("Purge done for trx") && line.ends_with("state: running but idle")
}

fn innodb_left(session: &mut dyn Session, purge: &mut Purge) -> Result<Option<String>, SqlError> {
    let status = pairs(session, "SHOW GLOBAL STATUS LIKE 'innodb_buffer_pool_pages_dirty'")?;
    let dirty = status.values().next().and_then(|value| value.parse().ok()).unwrap_or(0u64);
    if dirty > FEW {
        return Ok(Some(format!("{dirty} dirty pages")));
    }
    // Before 5.6 there is no such table; purge and change buffer are then left to themselves.
    let metrics = match pairs(
        session,
        "SELECT NAME, COUNT FROM information_schema.INNODB_METRICS \
         WHERE NAME IN ('trx_rseg_history_len', 'ibuf_size')",
    ) {
        Ok(metrics) => metrics,
        Err(error) if error.errno == 1109 => return Ok(None),
        Err(error) => return Err(error),
    };
    let of = |name: &str| metrics.get(name).and_then(|value| value.parse::<u64>().ok());
    if let Some(history) = of("trx_rseg_history_len")
        && purge.goes_on(session, history)?
    {
        return Ok(Some(format!("{history} transactions to purge")));
    }
    if let Some(buffered) = of("ibuf_size").filter(|pages| *pages > FEW) {
        return Ok(Some(format!("{buffered} pages of the change buffer to merge")));
    }
    Ok(None)
}

/// Flushes memtables and level 0, then waits until nothing is pending and nothing is written.
fn rocksdb(session: &mut dyn Session, patience: &Patience<'_>) -> Result<Option<String>, SqlError> {
    let switches = pairs(session, "SHOW GLOBAL VARIABLES LIKE 'rocksdb_force_flush_memtable%now'")?;
    let switch = ["rocksdb_force_flush_memtable_and_lzero_now", "rocksdb_force_flush_memtable_now"]
        .into_iter()
        .find(|name| switches.contains_key(*name));
    if let Some(switch) = switch {
        session.text(&format!("SET GLOBAL {switch} = 1"))?;
    }
    let mut written = None;
    let mut quiet = 0;
    patience.wait(|| {
        let mut pending = Vec::new();
        session.text_visit(
            "SELECT CF_NAME, STAT_TYPE, VALUE FROM information_schema.ROCKSDB_CFSTATS \
             WHERE STAT_TYPE IN ('NUM_IMMUTABLE_MEM_TABLE', 'MEM_TABLE_FLUSH_PENDING', \
             'COMPACTION_PENDING')",
            &mut |row| {
                if row.int(2).unwrap_or(0) > 0 {
                    let what = text(row, 1).to_lowercase().replace('_', " ");
                    pending.push(format!("{what} in column family {}", text(row, 0)));
                }
                true
            },
        )?;
        // A compaction that runs is pending no more; it shows by what it writes.
        let now = pairs(session, "SHOW GLOBAL STATUS LIKE 'rocksdb_%_write_bytes'")?;
        let still = pending.is_empty() && written.as_ref() == Some(&now);
        written = Some(now);
        quiet = if still { quiet + 1 } else { 0 };
        Ok(if quiet >= QUIET_LOOKS {
            None
        } else {
            Some(pending.into_iter().next().unwrap_or_else(|| "compactions that run".to_string()))
        })
    })
}

/// FLUSH LOGS is a checkpoint when TokuDB is told so.
fn tokudb(session: &mut dyn Session) -> Result<(), SqlError> {
    session.text("SET GLOBAL tokudb_checkpoint_on_flush_logs = 1")?;
    let flushed = session.text("FLUSH LOGS").map(drop);
    let restored = session.text("SET GLOBAL tokudb_checkpoint_on_flush_logs = 0").map(drop);
    flushed.and(restored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::clock::FakeClock;

    #[test]
    fn purge_is_at_rest_when_it_waits_for_work() {
        for (line, idle) in [
            ("Purge done for trx's n:o < 1598 undo n:o < 0 state: running but idle", true),
            ("Purge done for trx's n:o < 1598 undo n:o < 12 state: running", false),
            ("Trx id counter 1598 state: running but idle", false),
        ] {
            assert_eq!(purge_is_idle(line), idle, "{line}");
        }
    }

    #[test]
    fn patience_ends_with_what_is_left_and_not_before() {
        let clock = FakeClock::new();
        let patience = Patience { clock: &clock, within: Duration::from_secs(1), go_on: &|| true };
        let mut looks = 0;
        let left = patience
            .wait(|| {
                looks += 1;
                Ok(Some(format!("look {looks}")))
            })
            .unwrap();
        assert_eq!(left.as_deref(), Some("look 11"));
        assert_eq!(clock.now(), Duration::from_secs(1));

        let mut looks = 0;
        let left = patience.wait(|| {
            looks += 1;
            Ok((looks < 4).then(|| "more".to_string()))
        });
        assert_eq!(left, Ok(None));
        let bored = Patience { clock: &clock, within: Duration::from_secs(9), go_on: &|| false };
        assert_eq!(bored.wait(|| Ok(Some("all".into()))), Ok(Some("all".into())));
    }
}
