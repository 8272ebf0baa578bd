//! Simulated tables whose truth is known: how often the verdicts are right.
//!
//! A hundred tables of each kind here; `scripts/simulations` draws ten thousand and says the rates.

use crate::support::simulation::{
    Kind, Noise, Said, Trouble, draw, equal, false_alarms, found, is_found, is_quiet,
    is_quiet_among_many, say, tables,
};
use enginecmp::compare::view::Verdict;
use enginecmp::journal::record::Average;
use enginecmp::stats::floor::NoiseFloor;
use enginecmp::stats::power::{Design, minimum_detectable};

#[track_caller]
fn assert_quiet(kind: &Kind, seed: u64) {
    let rate = false_alarms(kind, seed);
    let Kind { average, pairs, repetitions, .. } = kind;
    let what = format!("false alarms, {average:?}, {pairs} pairs, n = {repetitions}, seed {seed}");
    say(&what, rate);
    assert!(is_quiet(rate), "{what}: {:.1} %", rate * 100.0);
}

#[test]
fn equal_sides_raise_no_more_false_alarms_than_promised() {
    for (repetitions, pairs) in [(2, 7), (3, 1), (3, 7), (5, 7), (3, 20)] {
        assert_quiet(&Kind { pairs, repetitions, ..equal() }, 1);
    }
}

/// Deviations of a table whose first cell strays so many times as far as the others.
fn one_noisy(times: u32) -> fn(usize, usize) -> f64 {
    macro_rules! times {
        ($times:literal) => {
            |pair, side| if (pair, side) == (0, 0) { 0.02 * $times } else { 0.02 }
        };
    }
    match times {
        1 => times!(1.0),
        2 => times!(2.0),
        4 => times!(4.0),
        10 => times!(10.0),
        30 => times!(30.0),
        _ => unreachable!("{times} times is in no table"),
    }
}

/// The table of docs/statistics.md, whatever is printed.
fn tables_with_a_noisy_cell(average: Average) {
    for (pairs, repetitions) in [1, 2, 7].into_iter().flat_map(|p| [2, 3, 5].map(|n| (p, n))) {
        for times in [1, 2, 4, 10, 30] {
            let deviation = one_noisy(times);
            let kind = Kind { pairs, repetitions, deviation, average, ..equal() };
            let rate = false_alarms(&kind, 2);
            let what = format!(
                "false alarms, {average:?}, {pairs} pairs, n = {repetitions}, one cell {times} times as noisy"
            );
            say(&what, rate);
            // Two repetitions hide how noisy a cell is too often to promise all of it.
            if repetitions > 2 || [1, 10].contains(&times) {
                assert!(is_quiet_among_many(rate), "{what}: {:.1} %", rate * 100.0);
            }
        }
    }
}

#[test]
fn nor_do_tables_in_which_one_cell_is_noisy() {
    tables_with_a_noisy_cell(Average::Median);
}

#[test]
fn nor_do_tables_of_means_in_which_one_cell_is_noisy() {
    tables_with_a_noisy_cell(Average::Mean);
}

#[test]
fn nor_do_tables_in_which_cells_are_a_little_unequal() {
    let deviation = |pair, side| 0.01 * (1.0 + ((pair * 2 + side) % 4) as f64);
    assert_quiet(&Kind { deviation, ..equal() }, 4);
    assert_quiet(&Kind { deviation, repetitions: 5, ..equal() }, 5);
}

#[test]
fn nor_do_freak_repetitions() {
    assert_quiet(&Kind { trouble: Trouble::Freaks, repetitions: 5, ..equal() }, 6);
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
    let medians = [(3, 1), (3, 7), (5, 7), (10, 7)].map(|design| (design, Average::Median));
    let means = [(3, 7), (5, 7)].map(|design| (design, Average::Mean));
    for ((repetitions, pairs), average) in medians.into_iter().chain(means) {
        let mean = average == Average::Mean;
        let design = Design { repetitions, pairs, floor: NoiseFloor::new(0.02), mean };
        let promised = minimum_detectable(&design).unwrap().ln_1p();
        let effects = vec![promised];
        let kind = Kind { repetitions, pairs, effects, calibrated: Some(0.02), average, ..equal() };
        let rate = found(&kind, 9, |said| said.verdict, Verdict::Better);
        say(&format!("promised effect, {average:?}, {pairs} pairs, n = {repetitions}"), rate);
        assert!(is_found(rate), "n={repetitions}, {pairs} pairs: {:.0} %", rate * 100.0);
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
