//! Outside tools that bring rows in: `load { path external TOOL }`. The tables are made before, as the
//! suite has them; what the tool leaves in them is counted and checked after it.

use super::SEPARATOR;
use crate::model::SettingValue;
use crate::workload::{Parameters, WorkloadKind};

/// What tpcc_load prints when it believes that all went well.
const TPCC_LOAD_DONE: &str = "DATA LOADING COMPLETED SUCCESSFULLY";

/// Which tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    /// tpcc-mysql's loader.
    TpccLoad,
    /// Any program.
    Command,
}

/// A tool that loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loader {
    tool: Tool,
    program: String,
    arguments: Vec<String>,
}

impl Loader {
    /// A tool by its name in suites; `program` is where it lies, `arguments` come behind those that
    /// enginecmp gives it. The error says what is missing.
    pub fn new(
        tool: &str,
        program: Option<&str>,
        arguments: Vec<String>,
    ) -> Result<Self, &'static str> {
        let (tool, program) = match (tool, program) {
            ("tpcc_load", program) => (Tool::TpccLoad, program.unwrap_or("tpcc_load")),
            (_, Some(program)) => (Tool::Command, program),
            (_, None) => return Err("say which: `program \"/usr/local/bin/my-loader\"`"),
        };
        Ok(Self { tool, program: program.to_string(), arguments })
    }

    /// Program and arguments, with places that are filled in when it is started.
    pub fn argv(&self) -> Vec<String> {
        let mut argv = vec![self.program.clone()];
        if self.tool == Tool::TpccLoad {
            // It has no option for a socket and takes that of MYSQL_UNIX_PORT. Host and password
            // that are not given are whatever its memory holds.
            let own = ["-h", "{server}", "-P", "{port}", "-d", "{database}", "-u", "{user}"];
            argv.extend(own.map(str::to_string));
            argv.extend(["-p", "", "-w", "{warehouses}"].map(str::to_string));
        }
        argv.extend(self.arguments.iter().cloned());
        argv
    }

    /// In a few words, everything that the rows depend on: `external tpcc_load`.
    pub fn describe(&self) -> String {
        let name = match self.tool {
            Tool::TpccLoad => "external tpcc_load",
            Tool::Command => "external command",
        };
        let program = (self.program != "tpcc_load").then_some(&self.program);
        let words = program.into_iter().chain(&self.arguments);
        words.fold(name.to_string(), |text, word| format!("{text} {word}"))
    }

    /// How many connections load at once, where the suite grants `threads`.
    pub fn connections(&self, threads: u32) -> u32 {
        match self.tool {
            Tool::TpccLoad => 1,
            Tool::Command => threads,
        }
    }

    /// The program as a user would start it.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Why it does not make the data of such a workload; none when it may.
    pub fn refusal(&self, kind: &WorkloadKind, parameters: &Parameters) -> Option<String> {
        if self.tool == Tool::Command {
            return None;
        }
        let given = |name: &str| parameters.get(name);
        let is_mysql = given("mode").and_then(SettingValue::as_str) == Some("tpcc_mysql");
        let of_tool = kind.name == "external" && given("warehouses").is_some();
        if !(kind.name == "tpcc" && is_mysql || of_tool) {
            return Some(
                "tpcc_load makes the data of tpcc-mysql: `workload tpcc { mode tpcc_mysql }`"
                    .to_string(),
            );
        }
        let scaled = |value: &SettingValue| *value != SettingValue::Percent(100.0);
        let other =
            ["density", "compressible"].into_iter().find(|name| given(name).is_some_and(scaled))?;
        Some(format!("tpcc_load knows no `{other}`"))
    }

    /// Why what it printed is no success; none when it may be one. Its exit status and the rows
    /// are looked at as well: none of the three can be trusted alone.
    pub fn complaint(&self, output: &str) -> Option<String> {
        if self.tool == Tool::TpccLoad && !output.contains(TPCC_LOAD_DONE) {
            return Some(format!("its output does not say `{TPCC_LOAD_DONE}`"));
        }
        None
    }
}

/// The arguments in one parameter, as a list.
pub(super) fn list(text: Option<&str>) -> Vec<String> {
    text.map_or_else(Vec::new, |text| text.split(SEPARATOR).map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::tpcc;

    #[test]
    fn tpcc_load_gets_every_option_that_it_would_read_from_nowhere() {
        let loader = Loader::new("tpcc_load", None, vec!["-l".to_string(), "1".to_string()]);
        let argv = loader.expect("a known tool").argv();
        assert_eq!(argv[..3], ["tpcc_load", "-h", "{server}"]);
        let password = argv.iter().position(|word| word == "-p").expect("a password is given");
        assert_eq!(argv[password + 1], "", "an empty one");
        assert_eq!(argv[argv.len() - 2..], ["-l", "1"]);
    }

    #[test]
    fn a_command_is_named_and_every_word_of_it_is_part_of_the_recipe() {
        assert!(Loader::new("command", None, Vec::new()).unwrap_err().contains("program"));
        let of = |word: &str| {
            Loader::new("command", Some("/bin/fill"), vec![word.to_string()]).unwrap().describe()
        };
        assert_eq!(of("--all"), "external command /bin/fill --all");
        assert_ne!(of("--all"), of("--half"));
        let plain = Loader::new("tpcc_load", None, Vec::new()).unwrap();
        assert_eq!(plain.describe(), "external tpcc_load");
    }

    #[test]
    fn tpcc_load_makes_the_data_of_tpcc_mysql_alone() {
        let loader = Loader::new("tpcc_load", None, Vec::new()).unwrap();
        let parameters = |mode: &str, density: f64| {
            Parameters::from([
                ("mode".to_string(), SettingValue::Word(mode.to_string())),
                ("density".to_string(), SettingValue::Percent(density)),
            ])
        };
        assert_eq!(loader.refusal(&tpcc::KIND, &parameters("tpcc_mysql", 100.0)), None);
        let why = |mode, density| loader.refusal(&tpcc::KIND, &parameters(mode, density)).unwrap();
        assert!(why("spec", 100.0).contains("mode tpcc_mysql"));
        assert!(why("tpcc_mysql", 1.0).contains("`density`"));
        let oltp = WorkloadKind::find("oltp_read_write").expect("a kind");
        assert!(loader.refusal(oltp, &Parameters::new()).is_some());
    }

    #[test]
    fn tpcc_load_has_failed_until_it_says_otherwise() {
        let loader = Loader::new("tpcc_load", None, Vec::new()).unwrap();
        assert!(loader.complaint("Loading Item\n2002, HY000, Can't connect\n").is_some());
        let done = "\n...DATA LOADING COMPLETED SUCCESSFULLY.\n";
        assert_eq!(loader.complaint(done), None);
    }
}
