//! The one condition grammar: `where`, `--only` and `expect ... where`.

use super::literal::describe;
use super::shapes::{self, Kind};
use super::tree::{Word, WordKind};
use super::values::take_one;
use crate::diagnostic::{Diagnostic, SourceMap, Span, codes};
use crate::model::{CompareOp, Condition, ConditionTerm};

/// Parentheses and `not` may be nested so deep.
const MAX_DEPTH: usize = 32;

/// A condition and where each of its comparisons names its setting, in the order of
/// [`Condition::terms`].
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedCondition {
    /// The condition.
    pub condition: Condition,
    /// The places of the names.
    pub names: Vec<Span>,
}

/// Reads a condition. `kind_of` gives the kind of the values of a setting; where it does not know,
/// the table of shapes is asked, and then the value's own form decides.
pub fn condition(
    words: &[Word],
    sources: &SourceMap,
    kind_of: &dyn Fn(&str) -> Option<Kind>,
) -> Result<ParsedCondition, Diagnostic> {
    let Some(last) = words.last() else {
        let span = Span { file: crate::diagnostic::FileId(0), start: 0, end: 0 };
        return Err(Diagnostic::error(codes::BAD_CONDITION, span, "an empty condition"));
    };
    let end = Span { start: last.span.end, ..last.span };
    let mut parser = Parser { words, at: 0, end, sources, kind_of, names: Vec::new() };
    let condition = parser.alternatives(0)?;
    match parser.next() {
        None => Ok(ParsedCondition { condition, names: parser.names }),
        Some(word) if word.is(")") => Err(bad(word.span, "a `)` without its `(`".to_string())),
        Some(word) => Err(bad(word.span, format!("unexpected {}", describe(word)))
            .help("comparisons are joined by `and` and `or`")),
    }
}

fn bad(span: Span, message: String) -> Diagnostic {
    Diagnostic::error(codes::BAD_CONDITION, span, message)
}

struct Parser<'p> {
    words: &'p [Word],
    at: usize,
    /// Behind the last word.
    end: Span,
    sources: &'p SourceMap,
    kind_of: &'p dyn Fn(&str) -> Option<Kind>,
    names: Vec<Span>,
}

impl<'p> Parser<'p> {
    fn next(&self) -> Option<&'p Word> {
        self.words.get(self.at)
    }

    fn skip(&mut self, text: &str) -> bool {
        let found = self.next().is_some_and(|word| word.is(text));
        self.at += usize::from(found);
        found
    }

    fn here(&self) -> Span {
        self.next().map_or(self.end, |word| word.span)
    }

    fn alternatives(&mut self, depth: usize) -> Result<Condition, Diagnostic> {
        let mut parts = vec![self.conjunction(depth)?];
        while self.skip("or") {
            parts.push(self.conjunction(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::Or(parts) })
    }

    fn conjunction(&mut self, depth: usize) -> Result<Condition, Diagnostic> {
        let mut parts = vec![self.unit(depth)?];
        while self.skip("and") {
            parts.push(self.unit(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::And(parts) })
    }

    fn unit(&mut self, depth: usize) -> Result<Condition, Diagnostic> {
        let span = self.here();
        if depth > MAX_DEPTH {
            return Err(bad(span, format!("conditions are nested deeper than {MAX_DEPTH}")));
        }
        if self.skip("not") {
            return Ok(Condition::Not(Box::new(self.unit(depth + 1)?)));
        }
        if self.skip("(") {
            let inner = self.alternatives(depth + 1)?;
            if !self.skip(")") {
                return Err(bad(self.here(), "expected `)`".to_string()).also(span, "opened here"));
            }
            return Ok(inner);
        }
        self.term()
    }

    fn term(&mut self) -> Result<Condition, Diagnostic> {
        let expected = "expected a comparison such as `warehouses >= 200`";
        let Some(name) = self.next() else { return Err(bad(self.end, expected.to_string())) };
        if !matches!(name.kind, WordKind::Bare(_)) || name.is("and") || name.is("or") {
            return Err(bad(name.span, format!("{expected}, found {}", describe(name))));
        }
        self.at += 1;
        let Some(op) = self.next().and_then(|word| CompareOp::parse(word.text())) else {
            let found = self.next().map_or("the end".to_string(), describe);
            return Err(bad(
                self.here(),
                format!("expected a comparison after `{}`, found {found}", name.text()),
            )
            .help("comparisons are = != < <= > >="));
        };
        self.at += 1;
        let setting = name.text().replace('-', "_");
        let kind = (self.kind_of)(&setting)
            .or_else(|| shapes::setting_kind(&setting))
            .unwrap_or(Kind::Any);
        if self.next().is_none_or(|word| matches!(word.kind, WordKind::Mark(_))) {
            return Err(bad(self.here(), format!("expected {kind} after `{op}`")));
        }
        let (value, count) = take_one(&self.words[self.at..], &kind)?;
        self.at += count;
        if let Some(comma) = self.next().filter(|word| word.is(",")) {
            return Err(bad(comma.span, "a comparison has one value".to_string())
                .help(format!("write `{setting} {op} {} or {setting} {op} ...`", value.value)));
        }
        self.names.push(name.span);
        let place = self.sources.place(name.span);
        Ok(Condition::Term(ConditionTerm { name: setting, op, value: value.value, place }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse_words;

    fn read(text: &str) -> Result<String, String> {
        let mut sources = SourceMap::new();
        let file = sources.add("<--only>", text);
        let (words, errors) = parse_words(&sources, file);
        assert_eq!(errors, []);
        condition(&words, &sources, &|_| None)
            .map(|parsed| parsed.condition.to_string())
            .map_err(|error| format!("{} {}", error.place(&sources).column, error.message))
    }

    #[test]
    fn not_binds_tighter_than_and_and_tighter_than_or() {
        assert_eq!(
            read("a = 1 or not b = 2 and c >= 3").unwrap(),
            "a = 1 or (not (b = 2) and c >= 3)"
        );
        assert_eq!(read("(a=1 or b=2) and c<3").unwrap(), "(a = 1 or b = 2) and c < 3");
    }

    #[test]
    fn the_setting_gives_the_kind_of_the_value() {
        assert_eq!(read("cache >= 256M").unwrap(), "cache >= 256MB");
        assert_eq!(read("rows >= 256M").unwrap(), "rows >= 256000000");
        assert_eq!(read("cache = 5% of data").unwrap(), "cache = 5% of data");
        assert_eq!(read("os_cache = DROP").unwrap(), "os_cache = drop");
        assert_eq!(read("warmup > 90s").unwrap(), "warmup > 90s");
    }

    #[test]
    fn what_cannot_be_read_has_its_place() {
        assert_eq!(
            read("warehouses 200").unwrap_err(),
            "12 expected a comparison after `warehouses`, found the count `200`"
        );
        assert_eq!(read("(a = 1").unwrap_err(), "7 expected `)`");
        assert_eq!(read("a = 1)").unwrap_err(), "6 a `)` without its `(`");
        assert_eq!(read("a = 1 b = 2").unwrap_err(), "7 unexpected `b`");
        assert_eq!(
            read("a = 1 and").unwrap_err(),
            "10 expected a comparison such as `warehouses >= 200`"
        );
        assert_eq!(read("a = 1, 2").unwrap_err(), "6 a comparison has one value");
        assert_eq!(
            read("cache >=").unwrap_err(),
            "9 expected a size such as `4GB`, or a percentage such as `5% of data` after `>=`"
        );
        let deep = format!("{}a = 1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(read(&deep).unwrap_err(), "34 conditions are nested deeper than 32");
        let nots = format!("{}a = 1", "not ".repeat(50));
        assert!(read(&nots).unwrap_err().ends_with("nested deeper than 32"));
    }
}
