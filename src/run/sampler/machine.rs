//! Reads what the server's processes, the device of its data and the machine have used.

use crate::host::disk::{FileSystem, device_counters_below};
use crate::host::process::{ProcessUsage, context_switches_below, usage_below};
use crate::host::system::SystemCounters;
use crate::model::Signal;
use crate::target::Running;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is looked at; asked for once.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// Below it lies /proc.
    root: PathBuf,
    pub(super) server: Vec<u32>,
    device: Option<(u32, u32)>,
}

impl Machine {
    pub(super) fn of(running: &dyn Running) -> Self {
        let device = running
            .data_dirs()
            .first()
            .and_then(|folder| FileSystem::of(folder).ok())
            .map(|file_system| file_system.device);
        Self { root: PathBuf::from("/"), server: running.processes(), device }
    }

    /// No server, and no device.
    #[cfg(test)]
    pub(super) fn nothing() -> Self {
        Self { root: PathBuf::from("/"), server: Vec::new(), device: None }
    }

    /// A machine whose /proc lies below `root`, with a server of this process and its device.
    #[cfg(test)]
    pub(super) fn below(root: &Path, server: u32, device: (u32, u32)) -> Self {
        Self { root: root.to_path_buf(), server: vec![server], device: Some(device) }
    }

    /// Everything that can be seen now. What this machine does not tell is left out.
    pub(super) fn read(&self) -> BTreeMap<Signal, u64> {
        let mut values = BTreeMap::new();
        let milliseconds = |time: Duration| time.as_millis() as u64;
        if let Some(server) = together(&self.root, &self.server) {
            values.insert(Signal::ServerCpu, milliseconds(server.cpu()));
            values.insert(Signal::ServerMemory, server.resident);
        }
        if let Ok(own) = usage_below(&self.root, "self") {
            values.insert(Signal::ClientCpu, milliseconds(own.cpu()));
        }
        let counters = |device| device_counters_below(&self.root, device).ok().flatten();
        if let Some(device) = self.device.and_then(counters) {
            values.insert(Signal::DeviceRead, device.read_bytes);
            values.insert(Signal::DeviceWritten, device.written_bytes);
            values.insert(Signal::DeviceBusy, device.busy_ms);
            values.extend(device.flushes.map(|flushes| (Signal::DeviceFlushes, flushes)));
        }
        if let Ok(system) = SystemCounters::below(&self.root) {
            values.insert(Signal::MachineCpu, milliseconds(system.busy));
            values.insert(Signal::Steal, milliseconds(system.steal));
            values.insert(Signal::IoWait, milliseconds(system.io_wait));
            values.insert(Signal::ContextSwitches, system.context_switches);
            values.insert(Signal::SwapIn, system.swap_in);
            values.insert(Signal::SwapOut, system.swap_out);
        }
        values
    }

    /// Context switches of the server's threads that live; none where they cannot be read.
    pub(super) fn context_switches(&self) -> Option<u64> {
        let of = |&process: &u32| context_switches_below(&self.root, process).ok();
        let each = self.server.iter().map(of);
        each.sum::<Option<u64>>().filter(|_| !self.server.is_empty())
    }

    /// Largest resident memory of the server so far, bytes.
    pub(super) fn memory_peak(&self) -> Option<u64> {
        together(&self.root, &self.server)
            .map(|server| server.peak_resident)
            .filter(|&peak| peak > 0)
    }
}

/// What several processes have used together; none when one of them cannot be asked.
fn together(root: &Path, processes: &[u32]) -> Option<ProcessUsage> {
    let mut sum = None::<ProcessUsage>;
    for &process in processes {
        let one = usage_below(root, &process.to_string()).ok()?;
        sum = Some(sum.map_or(one, |sum| ProcessUsage {
            user: sum.user + one.user,
            system: sum.system + one.system,
            resident: sum.resident + one.resident,
            peak_resident: sum.peak_resident + one.peak_resident,
            ..one
        }));
    }
    sum
}
