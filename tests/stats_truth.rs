//! Simulated tables under what troubles real runs: drift, steps, stalls, freak repetitions, noise as
//! a real server makes it. Whatever the trouble, equal sides are not told apart, and a difference is.

use crate::support::golden::fixture;
use crate::support::simulation::{
    Kind, Noise, Said, Source, Trouble, draw, equal, false_alarms, found, is_found, is_quiet, say,
};
use enginecmp::compare::view::Verdict;
use enginecmp::compare::{Calibration, compare};
use enginecmp::journal::{self, Record};
use enginecmp::model::{Metric, MetricId};
use enginecmp::report::{Format, Output, render};
use enginecmp::stats::floor::NoiseFloor;
use enginecmp::stats::power::{Design, minimum_detectable};
use std::collections::BTreeMap;

const TROUBLES: [Trouble; 4] = [Trouble::Drift, Trouble::Step, Trouble::Stalls, Trouble::Freaks];

#[test]
fn equal_sides_stay_equal_whatever_happens_to_the_machine() {
    for (at, trouble) in TROUBLES.into_iter().enumerate() {
        let kind = Kind { trouble, repetitions: 5, ..equal() };
        let rate = false_alarms(&kind, 20 + at as u64);
        say(&format!("false alarms under {trouble:?}"), rate);
        assert!(is_quiet(rate), "{trouble:?}: {:.1} %", rate * 100.0);
    }
}

#[test]
fn a_difference_is_found_whatever_happens_to_the_machine() {
    for (at, trouble) in TROUBLES.into_iter().enumerate() {
        // What is promised for as much noise as the trouble makes.
        let floor = NoiseFloor::new(trouble.deviation());
        let design = Design { repetitions: 5, pairs: 7, floor, mean: false };
        let promised = minimum_detectable(&design).expect("it is promised").ln_1p();
        let kind = Kind { trouble, repetitions: 5, effects: vec![-promised; 7], ..equal() };
        let rate = found(&kind, 30 + at as u64, |said| said.verdict, Verdict::Worse);
        say(&format!("promised effect found under {trouble:?}"), rate);
        assert!(is_found(rate), "{trouble:?}: {:.1} %", rate * 100.0);
    }
}

#[test]
fn a_server_that_lands_in_one_of_two_modes_is_not_told_apart_from_itself() {
    // Each start is fast or slow; a median jumps between the two.
    let source = Source::Real(vec![-1.0, 1.0]);
    for (repetitions, pairs) in [(3, 7), (5, 1), (5, 7)] {
        let kind = Kind { source: source.clone(), repetitions, pairs, ..equal() };
        let rate = false_alarms(&kind, 60);
        say(&format!("false alarms, two modes, {pairs} pairs, n = {repetitions}"), rate);
        assert!(is_quiet(rate), "n={repetitions}, {pairs} pairs: {:.1} %", rate * 100.0);
    }
}

#[test]
fn who_always_says_undecided_fails_these_tests() {
    let kind = Kind { repetitions: 5, effects: vec![0.3f64.ln_1p(); 7], ..equal() };
    assert!(is_found(found(&kind, 40, |said| said.verdict, Verdict::Better)));
    assert!(!is_found(found(&kind, 40, |_| Verdict::Undecided, Verdict::Better)));
    assert!(!is_found(found(&kind, 40, |_| Verdict::Same, Verdict::Better)));
}

#[test]
fn who_always_says_better_fails_them_too() {
    let mut noise = Noise::new(41);
    let said: Vec<Said> = draw(&equal(), &mut noise);
    assert!(said.iter().all(|said| said.verdict != Verdict::Better));
    assert!(!is_quiet(1.0));
}

/// A server compared with itself: two engines of MariaDB under TPC-C with one and four clients, ten
/// repetitions of each, on a machine that was busy with other things.
fn real() -> Vec<Record> {
    journal::read(&fixture("journals/a_a.jsonl")).expect("a journal").records
}

/// How far each repetition strayed from its cell's mean, all cells brought to one deviation.
fn residuals() -> Vec<f64> {
    let mut cells: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for record in real() {
        let Record::Repetition(repetition) = record else { continue };
        let id = MetricId::whole(Metric::Tpmc);
        let tpmc = repetition.metrics.iter().find(|value| value.id == id).expect("it has one");
        cells.entry(repetition.cell.without("side").to_string()).or_default().push(tpmc.value.ln());
    }
    let mut all = Vec::new();
    for logs in cells.values() {
        let n = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / n;
        let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / n;
        all.extend(logs.iter().map(|log| (log - mean) / variance.sqrt()));
    }
    all
}

#[test]
fn noise_of_a_real_server_raises_no_more_false_alarms() {
    let source = Source::Real(residuals());
    for (repetitions, pairs) in [(3, 7), (5, 7), (5, 1)] {
        let kind = Kind { source: source.clone(), repetitions, pairs, ..equal() };
        let rate = false_alarms(&kind, 50);
        say(&format!("false alarms, real noise, {pairs} pairs, n = {repetitions}"), rate);
        assert!(is_quiet(rate), "n={repetitions}, {pairs} pairs: {:.1} %", rate * 100.0);
    }
    let ten_times = |pair, side| if (pair, side) == (0, 0) { 0.2 } else { 0.02 };
    let kind = Kind { source: source.clone(), deviation: ten_times, repetitions: 5, ..equal() };
    let rate = false_alarms(&kind, 51);
    say("false alarms, real noise, one cell ten times as noisy", rate);
    assert!(is_quiet(rate), "one cell ten times as noisy: {:.1} %", rate * 100.0);
    let effects = vec![0.1f64.ln_1p(); 7];
    let kind = Kind { source, effects, repetitions: 5, ..equal() };
    let rate = found(&kind, 52, |said| said.verdict, Verdict::Better);
    say("10 % found in real noise of 2 %", rate);
    assert!(is_found(rate), "{:.1} %", rate * 100.0);
}

#[test]
fn a_real_server_is_not_told_apart_from_itself() {
    let records = real();
    let json =
        render(&compare(&records), Format::Json, Output { width: 100, color: false, whole: true });
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let pairs = report["sections"][0]["pairs"].as_array().expect("pairs");
    let verdicts: Vec<&str> = pairs
        .iter()
        .filter(|pair| pair["metric"] == "tpmc")
        .filter_map(|pair| pair["verdict"].as_str())
        .collect();
    assert_eq!(verdicts.len(), 4, "{verdicts:?}");
    assert!(verdicts.iter().all(|verdict| ["same", "undecided"].contains(verdict)));
    assert!(Calibration::of(&records).floor(Metric::Tpmc).deviation() > 0.1);
}
