//! The parser that pest makes of `grammar/bench.pest`.

#![allow(missing_docs, reason = "pest derives the rules; the grammar file documents them")]

use pest::Parser;
use pest::iterators::Pairs;
use std::num::NonZeroUsize;
use std::sync::Once;

/// The longest text that is parsed, bytes. A suite of ten thousand cells fits many times over.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// Far above what a text of [`MAX_BYTES`] takes: it ends a parse that a flaw of the grammar made
/// more than linear.
const CALL_LIMIT: usize = 200 * MAX_BYTES;

#[derive(pest_derive::Parser)]
#[grammar = "grammar/bench.pest"]
struct BenchParser;

/// The pairs of a whole file. An error only when the call limit was reached: the grammar accepts
/// every text.
pub(super) fn pairs(text: &str) -> Result<Pairs<'_, Rule>, Box<pest::error::Error<Rule>>> {
    static LIMIT: Once = Once::new();
    LIMIT.call_once(|| pest::set_call_limit(NonZeroUsize::new(CALL_LIMIT)));
    let mut pairs = BenchParser::parse(Rule::file, text).map_err(Box::new)?;
    Ok(pairs.next().expect("a parsed file is one pair").into_inner())
}
