//! What measuring costs: the bookkeeping of clients, the recorder, the sampler.

use super::clients::{CLIENTS, oltp_suite};
use super::processes::Cpu;
use super::table::Row;
use super::{Bench, Res, ours};
use enginecmp::target::session::Session;
use hdrhistogram::Histogram;
use std::hint::black_box;
use std::time::Instant;

/// Looks at the clock for one transaction of a closed loop: when does it begin, when did it end.
const CLOCK_LOOKS: u32 = 2;

/// Nanoseconds that noting one transaction takes in the thread of its client.
fn bookkeeping() -> f64 {
    const ROUNDS: u32 = 1_000_000;
    let mut latencies: Vec<u32> = Vec::new();
    let began = Instant::now();
    for round in 0..ROUNDS {
        for _ in 0..CLOCK_LOOKS {
            black_box(began.elapsed());
        }
        latencies.push(black_box(round % 1000));
        if latencies.len() == 10_000 {
            black_box(&latencies);
            latencies.clear();
        }
    }
    began.elapsed().as_nanos() as f64 / f64::from(ROUNDS)
}

/// Nanoseconds that the recorder spends on one latency: a histogram, and the percentiles of its
/// window.
fn recording() -> Res<f64> {
    const ROUNDS: u32 = 100;
    const WINDOW: u32 = 10_000;
    let mut histogram = Histogram::<u64>::new(3)?;
    let mut sum = 0.0;
    for round in 0..ROUNDS {
        let mut window: Vec<u32> =
            (0..WINDOW).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 20) + round).collect();
        let began = Instant::now();
        for latency in &window {
            histogram.record(u64::from(*latency))?;
        }
        for percent in [95, 99] {
            let rank = window.len() * percent / 100;
            black_box(window.select_nth_unstable(rank).1);
        }
        black_box(window.iter().max());
        sum += began.elapsed().as_nanos() as f64;
    }
    Ok(sum / f64::from(ROUNDS * WINDOW))
}

/// The share of client CPU that goes into measuring: all threads beside those of clients, as seen
/// in the run, and what is done in the clients' own, timed apart.
pub(crate) fn measuring(bench: &Bench) -> Res<Vec<Row>> {
    let mut rows = Vec::new();
    for test in ["oltp_read_write", "oltp_point_select"] {
        let suite = oltp_suite(&bench.server, test, CLIENTS, bench.either(2, 6));
        let ran = ours::run(bench.server.folder(), &suite)?;
        let working = ran.working.ok_or("no client was seen at work")?;
        let transactions = ran.transactions()? / ran.measured() * working.seconds;
        let all = working.cpu.total();
        let (inside, recording) = (bookkeeping(), recording()?);
        let share = 100.0 * (working.beside + inside * transactions / 1e9) / all;
        rows.push(Row::new(
            &format!("measuring, share of client CPU, {test}"),
            "under 1 %",
            format!("{share:.2} %"),
            format!(
                "recorder and sampler threads {:.2} us, in client threads {inside:.0} ns, of {:.1} \
                 us a transaction (a histogram and two percentiles: {recording:.0} ns a latency)",
                working.beside * 1e6 / transactions,
                all * 1e6 / transactions
            ),
            share < 1.0,
        ));
    }
    Ok(rows)
}

/// The share of the server's CPU that answering the sampler takes, which asks once a second. The
/// server is taken to be busy on one processor.
pub(crate) fn sampler(bench: &Bench) -> Res<Vec<Row>> {
    const ASKED: u32 = 300;
    let mut session = bench.server.session(None)?;
    let mut ask = || session.text_visit("SHOW GLOBAL STATUS", &mut |_| true);
    ask()?;
    let before = Cpu::of(bench.server.pid()).ok_or("no server")?.total();
    for _ in 0..ASKED {
        ask()?;
    }
    let used = Cpu::of(bench.server.pid()).ok_or("no server")?.total() - before;
    let each = used / f64::from(ASKED);
    Ok(vec![Row::new(
        "sampler, share of the CPU of a server that keeps one processor busy",
        "under 1 %",
        format!("{:.2} %", each * 100.0),
        format!("{:.2} ms a sample, one a second", each * 1e3),
        each < 0.01,
    )])
}
