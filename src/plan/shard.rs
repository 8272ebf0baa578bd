//! A part of a suite for one of several machines or jobs that know nothing of each other.

use super::{Cell, Plan};
use std::collections::BTreeMap;

/// `--shard K/N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub number: u32,
    /// Of how many.
    pub of: u32,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no shard; write `2/4` for the second of four");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let (number, of) = (number.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        if number == 0 || number > of { Err(wrong()) } else { Ok(Self { number, of }) }
    }
}

/// Leaves the cells of one shard in the plan. Cells that are compared, under any `compare`
/// statement, and cells of one point are in the same shard, so that no pair is measured on two
/// machines. Every shard finds the same division from the suite alone: nothing of a machine bears
/// on it.
pub fn keep(plan: &mut Plan, shard: Shard) {
    let mut groups = Groups::of(plan);
    let mut sizes: BTreeMap<usize, u128> = BTreeMap::new();
    for (at, cell) in plan.cells.iter().enumerate() {
        *sizes.entry(groups.leader(at)).or_default() += length(cell);
    }
    // The longest first, each to the shard that has least to do; among equals by their order.
    let mut by_length: Vec<(usize, u128)> = sizes.into_iter().collect();
    by_length.sort_by_key(|&(leader, length)| (std::cmp::Reverse(length), leader));
    let mut loads = vec![0u128; shard.of as usize];
    let mut shard_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (leader, length) in by_length {
        let least = (0..loads.len()).min_by_key(|&at| loads[at]).unwrap_or(0);
        loads[least] += length;
        shard_of.insert(leader, least);
    }
    let mut at = 0;
    plan.cells.retain(|_| {
        let own = shard_of[&groups.leader(at)] == shard.number as usize - 1;
        at += 1;
        own
    });
    plan.shard = Some(shard);
}

/// What a repetition measures; what it takes beside that is much the same for all.
fn length(cell: &Cell) -> u128 {
    1 + (cell.warmup + cell.measure * cell.rounds).as_millis()
}

/// Cells that belong together (union and find).
struct Groups(Vec<usize>);

impl Groups {
    fn of(plan: &Plan) -> Self {
        let mut groups = Self((0..plan.cells.len()).collect());
        let mut join = |key: &dyn Fn(&Cell) -> String| {
            let mut first: BTreeMap<String, usize> = BTreeMap::new();
            for (at, cell) in plan.cells.iter().enumerate() {
                let leader = *first.entry(key(cell)).or_insert(at);
                groups.join(leader, at);
            }
        };
        join(&|cell| cell.point.to_string());
        for comparison in &plan.comparisons {
            join(&|cell| {
                let rest =
                    comparison.axes.iter().fold(cell.key.clone(), |key, axis| key.without(axis));
                rest.to_string()
            });
        }
        groups
    }

    fn leader(&mut self, at: usize) -> usize {
        let mut at = at;
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.leader(one), self.leader(other));
        // The smaller leads, so that the order of joining does not matter.
        self.0[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_several() {
        assert_eq!("2/4".parse(), Ok(Shard { number: 2, of: 4 }));
        for wrong in ["0/4", "5/4", "2", "a/b", "1/0", "-1/2", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
