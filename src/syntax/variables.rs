//! `let NAME values` and `$NAME`.

use super::tree::{Word, WordKind};
use crate::diagnostic::{Diagnostic, codes, did_you_mean};
use std::collections::BTreeMap;

/// A statement has at most so many words, variables replaced.
const MAX_WORDS: usize = 10_000;

/// What `let` statements have named so far.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    named: BTreeMap<String, Vec<Word>>,
}

impl Variables {
    /// Names `words`, in which variables are replaced already.
    pub fn define(&mut self, name: impl Into<String>, words: Vec<Word>) {
        self.named.insert(name.into(), words);
    }

    /// `words` with every `$NAME` replaced. What stands in its place has the place of its use.
    pub fn expand(&self, words: &[Word]) -> Result<Vec<Word>, Diagnostic> {
        let mut expanded = Vec::with_capacity(words.len());
        for word in words {
            let WordKind::Variable(name) = &word.kind else {
                expanded.push(word.clone());
                continue;
            };
            let Some(values) = self.named.get(name) else {
                let message = format!("unknown variable `${name}`");
                let known = self.named.keys().map(String::as_str);
                return Err(Diagnostic::error(codes::UNKNOWN_VARIABLE, word.span, message)
                    .label("no `let` above names it")
                    .maybe_help(did_you_mean(name, known)));
            };
            if expanded.len() + values.len() > MAX_WORDS {
                let message = format!("`${name}` makes this longer than {MAX_WORDS} words");
                return Err(Diagnostic::error(codes::TOO_MANY, word.span, message));
            }
            let used_here = |value: &Word| Word { kind: value.kind.clone(), span: word.span };
            expanded.extend(values.iter().map(used_here));
        }
        Ok(expanded)
    }
}
