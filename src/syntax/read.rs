//! A statement read by its shape: words to named values, or diagnostics that say what was expected.

use super::literal::{describe, literal};
use super::matcher::Matcher;
use super::shapes::{self, BlockRule, Kind, PARAMETER, Parent, Part, Repeat, Shape};
use super::tree::{Statement, Word};
use super::values::Value;
use super::variables::Variables;
use crate::diagnostic::{Diagnostic, Span, codes, did_you_mean};
use std::collections::HashMap;

/// What one statement says.
#[derive(Clone, Debug)]
pub struct Reading<'s> {
    /// Its shape.
    pub shape: &'static Shape,
    /// The statement itself.
    pub statement: &'s Statement,
    pub(super) arguments: Vec<Argument>,
    pub(super) keywords: Vec<&'static str>,
}

/// The words of one part, variables replaced.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) part: &'static str,
    pub(super) words: Vec<Word>,
    pub(super) values: Vec<Value>,
}

impl Reading<'_> {
    /// The first word.
    pub fn name(&self) -> &str {
        self.statement.name()
    }

    /// Where the statement is, without its block.
    pub fn span(&self) -> Span {
        self.statement.head()
    }

    /// The words of a part, `$NAME` replaced; empty where the part was left out.
    pub fn words(&self, part: &str) -> &[Word] {
        self.argument(part).map_or(&[], |argument| &argument.words)
    }

    /// The values of a part; empty where the part was left out. Metrics, operators and conditions
    /// have words alone.
    pub fn values(&self, part: &str) -> &[Value] {
        self.argument(part).map_or(&[], |argument| &argument.values)
    }

    /// The first value of a part.
    pub fn value(&self, part: &str) -> Option<&Value> {
        self.values(part).first()
    }

    /// The word or text of the first value of a part.
    pub fn text(&self, part: &str) -> Option<&str> {
        self.value(part).and_then(|value| value.value.as_str())
    }

    /// Where a part stands; the whole statement where it was left out.
    pub fn span_of(&self, part: &str) -> Span {
        match self.words(part) {
            [] => self.span(),
            [first, .., last] => first.span.to(last.span),
            [only] => only.span,
        }
    }

    /// Whether an optional word such as `cold` was written.
    pub fn has(&self, keyword: &str) -> bool {
        self.keywords.contains(&keyword)
    }

    /// What stands inside the block, and as what.
    pub fn inside(&self) -> Option<(Parent, &[Statement])> {
        Some((self.shape.block.inside()?, self.statement.children()))
    }

    fn argument(&self, part: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.part == part)
    }
}

/// Reads the statements of one block one after the other, and knows which were there already.
#[derive(Debug)]
pub struct BlockReader {
    parent: Parent,
    seen: HashMap<String, Span>,
}

impl BlockReader {
    /// A reader of statements in `parent`.
    pub fn new(parent: Parent) -> Self {
        Self { parent, seen: HashMap::new() }
    }

    /// The next statement. None when it is wrong: what is wrong is in `diagnostics` then, unless
    /// the parser has said it already.
    pub fn read<'s>(
        &mut self,
        statement: &'s Statement,
        variables: &Variables,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Reading<'s>> {
        if statement.broken {
            return None;
        }
        let reading = read(statement, self.parent, variables)
            .map_err(|diagnostic| diagnostics.push(diagnostic))
            .ok()?;
        let Some((key, what)) = identity(&reading) else { return Some(reading) };
        match self.seen.get(&key) {
            None => {
                self.seen.insert(key, reading.span());
                Some(reading)
            }
            Some(first) => {
                diagnostics.push(
                    Diagnostic::error(
                        codes::SET_TWICE,
                        reading.span(),
                        format!("{what} stands here twice"),
                    )
                    .label("again")
                    .also(*first, "first here"),
                );
                None
            }
        }
    }
}

/// Reads all statements of one block. Those that are wrong are left out, and all that is wrong
/// with them is returned.
pub fn read_block<'s>(
    statements: &'s [Statement],
    parent: Parent,
    variables: &Variables,
) -> (Vec<Reading<'s>>, Vec<Diagnostic>) {
    let mut reader = BlockReader::new(parent);
    let mut diagnostics = Vec::new();
    let readings = statements
        .iter()
        .filter_map(|statement| reader.read(statement, variables, &mut diagnostics))
        .collect();
    (readings, diagnostics)
}

/// What may be there once: a key, and how a message calls it.
fn identity(reading: &Reading<'_>) -> Option<(String, String)> {
    let name = reading.name();
    match reading.shape.repeat {
        Repeat::Many => None,
        Repeat::Once => Some((name.to_string(), format!("`{name}`"))),
        Repeat::OncePer(parts) => {
            let mut what = name.to_string();
            if let Some(Part::Keyword(word)) = reading.shape.parts.first() {
                what = format!("{what} {word}");
            }
            for text in parts.iter().filter_map(|part| reading.text(part)) {
                what = format!("{what} {text}");
            }
            Some((what.to_lowercase(), format!("`{what}`")))
        }
    }
}

/// Reads a statement that stands in `parent`.
pub fn read<'s>(
    statement: &'s Statement,
    parent: Parent,
    variables: &Variables,
) -> Result<Reading<'s>, Diagnostic> {
    let shape = shape_of(statement, parent)?;
    read_as(statement, shape, variables)
}

/// Reads a statement by a given shape, whatever its first word.
pub fn read_as<'s>(
    statement: &'s Statement,
    shape: &'static Shape,
    variables: &Variables,
) -> Result<Reading<'s>, Diagnostic> {
    let words = variables.expand(statement.arguments())?;
    let mut matcher = Matcher {
        shape,
        words: &words,
        at: 0,
        head: statement.head(),
        expected: Vec::new(),
        reading: Reading { shape, statement, arguments: Vec::new(), keywords: Vec::new() },
    };
    matcher.parts(shape.parts)?;
    matcher.end()?;
    check_block(statement, shape)?;
    Ok(matcher.reading)
}

fn check_block(statement: &Statement, shape: &Shape) -> Result<(), Diagnostic> {
    let name = statement.name();
    match (shape.block, &statement.block) {
        (BlockRule::None, Some(block)) => {
            let brace = Span { end: block.span.start + 1, ..block.span };
            Err(Diagnostic::error(codes::NOT_A_BLOCK, brace, format!("`{name}` has no block"))
                .help(format!("it is written `{}`", shape.synopsis())))
        }
        (BlockRule::Required(_), None) => {
            let message = format!("`{name}` needs a block");
            Err(Diagnostic::error(codes::NO_BLOCK, statement.head(), message)
                .help(format!("for example `{}`", shape.example)))
        }
        _ => Ok(()),
    }
}

/// The row for a statement in `parent`.
fn shape_of(statement: &Statement, parent: Parent) -> Result<&'static Shape, Diagnostic> {
    let name = statement.name();
    let first = &statement.words[0];
    let next = statement.arguments().first();
    let here: Vec<_> = shapes::named(name).filter(|shape| shape.fits(parent)).collect();
    if !here.is_empty() {
        let by_keyword = here.iter().find(|shape| {
            matches!((shape.parts.first(), next), (Some(Part::Keyword(k)), Some(w)) if w.is(k))
        });
        let plain =
            here.iter().find(|shape| !matches!(shape.parts.first(), Some(Part::Keyword(_))));
        return match by_keyword.or(plain) {
            Some(shape) => Ok(shape),
            None if here.len() == 1 => Ok(here[0]),
            None => Err(wrong_first_keyword(&here, first, next)),
        };
    }
    if parent == Parent::Axis && first.is_name() {
        return Ok(&shapes::AXIS_VALUE);
    }
    let elsewhere: Vec<_> = shapes::named(name).collect();
    let misplaced = if parent.takes_parameters() {
        elsewhere.iter().any(|shape| shape.fits(Parent::Suite))
    } else {
        !elsewhere.is_empty()
    };
    if misplaced {
        return Err(wrong_place(first, parent, &elsewhere));
    }
    if parent.takes_parameters() && literal(first, &Kind::DottedName).is_ok() {
        return Ok(&PARAMETER);
    }
    let message = format!("unknown statement `{name}`");
    Err(Diagnostic::error(codes::UNKNOWN_STATEMENT, first.span, message)
        .label(format!("not known in {}", parent.describe()))
        .maybe_help(unknown_help(name, parent)))
}

fn unknown_help(name: &str, parent: Parent) -> Option<String> {
    if name.starts_with("--") || name.starts_with("//") || name.starts_with("/*") {
        return Some("comments begin with `#`".to_string());
    }
    did_you_mean(name, shapes::names_in(parent))
}

fn wrong_first_keyword(here: &[&Shape], first: &Word, next: Option<&Word>) -> Diagnostic {
    let forms: Vec<_> = here.iter().map(|shape| format!("`{}`", shape.synopsis())).collect();
    let keywords = here.iter().filter_map(|shape| match shape.parts.first() {
        Some(Part::Keyword(word)) => Some(*word),
        _ => None,
    });
    let (span, found) = match next {
        Some(word) => (word.span, describe(word)),
        None => (first.span, "nothing".to_string()),
    };
    Diagnostic::error(
        codes::WRONG_FORM,
        span,
        format!("`{}` does not go on with {found}", first.text()),
    )
    .maybe_help(next.and_then(|word| did_you_mean(word.text(), keywords)))
    .help(format!("it is written {}", forms.join(" or ")))
}

fn wrong_place(first: &Word, parent: Parent, elsewhere: &[&'static Shape]) -> Diagnostic {
    let places: Vec<_> = elsewhere.iter().flat_map(|shape| shape.parents).copied().collect();
    let message = format!("`{}` may not stand in {}", first.text(), parent.describe());
    Diagnostic::error(codes::WRONG_PLACE, first.span, message)
        .label("not here")
        .help(format!("it stands {}", Parent::list(&places)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceMap;
    use crate::syntax::parse_bytes;
    use crate::syntax::tree::File;

    fn parsed(text: &str) -> (SourceMap, File) {
        let mut sources = SourceMap::new();
        let (_, tree, errors) = parse_bytes(&mut sources, "t.bench", text.as_bytes());
        assert_eq!(errors, []);
        (sources, tree)
    }

    fn error(text: &str, parent: Parent) -> String {
        let (sources, tree) = parsed(text);
        let (_, errors) = read_block(&tree.statements, parent, &Variables::default());
        let shown: Vec<_> = errors
            .iter()
            .map(|error| {
                let place = error.place(&sources);
                let help = error.help.first().map_or(String::new(), |help| format!(" ({help})"));
                format!("{}:{} {}{help}", place.line, place.column, error.message)
            })
            .collect();
        shown.join("\n")
    }

    #[test]
    fn every_example_reads_where_it_may_stand() {
        for shape in shapes::all() {
            for parent in shape.parents {
                let (_, tree) = parsed(shape.example);
                let reading = read(&tree.statements[0], *parent, &Variables::default());
                let reading = reading.unwrap_or_else(|e| panic!("{}: {e:?}", shape.example));
                assert_eq!(reading.shape.synopsis(), shape.synopsis(), "{}", shape.example);
            }
        }
    }

    #[test]
    fn parts_are_found_by_name() {
        let (_, tree) = parsed(
            "expect p95(new_order) of toku <= 40ms since baseline where a = 1 and b != x\n\
             option sync-binlog = 1, 100, 0 by set_global\n\
             workload tpcc big { x 1 }\n",
        );
        let (readings, errors) = read_block(&tree.statements, Parent::Suite, &Variables::default());
        assert_eq!(errors, []);
        let expect = &readings[0];
        assert_eq!(expect.words("metric").len(), 4);
        assert_eq!(expect.text("subject"), Some("toku"));
        assert_eq!(expect.words("op")[0].text(), "<=");
        assert_eq!(expect.value("bound").unwrap().value.to_string(), "40ms");
        assert!(expect.has("since"));
        assert_eq!(expect.words("condition").len(), 7);
        let option = &readings[1];
        assert_eq!(option.text("name"), Some("sync_binlog"));
        assert_eq!(option.values("value").len(), 3);
        assert!(option.has("set_global"));
        assert_eq!(readings[2].text("name"), Some("big"));
        assert_eq!(readings[2].inside().unwrap().0, Parent::Workload);
    }

    #[test]
    fn what_is_wrong_is_said_with_what_was_expected() {
        for (text, message) in [
            ("repaet 3", "1:1 unknown statement `repaet` (did you mean `repeat`?)"),
            ("-- old", "1:1 unknown statement `--` (comments begin with `#`)"),
            (
                "compare engine innodb",
                "1:16 expected `against`, found `innodb` (it is written `compare AXIS, ... against VALUE, ...`)",
            ),
            (
                "compare engine",
                "1:15 expected `against` (it is written `compare AXIS, ... against VALUE, ...`)",
            ),
            ("probe p \"x\" clod", "1:13 unexpected `clod` (did you mean `cold`?)"),
            ("clients 16 32", "1:12 unexpected the count `32` (values are separated by commas)"),
            (
                "repeat 3, 5",
                "1:11 `repeat` takes one value here (several values of it make no axis)",
            ),
            ("clients 8, 16, 8", "1:16 the value `8` stands here twice"),
            (
                "engine e",
                "1:1 `engine` needs a block (for example `engine toku { storage TokuDB; compression zlib }`)",
            ),
            ("repeat 3 { }", "1:10 `repeat` has no block (it is written `repeat VALUE`)"),
            ("repeat 3\nrepeat 4", "2:1 `repeat` stands here twice"),
            ("option a-b = 1\noption a_b = 2", "2:1 `option a_b` stands here twice"),
            ("clients $n", "1:9 unknown variable `$n`"),
            (
                "where",
                "1:6 expected a condition such as `warehouses >= 200` (it is written `where CONDITION`)",
            ),
        ] {
            assert_eq!(error(text, Parent::Suite), message);
        }
        assert_eq!(
            error("warmup 2m", Parent::Engine).split(" (").next(),
            Some("1:1 `warmup` may not stand in an `engine` block")
        );
        assert_eq!(
            error("path bluk", Parent::Load),
            "1:6 `path` does not go on with `bluk` (did you mean `bulk`?)"
        );
    }

    #[test]
    fn words_of_a_workload_are_its_parameters() {
        let (_, tree) = parsed("order_ranges 2, 3\nsize 5\ntpcc.warehouses 1");
        let (readings, errors) =
            read_block(&tree.statements, Parent::Profile, &Variables::default());
        assert_eq!(errors, []);
        assert!(readings.iter().all(|reading| std::ptr::eq(reading.shape, &raw const PARAMETER)));
        assert_eq!(
            error("basedir \"x\"\nprofile p {}", Parent::Workload).split(" (").next(),
            Some("2:1 `profile` may not stand in a `workload` block")
        );
    }
}
