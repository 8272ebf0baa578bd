//! What the server, the clients and the disk used in each phase.

use super::pool::Boundary;
use crate::host::disk::{DeviceCounters, FileSystem, device_counters};
use crate::host::process::{ProcessUsage, own_usage, usage};
use crate::target::Running;
use std::time::Duration;

/// Takes a sample at the beginning of every phase and at the end of the last.
pub(super) struct Sampler {
    server: Vec<u32>,
    device: Option<(u32, u32)>,
    samples: Vec<Sample>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    server: Option<ProcessUsage>,
    own: Option<ProcessUsage>,
    device: Option<DeviceCounters>,
}

/// Bytes that passed through a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DeviceBytes {
    pub(super) read: u64,
    pub(super) written: u64,
}

/// What was used between two moments; none where it cannot be known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Used {
    pub(super) server_cpu: Option<Duration>,
    pub(super) client_cpu: Option<Duration>,
    pub(super) device: Option<DeviceBytes>,
    /// Largest resident memory of the server up to the later moment, bytes.
    pub(super) memory_peak: Option<u64>,
}

impl Sampler {
    /// Samples of this server. Its processes and the device of its data are asked for once.
    pub(super) fn of(running: &dyn Running) -> Self {
        let device = running
            .data_dirs()
            .first()
            .and_then(|folder| FileSystem::of(folder).ok())
            .map(|file_system| file_system.device);
        Self { server: running.processes(), device, samples: Vec::new() }
    }

    /// What was used in phase `span` of the schedule; none when its end was not seen.
    pub(super) fn used(&self, span: usize) -> Option<Used> {
        let (from, to) = (self.samples.get(span)?, self.samples.get(span + 1)?);
        let cpu = |from: Option<ProcessUsage>, to: Option<ProcessUsage>| {
            Some(to?.cpu().saturating_sub(from?.cpu()))
        };
        Some(Used {
            server_cpu: cpu(from.server, to.server),
            client_cpu: cpu(from.own, to.own),
            device: from.device.zip(to.device).map(|(from, to)| DeviceBytes {
                read: to.read_bytes.saturating_sub(from.read_bytes),
                written: to.written_bytes.saturating_sub(from.written_bytes),
            }),
            memory_peak: to.server.map(|server| server.peak_resident).filter(|&peak| peak > 0),
        })
    }
}

impl Boundary for Sampler {
    fn reached(&mut self, span: usize) {
        debug_assert_eq!(span, self.samples.len(), "every phase begins once, in order");
        self.samples.push(Sample {
            server: together(&self.server),
            own: own_usage().ok(),
            device: self.device.and_then(|device| device_counters(device).ok().flatten()),
        });
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
            peak_resident: sum.peak_resident + one.peak_resident,
            ..one
        }));
    }
    sum
}

impl Used {
    /// What two stretches used together; unknown when it is unknown of one.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        let both = |a: Option<Duration>, b: Option<Duration>| Some(a? + b?);
        Self {
            server_cpu: both(self.server_cpu, other.server_cpu),
            client_cpu: both(self.client_cpu, other.client_cpu),
            device: self.device.zip(other.device).map(|(a, b)| DeviceBytes {
                read: a.read + b.read,
                written: a.written + b.written,
            }),
            memory_peak: self.memory_peak.max(other.memory_peak),
        }
    }
}
