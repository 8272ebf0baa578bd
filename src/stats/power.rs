//! What a number of repetitions can show, before they are made.

use super::estimate::{mean, median};
use super::family::{Difference, SecondOpinion};
use super::floor::NoiseFloor;
use super::median::{mean_factor, median_factor};
use super::spread::{spread, standard_error};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// How often an effect of the promised size is found. What is promised is four in five; the rest is
/// there so that a promise made from 2,000 drawn tables is kept.
pub const POWER: f64 = 0.85;

/// How often, at most, a table of equal sides says that some differ.
pub const ALPHA: f64 = 0.05;

/// Tables drawn for one figure. The quantile that is read off them moves by about one part in a
/// hundred from seed to seed; the seed is fixed.
const TABLES: usize = 2000;

/// Cells drawn for one table at most. More cells know their common variance better by little.
const CELLS: usize = 24;

/// Most repetitions that are ever advised.
const MOST: usize = 100;

/// A table that shall be measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// Repetitions of each cell.
    pub repetitions: usize,
    /// Deltas in the table.
    pub pairs: usize,
    /// How far repetitions stray and below which deltas are the same.
    pub floor: NoiseFloor,
    /// The mean is compared instead of the median.
    pub mean: bool,
}

/// The smallest difference, as a fraction (0.05 for 5 %), that is called better or worse in more
/// than four of five tables of this design; `None` where there is no verdict, below two repetitions.
///
/// Found by drawing tables of normal noise and asking of each how large the difference of one pair
/// would have had to be, by the very rules that judge measured tables.
pub fn minimum_detectable(design: &Design) -> Option<f64> {
    let n = design.repetitions;
    let deviation = design.floor.deviation();
    if n < 2 || deviation <= 0.0 {
        return None;
    }
    let cells = (2 * design.pairs.max(1)).min(CELLS);
    let margin = design.floor.margin();
    let level = ALPHA / design.pairs.max(1) as f64;
    let mut noise = Noise::new(20_240_817);
    let mut needed: Vec<f64> = (0..TABLES)
        .filter_map(|_| {
            let table: Vec<Vec<f64>> =
                (0..cells).map(|_| (0..n).map(|_| noise.normal() * deviation).collect()).collect();
            let values: Vec<&[f64]> = table.iter().map(Vec::as_slice).collect();
            let spread = spread(&values, deviation);
            let error = |factor| {
                Some(standard_error([(spread.cells[0]?, factor), (spread.cells[1]?, factor)]))
            };
            let of_means = mean(values[1])? - mean(values[0])?;
            let of_medians = median(values[1])? - median(values[0])?;
            let shift = (of_means - of_medians).abs();
            let (of_means, of_medians) =
                ((of_means, error(mean_factor(n))?), (of_medians, error(median_factor(n))?));
            let ((by_chance, error), (_, other)) =
                if design.mean { (of_means, of_medians) } else { (of_medians, of_means) };
            let second = Some(SecondOpinion { shift, error: other });
            let difference = Difference { log_ratio: by_chance, error, second };
            let half_width = difference.half_width(level);
            // The interval must leave out 0 and reach beyond the noise floor.
            Some(half_width.max(margin - half_width) - by_chance)
        })
        .collect();
    needed.sort_by(f64::total_cmp);
    let index = (needed.len() as f64 * POWER).ceil() as usize - 1;
    needed.get(index).map(|effect| effect.exp_m1())
}

/// How many repetitions it takes to tell a difference of `effect` (a fraction) from none; `None`
/// when [`MOST`] would not do.
pub fn repetitions_for(effect: f64, design: &Design) -> Option<usize> {
    let effect = effect.abs();
    let enough = |repetitions: usize| {
        minimum_detectable(&Design { repetitions, ..*design }).is_some_and(|least| least <= effect)
    };
    // Few repetitions are drawn sooner than many, and mostly they will do.
    let (mut too_few, mut will_do) = (1, 2);
    while !enough(will_do) {
        if will_do == MOST {
            return None;
        }
        (too_few, will_do) = (will_do, (will_do * 2).min(MOST));
    }
    while will_do - too_few > 1 {
        let between = usize::midpoint(too_few, will_do);
        if enough(between) { will_do = between } else { too_few = between }
    }
    Some(will_do)
}

/// Normal noise from a fixed seed.
struct Noise {
    generator: Xoshiro256PlusPlus,
    spare: Option<f64>,
}

impl Noise {
    fn new(seed: u64) -> Self {
        Self { generator: Xoshiro256PlusPlus::seed_from_u64(seed), spare: None }
    }

    /// A standard normal value, by the polar method of G. Marsaglia and T. A. Bray (SIAM Review 6,
    /// 1964).
    fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (x, y) = (self.uniform() * 2.0 - 1.0, self.uniform() * 2.0 - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let scale = (-2.0 * square.ln() / square).sqrt();
                self.spare = Some(y * scale);
                return x * scale;
            }
        }
    }

    fn uniform(&mut self) -> f64 {
        (self.generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(repetitions: usize, pairs: usize) -> Design {
        Design { repetitions, pairs, floor: NoiseFloor::new(0.01), mean: false }
    }

    #[test]
    fn more_repetitions_show_less_and_more_pairs_show_more_of_it_only_when_larger() {
        let of = |n, pairs| minimum_detectable(&design(n, pairs)).unwrap();
        assert!(of(3, 7) > of(5, 7) && of(5, 7) > of(10, 7));
        assert!(of(5, 1) < of(5, 12));
        assert_eq!(minimum_detectable(&design(1, 7)), None);
    }

    #[test]
    fn one_pair_of_means_needs_little_more_than_the_tables_of_the_t_test_say() {
        // Two samples of n = 17 find a difference of one standard deviation at 5 %: the
        // interval's half width is t(32) = 2.037 standard errors. Here it must also reach past the
        // margin of 1.96 deviations, and chance must not carry it back in 85 of 100 tables. The
        // medians must agree, whose standard error is a quarter larger.
        let of = |mean| {
            let floor = NoiseFloor::new(0.001);
            let least = minimum_detectable(&Design { repetitions: 17, pairs: 1, floor, mean });
            least.unwrap().ln_1p() / 0.001
        };
        let reach = |factor: f64| 1.0364 * factor + 1.96 - 2.037 * factor;
        let by_t_test = reach((2.0f64 / 17.0).sqrt());
        assert!((of(true) - by_t_test).abs() < 0.25 * by_t_test, "{} {by_t_test}", of(true));
    }

    #[test]
    fn the_advice_is_the_fewest_that_will_do() {
        let n = repetitions_for(0.03, &design(0, 4)).unwrap();
        assert!(minimum_detectable(&design(n, 4)).unwrap() <= 0.03);
        assert!(minimum_detectable(&design(n - 1, 4)).unwrap() > 0.03);
        assert_eq!(repetitions_for(0.000_1, &design(0, 4)), None);
    }
}
