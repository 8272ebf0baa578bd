//! The walk along the parts of a shape: which words are which part, or what was expected instead.

use super::literal::describe;
use super::read::{Argument, Reading};
use super::shapes::{Kind, Part, Shape};
use super::tree::{Word, WordKind};
use super::values::{Value, take_list, take_one};
use crate::diagnostic::{Diagnostic, Span, codes, did_you_mean};
use std::collections::HashMap;

/// Walks the words of a statement along the parts of its shape.
pub(super) struct Matcher<'w, 's> {
    pub(super) shape: &'static Shape,
    pub(super) words: &'w [Word],
    pub(super) at: usize,
    pub(super) head: Span,
    /// What could have stood at `at`, from optional parts that were left out.
    pub(super) expected: Vec<String>,
    pub(super) reading: Reading<'s>,
}

impl Matcher<'_, '_> {
    fn next(&self) -> Option<&Word> {
        self.words.get(self.at)
    }

    /// Takes these parts.
    pub(super) fn parts(&mut self, parts: &'static [Part]) -> Result<(), Diagnostic> {
        for part in parts {
            match part {
                Part::Keyword(word) => self.keyword(word)?,
                Part::One(name, kind) => self.one(name, kind)?,
                Part::List(name, kind) => self.list(name, kind)?,
                Part::Metric(name) => self.metric(name)?,
                Part::Operator(name) => self.operator(name)?,
                Part::Condition(name) => {
                    if self.next().is_none() {
                        return Err(self.missing("a condition such as `warehouses >= 200`"));
                    }
                    self.take(name, self.words.len() - self.at, Vec::new());
                }
                Part::Maybe(parts) => self.maybe(parts)?,
            }
        }
        Ok(())
    }

    fn take(&mut self, part: &'static str, count: usize, values: Vec<Value>) {
        let words = self.words[self.at..self.at + count].to_vec();
        self.reading.arguments.push(Argument { part, words, values });
        self.at += count;
        self.expected.clear();
    }

    fn keyword(&mut self, word: &'static str) -> Result<(), Diagnostic> {
        if self.next().is_some_and(|next| next.is(word)) {
            self.at += 1;
            self.expected.clear();
            self.reading.keywords.push(word);
            return Ok(());
        }
        Err(self.missing(&format!("`{word}`")))
    }

    fn one(&mut self, part: &'static str, kind: &Kind) -> Result<(), Diagnostic> {
        let Some(next) = self.next() else { return Err(self.missing(&kind.to_string())) };
        if matches!(next.kind, WordKind::Mark(_)) {
            return Err(self.missing(&kind.to_string()));
        }
        let (value, count) = take_one(&self.words[self.at..], kind)?;
        self.take(part, count, vec![value]);
        if let Some(comma) = self.next().filter(|next| next.is(",")) {
            let span = self.words.get(self.at + 1).map_or(comma.span, |second| second.span);
            let message = format!("`{}` takes one value here", self.shape.name);
            return Err(Diagnostic::error(codes::ONE_VALUE, span, message)
                .label("one too many")
                .help("several values of it make no axis"));
        }
        Ok(())
    }

    fn list(&mut self, part: &'static str, kind: &Kind) -> Result<(), Diagnostic> {
        let Some(next) = self.next() else { return Err(self.missing(&kind.to_string())) };
        if matches!(next.kind, WordKind::Mark(_)) {
            return Err(self.missing(&kind.to_string()));
        }
        let (values, count) = take_list(&self.words[self.at..], kind)?;
        if self.shape.axis {
            no_value_twice(&values)?;
        }
        self.take(part, count, values);
        Ok(())
    }

    fn metric(&mut self, part: &'static str) -> Result<(), Diagnostic> {
        let words = &self.words[self.at..];
        let count = match words {
            [name, open, _, close, ..] if name.is_name() && open.is("(") && close.is(")") => 4,
            [name, ..] if name.is_name() => 1,
            _ => return Err(self.missing("a metric such as `tpmc` or `p95(new_order)`")),
        };
        self.take(part, count, Vec::new());
        Ok(())
    }

    fn operator(&mut self, part: &'static str) -> Result<(), Diagnostic> {
        let is_operator = |word: &Word| crate::model::CompareOp::parse(word.text()).is_some();
        if !self.next().is_some_and(is_operator) {
            return Err(self.missing("a comparison: = != < <= > >="));
        }
        self.take(part, 1, Vec::new());
        Ok(())
    }

    fn maybe(&mut self, parts: &'static [Part]) -> Result<(), Diagnostic> {
        let enters = match (parts.first(), self.next()) {
            (Some(Part::Keyword(word)), Some(next)) => next.is(word),
            (Some(_), Some(next)) => !matches!(next.kind, WordKind::Mark(_)),
            _ => false,
        };
        if enters {
            return self.parts(parts);
        }
        self.expected.extend(match parts.first() {
            Some(Part::Keyword(word)) => Some(format!("`{word}`")),
            Some(Part::One(_, kind) | Part::List(_, kind)) => Some(kind.to_string()),
            _ => None,
        });
        Ok(())
    }

    /// What stands where `wanted` should.
    fn missing(&self, wanted: &str) -> Diagnostic {
        let mut expected = self.expected.clone();
        expected.push(wanted.to_string());
        let expected = expected.join(" or ");
        let diagnostic = if let Some(word) = self.next() {
            let message = format!("expected {expected}, found {}", describe(word));
            Diagnostic::error(codes::WRONG_FORM, word.span, message)
                .maybe_help(self.keyword_meant(word))
        } else {
            let end = Span { start: self.head.end, ..self.head };
            Diagnostic::error(codes::WRONG_FORM, end, format!("expected {expected}"))
                .label("the statement ends here")
        };
        diagnostic.help(format!("it is written `{}`", self.shape.synopsis()))
    }

    fn keyword_meant(&self, word: &Word) -> Option<String> {
        fn keywords(parts: &'static [Part], found: &mut Vec<&'static str>) {
            for part in parts {
                match part {
                    Part::Keyword(word) => found.push(word),
                    Part::Maybe(parts) => keywords(parts, found),
                    _ => {}
                }
            }
        }
        let mut known = Vec::new();
        keywords(self.shape.parts, &mut known);
        did_you_mean(word.text(), known)
    }

    /// Nothing may be left over.
    pub(super) fn end(&self) -> Result<(), Diagnostic> {
        let Some(word) = self.next() else { return Ok(()) };
        let message = format!("unexpected {}", describe(word));
        let mut diagnostic = Diagnostic::error(codes::WRONG_FORM, word.span, message);
        diagnostic = if self.expected.is_empty() {
            diagnostic.label("the statement should end before this")
        } else {
            diagnostic.label(format!("expected {} or the end", self.expected.join(", ")))
        };
        let behind_list = matches!(self.shape.parts.last(), Some(Part::List(..)));
        let a_value = !matches!(word.kind, WordKind::Mark(_));
        if behind_list && a_value {
            diagnostic = diagnostic.help("values are separated by commas");
        }
        Err(diagnostic
            .maybe_help(self.keyword_meant(word))
            .help(format!("it is written `{}`", self.shape.synopsis())))
    }
}

fn no_value_twice(values: &[Value]) -> Result<(), Diagnostic> {
    let mut seen: HashMap<String, Span> = HashMap::new();
    for value in values {
        let text = value.value.to_string();
        if let Some(first) = seen.get(&text.to_lowercase()) {
            return Err(Diagnostic::error(
                codes::VALUE_TWICE,
                value.span,
                format!("the value `{text}` stands here twice"),
            )
            .label("again")
            .also(*first, "first here"));
        }
        seen.insert(text.to_lowercase(), value.span);
    }
    Ok(())
}
