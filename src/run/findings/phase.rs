//! What the samples and counts of the measured phases tell about the machine and the workload.

use crate::journal::record::{Round, SamplesRecord};
use crate::model::units::{grouped, human_bytes};
use crate::model::{CellKey, Finding, FindingCode, Phase, Signal};
use crate::run::sampler::Used;
use std::collections::BTreeMap;
use std::time::Duration;

/// Stolen share of the processor time from which on it is said.
const STOLEN: f64 = 0.02;

/// Share of the processor time used by others from which on it is said.
const OTHERS: f64 = 0.10;

/// Pages swapped from which on it is said; a few lie around from before.
const SWAPPED: u64 = 256;

/// Share of the time in which a device that is the limit is busy.
const BUSY: f64 = 0.9;

/// A device that is throttled moves less than this share of what it moved at first.
const THROTTLED: f64 = 0.5;

/// Share of the processor time left to the clients above which they may be the limit.
const CLIENT_BOUND: f64 = 0.8;

/// Statements prepared again for each transaction, above which it is said.
const REPREPARED: f64 = 0.01;

/// What the samples of the measured phases of one repetition tell, of the parts that count.
/// `processors` of the machine; `transactions` completed.
pub(in crate::run) fn of_samples(
    cell: &CellKey,
    samples: &[SamplesRecord],
    processors: u32,
    transactions: u64,
) -> Vec<Finding> {
    let measured: Vec<&SamplesRecord> =
        samples.iter().filter(|one| one.phase == Phase::Measure && one.counted).collect();
    let milliseconds: u64 = measured.iter().map(|samples| length_ms(samples)).sum();
    let sum = |signal: Signal| -> Option<u64> {
        measured.iter().map(|samples| samples.sum(signal)).sum()
    };
    let mut found = Vec::new();
    if milliseconds == 0 {
        return found;
    }
    let mut add = |code, seen: String| found.push(Finding::new(code, seen).of(cell.clone()));
    if let Some(seen) = neighbours(&sum, milliseconds as f64, processors) {
        add(FindingCode::NoisyNeighbour, seen);
    }
    let swapped = sum(Signal::SwapIn).unwrap_or(0) + sum(Signal::SwapOut).unwrap_or(0);
    if swapped >= SWAPPED {
        add(
            FindingCode::Swapping,
            format!("{} pages were swapped in or out", grouped(swapped as f64, 0)),
        );
    }
    if let Some(busy) = sum(Signal::DeviceBusy)
        && busy as f64 >= BUSY * milliseconds as f64
    {
        let moved = sum(Signal::DeviceRead).unwrap_or(0) + sum(Signal::DeviceWritten).unwrap_or(0);
        let mut seen = format!(
            "the device was busy {:.0} % of the time and moved {}/s",
            busy as f64 / milliseconds as f64 * 100.0,
            human_bytes(moved as f64 * 1000.0 / milliseconds as f64)
        );
        if let Some((first, last)) = measured.iter().find_map(|samples| throttled(samples)) {
            let (first, last) = (human_bytes(first), human_bytes(last));
            seen.push_str("; from ");
            seen.push_str(&first);
            seen.push_str("/s in the first third to ");
            seen.push_str(&last);
            seen.push_str("/s in the last: it may be throttled");
        }
        add(FindingCode::SlowDisk, seen);
    }
    if let Some(again) = sum(Signal::Reprepared)
        && again as f64 > REPREPARED * transactions as f64
    {
        let times = grouped(again as f64, 0);
        add(FindingCode::Reprepared, format!("{times} times in {transactions} transactions"));
    }
    found
}

/// The clients used most of what the server left of the processors in the measured phases, which
/// lasted so long. Said once a run: on a small machine that clients and server share it holds for
/// every cell.
pub(super) fn client_bound(
    cell: &CellKey,
    used: Used,
    length: Duration,
    processors: u32,
) -> Option<Finding> {
    let (server, client) = (used.server_cpu?.as_secs_f64(), used.client_cpu?.as_secs_f64());
    let length = length.as_secs_f64();
    let had = length * f64::from(processors);
    let left = had - server;
    // With nothing left to speak of, the server has the machine.
    (left > 0.05 * had && client > CLIENT_BOUND * left).then(|| {
        let seen = format!(
            "the clients used {:.1} of {:.1} processors that the server left ({cell})",
            client / length,
            left / length,
        );
        Finding::new(FindingCode::ClientBound, seen)
    })
}

fn length_ms(samples: &SamplesRecord) -> u64 {
    match (samples.at_ms.first(), samples.at_ms.last()) {
        (Some(first), Some(last)) => last.saturating_sub(*first),
        _ => 0,
    }
}

/// Steal and the load of other processes, where they are worth a word.
fn neighbours(
    sum: &impl Fn(Signal) -> Option<u64>,
    milliseconds: f64,
    processors: u32,
) -> Option<String> {
    let had = milliseconds * f64::from(processors.max(1));
    let mut seen = Vec::new();
    if let Some(steal) = sum(Signal::Steal)
        && steal as f64 >= STOLEN * had
    {
        let share = steal as f64 / had * 100.0;
        seen.push(format!("{share:.1} % of the processor time was stolen by the hypervisor"));
    }
    // Of a server whose processes cannot be seen, what it uses is not told from that of others.
    if let (Some(machine), Some(server), Some(client)) =
        (sum(Signal::MachineCpu), sum(Signal::ServerCpu), sum(Signal::ClientCpu))
    {
        let others = machine.saturating_sub(server).saturating_sub(client) as f64;
        if others >= OTHERS * had {
            seen.push(format!(
                "other processes used {:.1} of {processors} processors",
                others / milliseconds
            ));
        }
    }
    (!seen.is_empty()).then(|| seen.join("; "))
}

/// Bytes a second of the first and the last third, when the device was busy in both and moved much
/// less in the last.
fn throttled(samples: &SamplesRecord) -> Option<(f64, f64)> {
    let third = samples.at_ms.len() / 3;
    if third < 3 {
        return None;
    }
    let rate = |signal: Signal, from: usize, to: usize| -> Option<f64> {
        let values = samples.values(signal)?;
        let sum: u64 = values[from + 1..to].iter().flatten().sum();
        let length = samples.at_ms[to - 1].saturating_sub(samples.at_ms[from]);
        (length > 0).then(|| sum as f64 * 1000.0 / length as f64)
    };
    let of = |from: usize, to: usize| -> Option<(f64, f64)> {
        let moved = rate(Signal::DeviceRead, from, to)? + rate(Signal::DeviceWritten, from, to)?;
        Some((moved, rate(Signal::DeviceBusy, from, to)? / 1000.0))
    };
    let last = samples.at_ms.len();
    let (before, after) = (of(0, third)?, of(last - third, last)?);
    let busy = before.1 >= BUSY && after.1 >= BUSY;
    (busy && after.0 < THROTTLED * before.0).then_some((before.0, after.0))
}

/// What the counts of the rounds tell. `least` are the smallest shares of transaction types that
/// the workload's specification allows, as fractions of all.
pub(super) fn of_counts(
    cell: &CellKey,
    rounds: &[Round],
    least: &[(&'static str, f64)],
) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut errors: BTreeMap<u16, u64> = BTreeMap::new();
    let mut completed: BTreeMap<&str, u64> = BTreeMap::new();
    for kind in rounds.iter().flat_map(|round| &round.types) {
        for (errno, count) in &kind.errors {
            *errors.entry(*errno).or_default() += count;
        }
        *completed.entry(&kind.name).or_default() += kind.committed + kind.rolled_back;
    }
    if !errors.is_empty() {
        let all: Vec<String> =
            errors.iter().map(|(errno, count)| format!("{count} by error {errno}")).collect();
        let seen = format!("transactions given up: {}", all.join(", "));
        found.push(Finding::new(FindingCode::Errors, seen).of(cell.clone()));
    }
    let all: u64 = completed.values().sum();
    let short: Vec<String> = least
        .iter()
        .filter_map(|(name, least)| {
            let share = completed.get(name).copied().unwrap_or(0) as f64 / all as f64;
            // Chance alone moves the share of a short phase by so much (three deviations).
            let chance = 3.0 * (least * (1.0 - least) / all as f64).sqrt();
            (share + chance < *least).then(|| {
                format!("{name} {:.2} %, at least {:.0} % asked", share * 100.0, least * 100.0)
            })
        })
        .collect();
    if all > 0 && !short.is_empty() {
        found.push(Finding::new(FindingCode::MixOutOfBounds, short.join("; ")).of(cell.clone()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::record::{SampleColumn, TypeTotals};

    fn cell() -> CellKey {
        CellKey::from_pairs([("engine", "innodb")])
    }

    /// Thirteen samples, a second apart; each signal counts the same in every second but the
    /// last six, where it counts `later`.
    fn samples(signals: &[(Signal, u64, u64)]) -> SamplesRecord {
        let count = |early: u64, later: u64, at: u64| match at {
            0 => 0,
            1..=6 => early,
            _ => later,
        };
        SamplesRecord {
            cell: cell(),
            repetition: 1,
            phase: Phase::Measure,
            round: 1,
            counted: true,
            at_ms: (0..13).map(|at| at * 1000).collect(),
            signals: signals
                .iter()
                .map(|(signal, early, later)| SampleColumn {
                    name: signal.name().to_string(),
                    values: (0..13).map(|at| Some(count(*early, *later, at))).collect(),
                })
                .collect(),
        }
    }

    fn seen(signals: &[(Signal, u64, u64)]) -> Vec<(FindingCode, String)> {
        of_samples(&cell(), &[samples(signals)], 4, 1000)
            .into_iter()
            .map(|finding| (finding.code, finding.seen))
            .collect()
    }

    #[test]
    fn a_quiet_machine_has_no_findings() {
        let quiet = [
            (Signal::Steal, 10, 10),
            (Signal::MachineCpu, 2000, 2000),
            (Signal::ServerCpu, 1500, 1500),
            (Signal::ClientCpu, 300, 300),
            (Signal::DeviceBusy, 500, 500),
            (Signal::SwapOut, 1, 1),
            (Signal::Reprepared, 0, 0),
        ];
        assert_eq!(seen(&quiet), []);
        assert!(of_samples(&cell(), &[], 4, 1000).is_empty());
    }

    #[test]
    fn steal_others_swapping_and_prepared_statements_are_told_with_figures() {
        let noisy = [
            (Signal::Steal, 200, 200),
            (Signal::MachineCpu, 3000, 3000),
            (Signal::ServerCpu, 1500, 1500),
            (Signal::ClientCpu, 300, 300),
            (Signal::SwapOut, 100, 100),
            (Signal::Reprepared, 3, 3),
        ];
        assert_eq!(
            seen(&noisy),
            [
                (
                    FindingCode::NoisyNeighbour,
                    "5.0 % of the processor time was stolen by the hypervisor; other processes \
                     used 1.2 of 4 processors"
                        .to_string()
                ),
                (FindingCode::Swapping, "1,200 pages were swapped in or out".to_string()),
                (FindingCode::Reprepared, "36 times in 1000 transactions".to_string()),
            ]
        );
    }

    #[test]
    fn a_device_that_is_the_limit_is_told_and_one_that_slows_down_too() {
        let mib = 1 << 20;
        let busy = [
            (Signal::DeviceBusy, 990, 990),
            (Signal::DeviceWritten, mib, mib),
            (Signal::DeviceRead, 0, 0),
        ];
        assert_eq!(
            seen(&busy),
            [(
                FindingCode::SlowDisk,
                "the device was busy 99 % of the time and moved 1.0 MiB/s".to_string()
            )]
        );
        let slower = [
            (Signal::DeviceBusy, 990, 990),
            (Signal::DeviceWritten, 100 * mib, 10 * mib),
            (Signal::DeviceRead, 0, 0),
        ];
        assert!(seen(&slower)[0].1.ends_with("it may be throttled"), "{:?}", seen(&slower));
    }

    #[test]
    fn clients_that_use_what_the_server_leaves_are_told() {
        let of = |server_ms: u64, client_ms: u64| {
            let used = Used {
                server_cpu: Some(Duration::from_millis(server_ms)),
                client_cpu: Some(Duration::from_millis(client_ms)),
                ..Used::default()
            };
            client_bound(&cell(), used, Duration::from_secs(10), 4)
        };
        let found = of(20_000, 17_000).expect("1.7 of 2 processors");
        assert_eq!(found.code, FindingCode::ClientBound);
        assert_eq!(
            found.seen,
            "the clients used 1.7 of 2.0 processors that the server left (engine=innodb)"
        );
        assert_eq!(of(20_000, 15_000), None);
        assert_eq!(of(39_000, 1_000), None, "the server has the machine");
    }

    #[test]
    fn errors_and_a_mix_below_its_bounds_are_told_beyond_chance() {
        let kind = |name: &str, committed: u64, errors: &[(u16, u64)]| TypeTotals {
            name: name.to_string(),
            committed,
            errors: errors.iter().copied().collect(),
            ..TypeTotals::default()
        };
        let round = |payments: u64, errors: &[(u16, u64)]| Round {
            round: 1,
            duration_ns: 1,
            types: vec![
                kind("new_order", 10_000 - payments, errors),
                kind("payment", payments, &[]),
            ],
            metrics: Vec::new(),
        };
        let least = [("payment", 0.43)];
        assert!(of_counts(&cell(), &[round(4_250, &[])], &least).is_empty());
        let found = of_counts(&cell(), &[round(4_000, &[(1205, 7)])], &least);
        let codes: Vec<FindingCode> = found.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [FindingCode::Errors, FindingCode::MixOutOfBounds]);
        assert_eq!(found[0].seen, "transactions given up: 7 by error 1205");
        assert_eq!(found[1].seen, "payment 40.00 %, at least 43 % asked");
    }
}
