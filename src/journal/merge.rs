//! The shards of one suite as one run.

use super::changes::{unlike, unlike_servers};
use super::read::Journal;
use super::record::{EndRecord, PlanRecord, PlannedCell, Record};
use super::resume::effective;
use crate::model::{CellKey, Finding, FindingCode};
use std::collections::BTreeSet;

/// Why runs cannot be joined, in words, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub why: String,
    /// What to do.
    pub next: &'static str,
}

/// Joins the shards of a suite; `id` is the identity of the whole. Shards of another suite and
/// shards that overlap are refused, and those of unlike machines or server builds unless `mixed`.
/// One that is missing is a finding.
pub fn merge(shards: &[Journal], id: &str, mixed: bool) -> Result<Vec<Record>, Refusal> {
    let refused = |why: String, next| Err(Refusal { why, next });
    let Some(first) = shards.first() else {
        return refused("there is nothing to join".to_string(), "name the runs");
    };
    let mut findings = Vec::new();
    for other in &shards[1..] {
        let what = |journal: &Journal| {
            let run = journal.latest();
            (run.suite_text.clone(), run.profiles.clone(), run.sets.clone(), run.seed)
        };
        if what(first) != what(other) {
            return refused(
                format!(
                    "{} and {} are not shards of one suite: its text, profiles, `--set` or seed differ",
                    first.file.display(),
                    other.file.display()
                ),
                "`enginecmp compare` lays unlike runs side by side",
            );
        }
        let mut words = match (first.machine(), other.machine()) {
            (Some(one), Some(its)) => unlike(one, its),
            _ => Vec::new(),
        };
        words.extend(unlike_servers(first.servers(), other.servers()));
        if !words.is_empty() && !mixed {
            return refused(
                format!(
                    "{} and {} come from unlike machines or servers: {}",
                    first.file.display(),
                    other.file.display(),
                    words.join("; ")
                ),
                "say `--mixed` to have them in one table all the same; cells that are compared \
                 were measured on one machine",
            );
        }
        if !words.is_empty() {
            let seen = format!("{}: {}", other.run.id, words.join("; "));
            findings.push(Finding::new(FindingCode::MixedMachines, seen));
        }
    }
    findings.extend(missing(shards));
    let mut records = Vec::new();
    let mut head = first.latest().clone();
    head.id = id.to_string();
    head.shard = None;
    records.push(Record::Run(head));
    records.extend(first.machine().cloned().map(Record::Machine));
    records.push(Record::Plan(plan(shards)?));
    let mut end = EndRecord::default();
    let mut said: BTreeSet<(FindingCode, Option<CellKey>, String)> = BTreeSet::new();
    for shard in shards {
        for record in effective(&shard.records) {
            match record {
                Record::Run(_) | Record::Machine(_) | Record::Plan(_) | Record::Resumed(_) => {}
                Record::End(own) => {
                    end.at = end.at.max(own.at.clone());
                    end.finished = end.finished.saturating_add(own.finished);
                    end.failed = end.failed.saturating_add(own.failed);
                    end.interrupted |= own.interrupted;
                }
                Record::Finding(finding) => {
                    let key = (finding.code, finding.cell.clone(), finding.seen.clone());
                    if said.insert(key) {
                        records.push(record.clone());
                    }
                }
                other => records.push(other.clone()),
            }
        }
    }
    records.extend(findings.into_iter().map(Record::Finding));
    if shards.iter().all(|shard| shard.end().is_some()) {
        records.push(Record::End(end));
    }
    Ok(records)
}

/// The cells of all in the order of the suite's rows.
fn plan(shards: &[Journal]) -> Result<PlanRecord, Refusal> {
    let mut whole = PlanRecord::default();
    let mut cells: Vec<PlannedCell> = Vec::new();
    let mut known: BTreeSet<&CellKey> = BTreeSet::new();
    for shard in shards {
        let Some(own) = shard.plan() else { continue };
        if let Some(twice) = own.cells.iter().find(|cell| !known.insert(&cell.key)) {
            return Err(Refusal {
                why: format!("{} was measured in two of them", twice.key),
                next: "name each shard once",
            });
        }
        cells.extend(own.cells.iter().cloned());
        whole = own.clone();
    }
    cells.sort_by_key(|cell| cell.point);
    Ok(PlanRecord { cells, ..whole })
}

/// Shards that nobody brought.
fn missing(shards: &[Journal]) -> Option<Finding> {
    let parts: Vec<_> = shards.iter().filter_map(|shard| shard.latest().shard).collect();
    let of = parts.iter().map(|part| part.of).max()?;
    let lacking: Vec<String> = (1..=of)
        .filter(|number| !parts.iter().any(|part| part.number == *number))
        .map(|number| format!("{number}/{of}"))
        .collect();
    let seen = format!("shards {} are missing", lacking.join(", "));
    (!lacking.is_empty()).then(|| Finding::new(FindingCode::Incomplete, seen))
}
