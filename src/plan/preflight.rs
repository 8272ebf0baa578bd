//! What the clients of a cell need of their server's limits: raised on servers that enginecmp
//! starts, asked of all before anything is loaded.

use super::options::Line;
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::engine::{EngineSpec, Home};
use crate::target::{OptionLine, TargetDescription, TargetKind};
use crate::workload::Workload;
use std::borrow::Cow;

/// Connections beside those of clients: enginecmp's own, the sampler's, one to look around.
const BESIDE: u64 = 8;

/// Tables that one statement has open at once, at most.
const TABLES_AT_ONCE: u64 = 3;

/// Connections that are made at once.
pub const CONNECT_WAVE: u32 = 32;

/// Share of the file system in percent that TokuDB keeps free: below it no row is taken.
const TOKUDB_RESERVE: &str = "1";

/// A limit of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The server's variable.
    pub variable: &'static str,
    /// The least value with which the clients can work.
    pub least: u64,
    /// What needs it: clients, and what each of them has.
    need: (u32, Need),
}

/// What needs a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Clients,
    Statements(u64),
    Wave,
    Tables(u64),
    LongValues,
}

impl Limit {
    /// What needs it, in words.
    pub fn why(&self) -> String {
        let (clients, need) = self.need;
        match need {
            Need::Clients => format!("{clients} clients"),
            Need::Statements(each) => {
                format!("{clients} clients that prepare {each} statements each")
            }
            Need::Wave => {
                format!("{} connections that are made at once", CONNECT_WAVE.min(clients))
            }
            Need::Tables(each) => format!("{clients} clients with {each} tables each"),
            Need::LongValues => "statements with long values".to_string(),
        }
    }
}

/// What each client of a workload needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// Tables that it has open at once.
    tables: u64,
    /// Statements that it keeps prepared.
    statements: u64,
}

impl Demand {
    pub(super) fn of(workload: &dyn Workload) -> Self {
        Self {
            tables: (workload.tables().len() as u64).clamp(1, TABLES_AT_ONCE),
            statements: workload.prepared_statements(),
        }
    }

    /// What so many clients need.
    pub(super) fn limits(self, clients: u32) -> [Limit; 5] {
        let many = u64::from(clients);
        let Self { tables, statements } = self;
        let limit = |variable, least, need| Limit { variable, least, need: (clients, need) };
        [
            limit("max_connections", many + BESIDE, Need::Clients),
            limit("max_prepared_stmt_count", many * statements, Need::Statements(statements)),
            limit("back_log", u64::from(CONNECT_WAVE.min(clients)), Need::Wave),
            limit("table_open_cache", many * tables, Need::Tables(tables)),
            limit("max_allowed_packet", 1 << 20, Need::LongValues),
        ]
    }
}

/// What `clients` of a workload need.
pub fn limits(workload: &dyn Workload, clients: u32) -> [Limit; 5] {
    Demand::of(workload).limits(clients)
}

/// Raises the limits in the option file of a server that enginecmp starts. A line of the suite
/// that is too low is reported.
pub(super) fn raise(
    lines: &mut Cow<'_, [Line]>,
    limits: &[Limit],
    spec: &EngineSpec,
    server: Option<&TargetDescription>,
    wrong: &mut Vec<Diagnostic>,
) {
    // What the suite states is looked at as well where the server is not known.
    let other = server.is_some_and(|server| server.kind != TargetKind::Managed);
    if other || spec.home == Home::InProcess {
        return;
    }
    for limit in limits {
        match lines.iter().rposition(|line| line.sets(limit.variable)) {
            Some(at) => {
                let line = &lines[at];
                let value = line.option.value.as_deref().and_then(number);
                if value.is_none_or(|value| value >= limit.least) {
                    continue;
                }
                if let (Some(_), Some(span)) = (line.level, line.span()) {
                    let error = too_low(limit, line, span);
                    if !wrong.contains(&error) {
                        wrong.push(error);
                    }
                    continue;
                }
                let line = &mut lines.to_mut()[at];
                line.option.value = Some(limit.least.to_string());
                line.reason = Some(format!("room for {}", limit.why()));
            }
            // Servers have room for so many by default.
            None if limit.least <= default_of(limit.variable) => {}
            None => {
                let option = OptionLine::own(limit.variable, limit.least.to_string());
                let mut line = Line::of_file(option, spec, server);
                line.level = None;
                line.reason = Some(format!("room for {}", limit.why()));
                lines.to_mut().push(line);
            }
        }
    }
    let reserve = "tokudb_fs_reserve_percent";
    if spec.storage == "TokuDB" && !lines.iter().any(|line| line.sets(reserve)) {
        let mut line = Line::of_file(OptionLine::own(reserve, TOKUDB_RESERVE), spec, server);
        line.level = None;
        line.reason = Some("by default rows are refused when 5 % of the disk are free".to_string());
        lines.to_mut().push(line);
    }
}

/// The smallest default among the releases that are known.
fn default_of(variable: &str) -> u64 {
    match variable {
        "back_log" => 50,
        "table_open_cache" => 400,
        _ => u64::MAX,
    }
}

fn too_low(limit: &Limit, line: &Line, span: Span) -> Diagnostic {
    let value = line.option.value.as_deref().unwrap_or_default();
    Diagnostic::error(
        codes::LIMIT_TOO_LOW,
        span,
        format!("`{} = {value}` is too low for {}", line.option.name, limit.why()),
    )
    .label(format!("at least {}", limit.least))
    .help("leave it out: enginecmp raises it as far as the clients need it")
}

/// `64M` or `64` as a number; none for what is neither.
fn number(text: &str) -> Option<u64> {
    if let Ok(count) = text.parse() {
        return Some(count);
    }
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let shift = match unit.to_ascii_uppercase().as_str() {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}
