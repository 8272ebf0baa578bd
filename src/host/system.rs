//! What the machine as a whole has done: processor time by kind, context switches, swapping.

use std::io;
use std::path::Path;
use std::time::Duration;

/// Counters of the machine since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemCounters {
    /// Processor time in which something ran here: user, nice, system, interrupts.
    pub busy: Duration,
    /// Processor time spent idle while a disk was waited for.
    pub io_wait: Duration,
    /// Processor time that this machine wanted and the hypervisor gave to others.
    pub steal: Duration,
    /// Context switches.
    pub context_switches: u64,
    /// Pages swapped in.
    pub swap_in: u64,
    /// Pages swapped out.
    pub swap_out: u64,
}

impl SystemCounters {
    /// Those of the machine whose /proc lies below `root`.
    pub fn below(root: &Path) -> io::Result<Self> {
        Self::with_ticks(root, rustix::param::clock_ticks_per_second())
    }

    /// The same with so many clock ticks a second.
    fn with_ticks(root: &Path, ticks: u64) -> io::Result<Self> {
        let stat = std::fs::read_to_string(root.join("proc/stat"))?;
        // Kernels without swap leave the counters out, or the file.
        let vmstat = std::fs::read_to_string(root.join("proc/vmstat")).unwrap_or_default();
        parse(&stat, &vmstat, ticks).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "proc/stat is not as expected")
        })
    }
}

fn parse(stat: &str, vmstat: &str, ticks: u64) -> Option<SystemCounters> {
    // cpu user nice system idle iowait irq softirq steal guest guest_nice; guests are in user.
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let mut fields = [0u64; 8];
    for (field, text) in fields.iter_mut().zip(line.split_whitespace()) {
        *field = text.parse().ok()?;
    }
    let [user, nice, system, _idle, io_wait, irq, soft_irq, steal] = fields;
    let time = |count: u64| Duration::from_nanos(count * 1_000_000_000 / ticks.max(1));
    let number = |text: &str, name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
            .unwrap_or(0)
    };
    Some(SystemCounters {
        busy: time(user + nice + system + irq + soft_irq),
        io_wait: time(io_wait),
        steal: time(steal),
        context_switches: number(stat, "ctxt"),
        swap_in: number(vmstat, "pswpin"),
        swap_out: number(vmstat, "pswpout"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_from_the_text_of_the_kernel() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("proc")).unwrap();
        std::fs::write(
            root.path().join("proc/stat"),
            "cpu  100 20 30 4000 50 6 7 88 9 0\ncpu0 1 1 1 1 1 1 1 1 1 1\nintr 5\nctxt 12345\n",
        )
        .unwrap();
        std::fs::write(root.path().join("proc/vmstat"), "pswpin 3\npswpout 4\n").unwrap();
        let seen = SystemCounters::with_ticks(root.path(), 100).unwrap();
        assert_eq!(seen.busy, Duration::from_millis(1630));
        assert_eq!(seen.io_wait, Duration::from_millis(500));
        assert_eq!(seen.steal, Duration::from_millis(880));
        assert_eq!((seen.context_switches, seen.swap_in, seen.swap_out), (12345, 3, 4));
        assert!(SystemCounters::below(&root.path().join("none")).is_err());
    }

    #[test]
    fn this_machine_answers() {
        assert!(SystemCounters::below(Path::new("/")).unwrap().context_switches > 0);
    }
}
