//! Figures that no formula likes: nothing at all, all alike, wild.

use crate::support::scenario::{Cell, Measured, Scenario, word};
use enginecmp::compare::view::{Judged, NoVerdict, Side, Verdict};
use enginecmp::compare::{Comparison, compare};
use enginecmp::journal::record::Average;
use enginecmp::report::{Format, Output, render};
use regex::Regex;

const FORMATS: [Format; 10] = [
    Format::Table,
    Format::Markdown,
    Format::Csv,
    Format::CsvWide,
    Format::Json,
    Format::Html,
    Format::Svg,
    Format::PullRequest,
    Format::Benchstat,
    Format::Junit,
];

/// Engines with the TpmC of their repetitions, against the first.
fn compared(engines: &[(&str, &[f64])], average: Average) -> Comparison {
    let mut scenario = Scenario::new("odd", "odd.bench");
    scenario.average(average);
    scenario.compare(&["engine"], &[engines[0].0]);
    for (name, values) in engines {
        let cell = Cell {
            axes: vec![word("engine", name)],
            point: 0,
            storage: "InnoDB".to_string(),
            recipe: (*name).to_string(),
        };
        let key = scenario.cell(&cell, |_| {});
        for (repetition, tpmc) in (1..).zip(*values) {
            let measured = Measured { rounds: vec![*tpmc], p95: 0.02, ..Measured::default() };
            scenario.repetition(&key, repetition, &measured);
        }
    }
    compare(&scenario.finish())
}

fn judged(side: &Side) -> &Judged {
    let delta = side.headline().and_then(|headline| headline.against.delta());
    &delta.expect("a delta").judged
}

#[test]
fn a_cell_without_throughput_takes_no_other_its_verdict() {
    let engines: [(&str, &[f64]); 3] = [
        ("innodb", &[100.0, 101.0, 99.0]),
        ("dead", &[0.0, 0.0, 0.0]),
        ("fast", &[200.0, 202.0, 198.0]),
    ];
    for average in [Average::Median, Average::Mean] {
        let comparison = compared(&engines, average);
        let sides = &comparison.sections[0].points[0].sides;
        assert_eq!(*judged(&sides[1]), Judged::NoVerdict(NoVerdict::NoRatio));
        let Judged::Verdict { verdict, .. } = judged(&sides[2]) else {
            panic!("{average:?}: {:?}", judged(&sides[2]))
        };
        assert_eq!(*verdict, Verdict::Better);
    }
}

#[test]
fn whatever_was_measured_is_shown_in_numbers() {
    let odd: [&[f64]; 7] = [
        &[0.0, 0.0, 0.0],
        &[0.0, 0.0, 5.0],
        &[100.0, 100.0, 100.0],
        &[1e-9, 1e9],
        &[1e-90, 1e90],
        &[7.0],
        &[],
    ];
    let no_number = Regex::new(r"(?i)\b(nan|inf|infinity)\b").expect("a pattern");
    for baseline in odd {
        for average in [Average::Median, Average::Mean] {
            let mut engines: Vec<(&str, &[f64])> = vec![("first", baseline)];
            engines.extend(["a", "b", "c", "d", "e", "f", "g"].into_iter().zip(odd));
            let comparison = compared(&engines, average);
            for format in FORMATS {
                let output = Output { width: 100, color: false, whole: true };
                let shown = render(&comparison, format, output);
                let found = no_number.find(&shown).map(|found| {
                    let from = shown[..found.start()].rfind('\n').map_or(0, |at| at + 1);
                    &shown[from..(found.end() + 40).min(shown.len())]
                });
                assert_eq!(found, None, "{baseline:?} {average:?} {format:?}");
            }
        }
    }
}
