//! From what clients reported to the rounds and metrics of a repetition.

use super::arrivals::Arrived;
use super::invariants;
use super::open_loop;
use super::pool::PoolResult;
use super::recorder::{SpanResult, TypeResult, WINDOW_MS};
use super::sampler::{Sampler, Used};
use super::schedule::{Schedule, Span};
use super::steady::Part;
use crate::journal::histogram::{self, max_seconds, quantile_seconds};
use crate::journal::record::{Round, SamplesRecord, WindowColumns, WindowsRecord};
use crate::model::{Failure, FailureKind, Metric, MetricId, MetricValue, Phase};
use crate::plan::Cell;
use std::time::Duration;

/// The figures of one repetition.
#[derive(Default)]
pub(super) struct Figures {
    /// In order.
    pub(super) rounds: Vec<Round>,
    /// Of all rounds taken together.
    pub(super) metrics: Vec<MetricValue>,
    /// Of the warm-up and every round.
    pub(super) windows: Vec<WindowsRecord>,
    /// Of the warm-up and every round.
    pub(super) samples: Vec<SamplesRecord>,
    /// Of the cell's headline.
    pub(super) headline: Option<MetricValue>,
    /// Transactions completed in all rounds.
    pub(super) completed: u64,
    /// Attempts tried again in all rounds.
    pub(super) retries: u64,
    /// What all rounds used.
    pub(super) used: Option<Used>,
    /// How long they took.
    pub(super) length: Duration,
    /// Where the measured phase came to rest, if it could end early.
    pub(super) rest: Option<Part>,
}

/// Makes the figures of a repetition; `row_bytes` is the mean length of a row of its data, as text.
/// It is an error when nothing was completed, or when counts
/// that must agree do not.
pub(super) fn figures(
    cell: &Cell,
    repetition: u32,
    schedule: &Schedule,
    result: &PoolResult,
    sampler: &Sampler,
    row_bytes: Option<f64>,
) -> Result<Figures, Failure> {
    let workload = &*cell.workload;
    let headline = Headline { metric: workload.headline(), kind: workload.headline_type() };
    let counts_for = workload.counts_for();
    let mut out = Figures {
        rounds: Vec::new(),
        metrics: Vec::new(),
        windows: Vec::new(),
        samples: Vec::new(),
        headline: None,
        completed: 0,
        retries: 0,
        used: None,
        length: Duration::ZERO,
        rest: None,
    };
    invariants::goodput_within_throughput(result)?;
    let mut together: Vec<TypeResult> = Vec::new();
    let (mut offered, mut queue) = (Arrived::default(), histogram::empty());
    let last = schedule.spans().len() - 1;
    for (index, (span, seen)) in schedule.spans().iter().zip(&result.spans).enumerate() {
        invariants::counts_agree(seen)?;
        let counted = Counted::of(span, seen);
        for (part, types) in counted.parts(span, seen) {
            let counts = part.counted || part.phase == Phase::WarmUp;
            out.windows.push(WindowsRecord {
                cell: cell.key.clone(),
                repetition,
                phase: part.phase,
                round: part.round,
                counted: counts,
                window_ms: WINDOW_MS,
                types,
            });
            out.samples.push(sampler.samples(&cell.key, repetition, &part, counts));
        }
        if span.phase != Phase::Measure || !span.counted {
            continue;
        }
        out.rest = seen.part;
        if result.arrived.is_none() {
            invariants::littles_law(&seen.types, cell.clients, counted.length)?;
        }
        let used = out.samples.last().and_then(|samples| match seen.part {
            Some(_) => sampler.used_within(&counted.span(span), samples),
            None => sampler.used(index, samples),
        });
        // Clients that hear late that a phase has come to rest may run into the end of its time.
        // What they were doing there is no part of it.
        let cut_off = index == last && !seen.part.is_some_and(|part| part.at_rest);
        let first = out.rounds.is_empty();
        out.used = if first { used } else { out.used.zip(used).map(|(a, b)| a.and(b)) };
        out.rounds.push(Round {
            round: span.round,
            duration_ns: counted.length.as_nanos() as u64,
            types: seen
                .types
                .iter()
                .enumerate()
                .map(|(kind, seen)| seen.totals(if cut_off { result.unfinished[kind] } else { 0 }))
                .collect(),
            metrics: metrics(&seen.types, counted.length, headline, &counts_for, used, row_bytes),
        });
        if let (Some(arrived), Some(round)) = (&result.arrived, out.rounds.last_mut()) {
            let arrived = &arrived[index];
            round.metrics.extend(open_loop::metrics(arrived, &seen.queue, span.length()));
            offered.offered.extend(&arrived.offered);
            offered.backlog.clone_from(&arrived.backlog);
            queue.add(&seen.queue).expect("histograms of times grow");
        }
        out.length += counted.length;
        if together.is_empty() {
            together.clone_from(&seen.types);
        } else {
            for (into, from) in together.iter_mut().zip(&seen.types) {
                into.add(from);
            }
        }
    }
    let length = out.length;
    out.completed = together.iter().map(TypeResult::completed).sum();
    out.retries = together.iter().flat_map(|seen| seen.retries.values()).sum();
    if out.completed == 0 {
        return Err(Failure::new(
            Phase::Measure,
            FailureKind::Check,
            format!("no transaction was completed in {} s", length.as_secs_f64()),
        )
        .next_step(
            "look at what the clients wait for (locks, a slow disk), or give a longer `measure`",
        ));
    }
    out.metrics = metrics(&together, length, headline, &counts_for, out.used, row_bytes);
    if result.arrived.is_some() {
        out.metrics.extend(open_loop::metrics(&offered, &queue, length));
    }
    let shown = MetricId::whole(cell.headline());
    out.headline = out.metrics.iter().find(|value| value.id == shown).cloned();
    Ok(out)
}

/// What the workload's throughput is counted in.
#[derive(Clone, Copy)]
struct Headline {
    metric: Metric,
    /// The transaction type that it counts; all without one.
    kind: Option<usize>,
}

/// What of a phase counts.
struct Counted {
    /// Windows from the phase's beginning that do not.
    skipped: usize,
    length: Duration,
    /// Length of the whole phase.
    lasted: Duration,
}

impl Counted {
    fn of(span: &Span, seen: &SpanResult) -> Self {
        let window = Duration::from_millis(WINDOW_MS);
        match seen.part {
            Some(part) => Self {
                skipped: part.from as usize,
                length: (window * part.to).min(span.length()).saturating_sub(window * part.from),
                lasted: (window * part.to).min(span.length()),
            },
            None => Self { skipped: 0, length: span.length(), lasted: span.length() },
        }
    }

    /// Its place in time.
    fn span(&self, whole: &Span) -> Span {
        let start = whole.start + self.lasted.saturating_sub(self.length);
        Span { start, end: whole.start + self.lasted, ..*whole }
    }

    /// The parts of the phase with their windows: what does not count first, if there is any.
    fn parts(&self, span: &Span, seen: &SpanResult) -> Vec<(Span, Vec<WindowColumns>)> {
        let mut head = seen.windows.clone();
        let counted = head.iter_mut().map(|columns| columns.split_off(self.skipped)).collect();
        let own = self.span(span);
        let mut parts = Vec::with_capacity(2);
        if self.skipped > 0 {
            parts.push((Span { counted: false, end: own.start, ..*span }, head));
        }
        parts.push((own, counted));
        parts
    }
}

fn metrics(
    types: &[TypeResult],
    length: Duration,
    headline: Headline,
    counts_for: &[(Metric, Vec<u64>)],
    used: Option<Used>,
    row_bytes: Option<f64>,
) -> Vec<MetricValue> {
    let seconds = length.as_secs_f64();
    let all: u64 = types.iter().map(TypeResult::completed).sum();
    let counted = headline.kind.map_or(all, |kind| types[kind].completed());
    let mut out = Out(Vec::new());
    let whole = MetricId::whole;
    if headline.metric == Metric::Tpmc {
        out.add(whole(Metric::Tpmc), Some(counted as f64 * 60.0 / seconds));
    }
    out.add(whole(Metric::Tps), Some(all as f64 / seconds));
    for (metric, each) in counts_for {
        let sum: u64 = types.iter().zip(each).map(|(seen, each)| seen.completed() * each).sum();
        out.add(whole(*metric), Some(sum as f64 / seconds));
    }
    let mut latencies = histogram::empty();
    for seen in types {
        latencies.add(&seen.latencies).expect("histograms of latencies grow");
        if types.len() > 1 {
            let rate = seen.completed() as f64 / seconds;
            out.add(MetricId::of(Metric::Tps, seen.name), Some(rate));
        }
        out.latencies(&seen.latencies, |metric| MetricId::of(metric, seen.name));
    }
    out.latencies(&latencies, whole);
    let sum = |counts: &dyn Fn(&TypeResult) -> u64| types.iter().map(counts).sum::<u64>() as f64;
    out.add(whole(Metric::Retries), Some(sum(&|seen| seen.retries.values().sum())));
    out.add(whole(Metric::Errors), Some(sum(&|seen| seen.errors.values().sum())));
    if let Some(used) = used {
        let each = |amount: f64| amount / all as f64;
        let cpu = |cpu: Option<Duration>| cpu.map(|cpu| each(cpu.as_secs_f64()));
        out.add(whole(Metric::ServerCpuPerTransaction), cpu(used.server_cpu));
        out.add(whole(Metric::ClientCpuPerTransaction), cpu(used.client_cpu));
        let written = used.device_written.map(|bytes| each(bytes as f64));
        out.add(whole(Metric::BytesWrittenPerTransaction), written);
        let read = used.device_read.map(|bytes| each(bytes as f64));
        out.add(whole(Metric::BytesReadPerTransaction), read);
        let count = |count: Option<u64>| count.map(|count| each(count as f64));
        out.add(whole(Metric::FsyncsPerTransaction), count(used.fsyncs));
        out.add(whole(Metric::FlushesPerTransaction), count(used.device_flushes));
        out.add(whole(Metric::SwitchesPerTransaction), count(used.context_switches));
        let over = |bytes: Option<u64>, rows: Option<u64>| {
            Some(bytes? as f64 / (rows.filter(|&rows| rows > 0)? as f64 * row_bytes?))
        };
        let written = over(used.device_written, used.rows_changed);
        out.add(whole(Metric::WriteAmplification), written);
        out.add(whole(Metric::ReadAmplification), over(used.device_read, used.rows_read));
        out.add(whole(Metric::MemoryPeak), used.memory_peak.map(|peak| peak as f64));
        out.add(whole(Metric::SizeEnd), used.size.map(|bytes| bytes as f64));
    }
    out.0
}

/// Collects metrics; what is unknown or no number is left out.
struct Out(Vec<MetricValue>);

impl Out {
    fn add(&mut self, id: MetricId, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.0.push(MetricValue { id, value });
        }
    }

    fn latencies(
        &mut self,
        latencies: &hdrhistogram::Histogram<u64>,
        id: impl Fn(Metric) -> MetricId,
    ) {
        let quantiles =
            [(Metric::P50, 0.5), (Metric::P95, 0.95), (Metric::P99, 0.99), (Metric::P999, 0.999)];
        for (metric, quantile) in quantiles {
            self.add(id(metric), quantile_seconds(latencies, quantile));
        }
        self.add(id(Metric::MaxLatency), max_seconds(latencies));
    }
}
