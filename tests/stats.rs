//! Simulated tables whose truth is known: how often the verdicts are right.
//!
//! A hundred tables of each kind here; `ENGINECMP_SIMULATIONS=1000 cargo test --release --test
//! integration stats::` draws a thousand.

use crate::support::scenario::{Cell, Measured, Scenario, count, word};
use crate::support::simulation::Noise;
use enginecmp::compare::view::{Judged, Verdict};
use enginecmp::compare::{Calibration, Options, compare_with};
use enginecmp::model::Metric;
use enginecmp::stats::floor::NoiseFloor;
use enginecmp::stats::power::{Design, minimum_detectable};

/// One kind of table.
#[derive(Clone)]
struct Kind {
    pairs: usize,
    repetitions: usize,
    /// Deviation of log values, by cell: pair and side.
    deviation: fn(usize, usize) -> f64,
    /// True log ratio, by pair; 0 for the others.
    effects: Vec<f64>,
    /// Share of repetitions that lose three tenths.
    freaks: f64,
    calibrated: Option<f64>,
}

/// Seven pairs of equal sides whose repetitions stray by 2 %.
fn equal() -> Kind {
    Kind {
        pairs: 7,
        repetitions: 3,
        deviation: |_, _| 0.02,
        effects: Vec::new(),
        freaks: 0.0,
        calibrated: None,
    }
}

/// What a simulated table says: verdict and interval by pair.
struct Said {
    verdict: Verdict,
    low: f64,
    high: f64,
}

fn tables() -> usize {
    match std::env::var("ENGINECMP_SIMULATIONS") {
        Ok(text) => text.parse().expect("ENGINECMP_SIMULATIONS is a number"),
        Err(_) => 100,
    }
}

/// The most that may go wrong when the true rate is `rate`: one test in twenty would see more.
fn at_most(rate: f64) -> f64 {
    let tables = tables() as f64;
    rate + 1.645 * (rate * (1.0 - rate) / tables).sqrt()
}

/// The least that must be found when the true rate is `rate`, by the same measure.
fn at_least(rate: f64) -> f64 {
    2.0 * rate - at_most(rate)
}

fn draw(kind: &Kind, noise: &mut Noise) -> Vec<Said> {
    let mut scenario = Scenario::new("simulated", "simulated.bench");
    scenario.plan().repeat = kind.repetitions as u32;
    scenario.compare(&["engine"], &["a"]);
    for pair in 0..kind.pairs {
        for (side, name) in ["a", "b"].into_iter().enumerate() {
            let cell = Cell {
                axes: vec![word("engine", name), count("clients", pair as u64 + 1)],
                point: pair,
                storage: "InnoDB".to_string(),
                recipe: name.to_string(),
            };
            let key = scenario.cell(&cell, |_| {});
            for repetition in 1..=kind.repetitions {
                let mut log = noise.normal() * (kind.deviation)(pair, side);
                if side == 1 {
                    log += kind.effects.get(pair).unwrap_or(&0.0);
                }
                if noise.uniform() < kind.freaks {
                    log += 0.7f64.ln();
                }
                let level = 1000.0 * (pair + 1) as f64;
                scenario.repetition(
                    &key,
                    repetition as u32,
                    &Measured { rounds: vec![level * log.exp()], ..Measured::default() },
                );
            }
        }
    }
    let mut calibration = Calibration::default();
    if let Some(deviation) = kind.calibrated {
        calibration.set(Metric::Tpmc, deviation, 30.0);
    }
    let comparison = compare_with(
        &scenario.finish(),
        &Options { calibration: Some(&calibration), ..Options::default() },
    );
    comparison.sections[0]
        .points
        .iter()
        .map(|point| {
            let delta = point.sides[1].headline().unwrap().against.delta().unwrap();
            match delta.judged {
                Judged::Verdict { low, high, verdict, .. } => Said { verdict, low, high },
                Judged::NoVerdict(why) => panic!("no verdict: {}", why.as_str()),
            }
        })
        .collect()
}

/// The share of tables in which any pair of equal sides is called better or worse.
fn false_alarms(kind: &Kind, seed: u64) -> f64 {
    let mut noise = Noise::new(seed);
    let wrong = (0..tables())
        .filter(|_| {
            draw(kind, &mut noise)
                .iter()
                .any(|said| matches!(said.verdict, Verdict::Better | Verdict::Worse))
        })
        .count();
    wrong as f64 / tables() as f64
}

#[track_caller]
fn assert_quiet(kind: &Kind, seed: u64) {
    let rate = false_alarms(kind, seed);
    assert!(rate <= at_most(0.05), "{:.1} % of tables raise a false alarm", rate * 100.0);
}

#[test]
fn equal_sides_raise_no_more_false_alarms_than_promised() {
    for (repetitions, pairs) in [(2, 7), (3, 1), (3, 7), (5, 7), (3, 20)] {
        assert_quiet(&Kind { pairs, repetitions, ..equal() }, 1);
    }
}

#[test]
fn nor_do_tables_in_which_one_cell_is_ten_times_as_noisy() {
    for pairs in [1, 2, 7] {
        let deviation = |pair, side| if (pair, side) == (0, 0) { 0.2 } else { 0.02 };
        assert_quiet(&Kind { pairs, deviation, ..equal() }, 2);
        assert_quiet(&Kind { pairs, deviation, repetitions: 5, ..equal() }, 3);
    }
}

#[test]
fn nor_do_tables_in_which_cells_are_a_little_unequal() {
    let deviation = |pair, side| 0.01 * (1.0 + ((pair * 2 + side) % 4) as f64);
    assert_quiet(&Kind { deviation, ..equal() }, 4);
    assert_quiet(&Kind { deviation, repetitions: 5, ..equal() }, 5);
}

#[test]
fn nor_do_freak_repetitions() {
    assert_quiet(&Kind { freaks: 0.05, repetitions: 5, ..equal() }, 6);
}

#[test]
fn nor_do_calibrated_tables_and_most_of_them_say_same() {
    let kind = Kind { calibrated: Some(0.02), repetitions: 10, ..equal() };
    assert_quiet(&kind, 7);
    let mut noise = Noise::new(8);
    let said: Vec<Said> = (0..tables()).flat_map(|_| draw(&kind, &mut noise)).collect();
    let same = said.iter().filter(|said| said.verdict == Verdict::Same).count();
    assert!(same * 2 > said.len(), "{same} of {}", said.len());
}

#[test]
fn an_effect_of_the_promised_size_is_found() {
    for (repetitions, pairs) in [(3, 1), (3, 7), (5, 7), (10, 7)] {
        let design = Design { repetitions, pairs, floor: NoiseFloor::new(0.02), mean: false };
        let promised = minimum_detectable(&design).unwrap().ln_1p();
        let effects = vec![promised];
        let kind = Kind { repetitions, pairs, effects, calibrated: Some(0.02), ..equal() };
        let mut noise = Noise::new(9);
        let found =
            (0..tables()).filter(|_| draw(&kind, &mut noise)[0].verdict == Verdict::Better).count();
        let rate = found as f64 / tables() as f64;
        assert!(rate > at_least(0.8), "n={repetitions}, {pairs} pairs: {:.0} %", rate * 100.0);
    }
}

#[test]
fn two_percent_are_found_where_repetitions_stray_by_half_a_percent() {
    let kind = Kind {
        deviation: |_, _| 0.005,
        effects: vec![0.02f64.ln_1p(); 7],
        repetitions: 5,
        ..equal()
    };
    let mut noise = Noise::new(10);
    let said: Vec<Said> = (0..tables()).flat_map(|_| draw(&kind, &mut noise)).collect();
    let found = said.iter().filter(|said| said.verdict == Verdict::Better).count();
    assert!(found as f64 > 0.8 * said.len() as f64, "{found} of {}", said.len());
    assert!(said.iter().all(|said| said.verdict != Verdict::Worse));
}

#[test]
fn intervals_contain_the_truth_as_often_as_they_say() {
    for repetitions in [2, 3, 4, 5, 6, 10] {
        let kind = Kind {
            effects: (0..7).map(|pair| 0.05 * f64::from(pair)).collect(),
            repetitions,
            ..equal()
        };
        let mut noise = Noise::new(11);
        let (mut inside, mut all) = (0, 0);
        for _ in 0..tables() {
            for (pair, said) in draw(&kind, &mut noise).iter().enumerate() {
                let truth = (0.05 * pair as f64).exp_m1();
                all += 1;
                inside += usize::from(said.low <= truth && truth <= said.high);
            }
        }
        let share = inside as f64 / f64::from(all);
        assert!(share > 0.945, "n={repetitions}: {:.1} %", share * 100.0);
    }
}

#[test]
fn a_single_pair_has_a_plain_interval_of_95_percent() {
    for repetitions in [3, 4, 5, 10] {
        let kind = Kind { effects: vec![0.1], pairs: 1, repetitions, ..equal() };
        let mut noise = Noise::new(12);
        let inside = (0..tables() * 10)
            .filter(|_| {
                let said = draw(&kind, &mut noise).remove(0);
                (said.low.ln_1p()..=said.high.ln_1p()).contains(&0.1)
            })
            .count();
        let share = inside as f64 / (tables() * 10) as f64;
        assert!((0.935..=0.985).contains(&share), "n={repetitions}: {:.1} %", share * 100.0);
    }
}
