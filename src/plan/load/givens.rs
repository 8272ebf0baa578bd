//! Settings and options: a statement to a name with its values.

use super::resolver::Resolver;
use crate::diagnostic::{Diagnostic, codes, did_you_mean};
use crate::model::SettingValue;
use crate::plan::options::canonical;
use crate::plan::suite::{Class, Given, GivenValue, Layer, SettingName};
use crate::syntax::shapes::{self, Kind, Parent};
use crate::syntax::{Reading, Value, values};
use crate::workload::ParameterKind;
use crate::workload::external::SEPARATOR;

/// Options that place a private server on the machine: enginecmp's own business.
const OWN: &[&str] = &[
    "aria_log_dir_path",
    "basedir",
    "bind_address",
    "datadir",
    "defaults_file",
    "general_log_file",
    "init_file",
    "innodb_data_home_dir",
    "innodb_log_group_home_dir",
    "innodb_tmpdir",
    "innodb_undo_directory",
    "log_error",
    "mysqlx_socket",
    "pid_file",
    "port",
    "rocksdb_datadir",
    "rocksdb_wal_dir",
    "skip_grant_tables",
    "skip_networking",
    "slow_query_log_file",
    "socket",
    "tmpdir",
    "tokudb_data_dir",
    "tokudb_log_dir",
    "tokudb_tmp_dir",
    "user",
];

/// Session variables that enginecmp sets itself, each with what to do instead.
const OWN_SESSION: &[(&str, &str)] = &[
    ("autocommit", "the workload says where its transactions begin and end"),
    ("transaction_isolation", "write `isolation LEVEL`: it is the same for all sides"),
    ("tx_isolation", "write `isolation LEVEL`: it is the same for all sides"),
];

/// Kind of a workload parameter's values in the language's terms.
pub(super) fn parameter_kind(kind: ParameterKind) -> Kind {
    match kind {
        ParameterKind::Count { min, max } => Kind::Count { min, max },
        ParameterKind::Number { min, max } => Kind::Number { min, max },
        ParameterKind::Word(words) => Kind::Words(words),
        ParameterKind::Percent => Kind::Percent,
        ParameterKind::Duration => Kind::Duration,
        ParameterKind::Size => Kind::Size,
        ParameterKind::Rate => Kind::Rate,
        ParameterKind::Text => Kind::Text,
    }
}

/// The text of a value as a server's option file has it. Sizes get the largest suffix that every
/// release reads.
pub(super) fn server_text(value: &SettingValue) -> Option<String> {
    Some(match value {
        SettingValue::Flag => return None,
        SettingValue::Size(bytes) => {
            let units = [(30, "G"), (20, "M"), (10, "K")];
            units
                .into_iter()
                .find(|(shift, _)| *bytes > 0 && bytes % (1u64 << shift) == 0)
                .map_or_else(
                    || bytes.to_string(),
                    |(shift, unit)| format!("{}{unit}", bytes >> shift),
                )
        }
        other => other.to_string(),
    })
}

impl Resolver<'_> {
    /// Reads a statement that gives a setting or an option its value, and adds it to `layer`. A
    /// second one of the same name in one block is an error.
    pub(super) fn give(&mut self, reading: &Reading<'_>, parent: Parent, layer: &mut Layer) {
        let Some(given) = self.given(reading, parent) else { return };
        if given.name.class != Class::Repeated
            && let Some(first) = layer.get(&given.name)
        {
            self.wrong.push(
                Diagnostic::error(
                    codes::SET_TWICE,
                    given.span,
                    format!("`{}` is set here twice", given.name.name),
                )
                .label("again")
                .also(first.span, "first here"),
            );
            return;
        }
        layer.givens.push(given);
    }

    /// The setting or option that a statement gives.
    pub(super) fn given(&mut self, reading: &Reading<'_>, parent: Parent) -> Option<Given> {
        match reading.name() {
            "option" => self.option(reading, Class::Option),
            "option+" => self.option(reading, Class::Repeated),
            "session" => self.option(reading, Class::Session),
            name => {
                let values = self.setting_values(reading, name, parent)?;
                Some(self.build(reading, name.to_string(), SettingName::setting(name), values))
            }
        }
    }

    /// A setting of one workload, as a profile names it: `tpcc.warehouses 1`.
    pub(super) fn dotted(
        &mut self,
        reading: &Reading<'_>,
        name: &str,
        parent: Parent,
    ) -> Option<Given> {
        let values = self.setting_values(reading, name, parent)?;
        Some(self.build(reading, name.to_string(), SettingName::setting(name), values))
    }

    /// Lines that add up, as one value: an argument a line.
    pub(super) fn joined(&self, lines: &[&Reading<'_>]) -> Option<Given> {
        let first = lines.first()?;
        let all: Vec<String> = lines
            .iter()
            .flat_map(|line| line.values("value"))
            .map(|value| value.value.as_str().unwrap_or_default().to_string())
            .collect();
        let value = SettingValue::Text(all.join(&SEPARATOR.to_string()));
        let values = vec![GivenValue { value, text: None, span: first.span() }];
        let name = first.name();
        Some(self.build(first, name.to_string(), SettingName::setting(name), values))
    }

    fn build(
        &self,
        reading: &Reading<'_>,
        written: String,
        name: SettingName,
        values: Vec<GivenValue>,
    ) -> Given {
        let span = reading.span();
        Given {
            name,
            written,
            by_set_global: reading.has("set_global"),
            values,
            span,
            place: self.sources.place(span),
        }
    }

    fn option(&mut self, reading: &Reading<'_>, class: Class) -> Option<Given> {
        let written = reading.text("name")?.to_string();
        let name = canonical(&written);
        if class != Class::Session && OWN.contains(&name.as_str()) {
            self.wrong.push(
                Diagnostic::error(
                    codes::OWN_OPTION,
                    reading.span_of("name"),
                    format!("enginecmp sets `{written}` itself"),
                )
                .help("a private server's paths, sockets and ports are no part of a suite"),
            );
            return None;
        }
        if class == Class::Session
            && let Some((_, instead)) = OWN_SESSION.iter().find(|(own, _)| *own == name)
        {
            self.wrong.push(
                Diagnostic::error(
                    codes::OWN_OPTION,
                    reading.span_of("name"),
                    format!("enginecmp sets `{written}` of each session itself"),
                )
                .help(*instead),
            );
            return None;
        }
        let values = if reading.values("value").is_empty() {
            let value = if name == "log_bin" {
                SettingValue::Word(if written == name { "on" } else { "off" }.to_string())
            } else {
                SettingValue::Flag
            };
            vec![GivenValue { text: server_text(&value), value, span: reading.span_of("name") }]
        } else {
            reading.values("value").iter().map(|value| option_value(&name, value)).collect()
        };
        Some(self.build(reading, written, SettingName { class, name }, values))
    }

    /// The values of a setting of the language or a parameter of a workload.
    fn setting_values(
        &mut self,
        reading: &Reading<'_>,
        name: &str,
        parent: Parent,
    ) -> Option<Vec<GivenValue>> {
        let is_shape = reading.shape.name != shapes::PARAMETER.name;
        let Some(parameter) = self.parameter(name) else {
            if !is_shape {
                self.unknown_setting(reading, name, parent);
                return None;
            }
            return Some(plain(reading.values("value")));
        };
        let kind = parameter_kind(parameter);
        match values(reading.words("value"), &kind) {
            Ok(values) => Some(plain(&values)),
            Err(diagnostic) => {
                self.wrong.push(diagnostic);
                None
            }
        }
    }

    fn unknown_setting(&mut self, reading: &Reading<'_>, name: &str, parent: Parent) {
        let known: Vec<&str> =
            shapes::names_in(parent).into_iter().chain(self.parameter_names()).collect();
        let span = reading.statement.words[0].span;
        self.wrong.push(
            Diagnostic::error(codes::UNKNOWN_SETTING, span, format!("unknown setting `{name}`"))
                .label(format!("not known in {}, and no workload here has it", parent.describe()))
                .maybe_help(did_you_mean(name, known)),
        );
    }
}

/// Values without a text of their own. Row formats and engines are known without regard to case.
fn plain(values: &[Value]) -> Vec<GivenValue> {
    values
        .iter()
        .map(|value| GivenValue { value: value.value.clone(), text: None, span: value.span })
        .collect()
}

/// A value of an option. The binary log is on or off, whatever word says so.
pub(super) fn option_value(name: &str, value: &Value) -> GivenValue {
    let mut meant = value.value.clone();
    if name == "log_bin" {
        let text = meant.to_string().to_lowercase();
        match text.as_str() {
            "off" | "0" | "false" => meant = SettingValue::Word("off".to_string()),
            "on" | "1" | "true" => meant = SettingValue::Word("on".to_string()),
            _ => {}
        }
    }
    GivenValue { text: server_text(&meant), value: meant, span: value.span }
}
