//! What a plan must know about SQLite's options without opening a file.

use super::pragma;
use crate::model::SettingValue;
use crate::target::families::OwnOption;

fn own(name: &str, value: impl Into<String>, reason: &str) -> OwnOption {
    OwnOption { name: name.to_string(), value: Some(value.into()), reason: reason.to_string() }
}

/// Options that every start gets unless the suite says otherwise.
pub fn own_options() -> Vec<OwnOption> {
    vec![
        own("journal_mode", "wal", "readers go on beside the one writer"),
        own("synchronous", "full", "every commit is durable, as on servers"),
        own("foreign_keys", "on", "keys in the schema are enforced, as on servers"),
    ]
}

/// Translates a portable setting; an error says why SQLite cannot have it.
pub fn translate(setting: &str, value: &SettingValue) -> Result<Vec<OwnOption>, String> {
    let word = value.as_str().unwrap_or_default().to_ascii_lowercase();
    match (setting, value) {
        ("cache", SettingValue::Size(bytes)) => {
            let kib = bytes.div_ceil(1024).max(1);
            Ok(vec![own("cache_size", format!("-{kib}"), "cache of each connection, in KiB")])
        }
        ("lock_wait", SettingValue::Duration(wait)) => {
            Ok(vec![own("busy_timeout", wait.as_millis().to_string(), "lock wait, in ms")])
        }
        ("io", _) if word == "buffered" => Ok(Vec::new()),
        ("io", _) => Err("SQLite reads and writes through the page cache: `io buffered` alone \
                          fits"
            .to_string()),
        ("isolation", _) if word == "serializable" => Ok(Vec::new()),
        ("isolation", _) => {
            Err("SQLite's transactions are SERIALIZABLE: `isolation serializable` alone fits"
                .to_string())
        }
        ("redo", _) => Err("SQLite has no redo log of a fixed size; `option wal_autocheckpoint` \
                            sets how many pages its log may hold"
            .to_string()),
        ("compression", _) if word == "none" => Ok(Vec::new()),
        ("compression", _) => Err("SQLite does not compress".to_string()),
        _ => Err(format!("SQLite has nothing like `{setting} {value}`")),
    }
}

/// Checks an option of a suite; an error says what would fit.
pub fn check_option(name: &str, value: Option<&str>) -> Result<(), String> {
    let Some(pragma) = pragma::find(name) else {
        let known: Vec<&str> = pragma::PRAGMAS.iter().map(|pragma| pragma.name).collect();
        return Err(format!("SQLite has no option `{name}`; it has {}", known.join(", ")));
    };
    let value = value.ok_or_else(|| format!("SQLite's option `{name}` needs a value"))?;
    pragma.canonical(value).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn portable_settings_become_pragmas_or_are_refused() {
        let line = |setting: &str, value: SettingValue| {
            translate(setting, &value).map(|options| {
                options
                    .iter()
                    .map(|option| format!("{}={}", option.name, option.value.as_ref().unwrap()))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
        };
        let word = |text: &str| SettingValue::Word(text.to_string());
        assert_eq!(line("cache", SettingValue::Size(64 << 20)).unwrap(), "cache_size=-65536");
        let wait = SettingValue::Duration(Duration::from_secs(2));
        assert_eq!(line("lock_wait", wait).unwrap(), "busy_timeout=2000");
        assert_eq!(line("io", word("buffered")).unwrap(), "");
        assert!(line("io", word("direct")).unwrap_err().contains("page cache"));
        assert_eq!(line("isolation", word("serializable")).unwrap(), "");
        assert!(line("isolation", word("read_committed")).unwrap_err().contains("SERIALIZABLE"));
        assert_eq!(line("compression", word("zlib")).unwrap_err(), "SQLite does not compress");
    }

    #[test]
    fn options_are_checked_before_anything_starts() {
        assert_eq!(check_option("synchronous", Some("normal")), Ok(()));
        assert_eq!(
            check_option("synchronous", Some("often")).unwrap_err(),
            "synchronous takes one of off, normal, full, extra, not `often`"
        );
        assert!(check_option("sync_binlog", Some("1")).unwrap_err().contains("has no option"));
        for option in own_options() {
            assert_eq!(check_option(&option.name, option.value.as_deref()), Ok(()));
        }
    }
}
