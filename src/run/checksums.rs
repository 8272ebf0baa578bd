//! The rows that a load left, summed, and held against the rows that were sent.

use super::dataset::{LoadStep, failed};
use super::watch::interrupted;
use crate::host::interrupt::Interrupt;
use crate::model::{Failure, FailureKind, Phase};
use crate::plan::LoadPath;
use crate::target::session::Session;
use crate::workload::checksum::{ChecksumSink, read_back};
use crate::workload::{TableChecksum, TableLoad, Workload};
use std::collections::BTreeMap;
use std::thread;

/// Rows after which the interrupt is looked at.
const STRIDE: u64 = 4096;

/// Sums every table that the workload wants summed, by name, hexadecimal. Rows that do not read
/// back as they were sent are a failure: a server that cuts a value or takes a row twice may say
/// nothing of it.
pub(super) fn checksums(
    step: &LoadStep<'_>,
    control: &mut dyn Session,
) -> Result<BTreeMap<String, String>, Failure> {
    let workload = &*step.dataset.workload;
    let interrupt = &step.env.settings.interrupt;
    let seed = step.env.plan.seed;
    if matches!(step.dataset.load.path, LoadPath::External(_)) {
        // Every load of such a tool draws other rows.
        return Ok(BTreeMap::new());
    }
    // Rows are made again while the server reads.
    let (found, sent) = thread::scope(|scope| {
        let sent = workload.reads_back_as_sent().then(|| {
            scope.spawn(|| -> BTreeMap<String, TableChecksum> {
                let tables = workload.tables().into_iter();
                tables
                    .map_while(|table| {
                        let sum = of_sent(workload, seed, &table, interrupt)?;
                        Some((table.table, sum))
                    })
                    .collect()
            })
        });
        let found = of_found(step, control);
        // A generator that panicked has said so already; nothing is compared with it.
        (found, sent.and_then(|sent| sent.join().ok()).unwrap_or_default())
    });
    let found = found?;
    if interrupt.is_raised() {
        return Err(interrupted(Phase::Load));
    }
    for (table, found) in &found {
        if let Some(sent) = sent.get(table).filter(|sent| *sent != found) {
            return Err(Failure::new(
                Phase::Load,
                FailureKind::Check,
                format!(
                    "{table} does not hold the rows that were sent: {} rows with the sum {found}, \
                     sent were {} with {sent}",
                    found.rows, sent.rows
                ),
            ));
        }
    }
    Ok(found.into_iter().map(|(table, sum)| (table, sum.to_string())).collect())
}

fn of_found(
    step: &LoadStep<'_>,
    control: &mut dyn Session,
) -> Result<BTreeMap<String, TableChecksum>, Failure> {
    let mut sums = BTreeMap::new();
    for (table, columns) in step.dataset.workload.checksums() {
        if step.env.settings.interrupt.is_raised() {
            return Err(interrupted(Phase::Load));
        }
        let sum = read_back(control, &table, &columns)
            .map_err(|error| failed(step, &format!("reading {table} back"), &error))?;
        sums.insert(table, sum);
    }
    Ok(sums)
}

/// The sum of what the loaders were given; none when the user wants to end.
fn of_sent(
    workload: &dyn Workload,
    seed: u64,
    table: &TableLoad,
    interrupt: &Interrupt,
) -> Option<TableChecksum> {
    let mut sink = ChecksumSink::default();
    for part in &table.parts {
        let mut rows = workload.rows(seed, &table.table, part.part);
        while rows.next_row(&mut sink) {
            if sink.checksum.rows.is_multiple_of(STRIDE) && interrupt.is_raised() {
                return None;
            }
        }
    }
    Some(sink.checksum)
}
