//! The final options of a cell: enginecmp's own, defaults that are fair, and what the suite says at
//! each level, a nearer level replacing a farther one.

use super::defaults;
use super::expand::{Combination, Level, Resolved};
use super::fair::Fair;
use super::option_files::ServerFile;
use super::suite::{Class, SettingName};
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::engine::{CompressionSyntax, ENGINES, EngineSpec, Home};
use crate::model::{SettingValue, units::human_bytes};
use crate::target::families::{self, Defaults, Fate, OptionScope, OwnOption};
use crate::target::{OptionLine, TargetDescription, TargetKind, sqlite};
use std::fmt::Write as _;

/// Settings of the language that become server options.
const PORTABLE: [&str; 5] = ["cache", "io", "redo", "isolation", "lock_wait"];

/// One option line with its story.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// The line of the option file.
    pub(super) option: OptionLine,
    /// Why it is there, unless the suite wrote it as it stands.
    pub(super) reason: Option<String>,
    /// What it moves.
    pub(super) scope: OptionScope,
    /// The level that asked for it; none for enginecmp's own and its defaults.
    pub(super) level: Option<Level>,
    /// The setting that it comes from, by the name that conditions use.
    pub(super) from: Option<String>,
    span: Option<Span>,
    canonical: String,
}

impl Line {
    /// Whether it sets the option with this canonical name.
    pub(super) fn sets(&self, canonical: &str) -> bool {
        self.canonical == canonical
    }

    /// Where the suite has it.
    pub(super) fn span(&self) -> Option<Span> {
        self.span
    }

    /// A line of the user's option file.
    pub(super) fn of_file(
        option: OptionLine,
        spec: &EngineSpec,
        server: Option<&TargetDescription>,
    ) -> Self {
        Self {
            canonical: canonical(&option.name),
            scope: scope(spec, server, &option.name),
            option,
            reason: None,
            level: Some(Level::OptionFile),
            from: None,
            span: None,
        }
    }
}

/// Options of a file that are left out because their engine is not tested; none where there are none.
fn left_to_others<'l>(lines: impl Iterator<Item = &'l Line>, spec: &EngineSpec) -> Option<String> {
    let lines: Vec<&Line> = lines.collect();
    let place = lines.first()?.option.place.as_ref()?;
    let names: Vec<&str> = lines.iter().map(|line| line.option.name.as_str()).collect();
    Some(format!(
        "{place}: {} left out where {} is tested: of other engines",
        names.join(", "),
        spec.storage
    ))
}

/// What a combination runs with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lines {
    /// For the option file.
    pub(super) start: Vec<Line>,
    /// Set on the running server.
    pub(super) global: Vec<OptionLine>,
    /// Set on each session.
    pub(super) session: Vec<OptionLine>,
    /// Options of the suite that this server lacks and that change nothing measured: why.
    pub(super) left_out: Vec<String>,
    /// Lines of the user's option file that are not for this engine's server: why.
    pub(super) file_left_out: Vec<String>,
}

/// What options are worked out for.
pub(super) struct Asked<'a> {
    pub(super) combination: &'a Combination,
    pub(super) server: Option<&'a TargetDescription>,
    pub(super) spec: &'static EngineSpec,
    pub(super) fair: &'a Fair,
    /// The user's option file for the server.
    pub(super) file: &'a ServerFile,
    /// With which defaults servers are compared, where the suite says it.
    pub(super) defaults: Option<Defaults>,
    /// The cache in bytes, worked out of a share of the data.
    pub(super) cache: Option<u64>,
    /// Bytes of the data, whatever the engine.
    pub(super) reference: u64,
    /// Memory of this machine, bytes, where it is known.
    pub(super) memory: Option<u64>,
}

/// One spelling for all that mean the same option.
pub(super) fn canonical(name: &str) -> String {
    let name = name.to_lowercase().replace('-', "_");
    let name = name.strip_prefix("loose_").unwrap_or(&name);
    match name {
        "skip_log_bin" | "disable_log_bin" => "log_bin".to_string(),
        _ => name.to_string(),
    }
}

/// The engine whose plugin an option belongs to, when that is not `spec`: the server would refuse
/// the option, because the plugin is not loaded.
fn of_other_engine(name: &str, spec: &EngineSpec) -> bool {
    let name = canonical(name);
    ENGINES.iter().any(|engine| {
        engine.storage != spec.storage
            && engine.plugin.is_some()
            && name
                .strip_prefix(&engine.storage.to_lowercase())
                .is_some_and(|rest| rest.starts_with('_'))
    })
}

/// The line that says what the suite means. `log_bin` is the name of a file to the server: `off`
/// would turn the binary log on.
fn written(name: &str, resolved: &Resolved) -> OptionLine {
    let place = Some(resolved.place.clone());
    let text = resolved.value.text.clone();
    let line =
        |name: &str, value: Option<String>| OptionLine { name: name.to_string(), value, place };
    if name != "log_bin" {
        return line(&resolved.written, text);
    }
    match text.as_deref().map(str::to_lowercase).as_deref() {
        Some("off" | "0" | "false") => line("skip_log_bin", None),
        None | Some("on" | "1" | "true") => line("log_bin", None),
        Some(_) => line("log_bin", text),
    }
}

/// Whether a name of a combination has to do with its options at all.
fn becomes_options(name: &SettingName) -> bool {
    name.class != Class::Setting
        || name.name == "compression"
        || PORTABLE.contains(&name.name.as_str())
}

/// What lines take from a combination, as a text: equal for two of one server and engine whose
/// lines are equal, as long as both live. A value is known by its place, and where a range stands
/// there, by what it is.
pub(super) fn asks(combination: &Combination) -> String {
    let mut text = combination.resolved.base_id().to_string();
    for (name, held) in combination.resolved.own().filter(|(name, _)| becomes_options(name)) {
        let _ = write!(text, "\n{} {}", name.class as u8, name.name);
        if let Some(Resolved { value, level, span, .. }) = held {
            let at = value.span;
            let _ = write!(text, "={} {} {} ", *level as u8, span.start, at.start);
            let _ = write!(text, "{} {} {}", span.file.0, at.file.0, value.value);
        }
    }
    if !combination.repeated.is_empty() {
        let _ = write!(text, "\n{:?}", combination.repeated);
    }
    text
}

/// Works out the lines; what the server cannot have is reported.
pub(super) fn lines(asked: &Asked<'_>, wrong: &mut Vec<Diagnostic>) -> Lines {
    let mut lines = Lines::default();
    // Some of enginecmp's own repeat (plugins), so they are not put in one another's place.
    lines.start.extend(own(asked).into_iter().map(|own| ours(asked, own)));
    for own in fair_defaults(asked) {
        put(&mut lines.start, ours(asked, own), wrong);
    }
    let (of_file, left_out) = asked.file.lines(asked.server, asked.spec);
    lines.file_left_out = left_out;
    let (of_others, of_file): (Vec<_>, Vec<_>) =
        of_file.into_iter().partition(|(line, _)| of_other_engine(&line.option.name, asked.spec));
    lines.file_left_out.extend(left_to_others(of_others.iter().map(|(line, _)| line), asked.spec));
    for (line, adds_up) in of_file {
        if adds_up { lines.start.push(line) } else { put(&mut lines.start, line, wrong) }
    }
    let mut stated: Vec<(&SettingName, &Resolved)> =
        asked.combination.resolved.iter().filter(|(name, _)| becomes_options(name)).collect();
    stated.sort_by_key(|(_, resolved)| resolved.level);
    for (name, resolved) in stated {
        match name.class {
            Class::Setting => portable(asked, name, resolved, &mut lines.start, wrong),
            Class::Session => session(asked, name, resolved, &mut lines.session, wrong),
            Class::Option | Class::Repeated => option(asked, name, resolved, &mut lines, wrong),
        }
    }
    for (name, resolved) in &asked.combination.repeated {
        option(asked, name, resolved, &mut lines, wrong);
    }
    // Ours fits our character set alone; the server would refuse another one with it.
    let stated = |line: &Line, name: &str| line.canonical == name && line.level.is_some();
    if lines.start.iter().any(|line| stated(line, "character_set_server")) {
        lines.start.retain(|line| line.canonical != "collation_server" || line.level.is_some());
    }
    lines
}

fn is_sqlite(asked: &Asked<'_>) -> bool {
    asked.spec.home == Home::InProcess
}

/// A server that runs already gets no option from enginecmp.
fn is_running(asked: &Asked<'_>) -> bool {
    asked.server.is_some_and(|server| server.kind == TargetKind::Remote)
}

fn own(asked: &Asked<'_>) -> Vec<OwnOption> {
    if is_running(asked) {
        return Vec::new();
    }
    if is_sqlite(asked) {
        sqlite::settings::own_options()
    } else {
        asked
            .server
            .map(|server| families::own_options(server, &[asked.spec], asked.defaults))
            .unwrap_or_default()
    }
}

fn translate(
    asked: &Asked<'_>,
    setting: &str,
    value: &SettingValue,
) -> Result<Vec<OwnOption>, String> {
    if is_sqlite(asked) {
        return sqlite::settings::translate(setting, value);
    }
    asked.server.map_or_else(
        || Ok(Vec::new()),
        |server| families::translate(server, asked.spec, setting, value),
    )
}

/// What an option moves on the servers of an engine.
pub(super) fn scope(
    spec: &EngineSpec,
    server: Option<&TargetDescription>,
    name: &str,
) -> OptionScope {
    if spec.home == Home::InProcess {
        sqlite::pragma::find(name).map_or(OptionScope::Run, |pragma| pragma.scope)
    } else {
        server.map_or_else(
            || families::option_scope(name),
            |server| families::option_scope_of(server.release, name),
        )
    }
}

fn ours(asked: &Asked<'_>, own: OwnOption) -> Line {
    Line {
        canonical: canonical(&own.name),
        scope: scope(asked.spec, asked.server, &own.name),
        option: OptionLine { name: own.name, value: own.value, place: None },
        reason: Some(own.reason),
        level: None,
        from: None,
        span: None,
    }
}

/// Cache, I/O, isolation, lock waits, deadlock detection and durability, where the suite is silent.
fn fair_defaults(asked: &Asked<'_>) -> Vec<OwnOption> {
    let mut all = Vec::new();
    if is_running(asked) {
        return all;
    }
    let said = |setting: &str| asked.combination.setting(setting).is_some();
    let mut add = |setting: &str, value: SettingValue, why: &str| {
        if said(setting) {
            return;
        }
        // A default that this server cannot have is no error: the finding of unlike sides tells
        // what the server has instead.
        let options = translate(asked, setting, &value).unwrap_or_default();
        all.extend(
            options
                .into_iter()
                .map(|option| OwnOption { reason: format!("{setting} {value}: {why}"), ..option }),
        );
    };
    let word = |text: &str| SettingValue::Word(text.to_lowercase().replace(' ', "_"));
    add("cache", SettingValue::Size(defaults::CACHE), "the same for all sides");
    if asked.defaults != Some(Defaults::Shipped) {
        add("io", word(asked.fair.io.0), &asked.fair.io.1);
    }
    if asked.defaults == Some(Defaults::Levelled) {
        let why = "levelled: the default differs by release";
        add("redo", SettingValue::Files(defaults::LEVEL_REDO), why);
    }
    if !asked.spec.isolation.is_empty() {
        add("isolation", word(&asked.fair.isolation.0), &asked.fair.isolation.1);
    }
    add("lock_wait", SettingValue::Duration(defaults::LOCK_WAIT), "the same for all sides");
    if asked.server.is_some() && !is_sqlite(asked) {
        let lists: [(&[(&str, &str)], &str); 2] = [
            (asked.spec.deadlock_detection, "deadlock detection on, as on all sides"),
            (asked.spec.durable_on_commit, "every commit durable, as on all sides"),
        ];
        for (list, reason) in lists {
            all.extend(list.iter().map(|(name, value)| OwnOption {
                name: (*name).to_string(),
                value: Some((*value).to_string()),
                reason: reason.to_string(),
            }));
        }
    }
    all
}

/// A setting of the language in the server's words.
fn portable(
    asked: &Asked<'_>,
    name: &SettingName,
    resolved: &Resolved,
    start: &mut Vec<Line>,
    wrong: &mut Vec<Diagnostic>,
) {
    let by_option = name.name == "compression"
        && asked.spec.compression_syntax == CompressionSyntax::ColumnFamilyOption;
    if !PORTABLE.contains(&name.name.as_str()) && !by_option {
        return;
    }
    if name.name == "isolation" && asked.spec.isolation.is_empty() {
        return;
    }
    let stated = &resolved.value.value;
    let (value, reason) = match (stated, asked.cache) {
        (SettingValue::PercentOf(_, of), Some(bytes)) if name.name == "cache" => {
            let memory = asked.memory.filter(|_| of == "memory");
            let whole = memory.unwrap_or(asked.reference);
            let reason = format!("cache {stated} (about {})", human_bytes(whole as f64));
            (SettingValue::Size(bytes), reason)
        }
        (SettingValue::PercentOf(_, of), None) if of == "memory" => {
            let message = format!("`{} {stated}` cannot be worked out", name.name);
            let why = "this system does not say how much memory it has: state a size, such as \
                       `cache 4GB`";
            refuse(wrong, resolved.value.span, message, why);
            return;
        }
        _ => (stated.clone(), format!("{} {stated}", name.name)),
    };
    match translate(asked, &name.name, &value) {
        Ok(options) => {
            for option in options {
                let line = Line {
                    canonical: canonical(&option.name),
                    scope: scope(asked.spec, asked.server, &option.name),
                    option: OptionLine {
                        name: option.name,
                        value: option.value,
                        place: Some(resolved.place.clone()),
                    },
                    reason: Some(reason.clone()),
                    level: Some(resolved.level),
                    from: Some(name.axis()),
                    span: Some(resolved.span),
                };
                put(start, line, wrong);
            }
        }
        Err(why) => refuse(
            wrong,
            resolved.value.span,
            format!("`{} {stated}` cannot be had for {}", name.name, asked.spec.storage),
            &why,
        ),
    }
}

/// A variable of each client's session.
fn session(
    asked: &Asked<'_>,
    name: &SettingName,
    resolved: &Resolved,
    session: &mut Vec<OptionLine>,
    wrong: &mut Vec<Diagnostic>,
) {
    if !is_sqlite(asked) {
        session.push(OptionLine {
            name: name.name.clone(),
            value: resolved.value.text.clone(),
            place: Some(resolved.place.clone()),
        });
    } else if !matches!(resolved.level, Level::Suite | Level::Server) {
        // Those of the suite and of servers are meant for servers.
        let message = format!("SQLite cannot take `session {}`", name.name);
        let why = "it has no session variables; its pragmas are options, such as \
                   `option synchronous = normal`";
        refuse(wrong, resolved.span, message, why);
    }
}

fn option(
    asked: &Asked<'_>,
    name: &SettingName,
    resolved: &Resolved,
    lines: &mut Lines,
    wrong: &mut Vec<Diagnostic>,
) {
    let mut line = written(&name.name, resolved);
    if is_sqlite(asked) {
        // Options of the suite and of servers are meant for servers.
        let known = sqlite::pragma::find(&line.name).is_some();
        if !known && matches!(resolved.level, Level::Suite | Level::Server) {
            return;
        }
        if let Err(why) = sqlite::settings::check_option(&line.name, line.value.as_deref()) {
            refuse(wrong, resolved.span, format!("SQLite cannot take `{}`", line.name), &why);
            return;
        }
    } else if of_other_engine(&line.name, asked.spec) {
        return;
    } else if let Some(server) = asked.server
        && !line.name.starts_with("loose_")
    {
        match families::fate(server, &line.name) {
            Fate::Taken => {}
            Fate::Renamed(name) => line.name = name,
            Fate::LeftOut(why) => {
                lines.left_out.push(why);
                return;
            }
            Fate::Ignored(why) | Fate::Refused(why) => {
                let message =
                    format!("{} {} cannot take `{}`", server.family, server.version, line.name);
                refuse(wrong, resolved.span, message, &why);
                return;
            }
        }
    }
    if resolved.by_set_global {
        lines.global.push(line);
        return;
    }
    let line = Line {
        canonical: canonical(&line.name),
        scope: scope(asked.spec, asked.server, &line.name),
        option: line,
        reason: None,
        level: Some(resolved.level),
        from: Some(name.axis()),
        span: Some(resolved.span),
    };
    if name.class == Class::Repeated {
        lines.start.push(line);
    } else {
        put(&mut lines.start, line, wrong);
    }
}

fn refuse(wrong: &mut Vec<Diagnostic>, span: Span, message: String, why: &str) {
    let known = wrong.iter().any(|known| known.primary.span == span && known.message == message);
    if !known {
        let refused = Diagnostic::error(codes::OPTION_REFUSED, span, message);
        wrong.push(if why.len() > 60 { refused.help(why) } else { refused.label(why) });
    }
}

/// Puts a line in the place of a farther one. Two on one level are an error.
fn put(lines: &mut Vec<Line>, line: Line, wrong: &mut Vec<Diagnostic>) {
    let Some(at) = lines.iter().position(|other| other.canonical == line.canonical) else {
        lines.push(line);
        return;
    };
    let other = &lines[at];
    if let (Some(level), Some(span), Some(first)) = (line.level, line.span, other.span)
        && other.level == Some(level)
        && span != first
    {
        let known = wrong
            .iter()
            .any(|known| known.code == codes::LEVEL_TWICE && known.primary.span == span);
        if !known {
            wrong.push(
                Diagnostic::error(
                    codes::LEVEL_TWICE,
                    span,
                    format!("option `{}` is set twice on one level", line.option.name),
                )
                .label(
                    line.reason.as_ref().map_or_else(
                        || "set here".to_string(),
                        |reason| format!("`{reason}` sets it"),
                    ),
                )
                .also(
                    first,
                    other.reason.as_ref().map_or_else(
                        || "and here".to_string(),
                        |reason| format!("and `{reason}` sets it"),
                    ),
                ),
            );
        }
    }
    lines.remove(at);
    lines.push(line);
}
