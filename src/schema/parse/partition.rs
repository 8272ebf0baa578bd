//! Partition clauses: where engines and options of partitions stand in them.

use super::options::{OptionClause, options};
use super::statement::Statement;

/// The options of every partition and subpartition in `from..to`. Parentheses that hold
/// expressions, columns or values are passed over: a column may be called `engine`.
pub(crate) fn partition_options(s: &Statement<'_>, from: usize, to: usize) -> Vec<OptionClause> {
    let mut found = Vec::new();
    let mut at = from;
    while at < to {
        if s.mark(at, b'(') && s.is_any(at + 1, &["PARTITION", "SUBPARTITION"]) {
            let close = s.closing(at).map_or(to, |close| close.min(to));
            for (first, end) in s.list(at + 1, close) {
                definition(s, first, end, &mut found);
            }
        }
        at = s.after(at);
    }
    found
}

/// One `PARTITION name [VALUES ...] options [(SUBPARTITION ...)]`.
fn definition(s: &Statement<'_>, first: usize, end: usize, found: &mut Vec<OptionClause>) {
    let mut at = first + 2;
    if s.is(at, "VALUES") {
        // LESS THAN (x), LESS THAN MAXVALUE, IN (x).
        at += if s.are(at + 1, &["LESS", "THAN"]) { 3 } else { 2 };
        at = s.after(at);
    } else if s.is_any(at, &["HISTORY", "CURRENT", "DEFAULT"]) {
        at += 1;
    }
    let (clauses, behind) = options(s, at, end);
    found.extend(clauses);
    found.extend(partition_options(s, behind, end));
}

/// Where a `PARTITION BY` begins in `from..to`, outside parentheses.
pub(crate) fn partition_by(s: &Statement<'_>, from: usize, to: usize) -> Option<usize> {
    let mut at = from;
    while at < to {
        if s.are(at, &["PARTITION", "BY"]) {
            return Some(at);
        }
        at = s.after(at);
    }
    None
}
