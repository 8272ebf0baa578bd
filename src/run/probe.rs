//! Probes: one query each, timed on a server start of its own.

use super::places::Instance;
use super::pool::{CONTROL, set_up};
use super::repetition::Step;
use super::server::{abandon, control, start, stop, use_database};
use super::watch::{interrupted, sql_failure, watched};
use crate::host::interrupt::Interrupt;
use crate::host::page_cache::{drop_caches, evict_tree};
use crate::journal::record::ProbeRecord;
use crate::model::{Failure, Finding, FindingCode, Phase};
use crate::plan::Probe;
use crate::target::Running;

/// What one query gave.
#[derive(Default)]
struct Answer {
    elapsed_ns: u64,
    rows: u64,
    first_value: Option<String>,
}

/// Times every probe of the plan on the data of `instance`. One that fails has its failure in its
/// record; the others go on.
pub(super) fn probes(
    step: &Step<'_>,
    instance: &Instance,
    findings: &mut Vec<Finding>,
) -> Vec<ProbeRecord> {
    let probes = &step.env.plan.probes;
    probes.iter().map(|probe| one(step, instance, probe, findings)).collect()
}

/// Times every probe on a server that cannot be started again. Nothing is cold then.
pub(super) fn on_running(step: &Step<'_>, running: &dyn Running) -> Vec<ProbeRecord> {
    let interrupt = &step.env.settings.interrupt;
    step.env
        .plan
        .probes
        .iter()
        .map(|probe| record(step, probe, ask(running, step, probe, interrupt)))
        .collect()
}

fn one(
    step: &Step<'_>,
    instance: &Instance,
    probe: &Probe,
    findings: &mut Vec<Finding>,
) -> ProbeRecord {
    let cold = evict_tree(&instance.data_dir());
    if probe.cold
        && let Err(error) = cold.and_then(|()| drop_caches())
    {
        findings.push(Finding::new(FindingCode::CachesNotDropped, error.to_string()));
    }
    record(step, probe, answer(step, instance, probe))
}

fn record(step: &Step<'_>, probe: &Probe, answered: Result<Answer, Failure>) -> ProbeRecord {
    let (answer, failure) = match answered {
        Ok(answer) => (answer, None),
        Err(failure) => (Answer::default(), Some(failure)),
    };
    ProbeRecord {
        cell: step.cell.key.clone(),
        repetition: step.slot.repetition,
        probe: probe.name.clone(),
        sql: probe.sql.clone(),
        elapsed_ns: answer.elapsed_ns,
        rows: answer.rows,
        first_value: answer.first_value,
        failure,
    }
}

fn answer(step: &Step<'_>, instance: &Instance, probe: &Probe) -> Result<Answer, Failure> {
    let interrupt = &step.env.settings.interrupt;
    if interrupt.is_raised() {
        return Err(interrupted(Phase::Probe));
    }
    let running = start(step.target, instance, step.options(), step.cell.spec.storage, interrupt)?;
    match watched(&*running, interrupt, step.env.settings.patience, || {
        ask(&*running, step, probe, interrupt)
    }) {
        Ok(answer) => {
            stop(running)?;
            Ok(answer)
        }
        Err(failure) => {
            abandon(running);
            Err(failure)
        }
    }
}

fn ask(
    running: &dyn Running,
    step: &Step<'_>,
    probe: &Probe,
    interrupt: &Interrupt,
) -> Result<Answer, Failure> {
    let mut session = control(running, interrupt, Phase::Probe)?;
    let setup = use_database(session.dialect(), &step.dataset.database);
    set_up(&mut *session, &setup).map_err(|(statement, error)| {
        sql_failure(Phase::Probe, running, interrupt, &format!("`{statement}`"), &error)
    })?;
    let clock = running.clock(CONTROL);
    let mut answer = Answer::default();
    let began = clock.now();
    session
        .text_visit(&probe.sql, &mut |row| {
            if answer.rows == 0 {
                answer.first_value =
                    row.text(0).map(|text| String::from_utf8_lossy(&text).into_owned());
            }
            answer.rows += 1;
            true
        })
        .map_err(|error| {
            let doing = format!("probe {}", probe.name);
            let failure = sql_failure(Phase::Probe, running, interrupt, &doing, &error);
            super::server::asked_at(failure, Some(&probe.place))
        })?;
    answer.elapsed_ns = clock.now().saturating_sub(began).as_nanos() as u64;
    Ok(answer)
}
