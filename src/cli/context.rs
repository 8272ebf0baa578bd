//! What the command knows of its surroundings, read once.

use super::exit::CliError;
use clap::ValueEnum;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// As the terminal and `NO_COLOR` say.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Terminal, environment and folders, read once when the command starts. No other room reads the
/// environment.
#[derive(Clone, Debug)]
pub struct Context {
    /// Whether standard output and standard error are terminals.
    terminal: (bool, bool),
    /// Columns of the terminal; none when output is piped.
    width: Option<u16>,
    color: Color,
    bisect: bool,
    verbose: bool,
    environment: BTreeMap<OsString, OsString>,
}

impl Context {
    /// The surroundings of this process.
    pub fn of_process() -> Self {
        let stdout = io::stdout();
        let width = rustix::termios::tcgetwinsize(&stdout)
            .or_else(|_| rustix::termios::tcgetwinsize(io::stderr()))
            .ok()
            .map(|size| size.ws_col)
            .filter(|&columns| columns > 0);
        Self {
            terminal: (stdout.is_terminal(), io::stderr().is_terminal()),
            width,
            color: Color::Auto,
            bisect: false,
            verbose: false,
            environment: std::env::vars_os().collect(),
        }
    }

    /// A variable of the environment; empty counts as unset.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        self.environment.get(&OsString::from(name)).filter(|value| !value.is_empty())
    }

    /// Columns to fit output to: the terminal's, `COLUMNS`, or 120 when neither says.
    pub fn width(&self) -> u16 {
        let asked = self
            .variable("COLUMNS")
            .and_then(|columns| columns.to_str())
            .and_then(|columns| columns.parse().ok())
            .filter(|&columns| columns >= 20);
        self.width.filter(|_| self.terminal.0).or(asked).unwrap_or(120)
    }

    /// Whether standard output is a terminal.
    pub fn stdout_is_terminal(&self) -> bool {
        self.terminal.0
    }

    /// Whether standard error is a terminal.
    pub fn stderr_is_terminal(&self) -> bool {
        self.terminal.1
    }

    /// Sets what `--bisect` said.
    pub(super) fn set_bisect(&mut self, bisect: bool) {
        self.bisect = bisect;
    }

    /// Whether `git bisect run` reads the exit code: what cannot be told is then no success.
    pub fn bisects(&self) -> bool {
        self.bisect
    }

    /// Sets what `--verbose` said.
    pub(super) fn set_verbose(&mut self, verbose: bool) {
        self.verbose = verbose;
    }

    /// Whether reports are shown whole: where it is asked for, and where no terminal reads them.
    pub fn shows_all(&self) -> bool {
        self.verbose || !self.terminal.0
    }

    /// Sets what `--color` said.
    pub(super) fn set_color(&mut self, color: Color) {
        self.color = color;
    }

    /// Whether to colour what goes to standard error (`stderr`) or standard output.
    pub fn colored(&self, stderr: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let terminal = if stderr { self.terminal.1 } else { self.terminal.0 };
                let dumb = self.variable("TERM").is_some_and(|term| term == "dumb");
                terminal && !dumb && self.variable("NO_COLOR").is_none()
            }
        }
    }

    /// `$NAME`, else `$XDG/enginecmp/...`, else the same below `$HOME`.
    fn folder(&self, xdg: &str, below_home: &str) -> PathBuf {
        let base = self.variable(xdg).map(PathBuf::from).filter(|path| path.is_absolute());
        base.unwrap_or_else(|| {
            self.variable("HOME").map_or_else(std::env::temp_dir, PathBuf::from).join(below_home)
        })
        .join("enginecmp")
    }

    /// The work directory when `--work` and `ENGINECMP_WORK` say nothing.
    pub fn default_work(&self) -> PathBuf {
        self.folder("XDG_CACHE_HOME", ".cache")
    }

    /// The directory of what is known of this machine.
    pub fn default_state(&self) -> PathBuf {
        self.folder("XDG_STATE_HOME", ".local/state")
    }

    /// The directory of servers when `--servers` and `ENGINECMP_SERVERS` say nothing.
    pub fn default_servers(&self) -> PathBuf {
        self.folder("XDG_DATA_HOME", ".local/share").join("servers")
    }

    /// Writes to standard output. A reader that went away is no error.
    #[allow(clippy::unused_self)] // one door for all output, so that tests can close it later
    pub fn out(&self, text: &str) -> Result<(), CliError> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(CliError::new(format!("cannot write to standard output: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// Writes to standard error. What cannot be written there cannot be told anywhere.
    #[allow(clippy::unused_self)] // see `out`
    pub fn err(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    }
}
