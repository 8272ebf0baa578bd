//! Connections to a server that runs already.

use super::Reach;
use crate::host::clock::{Clock, SystemClock};
use crate::model::{Failure, FailureKind, Phase};
use crate::target::mysql_session::{ConnectOptions, MysqlSession};
use crate::target::option_variable::{bare_name, expected};
use crate::target::session::{Session, SqlError};
use crate::target::{Capabilities, OptionLine, Running, StopReport, TargetDescription};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A server that was found running.
pub(super) struct RemoteRunning {
    reach: Reach,
    /// How clients connect.
    options: ConnectOptions,
    version: (String, String),
    control: Mutex<MysqlSession>,
    /// Connection ids of all sessions, for [`Running::kill`].
    sessions: Mutex<Vec<i64>>,
    variables: BTreeMap<String, String>,
    clock: Arc<dyn Clock>,
}

impl RemoteRunning {
    pub(super) fn new(
        reach: Reach,
        description: &TargetDescription,
        control: MysqlSession,
        variables: BTreeMap<String, String>,
    ) -> Self {
        let comment = variables.get("version_comment").cloned().unwrap_or_default();
        Self {
            options: reach.options(Some(&reach.dsn.database)),
            reach,
            version: (description.version.clone(), comment),
            control: Mutex::new(control),
            sessions: Mutex::default(),
            variables,
            clock: Arc::new(SystemClock::since(Instant::now())),
        }
    }

    fn variable(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", String::as_str)
    }
}

impl Running for RemoteRunning {
    fn reach(&self) -> Option<&ConnectOptions> {
        Some(&self.options)
    }

    fn processes(&self) -> Vec<u32> {
        Vec::new()
    }

    fn data_dirs(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn connect(&self, _client: usize) -> Result<Box<dyn Session>, SqlError> {
        let mut session = MysqlSession::connect(&self.options)?;
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        session.text_visit("SELECT CONNECTION_ID()", &mut |row| {
            sessions.extend(row.int(0));
            true
        })?;
        Ok(Box::new(session))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            restart: false,
            files: false,
            // A file is streamed past the client library, which alone has the keys of TLS.
            load_data_local: self.reach.tls_ca.is_none()
                && self.variable("local_infile").eq_ignore_ascii_case("on"),
            load_data_file: false,
            max_packet: self.variable("max_allowed_packet").parse().unwrap_or(1 << 20),
            concurrent_writers: true,
        }
    }

    fn version(&self) -> (String, String) {
        self.version.clone()
    }

    fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    fn start_time(&self) -> Duration {
        Duration::ZERO
    }

    fn clock(&self, _client: usize) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    fn alive(&self) -> Result<(), Failure> {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        control.text("SELECT 1").map(drop).map_err(|error| {
            let failure = self.reach.failed(Phase::Measure, &error);
            Failure { kind: FailureKind::ServerDied, ..failure }
        })
    }

    /// Ends the connections by the server's own KILL; the server runs on.
    fn kill(&self) {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        for id in self.sessions.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // One that is gone already is no error here.
            let _ = control.text(&format!("KILL {id}"));
        }
    }

    /// Disconnects. The server runs on.
    fn stop(self: Box<Self>) -> Result<StopReport, Failure> {
        Ok(StopReport::default())
    }
}

/// Options that the suite asks for must be what the server runs with already; enginecmp's own
/// are for servers that it starts.
pub(super) fn check_options(
    options: &[OptionLine],
    variables: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    for option in options {
        let Some(place) = &option.place else { continue };
        let (variable, asked) =
            expected(&bare_name(&option.name), option.value.as_deref(), variables);
        let runs = variable.and_then(|variable| variables.get(&variable)).map(String::as_str);
        if runs.is_some_and(|runs| canonical(runs) == canonical(&asked)) {
            continue;
        }
        let message = format!(
            "asked for {} = {}, the server runs with {}",
            option.name,
            option.value.as_deref().unwrap_or("ON"),
            runs.unwrap_or("no variable of that name")
        );
        return Err(Failure::new(Phase::Start, FailureKind::OptionNotTaken, message)
            .at(place.clone())
            .next_step(
                "This server was not started by enginecmp: set the option in the server's own \
                 configuration, or `by set_global` where the server can change it.",
            ));
    }
    Ok(())
}

/// One form for values that mean the same: ON and 1, 64M and 67108864.
fn canonical(value: &str) -> String {
    let lower = value.trim().to_lowercase();
    match lower.as_str() {
        "on" | "true" | "yes" => return "1".to_string(),
        "off" | "false" | "no" => return "0".to_string(),
        _ => {}
    }
    let (digits, shift) = match lower.as_bytes().last() {
        Some(b'k') => (&lower[..lower.len() - 1], 10),
        Some(b'm') => (&lower[..lower.len() - 1], 20),
        Some(b'g') => (&lower[..lower.len() - 1], 30),
        _ => (lower.as_str(), 0),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .map_or(lower.clone(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Place;

    #[test]
    fn an_option_must_be_what_the_server_runs_with() {
        let variables = BTreeMap::from([
            ("innodb_buffer_pool_size".to_string(), "67108864".to_string()),
            ("sync_binlog".to_string(), "0".to_string()),
            ("tx_isolation".to_string(), "READ-COMMITTED".to_string()),
            ("log_bin".to_string(), "OFF".to_string()),
        ]);
        let asked = |name: &str, value: &str| OptionLine {
            place: Some(Place::new("x.bench", 4, 1)),
            ..OptionLine::own(name, value)
        };
        let fits = [
            asked("innodb_buffer_pool_size", "64M"),
            asked("sync_binlog", "OFF"),
            asked("transaction_isolation", "READ-COMMITTED"),
            asked("skip-log-bin", "ON"),
            OptionLine::own("skip_networking", "ON"),
        ];
        assert_eq!(check_options(&fits, &variables), Ok(()));
        let failure = check_options(&[asked("sync_binlog", "1")], &variables).unwrap_err();
        assert_eq!(failure.message, "asked for sync_binlog = 1, the server runs with 0");
        assert_eq!(failure.place.unwrap().to_string(), "x.bench:4:1");
        let failure = check_options(&[asked("nonsense", "1")], &variables).unwrap_err();
        assert!(failure.message.ends_with("runs with no variable of that name"));
    }
}
