//! Arguments with places that are filled in when the tool is started: `{socket}`, `{clients}`.

use std::collections::BTreeMap;

/// What is filled in, by name.
pub type Reach = BTreeMap<&'static str, String>;

/// The arguments with what is known filled in. One that names nothing known stays as it is, and
/// one whose only value is empty goes, with the option before it: a server is reached by a socket
/// or by host and port.
pub fn filled(argv: &[String], known: &Reach) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(argv.len());
    for argument in argv {
        let mut text = argument.clone();
        let mut empty = false;
        for (name, value) in known {
            let place = format!("{{{name}}}");
            if text.contains(&place) {
                empty |= value.is_empty();
                text = text.replace(&place, value);
            }
        }
        if !empty {
            out.push(text);
        } else if !argument.starts_with('-') && out.last().is_some_and(|last| is_short(last)) {
            out.pop();
        }
    }
    out
}

/// `-S`: an option whose value is the next argument.
fn is_short(argument: &str) -> bool {
    argument.len() == 2 && argument.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_filled_in_and_what_is_empty_goes() {
        let known = Reach::from([
            ("socket", "/run/s.sock".to_string()),
            ("host", String::new()),
            ("clients", "4".to_string()),
        ]);
        let argv = [
            "tool",
            "-S",
            "{socket}",
            "-h",
            "{host}",
            "--host={host}",
            "--threads={clients}",
            "{other}",
        ]
        .map(str::to_string);
        assert_eq!(filled(&argv, &known), ["tool", "-S", "/run/s.sock", "--threads=4", "{other}"]);
    }
}
