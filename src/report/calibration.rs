//! What a calibration found: noise floors, and what repetitions can show above them.

use super::text::percent;
use crate::compare::{Detectable, SHOWN_FOR};
use crate::journal::record::CalibrationRecord;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A calibration with what follows from it.
pub struct Calibrated<'a> {
    /// What is kept.
    pub record: &'a CalibrationRecord,
    /// What repetitions can show of each metric.
    pub detectable: Vec<Detectable>,
    /// Deltas in the table that this holds for.
    pub pairs: usize,
    /// Headline deltas between the two sides.
    pub deltas: usize,
    /// How many of them are called better or worse, although the sides do not differ.
    pub alarms: usize,
}

/// For people.
pub fn text(calibrated: &Calibrated) -> String {
    let record = calibrated.record;
    let mut out = format!(
        "Noise of {} on {}\nrun {}, {} repetitions a side\n",
        record.suite, record.machine, record.run, record.repetitions
    );
    for cell in &record.cells {
        let _ = writeln!(out, "  {cell}");
    }
    let tables = if calibrated.pairs == 1 { "delta" } else { "deltas" };
    let _ = writeln!(
        out,
        "\nSmallest difference that is told from none in a table of {} {tables}",
        calibrated.pairs
    );
    let heading = |n: usize| format!("n = {n}");
    let mut rows = vec![
        ["metric".to_string(), "noise floor".to_string(), "df".to_string()]
            .into_iter()
            .chain(SHOWN_FOR.map(heading))
            .collect::<Vec<_>>(),
    ];
    for detectable in &calibrated.detectable {
        let mut row = vec![
            detectable.metric.heading().to_string(),
            format!("{:.2} %", detectable.floor * 100.0),
            format!("{:.0}", detectable.df),
        ];
        row.extend(detectable.effects.map(|effect| effect.map_or("-".to_string(), percent)));
        rows.push(row);
    }
    out.push_str(&aligned(&rows));
    let _ = write!(
        out,
        "\nThe sides are one and the same: {} of {} deltas of the headline {} called different.\n",
        calibrated.alarms,
        calibrated.deltas,
        if calibrated.alarms == 1 { "is" } else { "are" }
    );
    out
}

/// Columns of one width each, all but the first to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (text, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(line, "{text:width$}"),
                _ => write!(line, "  {text:>width$}"),
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// For programs: the record as it is kept, and what follows from it.
pub fn json(calibrated: &Calibrated) -> String {
    let metrics: Vec<Value> = calibrated
        .detectable
        .iter()
        .map(|detectable| {
            let effects: Vec<Value> = SHOWN_FOR
                .iter()
                .zip(detectable.effects)
                .map(|(n, effect)| json!({ "n": n, "effect": effect }))
                .collect();
            json!({
                "metric": detectable.metric,
                "floor": detectable.floor,
                "df": detectable.df,
                "detectable": effects,
            })
        })
        .collect();
    let document = json!({
        "v": 1,
        "calibration": calibrated.record,
        "pairs": calibrated.pairs,
        "metrics": metrics,
        "deltas": calibrated.deltas,
        "called_different": calibrated.alarms,
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}
