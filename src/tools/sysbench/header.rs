//! What sysbench says before it measures, what the command line said, and errors on the way.

use super::super::result::ErrorSeen;
use super::super::text::{Line, patterns};
use std::collections::BTreeMap;

patterns! {
    BANNER = r"\bsysbench (\d+\.\d+(?:\.\d+)?(?:-[0-9A-Za-z.]+)?)\S*\s+(?:\(using|\(compiled|multi-threaded)";
    THREADS = r"Number of threads: (\d+)";
    RATE = r"Target transaction rate: (\d+)/sec";
    LIMIT = r"Maximum number of requests for OLTP test is limited to (\d+)";
    WARMUP = r"(?i)warm-?(?:ing )?up(?: time| for)?:?\s*(\d+)\s*s";
    DISTRIBUTION = r"Using (Special|Uniform|Gaussian|Pareto|Zipfian) distribution(?: \(([^)]*)\))?";
    MIXED = r"Running mixed OLTP test|Running (\S+) OLTP test";
    READ_ONLY = r"Doing read-only test";
    COMMAND = r"\bsysbench\b.*\b(run|prepare|cleanup)\b";
    ARGUMENT = r"--([\w-]+)(?:[= ]([^\s-][^\s]*))?";
    TEST = r"\bsysbench\s+(?:--\S+\s+)*((?:[\w./-]*/)?[\w-]+(?:\.lua)?)\b";
    FATAL = r"^\W*(?:\d+\S*\s+)?(FATAL|PANIC): (.*)$";
    ALERT = r"^\W*ALERT: (.*)$";
    REPEATED = r"\(last message repeated (\d+) times?\)";
    NUMBER = r"(?:error|errno =|errno:|returned error|Err) *(\d{1,5})|\((?:errno )?(\d{3,5})\)";
    TPCC_SCRIPT = r"\btpcc\.lua\b|(?:^|[\s/])tpcc\.lua";
}

/// Everything around intervals and totals.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    /// As printed.
    pub(super) version: Option<String>,
    /// Threads asked for.
    pub(super) threads: Option<u32>,
    /// Transactions a second that were offered.
    pub(super) rate: Option<u64>,
    /// Events after which the run ends.
    pub(super) limit: Option<u64>,
    /// Warm-up, seconds.
    pub(super) warmup_s: Option<f64>,
    /// The distribution of rows with its parameters.
    pub(super) distribution: Option<String>,
    /// The script or test, where the command line or the text says.
    pub(super) test: Option<String>,
    /// Options of a command line that stands in the text.
    pub(super) arguments: BTreeMap<String, String>,
    /// Fatal messages: line and text.
    pub(super) fatal: Vec<(usize, String)>,
    /// Messages of errors, fatal or not, by number.
    pub(super) errors: Vec<ErrorSeen>,
    /// The tpcc script was run.
    pub(super) of_tpcc: bool,
    /// The error that `last message repeated` is about.
    last: Option<usize>,
}

/// Options of a command line that say nothing about the measurement, or must not be shown.
const PRIVATE: &[&str] =
    &["mysql-password", "mysql-user", "mysql-host", "mysql-socket", "mysql-port"];

/// Longest text of an error that is kept, characters.
const MESSAGE: usize = 200;

impl Header {
    /// Reads one line.
    pub(super) fn read(&mut self, line: &Line) {
        let text = line.text.as_str();
        if let Some(found) = FATAL.captures(text) {
            self.fatal.push((line.number, found[2].trim().to_string()));
            self.error(&found[2]);
            return;
        }
        if let Some(found) = ALERT.captures(text) {
            self.error(&found[1]);
            return;
        }
        if let Some(found) = REPEATED.captures(text) {
            if let Some(last) = self.last.and_then(|last| self.errors.get_mut(last)) {
                last.count = last.count.saturating_add(found[1].parse().unwrap_or(0));
            }
            return;
        }
        if COMMAND.is_match(text) && !text.contains("multi-threaded") {
            self.command(text);
            return;
        }
        self.setting(text);
    }

    fn setting(&mut self, text: &str) {
        if let Some(found) = BANNER.captures(text) {
            self.version.get_or_insert_with(|| found[1].to_string());
        } else if let Some(found) = THREADS.captures(text) {
            self.threads = found[1].parse().ok();
        } else if let Some(found) = RATE.captures(text) {
            self.rate = found[1].parse().ok();
        } else if let Some(found) = LIMIT.captures(text) {
            self.limit = found[1].parse().ok();
        } else if let Some(found) = WARMUP.captures(text) {
            self.warmup_s = found[1].parse().ok();
        } else if let Some(found) = DISTRIBUTION.captures(text) {
            let name = found[1].to_lowercase();
            self.distribution = Some(match found.get(2) {
                Some(parameters) => {
                    let parameters = parameters.as_str().split_whitespace().collect::<Vec<_>>();
                    format!("{name} ({})", parameters.join(" "))
                }
                None => name,
            });
        } else if READ_ONLY.is_match(text) {
            self.test = Some("read-only".to_string());
        } else if let Some(found) = MIXED.captures(text) {
            let kind = found.get(1).map_or("mixed", |kind| kind.as_str()).to_string();
            self.test.get_or_insert(kind);
        }
    }

    /// A command line in the text.
    fn command(&mut self, text: &str) {
        for found in ARGUMENT.captures_iter(text) {
            let name = found[1].replace('_', "-");
            if !PRIVATE.contains(&name.as_str()) {
                let value = found.get(2).map_or("on", |value| value.as_str());
                self.arguments.insert(name, value.trim_matches(['"', '\'']).to_string());
            }
        }
        let of = |arguments: &BTreeMap<String, String>, names: &[&str]| {
            names.iter().find_map(|name| arguments.get(*name).cloned())
        };
        if let Some(kind) = of(&self.arguments, &["rand-type", "oltp-dist-type"]) {
            self.distribution.get_or_insert(kind);
        }
        self.of_tpcc |= TPCC_SCRIPT.is_match(text);
        let named = of(&self.arguments, &["test"])
            .or_else(|| TEST.captures(text).map(|found| found[1].to_string()));
        if let Some(named) = named {
            let file = named.rsplit('/').next().unwrap_or(&named);
            let name = file.strip_suffix(".lua").unwrap_or(file);
            if !matches!(name, "run" | "prepare" | "cleanup") {
                self.test = Some(name.to_string());
            }
        }
    }

    fn error(&mut self, message: &str) {
        let number = NUMBER
            .captures(message)
            .and_then(|found| found.get(1).or_else(|| found.get(2)))
            .and_then(|digits| digits.as_str().parse().ok())
            .unwrap_or(0);
        let message: String = message.trim().chars().take(MESSAGE).collect();
        let known = self
            .errors
            .iter()
            .position(|known| known.number == number && (number != 0 || known.message == message));
        let at = known.unwrap_or_else(|| {
            self.errors.push(ErrorSeen { number, message, count: 0 });
            self.errors.len() - 1
        });
        self.errors[at].count += 1;
        self.last = Some(at);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::text::lines;
    use super::*;

    fn header(text: &str) -> Header {
        let mut header = Header::default();
        for line in &lines(text.as_bytes()) {
            header.read(line);
        }
        header
    }

    #[test]
    fn a_command_line_says_what_the_output_does_not() {
        let header = header(
            "$ sysbench oltp_read_only --tables=10 --table_size=100000 --rand-type=uniform --mysql-password=secret --threads=8 run",
        );
        assert_eq!(header.test.as_deref(), Some("oltp_read_only"));
        assert_eq!(header.distribution.as_deref(), Some("uniform"));
        assert_eq!(header.arguments["table-size"], "100000");
        assert!(!header.arguments.contains_key("mysql-password"));
    }

    #[test]
    fn repeated_messages_count() {
        let header = header(
            "FATAL: mysql_drv_query() returned error 2013 (Lost connection) for query 'x'\n(last message repeated 7 times)",
        );
        assert_eq!((header.errors[0].number, header.errors[0].count), (2013, 8));
        assert_eq!(header.fatal.len(), 1);
    }
}
