//! The machine that was measured on, described without its name.

use std::io;
use std::path::Path;

/// What figures depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// CPU model in the kernel's words.
    pub cpu: String,
    /// Logical processors that this process may use.
    pub cores: u32,
    /// Memory, bytes.
    pub memory: u64,
    /// Swap, bytes.
    pub swap: u64,
    /// Kernel release.
    pub kernel: String,
    /// Operating system in its own words.
    pub system: String,
    /// Transparent huge pages: `always`, `madvise`, `never`; empty where the kernel has none.
    pub huge_pages: String,
    /// Frequency governor of the first processor; empty where there is none.
    pub governor: String,
}

impl Machine {
    /// This machine.
    pub fn here() -> io::Result<Self> {
        let mut machine = Self::below(Path::new("/"))?;
        // A container or `taskset` may leave fewer than the machine has.
        if let Ok(usable) = std::thread::available_parallelism() {
            machine.cores = u32::try_from(usable.get()).unwrap_or(u32::MAX);
        }
        Ok(machine)
    }

    /// The memory of this machine, bytes: all that a suite needs to know of it.
    pub fn memory_here() -> io::Result<u64> {
        std::fs::read_to_string("/proc/meminfo").map(|meminfo| bytes(&meminfo, "MemTotal:"))
    }

    /// The machine whose /proc, /sys and /etc lie below `root`.
    pub fn below(root: &Path) -> io::Result<Self> {
        let read = |path: &str| std::fs::read_to_string(root.join(path));
        let optional = |path: &str| read(path).unwrap_or_default();
        let cpuinfo = read("proc/cpuinfo")?;
        let meminfo = read("proc/meminfo")?;
        Ok(Self {
            cpu: cpu_model(&cpuinfo),
            cores: cpuinfo.lines().filter(|line| line.starts_with("processor")).count() as u32,
            memory: bytes(&meminfo, "MemTotal:"),
            swap: bytes(&meminfo, "SwapTotal:"),
            kernel: optional("proc/sys/kernel/osrelease").trim().to_string(),
            system: pretty_name(&optional("etc/os-release")),
            huge_pages: chosen(&optional("sys/kernel/mm/transparent_hugepage/enabled")),
            governor: optional("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
                .trim()
                .to_string(),
        })
    }

    /// CPU model, cores and memory as one folder name: `amd-epyc-7b13-2c-24g`.
    pub fn folder_name(&self) -> String {
        let gib = (self.memory as f64 / f64::from(1 << 30)).ceil() as u64;
        let mut name = String::new();
        for c in format!("{}-{}c-{gib}g", self.cpu, self.cores).chars() {
            if c.is_ascii_alphanumeric() {
                name.push(c.to_ascii_lowercase());
            } else if !name.is_empty() && !name.ends_with('-') {
                name.push('-');
            }
        }
        name
    }
}

/// A line of /proc/meminfo, bytes; 0 where there is none.
fn bytes(meminfo: &str, name: &str) -> u64 {
    meminfo
        .lines()
        .find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
        .map_or(0, |kib: u64| kib * 1024)
}

fn cpu_model(cpuinfo: &str) -> String {
    // x86 has `model name`, some ARM and POWER kernels `Model`, `cpu` or `Processor`.
    let value = |key: &str| {
        cpuinfo.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then(|| value.trim().to_string())
        })
    };
    let raw =
        ["model name", "Model", "cpu", "Processor", "uarch"].iter().find_map(|key| value(key));
    let cleaned = raw
        .unwrap_or_else(|| std::env::consts::ARCH.to_string())
        .replace("(R)", "")
        .replace("(TM)", "")
        .replace("(tm)", "");
    let cleaned = cleaned.split(" @ ").next().unwrap_or_default();
    cleaned.split_whitespace().filter(|word| *word != "CPU").collect::<Vec<_>>().join(" ")
}

fn pretty_name(os_release: &str) -> String {
    os_release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))
        .map(|name| name.trim_matches('"').to_string())
        .unwrap_or_default()
}

/// The word in brackets: `always [madvise] never`.
fn chosen(text: &str) -> String {
    text.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map(|(word, _)| word.to_string())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_read_from_files_below_any_root() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            "proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz\n\n\
             processor\t: 1\nmodel name\t: Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz\n",
        );
        write("proc/meminfo", "MemTotal:       24689120 kB\nSwapTotal: 1024 kB\n");
        write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
        write("etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
        write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
        let machine = Machine::below(root.path()).unwrap();
        assert_eq!(machine.cpu, "Intel Xeon E5-2680 v4");
        assert_eq!((machine.cores, machine.swap), (2, 1 << 20));
        assert_eq!(machine.memory, 24_689_120 * 1024);
        assert_eq!(machine.kernel, "6.1.0-18-amd64");
        assert_eq!(machine.system, "Debian GNU/Linux 12 (bookworm)");
        assert_eq!(machine.huge_pages, "madvise");
        assert_eq!(machine.governor, "");
        assert_eq!(machine.folder_name(), "intel-xeon-e5-2680-v4-2c-24g");
    }

    #[test]
    fn this_machine_can_be_described() {
        let machine = Machine::here().unwrap();
        assert_eq!(machine.memory, Machine::memory_here().unwrap());
        assert!(machine.memory > 0 && machine.cores > 0);
        assert!(!machine.folder_name().is_empty());
    }
}
