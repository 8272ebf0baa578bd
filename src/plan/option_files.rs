//! Option files of the user's: what each server of the plan gets of them.

use super::options::Line;
use super::suite::{DefaultsFile, Suite};
use crate::diagnostic::{Diagnostic, codes};
use crate::engine::{ENGINES, EngineSpec};
use crate::target::families::{self, Fate};
use crate::target::option_file::{FileOption, ReadFor, Remark, read};
use crate::target::{OptionLine, TargetDescription, TargetKind};
use std::collections::BTreeMap;

/// The option file of one server, read for its family and release.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ServerFile {
    options: Vec<FileOption>,
    /// What the server does not get, in words.
    pub(super) left_out: Vec<String>,
}

/// What the suite's option files say for a server. `named` is its block's index.
pub(super) fn of(
    suite: &Suite,
    named: Option<usize>,
    server: Option<&TargetDescription>,
) -> Result<ServerFile, Diagnostic> {
    let Some(server) = server.filter(|server| server.kind == TargetKind::Managed) else {
        return Ok(ServerFile::default());
    };
    let own = named.and_then(|index| suite.servers[index].defaults_file.as_ref());
    let Some(file) = own.or(suite.defaults_file.as_ref()) else {
        return Ok(ServerFile::default());
    };
    let read_for =
        ReadFor { family: &server.family, release: server.release, within: file.within.as_deref() };
    let found = read(&file.path, read_for).map_err(|wrong| {
        let message = format!("\"{}\" cannot be used", file.name);
        let error = Diagnostic::error(codes::OPTION_FILE, file.span, message);
        wrong.iter().fold(error, |error, one| error.help(one.to_string()))
    })?;
    let mut remarks = found.remarks;
    let options = released(file, server, found.options, &mut remarks)?;
    Ok(ServerFile { options, left_out: grouped(&remarks) })
}

/// Options under the names of the release. What it lacks without harm is left out with a remark.
fn released(
    file: &DefaultsFile,
    server: &TargetDescription,
    options: Vec<FileOption>,
    remarks: &mut Vec<Remark>,
) -> Result<Vec<FileOption>, Diagnostic> {
    let mut refused: Vec<String> = Vec::new();
    let mut taken = Vec::with_capacity(options.len());
    for mut option in options {
        if option.loose {
            taken.push(option);
            continue;
        }
        match families::fate(server, &option.name) {
            Fate::Taken => taken.push(option),
            Fate::Renamed(name) => {
                option.name = name;
                taken.push(option);
            }
            Fate::LeftOut(why) | Fate::Ignored(why) => remarks.push(Remark {
                place: option.place,
                option: None,
                text: format!("left out: {why}"),
            }),
            Fate::Refused(why) => refused.push(format!("{}: {why}", option.place)),
        }
    }
    if refused.is_empty() {
        return Ok(taken);
    }
    let message =
        format!("{} {} cannot take all of \"{}\"", server.family, server.version, file.name);
    let error = Diagnostic::error(codes::OPTION_FILE, file.span, message);
    Err(refused.into_iter().fold(error, Diagnostic::help))
}

/// Remarks that say the same of several options become one: `my.cnf:3, 5: datadir, tmpdir ...`.
fn grouped(remarks: &[Remark]) -> Vec<String> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Remark>> = BTreeMap::new();
    for remark in remarks {
        groups.entry((&remark.place.file, &remark.text)).or_default().push(remark);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, remarks)| (&remarks[0].place.file, remarks[0].place.line));
    groups
        .into_iter()
        .map(|((file, text), remarks)| {
            let lines: Vec<String> =
                remarks.iter().map(|remark| remark.place.line.to_string()).collect();
            let options: Vec<&str> =
                remarks.iter().filter_map(|remark| remark.option.as_deref()).collect();
            let about =
                if options.is_empty() { String::new() } else { format!("{} ", options.join(", ")) };
            format!("{file}:{}: {about}{text}", lines.join(","))
        })
        .collect()
}

impl ServerFile {
    /// Its lines for a server that tests this engine, each with whether it adds to others of its
    /// name, and what is left out, in words: caches of engines that are not under test stay small,
    /// whatever the file says, since their memory would be taken from the one that is.
    pub(super) fn lines(
        &self,
        server: Option<&TargetDescription>,
        spec: &'static EngineSpec,
    ) -> (Vec<(Line, bool)>, Vec<String>) {
        let (mut lines, mut left_out) = (Vec::new(), Vec::new());
        for option in &self.options {
            let idle = ENGINES.iter().find(|engine| {
                engine.storage != spec.storage
                    && engine.plugin.is_none()
                    && engine.cache_option == Some(&*option.name)
            });
            if let Some(idle) = idle.filter(|_| spec.cache_option != Some(&*option.name)) {
                left_out.push(format!(
                    "{}: {} left out where {} is tested: the cache of {} stays small there",
                    option.place, option.name, spec.storage, idle.storage
                ));
                continue;
            }
            let loose = if option.loose { "loose_" } else { "" };
            let line = OptionLine {
                name: format!("{loose}{}", option.name),
                value: option.value.clone(),
                place: Some(option.place.clone()),
            };
            lines.push((Line::of_file(line, spec, server), option.adds_up));
        }
        (lines, left_out)
    }
}
