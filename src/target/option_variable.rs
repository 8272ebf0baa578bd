//! In which variable of a running server an option shows.

use std::collections::BTreeMap;

/// An option's name as its variable has it: lower case, underscores, without `loose_`.
pub(super) fn bare_name(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace('-', "_");
    name.strip_prefix("loose_").map_or(name.clone(), str::to_string)
}

/// The variable of `running` that an option shows in, and what it should say; no variable where it
/// shows in none. `name` is a [`bare_name`].
pub(super) fn expected(
    name: &str,
    value: Option<&str>,
    running: &BTreeMap<String, String>,
) -> (Option<String>, String) {
    let on = || "ON".to_string();
    match (name, value) {
        ("transaction_isolation" | "tx_isolation", Some(value)) => {
            let variable = ["transaction_isolation", "tx_isolation"]
                .into_iter()
                .find(|variable| running.contains_key(*variable));
            (variable.map(str::to_string), value.to_string())
        }
        // The value is the name of a file; the variable says whether there is a binary log.
        ("log_bin", _) => (Some("log_bin".into()), on()),
        ("skip_log_bin" | "disable_log_bin", _) => (Some("log_bin".into()), "OFF".into()),
        _ if running.contains_key(name) => {
            (Some(name.to_string()), value.map_or_else(on, str::to_string))
        }
        _ => {
            // `skip_x` turns x off.
            let turned_off = name
                .strip_prefix("skip_")
                .or_else(|| name.strip_prefix("disable_"))
                .filter(|rest| running.contains_key(*rest));
            match turned_off {
                Some(rest) if value.is_none_or(|value| boolean(value) == Some(true)) => {
                    (Some(rest.to_string()), "OFF".into())
                }
                _ => (None, String::new()),
            }
        }
    }
}

/// What a switch says; `None` for what is no switch.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" | "enabled" => Some(true),
        "off" | "false" | "no" | "0" | "disabled" => Some(false),
        _ => None,
    }
}
