//! The order in which repetitions are made: lap by lap, ABBA within a point, seeded.

use super::Plan;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// One repetition in the order of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Position in the run, from 1.
    pub order: u32,
    /// Which repetition of its cell, from 1: the lap.
    pub repetition: u32,
    /// Index into [`Plan::cells`].
    pub cell: usize,
}

/// Every repetition of every cell that is available, in the order in which they are to be made.
///
/// A lap makes each cell once, so a run that is cut short is a complete table with a smaller n.
/// The cells of a point follow one another: what drifts (temperature, a neighbour, the disk's
/// state) then hits all sides of a pair alike. Their order is drawn for each pair of laps and
/// reversed in the second (A B, B A), so that no side is always the one that follows the other.
/// The points of a lap are drawn as well. The same seed always gives the same order.
pub fn order(plan: &Plan) -> Vec<Slot> {
    let available = |&cell: &usize| plan.cells[cell].unavailable.is_none();
    let mut points: Vec<Vec<usize>> = Vec::new();
    for (index, cell) in plan.cells.iter().enumerate() {
        if points.len() <= cell.point {
            points.resize(cell.point + 1, Vec::new());
        }
        points[cell.point].push(index);
    }
    let cells = laps(&points, plan.repeat, plan.seed);
    cells
        .into_iter()
        .filter(|(_, cell)| available(cell))
        .enumerate()
        .map(|(at, (repetition, cell))| Slot { order: at as u32 + 1, repetition, cell })
        .collect()
}

/// (lap from 1, cell) for `repeat` laps over `points`, each a list of cells.
fn laps(points: &[Vec<usize>], repeat: u32, seed: u64) -> Vec<(u32, usize)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut sides = points.to_vec();
    let mut rows: Vec<usize> = (0..points.len()).collect();
    let mut out = Vec::new();
    for lap in 1..=repeat {
        let second = lap % 2 == 0;
        for point in &mut sides {
            if second {
                point.reverse();
            } else {
                shuffle(point, &mut rng);
            }
        }
        shuffle(&mut rows, &mut rng);
        out.extend(rows.iter().flat_map(|&row| sides[row].iter().map(move |&cell| (lap, cell))));
    }
    out
}

/// Fisher and Yates' shuffle.
fn shuffle(items: &mut [usize], rng: &mut Xoshiro256PlusPlus) {
    for last in (1..items.len()).rev() {
        let bound = last as u64 + 1;
        // The high half of a 64 x 64 bit product: a bias below 2^-50 for lists of this length.
        let drawn = ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as usize;
        items.swap(last, drawn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Vec<usize>> {
        vec![vec![0, 1], vec![2, 3], vec![4, 5, 6], vec![7]]
    }

    fn of_lap(slots: &[(u32, usize)], lap: u32) -> Vec<usize> {
        slots.iter().filter(|(of, _)| *of == lap).map(|(_, cell)| *cell).collect()
    }

    #[test]
    fn each_lap_makes_every_cell_once_and_keeps_points_together() {
        let slots = laps(&points(), 5, 7);
        assert_eq!(slots.len(), 5 * 8);
        assert!(slots.windows(2).all(|pair| pair[0].0 <= pair[1].0), "laps follow one another");
        for lap in 1..=5 {
            let cells = of_lap(&slots, lap);
            let mut sorted = cells.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..8).collect::<Vec<_>>());
            for point in points() {
                let at: Vec<_> = point
                    .iter()
                    .map(|cell| cells.iter().position(|other| other == cell).unwrap())
                    .collect();
                let (first, last) = (at.iter().min().unwrap(), at.iter().max().unwrap());
                assert_eq!(last - first, point.len() - 1, "lap {lap}: {cells:?}");
            }
        }
    }

    #[test]
    fn the_second_lap_of_two_reverses_the_sides() {
        let slots = laps(&points(), 6, 99);
        for point in points() {
            for first in [1, 3, 5] {
                let of = |lap| -> Vec<usize> {
                    of_lap(&slots, lap).into_iter().filter(|cell| point.contains(cell)).collect()
                };
                let (a, mut b) = (of(first), of(first + 1));
                b.reverse();
                assert_eq!(a, b);
            }
        }
    }

    #[test]
    fn a_seed_gives_one_order_and_another_seed_another() {
        assert_eq!(laps(&points(), 4, 1), laps(&points(), 4, 1));
        assert_ne!(laps(&points(), 4, 1), laps(&points(), 4, 2));
    }

    #[test]
    fn no_side_comes_first_more_often_than_by_chance() {
        let pair = vec![vec![0, 1]];
        let first = (0..1000).filter(|&seed| laps(&pair, 1, seed)[0].1 == 0).count();
        // 1000 fair draws: 500 +- 5 standard deviations.
        assert!((421..=579).contains(&first), "{first} of 1000");
    }
}
