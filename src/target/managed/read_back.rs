//! "Asked 8, runs 1" fails the cell: every option is compared with what the running server has.

use crate::model::{Failure, FailureKind, Phase};
use crate::target::OptionLine;
use crate::target::option_variable::{bare_name, boolean, expected};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Options that have no variable, or whose variable says something else.
const NOT_READ_BACK: &[&str] = &[
    "plugin_load",
    "plugin_load_add",
    "early_plugin_load",
    "user",
    "init_file",
    "character_set_client_handshake",
    "symbolic_links",
];

/// The first option that the running server has not taken as asked. `data_dir` is what relative
/// paths begin at.
pub(super) fn compare(
    asked: &[OptionLine],
    running: &BTreeMap<String, String>,
    data_dir: &Path,
) -> Result<(), Failure> {
    let mut last: BTreeMap<String, &OptionLine> = BTreeMap::new();
    for line in asked {
        // Of several lines the last one counts.
        last.insert(bare_name(&line.name), line);
    }
    for (name, line) in last {
        if NOT_READ_BACK.contains(&name.as_str()) {
            continue;
        }
        let (variable, asked) = expected(&name, line.value.as_deref(), running);
        let Some(runs) = variable.as_deref().and_then(|variable| running.get(variable)) else {
            // Some options are no variables. The server did not refuse it.
            continue;
        };
        if !same(&variable.unwrap_or_default(), &asked, runs, data_dir) {
            let said = line.value.as_deref().unwrap_or("set");
            let mut failure = Failure::new(
                Phase::Start,
                FailureKind::OptionNotTaken,
                format!("{}: asked {said}, the server runs with {}", line.name, shown(runs)),
            )
            .next_step("Ask for a value that this release takes, or leave the option out for it");
            failure.place.clone_from(&line.place);
            return Err(failure);
        }
    }
    Ok(())
}

fn shown(value: &str) -> &str {
    if value.is_empty() { "nothing" } else { value }
}

/// Whether two texts say the same value.
fn same(variable: &str, asked: &str, runs: &str, data_dir: &Path) -> bool {
    let asked = asked.trim();
    let runs = runs.trim();
    if asked.eq_ignore_ascii_case(runs) {
        return true;
    }
    if let (Some(asked), Some(runs)) = (boolean(asked), boolean(runs)) {
        return asked == runs;
    }
    if let (Some(asked), Some(runs)) = (number(asked), number(runs)) {
        // Caches are cut to whole blocks: a hundredth is rounding, more is another value.
        let apart = (asked - runs).abs();
        return apart < 1e-9 || (asked >= f64::from(1 << 20) && apart <= asked / 100.0);
    }
    if asked.contains(',') || runs.contains(',') {
        let set = |text: &str| -> BTreeSet<String> {
            text.split(',')
                .map(|part| part.trim().to_ascii_lowercase())
                .filter(|part| !part.is_empty())
                .collect()
        };
        return set(asked) == set(runs);
    }
    if asked.contains('/') || runs.contains('/') {
        let path = |text: &str| data_dir.join(text.trim_end_matches('/'));
        return path(asked) == path(runs);
    }
    // The default of `innodb_flush_method` has no name before 5.7 and MariaDB 10.3.
    variable == "innodb_flush_method" && asked.eq_ignore_ascii_case("fsync") && runs.is_empty()
}

/// A number with an optional unit, as servers read it: powers of 1024.
fn number(text: &str) -> Option<f64> {
    let (digits, factor) = match text.char_indices().last()? {
        (at, unit) if unit.is_ascii_alphabetic() => {
            let power = "KMGTPE".find(unit.to_ascii_uppercase())?;
            (&text[..at], 1024f64.powi(i32::try_from(power).ok()? + 1))
        }
        _ => (text, 1.0),
    };
    digits.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Place;

    fn running(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect()
    }

    fn check(name: &str, value: Option<&str>, pairs: &[(&str, &str)]) -> Result<(), Failure> {
        let line = OptionLine {
            name: name.into(),
            value: value.map(str::to_string),
            place: Some(Place::new("a.bench", 3, 1)),
        };
        compare(&[line], &running(pairs), Path::new("/run/data"))
    }

    #[test]
    fn spellings_of_one_value_are_equal() {
        for (name, value, pairs) in [
            ("innodb_buffer_pool_size", Some("4G"), [("innodb_buffer_pool_size", "4294967296")]),
            ("innodb_doublewrite", Some("1"), [("innodb_doublewrite", "ON")]),
            ("local_infile", Some("on"), [("local_infile", "ON")]),
            ("innodb_io_capacity", Some("2k"), [("innodb_io_capacity", "2048")]),
            (
                "innodb_max_dirty_pages_pct",
                Some("90"),
                [("innodb_max_dirty_pages_pct", "90.000000")],
            ),
            ("log_bin", Some("mysql-bin"), [("log_bin", "ON")]),
            ("skip_log_bin", None, [("log_bin", "OFF")]),
            ("skip_networking", None, [("skip_networking", "ON")]),
            ("skip_name_resolve", Some("1"), [("skip_name_resolve", "ON")]),
            ("skip_ssl", None, [("ssl", "OFF")]),
            ("transaction_isolation", Some("READ-COMMITTED"), [("tx_isolation", "READ-COMMITTED")]),
            ("sql_mode", Some("B,a"), [("sql_mode", "A,B")]),
            ("tmpdir", Some("/tmp/"), [("tmpdir", "/tmp")]),
            ("innodb_log_group_home_dir", Some("./"), [("innodb_log_group_home_dir", "./")]),
            ("key_buffer_size", Some("8388609"), [("key_buffer_size", "8388608")]),
            ("loose_rocksdb_block_cache_size", Some("1M"), [("other", "")]),
            ("innodb_flush_method", Some("fsync"), [("innodb_flush_method", "")]),
            ("plugin_load_add", Some("x.so"), [("plugin_load_add", "")]),
            ("secure_file_priv", Some(""), [("secure_file_priv", "")]),
        ] {
            assert_eq!(check(name, value, &pairs), Ok(()), "{name}");
        }
    }

    #[test]
    fn another_value_fails_with_both_and_the_place_that_asked() {
        let failure = check(
            "innodb_buffer_pool_instances",
            Some("8"),
            &[("innodb_buffer_pool_instances", "1")],
        )
        .unwrap_err();
        assert_eq!(failure.kind, FailureKind::OptionNotTaken);
        assert_eq!(
            failure.message,
            "innodb_buffer_pool_instances: asked 8, the server runs with 1"
        );
        assert_eq!(failure.place.unwrap().to_string(), "a.bench:3:1");
        for (name, value, pairs) in [
            ("skip_log_bin", None, [("log_bin", "ON")]),
            ("innodb_doublewrite", Some("0"), [("innodb_doublewrite", "ON")]),
            ("sql_mode", Some("A"), [("sql_mode", "A,B")]),
            ("tmpdir", Some("/tmp"), [("tmpdir", "/var/tmp")]),
            ("innodb_buffer_pool_size", Some("200M"), [("innodb_buffer_pool_size", "268435456")]),
            ("skip_ssl", None, [("ssl", "ON")]),
        ] {
            assert!(check(name, value, &pairs).is_err(), "{name}");
        }
    }

    #[test]
    fn of_two_lines_the_last_one_counts() {
        let lines = [OptionLine::own("sync_binlog", "1"), OptionLine::own("sync-binlog", "0")];
        assert!(compare(&lines, &running(&[("sync_binlog", "0")]), Path::new("/")).is_ok());
    }
}
