//! Outside tools as clients: sysbench with any Lua script, tpcc_start, and commands whose output
//! has one of the formats that enginecmp reads. Server, schema and dataset are enginecmp's.

mod loader;
mod template;

pub use loader::Loader;
pub use template::{Reach, filled};

use super::{
    CheckMoment, Checked, Drive, Parameter, ParameterError, ParameterKind, ParameterScope,
    Parameters, Program, SourceScript, TableLoad, Workload, WorkloadKind, tpcc,
};
use crate::model::{Metric, SettingValue};
use crate::target::session::{Dialect, RowSink, RowSource, Session, SqlError};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Parts of a list in one parameter: no argument holds a line end.
pub const SEPARATOR: char = '\n';

/// Transactions whose end the tool does not tell exactly: those of its warm-up among them.
const UNCERTAIN: u64 = 1 << 40;

const fn text(name: &'static str, doc: &'static str) -> Parameter {
    Parameter { name, kind: ParameterKind::Text, scope: ParameterScope::Data, default: None, doc }
}

/// The registration.
pub static KIND: WorkloadKind = WorkloadKind {
    name: "external",
    parameters: &[
        Parameter {
            name: "tool",
            kind: ParameterKind::Word(&["sysbench", "tpcc_start", "command"]),
            scope: ParameterScope::Data,
            default: None,
            doc: "The tool.",
        },
        Parameter {
            name: "output",
            kind: ParameterKind::Word(&["sysbench", "tpcc_start", "go_tpc"]),
            scope: ParameterScope::Run,
            default: None,
            doc: "The format of the output of `tool command`.",
        },
        Parameter {
            name: "warehouses",
            kind: ParameterKind::Count { min: 1, max: 32_767 },
            scope: ParameterScope::Data,
            default: None,
            doc: "Warehouses of TPC-C that enginecmp loads; without it the tool loads by itself.",
        },
        text("script", "sysbench's script: one that it brings, or a file beside the suite."),
        text("program", "The program of `tool command`."),
        text("argument", "Arguments, as they are."),
        text("prepare", "Arguments with which `tool command` loads its data."),
    ],
    doc: "An outside tool as the client.",
    wants_lasting_rows: false,
    data_version: 1,
    make: |parameters| Ok(Box::new(External::new(parameters)?)),
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Sysbench,
    TpccStart,
    Command,
}

/// An outside tool with its parameters.
struct External {
    tool: Tool,
    /// `sysbench`, `tpcc_start`, or the program of a command.
    program: String,
    script: Option<String>,
    arguments: Vec<String>,
    prepare: Vec<String>,
    /// As `Program::format` has it.
    format: String,
    /// The data, where enginecmp loads them.
    data: Option<Box<dyn Workload>>,
}

fn wrong(parameter: &'static str, message: impl Into<String>) -> ParameterError {
    ParameterError { parameter, message: message.into() }
}

impl External {
    fn new(parameters: &Parameters) -> Result<Self, ParameterError> {
        let word = |name: &str| parameters.get(name).and_then(SettingValue::as_str);
        let list = |name: &str| loader::list(word(name));
        let tool = match word("tool") {
            Some("sysbench") => Tool::Sysbench,
            Some("tpcc_start") => Tool::TpccStart,
            Some("command") => Tool::Command,
            _ => {
                return Err(wrong(
                    "tool",
                    "write `tool sysbench`, `tool tpcc_start` or `tool command`",
                ));
            }
        };
        let format = match (tool, word("output")) {
            (Tool::Command, Some(output)) => output.to_string(),
            (Tool::Command, None) => {
                return Err(wrong("output", "say the format of its output: `output sysbench`"));
            }
            (_, Some(_)) => return Err(wrong("output", "only `tool command` has an `output`")),
            (Tool::Sysbench, None) => "sysbench".to_string(),
            (Tool::TpccStart, None) => "tpcc_start".to_string(),
        };
        let script = word("script").map(str::to_string);
        let program = word("program").map(str::to_string);
        match (tool, &script, &program) {
            (Tool::Sysbench, None, _) => {
                return Err(wrong("script", "say which: `script \"oltp_read_write\"`"));
            }
            (Tool::TpccStart | Tool::Command, Some(_), _) => {
                return Err(wrong("script", "only sysbench has scripts"));
            }
            (Tool::Command, _, None) => {
                return Err(wrong("program", "say which: `program \"/usr/bin/my-bench\"`"));
            }
            _ => {}
        }
        let data = match parameters.get("warehouses") {
            Some(warehouses) => {
                let mode = SettingValue::Word("tpcc_mysql".to_string());
                let given = [("warehouses", warehouses.clone()), ("mode", mode)];
                let given = given.map(|(name, value)| (name.to_string(), value));
                Some((tpcc::KIND.make)(&given.into_iter().collect())?)
            }
            None if tool == Tool::TpccStart => {
                return Err(wrong("warehouses", "say how many are loaded: `warehouses 10`"));
            }
            None => None,
        };
        let name = match tool {
            Tool::Sysbench => "sysbench",
            Tool::TpccStart => "tpcc_start",
            Tool::Command => "",
        };
        Ok(Self {
            tool,
            program: program.unwrap_or_else(|| name.to_string()),
            script,
            arguments: list("argument"),
            prepare: list("prepare"),
            format,
            data,
        })
    }

    /// sysbench with its script and connection. Reads its password from the option file.
    fn sysbench(&self, command: &str) -> Vec<String> {
        let script = self.script.clone().unwrap_or_default();
        // Its own tests name the engine of their tables; a script of the user may have no such
        // option, and gets tables of the server's default engine.
        let own = !script.contains(['/', '.']);
        let mut argv = vec![self.program.clone(), script];
        argv.extend(
            [
                "--config-file={option_file}",
                "--db-driver=mysql",
                "--mysql-socket={socket}",
                "--mysql-host={host}",
                "--mysql-port={port}",
                "--mysql-user={user}",
                "--mysql-db={database}",
                "--threads={clients}",
                "--time={seconds}",
                "--events=0",
                "--report-interval=1",
            ]
            .map(str::to_string),
        );
        if own {
            argv.push("--mysql_storage_engine={engine}".to_string());
        }
        argv.extend(self.arguments.iter().cloned());
        argv.push(command.to_string());
        argv
    }

    fn argv(&self) -> Vec<String> {
        match self.tool {
            Tool::Sysbench => self.sysbench("run"),
            Tool::TpccStart => {
                let mut argv = vec![self.program.clone()];
                argv.extend(
                    [
                        "-S",
                        "{socket}",
                        "-h",
                        "{host}",
                        "-P",
                        "{port}",
                        "-u",
                        "{user}",
                        "-d",
                        "{database}",
                        "-w",
                        "{warehouses}",
                        "-c",
                        "{clients}",
                        "-r",
                        "{warmup}",
                        "-l",
                        "{seconds}",
                        "-i",
                        "1",
                    ]
                    .map(str::to_string),
                );
                argv.extend(self.arguments.iter().cloned());
                argv
            }
            Tool::Command => {
                let mut argv = vec![self.program.clone()];
                argv.extend(self.arguments.iter().cloned());
                argv
            }
        }
    }

    fn load(&self) -> Option<Vec<String>> {
        if self.data.is_some() {
            return None;
        }
        match self.tool {
            Tool::Sysbench => Some(self.sysbench("prepare")),
            Tool::Command if !self.prepare.is_empty() => {
                let mut argv = vec![self.program.clone()];
                argv.extend(self.prepare.iter().cloned());
                Some(argv)
            }
            Tool::TpccStart | Tool::Command => None,
        }
    }
}

/// No rows: the tool brings them.
struct Nothing;

impl RowSource for Nothing {
    fn next_row(&mut self, _sink: &mut dyn RowSink) -> bool {
        false
    }

    fn expected(&self) -> u64 {
        0
    }
}

impl Workload for External {
    fn source_ddl(&self) -> SourceScript {
        self.data.as_ref().map_or_else(
            || SourceScript {
                tables: String::new(),
                indexes: String::new(),
                foreign_keys: String::new(),
            },
            |data| data.source_ddl(),
        )
    }

    fn tables(&self) -> Vec<TableLoad> {
        self.data.as_ref().map_or_else(Vec::new, |data| data.tables())
    }

    fn rows_by_others(&self, table: &str) -> Option<RangeInclusive<u64>> {
        self.data.as_ref()?.rows_by_others(table)
    }

    fn rows(&self, seed: u64, table: &str, part: u32) -> Box<dyn RowSource> {
        match &self.data {
            Some(data) => data.rows(seed, table, part),
            None => Box::new(Nothing),
        }
    }

    fn transaction_types(&self) -> &'static [&'static str] {
        match &self.data {
            Some(data) if self.format == "tpcc_start" => data.transaction_types(),
            _ => &["transaction"],
        }
    }

    fn headline(&self) -> Metric {
        if self.format == "sysbench" { Metric::Tps } else { Metric::Tpmc }
    }

    fn headline_type(&self) -> Option<usize> {
        (self.format == "tpcc_start" && self.data.is_some()).then_some(0)
    }

    fn drive(&self, _dialect: Dialect) -> Drive {
        Drive::Program(Program {
            argv: self.argv(),
            load: self.load(),
            format: self.format.clone(),
        })
    }

    fn growth_counters(
        &self,
        loaded: Option<u64>,
        session: &mut dyn Session,
    ) -> Result<BTreeMap<String, i64>, SqlError> {
        match &self.data {
            Some(data) => data.growth_counters(loaded, session),
            None => Ok(BTreeMap::new()),
        }
    }

    fn check(
        &self,
        session: &mut dyn Session,
        moment: &CheckMoment,
    ) -> Result<Vec<Checked>, SqlError> {
        let Some(data) = &self.data else { return Ok(Vec::new()) };
        match moment {
            CheckMoment::AfterLoad { .. } => data.check(session, moment),
            CheckMoment::AfterRepetition { before, .. } => {
                let committed = vec![0; data.transaction_types().len()];
                let before = before.clone();
                let moment =
                    CheckMoment::AfterRepetition { committed, before, uncertain: UNCERTAIN };
                data.check(session, &moment)
            }
        }
    }

    fn starts_programs(&self) -> bool {
        true
    }

    fn remarks(&self) -> Vec<String> {
        vec!["driven by an outside tool".to_string()]
    }

    fn identity(&self) -> String {
        let mut parts = vec!["external".to_string(), self.program.clone()];
        parts.extend(self.script.clone());
        parts.extend(self.arguments.iter().cloned());
        parts.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(given: &[(&str, &str)]) -> Result<External, ParameterError> {
        let value = |name: &str, text: &str| match name {
            "warehouses" => SettingValue::Count(text.parse().expect("a count")),
            "tool" | "output" => SettingValue::Word(text.to_string()),
            _ => SettingValue::Text(text.to_string()),
        };
        External::new(&given.iter().map(|(n, t)| ((*n).to_string(), value(n, t))).collect())
    }

    #[test]
    fn sysbench_loads_by_itself_and_never_gets_a_password_as_argument() {
        let tool = made(&[
            ("tool", "sysbench"),
            ("script", "oltp_point_select"),
            ("argument", "--tables=2\n--table-size=100"),
        ])
        .expect("all is said");
        let run = tool.argv();
        assert_eq!(run[..2], ["sysbench", "oltp_point_select"]);
        assert_eq!(run[run.len() - 3..], ["--tables=2", "--table-size=100", "run"]);
        assert!(run.iter().any(|word| word == "--mysql_storage_engine={engine}"));
        assert!(!run.iter().any(|word| word.contains("password")));
        assert_eq!(tool.load().expect("it loads").last().map(String::as_str), Some("prepare"));
        let own = made(&[("tool", "sysbench"), ("script", "my.lua")]).expect("a script");
        assert!(!own.argv().iter().any(|word| word.contains("storage_engine")));
        assert_eq!(own.headline(), Metric::Tps);
    }

    #[test]
    fn tpcc_start_gets_data_that_enginecmp_loads() {
        let tool = made(&[("tool", "tpcc_start"), ("warehouses", "2")]).expect("all is said");
        assert!(tool.load().is_none());
        assert_eq!(tool.tables().len(), 9);
        assert_eq!(tool.transaction_types()[0], "new_order");
        assert!(tool.argv().iter().any(|word| word == "{warmup}"));
    }

    #[test]
    fn what_is_missing_or_too_much_is_named() {
        let refused = |given: &[(&str, &str)]| made(given).err().expect("it is refused").parameter;
        assert_eq!(refused(&[]), "tool");
        assert_eq!(refused(&[("tool", "sysbench")]), "script");
        assert_eq!(refused(&[("tool", "tpcc_start")]), "warehouses");
        assert_eq!(refused(&[("tool", "command"), ("program", "/b")]), "output");
        assert_eq!(refused(&[("tool", "command"), ("output", "sysbench")]), "program");
        let script = [("tool", "tpcc_start"), ("warehouses", "1"), ("script", "x")];
        assert_eq!(refused(&script), "script");
    }
}
