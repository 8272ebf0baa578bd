//! What a plan already knows to be worth saying.

use super::cache::{Whole, cache_bytes};
use super::suite::Suite;
use super::{Cell, DataSource, Dataset, PlannedServer, defaults, first_of_workloads, programs};
use crate::model::units::{exact_duration, human_bytes};
use crate::model::{FailureKind, Finding, FindingCode};
use std::collections::BTreeSet;
use std::time::Duration;

/// What is worth saying of a plan before anything runs.
pub(super) fn of_plan(
    suite: &Suite,
    datasets: &[Dataset],
    cells: &[Cell],
    servers: &[PlannedServer],
    sizes: &[u64],
    least_cache: u64,
) -> Vec<Finding> {
    let mut findings = suite.findings.clone();
    if suite.repeat == 1 {
        findings.push(Finding::new(FindingCode::OneRepetition, "`repeat 1`"));
    }
    let shortest = cells.iter().map(Cell::counted).min().unwrap_or_default();
    if shortest < Duration::from_secs(10) && !cells.is_empty() {
        findings.push(Finding::new(
            FindingCode::TooShort,
            format!("measured phases of {}", exact_duration(shortest)),
        ));
    }
    let workloads = first_of_workloads(cells);
    let remarks: BTreeSet<String> = workloads
        .iter()
        .flat_map(|cell| cell.workload.remarks())
        .filter(|remark| remark.contains("not TPC-C"))
        .collect();
    findings.extend(remarks.into_iter().map(|said| Finding::new(FindingCode::NotTpcc, said)));
    if workloads.iter().any(|cell| cell.workload.identity().contains("tpcc_mysql")) {
        let seen = "cells run in mode tpcc_mysql";
        findings.push(Finding::new(FindingCode::KnownDeviations, seen));
    }
    let drifting: BTreeSet<&str> = cells
        .iter()
        .filter(|cell| cell.requests.is_none())
        .filter_map(|cell| cell.workload.drift())
        .collect();
    findings.extend(drifting.into_iter().map(|why| Finding::new(FindingCode::NotStationary, why)));
    let reused: BTreeSet<&str> = cells
        .iter()
        .filter(|cell| datasets[cell.dataset].source == DataSource::Reuse)
        .map(|cell| servers[cell.server].name.as_str())
        .collect();
    findings.extend(reused.into_iter().map(|server| {
        Finding::new(FindingCode::DataReused, format!("server `{server}` keeps its data"))
    }));
    findings.extend(programs::findings(datasets));
    let untransactional: BTreeSet<&str> = cells
        .iter()
        .filter(|cell| !cell.spec.transactional)
        .map(|cell| cell.spec.storage)
        .collect();
    findings.extend(
        untransactional
            .into_iter()
            .map(|storage| Finding::new(FindingCode::NoTransactions, storage)),
    );
    let mut missing: Vec<(String, Vec<&str>)> = Vec::new();
    for cell in cells {
        let Some(why) = &cell.unavailable else { continue };
        let why = match why.kind {
            FailureKind::EngineMissing => {
                format!("{}. How to get it: {}", why.reason, why.how_to_get)
            }
            _ => format!("{}: {}", why.reason, why.how_to_get),
        };
        match missing.iter_mut().find(|(known, _)| *known == why) {
            Some((_, engines)) if engines.contains(&cell.engine.as_str()) => {}
            Some((_, engines)) => engines.push(&cell.engine),
            None => missing.push((why, vec![&cell.engine])),
        }
    }
    findings.extend(missing.into_iter().map(|(why, engines)| {
        Finding::new(FindingCode::NotAvailable, format!("{}: {why}", engines.join(", ")))
    }));
    let mut largest = vec![0; datasets.len()];
    for ((cell, combination), size) in cells.iter().zip(&suite.combinations).zip(sizes) {
        let whole = Whole { least: least_cache, data: *size, memory: suite.memory };
        let cache = cache_bytes(combination, whole).unwrap_or(defaults::CACHE);
        largest[cell.dataset] = cache.max(largest[cell.dataset]);
    }
    let fits: BTreeSet<String> = datasets
        .iter()
        .zip(largest)
        .filter(|(dataset, cache)| *cache >= dataset.estimated_bytes)
        .map(|(dataset, cache)| {
            format!(
                "{} has about {} in a cache of {}",
                dataset.engine,
                human_bytes(dataset.estimated_bytes as f64),
                human_bytes(cache as f64)
            )
        })
        .collect();
    if !fits.is_empty() {
        let fits: Vec<String> = fits.into_iter().collect();
        findings.push(Finding::new(FindingCode::FitsInCache, fits.join("; ")));
    }
    findings
}
