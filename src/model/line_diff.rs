//! The lines in which two texts differ, and the unified patch that says so.
//!
//! One algorithm is named on purpose: choosing it at run time would bring all others in.

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, DiffableStr, group_diff_ops};
use std::collections::HashMap;
use std::fmt::Write as _;

pub use similar::ChangeTag;

/// Two texts line by line.
#[derive(Debug)]
pub struct LineDiff<'t> {
    old: Vec<&'t str>,
    new: Vec<&'t str>,
    ops: Vec<DiffOp>,
}

/// A stretch of lines with some that changed.
#[derive(Debug)]
pub struct Hunk<'d> {
    /// Its heading: `@@ -1,2 +1,2 @@`.
    pub header: String,
    /// Its lines, ends included.
    pub lines: Vec<(ChangeTag, &'d str)>,
}

impl<'t> LineDiff<'t> {
    /// What turns `old` into `new`.
    pub fn new(old: &'t str, new: &'t str) -> Self {
        let (old, new) = (old.tokenize_lines(), new.tokenize_lines());
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut numbered = |lines: &[&'t str]| -> Vec<u32> {
            lines
                .iter()
                .map(|line| {
                    let next = known.len() as u32;
                    *known.entry(*line).or_insert(next)
                })
                .collect()
        };
        let (a, b) = (numbered(&old), numbered(&new));
        let mut found = Compact::new(Replace::new(Capture::new()), &a, &b);
        let Ok(()) = myers::diff(&mut found, &a, 0..a.len(), &b, 0..b.len());
        Self { old, new, ops: found.into_inner().into_inner().into_ops() }
    }

    fn lines_of(&self, ops: &[DiffOp]) -> Vec<(ChangeTag, &str)> {
        ops.iter()
            .flat_map(|op| op.iter_changes(&self.old, &self.new))
            .map(|change| (change.tag(), change.value()))
            .collect()
    }

    /// Every line, ends included.
    pub fn lines(&self) -> Vec<(ChangeTag, &str)> {
        self.lines_of(&self.ops)
    }

    /// The lines that changed, with so many lines of context around them.
    pub fn hunks(&self, context: usize) -> Vec<Hunk<'_>> {
        group_diff_ops(self.ops.clone(), context)
            .into_iter()
            .map(|ops| Hunk {
                header: UnifiedHunkHeader::new(&ops).to_string(),
                lines: self.lines_of(&ops),
            })
            .collect()
    }

    /// The unified patch between two files of these names; empty where nothing changed.
    pub fn patch(&self, context: usize, from: &str, to: &str) -> String {
        let mut out = String::new();
        for (number, Hunk { header, lines }) in self.hunks(context).into_iter().enumerate() {
            if number == 0 {
                let _ = writeln!(out, "--- {from}\n+++ {to}");
            }
            let _ = writeln!(out, "{header}");
            for (tag, line) in lines {
                let _ = write!(out, "{tag}{line}");
                if !line.ends_with_newline() {
                    out.push_str("\n\\ No newline at end of file\n");
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the library itself would print.
    fn by_the_library(old: &str, new: &str, context: usize) -> String {
        let diff = similar::TextDiff::from_lines(old, new);
        diff.unified_diff().context_radius(context).header("a", "b").to_string()
    }

    #[test]
    fn a_patch_says_what_changed_with_its_surroundings() {
        let long: String = (0..300).map(|n| format!("line {}\n", n % 17)).collect();
        let other: String = (3..310).map(|n| format!("line {}\n", n * n % 17)).collect();
        for (old, new) in [
            ("", ""),
            ("one\ntwo\n", "one\n2\n"),
            ("one\ntwo", "one\ntwo\nthree"),
            ("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", "a\nB\nc\nd\ne\nf\ng\nh\ni\nJ\n"),
            ("x\r\ny\rz\n", "x\r\ny\rzz\n"),
            (&long, &other),
        ] {
            for context in [1, 3] {
                let patch = LineDiff::new(old, new).patch(context, "a", "b");
                assert_eq!(patch, by_the_library(old, new, context));
            }
        }
        let whole = LineDiff::new("one\ntwo\n", "one\n2\n");
        let lines = whole.lines();
        assert_eq!(lines[0], (ChangeTag::Equal, "one\n"));
        assert_eq!(lines[2], (ChangeTag::Insert, "2\n"));
    }
}
