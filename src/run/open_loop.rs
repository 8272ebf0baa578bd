//! What an open loop offered, what of it was done, and whether that was too much.

use super::arrivals::Arrived;
use super::pool::{Beat, PoolResult};
use super::schedule::Schedule;
use crate::journal::histogram;
use crate::journal::record::{OpenLoop, OpenRound, ShareOfMaximum};
use crate::model::{Metric, MetricId, MetricValue, Phase};
use hdrhistogram::Histogram;
use std::time::Duration;

/// Share of the offered transactions that may wait at the end of a phase; more, and growing, is
/// too much for the server.
const WAITING: f64 = 0.01;

/// The open loop of one repetition; none of a closed one.
pub(super) fn record(
    beat: &Beat,
    share: Option<ShareOfMaximum>,
    clients: u32,
    schedule: &Schedule,
    result: &PoolResult,
) -> Option<OpenLoop> {
    let Beat::Open { rate, arrival } = beat else { return None };
    let arrived = result.arrived.as_ref()?;
    let measured = || {
        let spans = schedule.spans().iter().zip(arrived).zip(&result.spans);
        spans.filter(|((span, _), _)| span.phase == Phase::Measure && span.counted)
    };
    let backlog: Vec<u64> =
        measured().flat_map(|((_, arrived), _)| arrived.backlog.iter().copied()).collect();
    let offered: u64 = measured().flat_map(|((_, arrived), _)| &arrived.offered).sum();
    Some(OpenLoop {
        rate_per_second: *rate,
        arrival: arrival.as_str().to_string(),
        share,
        saturated: saturated(offered, clients, &backlog),
        rounds: measured()
            .map(|((span, arrived), seen)| OpenRound {
                round: span.round,
                offered: arrived.offered.clone(),
                backlog: arrived.backlog.clone(),
                queue: histogram::encode(&seen.queue),
            })
            .collect(),
    })
}

/// Whether more arrived than could be done: at the end more wait than clients can work on and
/// than one in a hundred of those that were offered, and they were on the way to that at half
/// time already. A stall near the end leaves a backlog too; it does not grow all the time.
fn saturated(offered: u64, clients: u32, backlog: &[u64]) -> bool {
    let Some(&end) = backlog.last() else { return false };
    let half = backlog[(backlog.len() - 1) / 2];
    end > u64::from(clients) && end as f64 > WAITING * offered as f64 && half * 4 >= end
}

/// Metrics of what arrived in a phase of this length, and of how long it waited.
pub(super) fn metrics(
    arrived: &Arrived,
    queue: &Histogram<u64>,
    length: Duration,
) -> Vec<MetricValue> {
    let value = |metric, value| MetricValue { id: MetricId::whole(metric), value };
    let offered: u64 = arrived.offered.iter().sum();
    let mut out = vec![value(Metric::Offered, offered as f64 / length.as_secs_f64())];
    if let Some(&waiting) = arrived.backlog.last() {
        out.push(value(Metric::Backlog, waiting as f64));
    }
    let quantiles = [(Metric::QueueP50, 0.5), (Metric::QueueP95, 0.95), (Metric::QueueP99, 0.99)];
    for (metric, quantile) in quantiles {
        out.extend(histogram::quantile_seconds(queue, quantile).map(|time| value(metric, time)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backlog_that_grows_all_the_time_is_too_much() {
        let growing: Vec<u64> = (1..=60).map(|second| second * 50).collect();
        assert!(saturated(60 * 500, 8, &growing));
        let mut late = vec![0; 60];
        late[59] = 3000;
        assert!(!saturated(60 * 500, 8, &late), "a stall in the last second");
        assert!(!saturated(60 * 500, 8, &[3; 60]), "a short queue");
        assert!(!saturated(60 * 500, 8, &[299; 60]), "below one in a hundred");
        assert!(!saturated(10, 8, &[8]), "as many as there are clients");
        assert!(!saturated(0, 8, &[]));
    }
}
