//! Suite text to resolved suite: files and includes, statements, `extends`, profiles and `--set`,
//! and the checks that need no server.

mod beside;
mod blocks;
mod collect;
mod data;
mod draft;
mod extends;
mod files;
mod finish;
mod givens;
mod resolver;
mod results;
mod sets;
mod sql;
mod sql_rows;

pub use files::{Disk, Reader};

use super::expand::{self, Combination};
use super::judge;
use super::suite::Suite;
use super::workloads;
use crate::diagnostic::{Diagnostic, FileId, SourceMap, Span, codes};
use crate::model::{Finding, FindingCode};
use crate::syntax::shapes::Parent;
use beside::Beside;
use extends::flatten;
use files::Files;
use finish::{Named, finish};
use resolver::Resolver;
use sets::Overrides;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What the command line says about a suite.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// `--profile`, left to right.
    pub profiles: Vec<String>,
    /// `--set NAME=VALUE[,VALUE]`, left to right.
    pub sets: Vec<String>,
    /// `--only COND`.
    pub only: Option<String>,
    /// Includes may lie outside the suite's folder (`--allow-external`).
    pub includes_anywhere: bool,
    /// Processors of this machine: loader connections when the suite says nothing.
    pub processors: u32,
    /// Memory of this machine, bytes: what `cache 5% of memory` is a share of. None where it is
    /// not known.
    pub memory: Option<u64>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            profiles: Vec::new(),
            sets: Vec::new(),
            only: None,
            includes_anywhere: false,
            processors: 1,
            memory: None,
        }
    }
}

impl Arguments {
    /// Whether the suite is taken as it stands.
    fn nothing(&self) -> bool {
        self.profiles.is_empty() && self.sets.is_empty() && self.only.is_none()
    }
}

/// Reads and resolves a suite. No server is needed; nothing but files is read. Errors are complete:
/// all that can be found are in the list, in the order of the text.
pub fn load(
    path: &Path,
    arguments: &Arguments,
    sources: &mut SourceMap,
    reader: &dyn Reader,
) -> Result<Suite, Vec<Diagnostic>> {
    SuiteText::read(path, arguments.includes_anywhere, sources, reader)?.suite(arguments, sources)
}

/// The text of a suite with its includes, read once for all that is asked of it.
pub struct SuiteText<'r> {
    path: PathBuf,
    text: files::Text,
    /// What is wrong with its syntax.
    wrong: Vec<Diagnostic>,
    beside: Beside<'r>,
}

impl<'r> SuiteText<'r> {
    /// Reads the file at `path` and what it includes. What is wrong inside them is told when the
    /// suite is asked for.
    pub fn read(
        path: &Path,
        includes_anywhere: bool,
        sources: &mut SourceMap,
        reader: &'r dyn Reader,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut files = Files::new(reader, sources);
        let read = files.suite(path, includes_anywhere);
        let (wrong, beside) = (std::mem::take(&mut files.wrong), files.beside);
        match read {
            Ok(text) => Ok(Self { path: path.to_path_buf(), text, wrong, beside }),
            Err(error) => {
                let file = sources.add(path.display().to_string(), "");
                let span = Span { file, start: 0, end: 0 };
                let message = format!("cannot read {}: {error}", path.display());
                Err(vec![Diagnostic::error(codes::UNREADABLE, span, message)])
            }
        }
    }

    /// The suite with what the command line says about it. `sources` is what its text was read into.
    pub fn suite(
        &self,
        arguments: &Arguments,
        sources: &mut SourceMap,
    ) -> Result<Suite, Vec<Diagnostic>> {
        let Self { path, text, wrong, beside } = self;
        resolved(text, path, arguments, sources, beside, wrong.clone())
    }
}

/// A suite of a text whose syntax has `wrong`.
fn resolved(
    text: &files::Text,
    path: &Path,
    arguments: &Arguments,
    sources: &mut SourceMap,
    beside: &Beside<'_>,
    mut wrong: Vec<Diagnostic>,
) -> Result<Suite, Vec<Diagnostic>> {
    let given = Given::add(arguments, sources);
    let loaded = resolve(text, path, arguments, &given, sources, beside);
    wrong.extend(loaded.wrong);
    // What seems to be missing may stand in what could not be read.
    let unread = |diagnostic: &Diagnostic| diagnostic.code.starts_with("E01");
    if wrong.iter().chain(&loaded.wrong_questions).any(unread) {
        wrong.retain(|diagnostic| diagnostic.code != codes::INCOMPLETE);
    }
    let sound = wrong.is_empty() && loaded.suite.is_some();
    wrong.extend(loaded.wrong_questions);
    let Some(mut suite) = loaded.suite.filter(|_| sound) else {
        return Err(in_order(wrong));
    };
    let judged = expand::expand(&suite).and_then(|combinations| {
        let problems = judged(&suite, &combinations)?;
        Ok((combinations, problems))
    });
    let (combinations, problems) = match judged {
        Ok(judged) => judged,
        Err(more) => return Err(in_order([wrong, more].concat())),
    };
    suite.combinations = combinations;
    if arguments.nothing() || !wrong.is_empty() {
        wrong.extend(problems);
    } else if !problems.is_empty() {
        // What the suite as it stands can judge, and an override takes away, is no error.
        let plain = Arguments {
            processors: arguments.processors,
            memory: arguments.memory,
            ..Arguments::default()
        };
        let whole = resolve(text, path, &plain, &Given::default(), sources, beside).suite;
        let before = whole.and_then(|whole| judged_alone(&whole));
        let is_lost = |problem: &Diagnostic| {
            judge::may_be_lost(problem)
                && before.as_ref().is_some_and(|before| {
                    !before.iter().any(|known| known.primary.span == problem.primary.span)
                })
        };
        let (lost, more): (Vec<_>, Vec<_>) = problems.into_iter().partition(is_lost);
        wrong.extend(more);
        judge::drop_lost(&mut suite, &lost);
        suite.findings.extend(lost.iter().map(|problem| {
            let place = problem.place(sources);
            let told = judge::told(problem);
            Finding::new(FindingCode::CannotTell, format!("{place}: with these overrides {told}"))
        }));
    }
    if wrong.is_empty() { Ok(suite) } else { Err(in_order(wrong)) }
}

/// What the suite cannot judge with these cells. An error when its workloads cannot be made.
fn judged(suite: &Suite, combinations: &[Combination]) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let workloads = workloads::make_all(suite, combinations)?;
    Ok(judge::problems(suite, combinations, &workloads))
}

/// What the suite without overrides cannot judge; none when it has no cells by itself.
fn judged_alone(suite: &Suite) -> Option<Vec<Diagnostic>> {
    let combinations = expand::expand(suite).ok()?;
    judged(suite, &combinations).ok()
}

/// Arguments as sources, so that messages can point into them.
#[derive(Debug, Default)]
struct Given {
    profiles: Vec<FileId>,
    sets: Vec<FileId>,
    only: Option<FileId>,
}

impl Given {
    fn add(arguments: &Arguments, sources: &mut SourceMap) -> Self {
        Self {
            profiles: arguments
                .profiles
                .iter()
                .map(|name| sources.add("<--profile>", name.as_str()))
                .collect(),
            sets: arguments.sets.iter().map(|set| sources.add("<--set>", set.as_str())).collect(),
            only: arguments.only.as_ref().map(|only| sources.add("<--only>", only.as_str())),
        }
    }
}

struct Loaded {
    suite: Option<Suite>,
    wrong: Vec<Diagnostic>,
    wrong_questions: Vec<Diagnostic>,
}

fn resolve(
    text: &files::Text,
    path: &Path,
    arguments: &Arguments,
    given: &Given,
    sources: &SourceMap,
    beside: &Beside<'_>,
) -> Loaded {
    let mut resolver = Resolver::new(sources, beside, &text.statements);
    let mut draft = resolver.level(&text.statements, Parent::Suite);
    let all = flatten(&draft.profiles, &mut resolver);
    resolver.profiles(&given.profiles, &mut draft, &all);
    let mut overrides = Overrides::default();
    for &set in &given.sets {
        resolver.set(set, &mut draft, &mut overrides);
    }
    if let Some(only) = given.only {
        resolver.only(only, &mut draft);
    }
    let main = text.files[0];
    let named = Named {
        name: path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
        text: whole_text(text, sources),
        start: text
            .statements
            .first()
            .map_or(Span { file: main, start: 0, end: 0 }, crate::syntax::tree::Statement::head),
    };
    let suite = finish(&mut resolver, draft, overrides, named, arguments);
    Loaded { suite, wrong: resolver.wrong, wrong_questions: resolver.wrong_questions }
}

/// The suite's text, includes following in order, each under its name.
fn whole_text(text: &files::Text, sources: &SourceMap) -> String {
    let mut whole = String::new();
    for (index, &file) in text.files.iter().enumerate() {
        if index > 0 {
            let name = Path::new(sources.name(file));
            let name = name.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let _ = writeln!(whole, "\n# {name}");
        }
        whole.push_str(sources.text(file));
    }
    whole
}

/// In the order of the text; an error that was found twice stands once, with the advice that came
/// first.
fn in_order(mut wrong: Vec<Diagnostic>) -> Vec<Diagnostic> {
    wrong.sort_by_key(|diagnostic| (diagnostic.primary.span.file, diagnostic.primary.span.start));
    wrong.dedup_by(|later, first| {
        later.message == first.message
            && later.primary == first.primary
            && later.secondary == first.secondary
    });
    wrong
}
