//! What was read, in words: the run, its figures, and what was done to them.

use super::labels::Labelled;
use crate::model::{MetricValue, Unit};
use std::fmt::Write;

/// A few lines about a run: where it stands, what it was, its figures, what was said about them.
pub fn describe(labelled: &Labelled) -> String {
    let run = &labelled.run;
    let mut about = vec![format!("{} ({})", run.tool, run.era), run.workload.clone()];
    let counted = |count: Option<u32>, one: &str, many: &str| {
        count.map(|count| format!("{count} {}", if count == 1 { one } else { many }))
    };
    about.extend(counted(run.clients, "client", "clients"));
    about.extend(counted(run.warehouses, "warehouse", "warehouses"));
    about.extend(run.warmup_s.map(|seconds| format!("{} s warm-up", short(seconds))));
    about.extend(run.measured_s.map(|seconds| format!("{} s measured", short(seconds))));
    let (first, last) = run.lines;
    let mut out =
        format!("{}:{first}-{last}: {}: {}\n", labelled.file, labelled.label, about.join(", "));
    for figure in run.metrics() {
        let _ = writeln!(out, "  {}", value(&figure));
    }
    for of in &run.types {
        let mut counts = format!("  {}: {} completed", of.name, of.completed);
        if let Some(late) = of.late {
            let _ = write!(counts, ", {late} late");
        }
        for (count, word) in [(of.retried, "tried again"), (of.failed, "failed")] {
            if count > 0 {
                let _ = write!(counts, ", {count} {word}");
            }
        }
        let _ = writeln!(out, "{counts}");
    }
    if !run.windows.is_empty() {
        let _ = writeln!(
            out,
            "  {} intervals of {} s with {} transactions",
            run.windows.len(),
            short(run.window_s),
            run.counted_in_windows()
        );
    }
    for note in &run.notes {
        let _ = writeln!(out, "  {}: {}: {}", note.kind().as_str(), note.code.title(), note.said);
    }
    if let Some(refusal) = &run.refused {
        let line = refusal.line.map_or_else(String::new, |line| format!(" (line {line})"));
        let _ = writeln!(out, "  refused: {}{line}", refusal.reason);
    }
    out
}

/// A number with as many decimals as it needs, three at most.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn value(figure: &MetricValue) -> String {
    let heading = figure.id.metric.heading();
    let of = figure.id.of.as_ref().map_or_else(String::new, |of| format!(" ({of})"));
    let value = figure.value;
    match figure.id.metric.unit() {
        Unit::Seconds => format!("{heading}{of}: {:.3} ms", value * 1000.0),
        Unit::PerMinute => format!("{heading}{of}: {value:.3}"),
        _ => format!("{heading}{of}: {value:.2}"),
    }
}
