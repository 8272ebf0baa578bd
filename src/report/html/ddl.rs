//! In what the tables of the sides differ, as SHOW CREATE TABLE tells it.

use super::escaped;
use crate::compare::Comparison;
use crate::compare::view::LoadPoint;
use crate::model::line_diff::{ChangeTag, LineDiff};
use std::fmt::Write;

/// A diff for each side of the first point: others have the same tables with more rows.
pub(super) fn write(out: &mut String, comparison: &Comparison) {
    let mut diffs = String::new();
    for section in comparison.loads.iter().filter(|section| !section.compared.is_empty()) {
        if let Some(point) = section.points.first() {
            write_point(&mut diffs, point);
        }
    }
    if !diffs.is_empty() {
        let _ = write!(out, "<section>\n<h2>Tables</h2>\n{diffs}</section>\n");
    }
}

fn write_point(out: &mut String, point: &LoadPoint) {
    let Some((baseline, others)) = point.sides.split_first().filter(|(first, _)| first.is_baseline)
    else {
        return;
    };
    let script = |ddl: &std::collections::BTreeMap<String, String>| {
        ddl.values().map(|text| format!("{text}\n\n")).collect::<String>()
    };
    let old = script(&baseline.ddl);
    for side in others {
        let new = script(&side.ddl);
        if old.is_empty() || new.is_empty() || old == new {
            continue;
        }
        let _ = write!(
            out,
            "<details><summary>{} against {}</summary>\n<pre class=\"diff\">",
            escaped(&side.name),
            escaped(&baseline.name)
        );
        for (tag, line) in LineDiff::new(&old, &new).lines() {
            let line = escaped(line);
            let _ = match tag {
                ChangeTag::Delete => write!(out, "<del>-{line}</del>"),
                ChangeTag::Insert => write!(out, "<ins>+{line}</ins>"),
                ChangeTag::Equal => write!(out, " {line}"),
            };
        }
        out.push_str("</pre></details>\n");
    }
}
