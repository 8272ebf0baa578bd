//! Reads what the server's processes, the device of its data and the machine have used.

use crate::host::disk::{FileSystem, device_counters};
use crate::host::process::{ProcessUsage, own_usage, usage};
use crate::host::system::SystemCounters;
use crate::model::Signal;
use crate::target::Running;
use std::collections::BTreeMap;
use std::time::Duration;

/// What is looked at; asked for once.
#[derive(Clone, Debug)]
pub(super) struct Machine {
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
        Self { server: running.processes(), device }
    }

    /// No server, and no device.
    #[cfg(test)]
    pub(super) fn nothing() -> Self {
        Self { server: Vec::new(), device: None }
    }

    /// Everything that can be seen now. What this machine does not tell is left out.
    pub(super) fn read(&self) -> BTreeMap<Signal, u64> {
        let mut values = BTreeMap::new();
        let milliseconds = |time: Duration| time.as_millis() as u64;
        if let Some(server) = together(&self.server) {
            values.insert(Signal::ServerCpu, milliseconds(server.cpu()));
            values.insert(Signal::ServerMemory, server.resident);
        }
        if let Ok(own) = own_usage() {
            values.insert(Signal::ClientCpu, milliseconds(own.cpu()));
        }
        if let Some(device) = self.device.and_then(|device| device_counters(device).ok().flatten())
        {
            values.insert(Signal::DeviceRead, device.read_bytes);
            values.insert(Signal::DeviceWritten, device.written_bytes);
            values.insert(Signal::DeviceBusy, device.busy_ms);
            values.extend(device.flushes.map(|flushes| (Signal::DeviceFlushes, flushes)));
        }
        if let Ok(system) = SystemCounters::here() {
            values.insert(Signal::MachineCpu, milliseconds(system.busy));
            values.insert(Signal::Steal, milliseconds(system.steal));
            values.insert(Signal::IoWait, milliseconds(system.io_wait));
            values.insert(Signal::ContextSwitches, system.context_switches);
            values.insert(Signal::SwapIn, system.swap_in);
            values.insert(Signal::SwapOut, system.swap_out);
        }
        values
    }

    /// Largest resident memory of the server so far, bytes.
    pub(super) fn memory_peak(&self) -> Option<u64> {
        together(&self.server).map(|server| server.peak_resident).filter(|&peak| peak > 0)
    }
}

/// What several processes have used together; none when one of them cannot be asked.
fn together(processes: &[u32]) -> Option<ProcessUsage> {
    let mut sum = None::<ProcessUsage>;
    for &process in processes {
        let one = usage(process).ok()?;
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
