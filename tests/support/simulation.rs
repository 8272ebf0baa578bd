//! Simulated tables whose truth is known, from a fixed seed.

use super::scenario::{Cell, Measured, Scenario, count, word};
use enginecmp::compare::view::{Judged, Verdict};
use enginecmp::compare::{Calibration, Options, compare_with};
use enginecmp::journal::record::Average;
use enginecmp::model::Metric;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A source of noise.
pub(crate) struct Noise {
    generator: Xoshiro256PlusPlus,
}

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        Self { generator: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// Between 0 and 1, both excluded.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.generator.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// A standard normal value.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn of(&mut self, source: &Source) -> f64 {
        match source {
            Source::Normal => self.normal(),
            Source::Real(seen) => seen[(self.uniform() * seen.len() as f64) as usize],
        }
    }

    /// What a trouble does to the log value of a repetition, from 1, of so many.
    fn trouble(&mut self, trouble: Trouble, repetition: usize, of: usize) -> f64 {
        let now_and_then = |noise: &mut Self, share: f64, lost: f64| {
            if noise.uniform() < share { (1.0 - lost).ln() } else { 0.0 }
        };
        match trouble {
            Trouble::None => 0.0,
            Trouble::Drift => -0.01 * repetition as f64,
            Trouble::Step => {
                if 2 * repetition > of {
                    -0.05
                } else {
                    0.0
                }
            }
            Trouble::Stalls => now_and_then(self, 0.2, 0.05),
            Trouble::Freaks => now_and_then(self, 0.05, 0.3),
        }
    }
}

/// What a repetition's noise is drawn from; its deviation is 1.
#[derive(Clone)]
pub(crate) enum Source {
    Normal,
    /// Drawn from what was seen, each as often as any other.
    Real(Vec<f64>),
}

/// What happens to a machine while it measures, to all sides alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    None,
    /// Each lap is 1 % slower than the one before.
    Drift,
    /// From the middle of the run on everything is 5 % slower.
    Step,
    /// One repetition in five stands still for a twentieth of its time.
    Stalls,
    /// One repetition in twenty loses three tenths.
    Freaks,
}

impl Trouble {
    /// Deviation of log values that it adds to noise of 2 % in five repetitions.
    pub(crate) fn deviation(self) -> f64 {
        let added: f64 = match self {
            Self::None => 0.0,
            Self::Drift => 0.0158,
            Self::Step => 0.0274,
            Self::Stalls => 0.0205,
            // As many freaks among 70 repetitions as nine of ten tables have at most.
            Self::Freaks => 0.1,
        };
        added.hypot(0.02)
    }
}

/// One kind of table.
#[derive(Clone)]
pub(crate) struct Kind {
    pub(crate) pairs: usize,
    pub(crate) repetitions: usize,
    /// Deviation of log values, by cell: pair and side.
    pub(crate) deviation: fn(usize, usize) -> f64,
    /// True log ratio, by pair; 0 for the others.
    pub(crate) effects: Vec<f64>,
    pub(crate) trouble: Trouble,
    pub(crate) source: Source,
    pub(crate) calibrated: Option<f64>,
    pub(crate) average: Average,
}

/// Seven pairs of equal sides whose repetitions stray by 2 %.
pub(crate) fn equal() -> Kind {
    Kind {
        pairs: 7,
        repetitions: 3,
        deviation: |_, _| 0.02,
        effects: Vec::new(),
        trouble: Trouble::None,
        source: Source::Normal,
        calibrated: None,
        average: Average::Median,
    }
}

/// What a simulated table says: verdict and interval by pair.
pub(crate) struct Said {
    pub(crate) verdict: Verdict,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

pub(crate) fn tables() -> usize {
    match std::env::var("ENGINECMP_SIMULATIONS") {
        Ok(text) => text.parse().expect("ENGINECMP_SIMULATIONS is a number"),
        Err(_) => 100,
    }
}

/// What a hundred tables may show by chance beside the true rate: one test in twenty would see more.
/// A thousand and more are held to the rate itself.
fn allowance(rate: f64) -> f64 {
    let tables = tables();
    if tables >= 1000 { 0.0 } else { 1.645 * (rate * (1.0 - rate) / tables as f64).sqrt() }
}

/// Whether no more tables of equal sides raise a false alarm than may: 5 %.
pub(crate) fn is_quiet(rate: f64) -> bool {
    rate <= 0.05 + allowance(0.05)
}

/// The same of one kind of table among a hundred kinds, of which one test in twenty would stop most
/// runs: a hundred tables each may show twice as much by chance.
pub(crate) fn is_quiet_among_many(rate: f64) -> bool {
    rate <= 0.05 + 2.0 * allowance(0.05)
}

/// Whether an effect is found often enough: in four of five tables.
pub(crate) fn is_found(rate: f64) -> bool {
    rate > 0.8 - allowance(0.8)
}

/// Says a rate, for who runs these tests with `--nocapture`.
#[allow(clippy::print_stderr)] // the rates are what the command is run for
pub(crate) fn say(what: &str, rate: f64) {
    eprintln!("{what}: {:.1} % of {} tables", rate * 100.0, tables());
}

pub(crate) fn draw(kind: &Kind, noise: &mut Noise) -> Vec<Said> {
    let mut scenario = Scenario::new("simulated", "simulated.bench");
    scenario.plan().repeat = kind.repetitions as u32;
    scenario.average(kind.average);
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
                let mut log = noise.of(&kind.source) * (kind.deviation)(pair, side);
                log += noise.trouble(kind.trouble, repetition, kind.repetitions);
                if side == 1 {
                    log += kind.effects.get(pair).unwrap_or(&0.0);
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
pub(crate) fn false_alarms(kind: &Kind, seed: u64) -> f64 {
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

/// The share of tables whose first pair, as `judged`, has this verdict.
pub(crate) fn found(
    kind: &Kind,
    seed: u64,
    judged: impl Fn(&Said) -> Verdict,
    verdict: Verdict,
) -> f64 {
    let mut noise = Noise::new(seed);
    let found = (0..tables()).filter(|_| judged(&draw(kind, &mut noise)[0]) == verdict).count();
    found as f64 / tables() as f64
}
