//! What servers and clients get of the machine, as far as it can be had.

use crate::host::share::{Limits, Pinned, allowed};
use crate::model::{Finding, FindingCode};
use crate::plan::MachineLimits;

/// The limits of every server start that this machine and this user can have.
pub fn server_limits(machine: Option<&MachineLimits>) -> Limits {
    let wanted = machine.map(wanted).unwrap_or_default();
    let memory = Limits { memory: wanted.memory, processors: None };
    let processors = Limits { memory: None, processors: wanted.processors };
    Limits {
        memory: memory.try_out().ok().and(memory.memory),
        processors: processors.try_out().ok().and(processors.processors),
    }
}

/// What the suite asks for. Where clients are kept apart and nothing is said of servers, servers
/// have all processors, not those of the clients that start them.
fn wanted(machine: &MachineLimits) -> Limits {
    let apart = || machine.client_cpus.and_then(|_| allowed().ok());
    Limits { memory: machine.memory, processors: machine.cpus.map(list).or_else(apart) }
}

fn list((first, last): (u32, u32)) -> Vec<u32> {
    (first..=last).collect()
}

/// Puts the calling thread and those that it starts on the processors of clients, until the value
/// is dropped. None where nothing is asked, or it cannot be had.
pub(super) fn pin_clients(machine: Option<&MachineLimits>) -> Option<Pinned> {
    machine.and_then(|machine| machine.client_cpus).and_then(|cpus| Pinned::to(&list(cpus)).ok())
}

/// What of the limits cannot be had here, and why.
pub(super) fn not_had(machine: Option<&MachineLimits>) -> Vec<Finding> {
    let Some(machine) = machine else { return Vec::new() };
    let wanted = wanted(machine);
    [
        Limits { memory: wanted.memory, processors: None },
        Limits { memory: None, processors: wanted.processors },
        Limits { memory: None, processors: machine.client_cpus.map(list) },
    ]
    .iter()
    .filter_map(|limits| limits.try_out().err())
    .map(|error| Finding::new(FindingCode::Unlimited, error.to_string()))
    .collect()
}
