//! `collect "COMMAND"`: commands of the user that run beside the measured phases.

use crate::model::Place;

/// A command that runs beside the measured phases of each repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    /// The program and its arguments, at least one; no shell reads them.
    pub arguments: Vec<String>,
    /// The command as the suite has it.
    pub command: String,
    /// Where it was written.
    pub place: Place,
}

impl Collector {
    /// A collector of this command; the error says why it is none.
    pub fn new(command: &str, place: Place) -> Result<Self, String> {
        let arguments = split(command)?;
        if arguments.is_empty() {
            return Err("a collector has no command".to_string());
        }
        Ok(Self { arguments, command: command.trim().to_string(), place })
    }
}

/// The arguments of a command: blanks part them, quotes of either kind keep blanks and each other.
/// Nothing else has a meaning, so that what a suite starts is what it says.
fn split(command: &str) -> Result<Vec<String>, String> {
    let mut arguments = Vec::new();
    let mut argument: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                // Nothing between quotes is an argument, too.
                argument.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => arguments.extend(argument.take()),
            (_, c) => argument.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        return Err(format!("a quote {open} in the command is not closed"));
    }
    arguments.extend(argument);
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_part_arguments_and_quotes_keep_them() {
        let of = |command: &str| split(command).unwrap();
        assert_eq!(of("iostat  -x\t1"), ["iostat", "-x", "1"]);
        assert_eq!(
            of("sh -c 'echo \"a  b\"' \"it's\" ''"),
            ["sh", "-c", "echo \"a  b\"", "it's", ""]
        );
        assert_eq!(of("pidstat -C my'sql'd"), ["pidstat", "-C", "mysqld"]);
        assert_eq!(of("echo $HOME * > x; y"), ["echo", "$HOME", "*", ">", "x;", "y"]);
    }

    #[test]
    fn what_is_no_command_is_refused() {
        let place = || Place::new("a.bench", 1, 1);
        assert!(Collector::new("  ", place()).is_err());
        let open = Collector::new("sh -c 'echo", place()).unwrap_err();
        assert!(open.contains("not closed"), "{open}");
        assert_eq!(Collector::new(" vmstat 1 ", place()).unwrap().command, "vmstat 1");
    }
}
