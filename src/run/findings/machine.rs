//! What of the machine as it is set up makes figures worth less.

use crate::journal::record::MachineRecord;
use crate::model::{Finding, FindingCode};

/// Mount options that change what a write or a sync costs.
const TELLING_OPTIONS: &[(&str, &str)] = &[
    ("nobarrier", "syncs do not reach the medium"),
    ("barrier=0", "syncs do not reach the medium"),
    ("sync", "every write is synced"),
    ("data=writeback", "data are not ordered with the journal"),
    ("data=journal", "data are written twice"),
    ("compress", "the file system compresses"),
    ("compress-force", "the file system compresses"),
];

/// File systems that are no local disk, or lie over one.
const NO_DISKS: &[&str] = &["overlay", "nfs", "nfs4", "cifs", "9p", "virtiofs", "fuse", "fuseblk"];

/// Every such finding about a machine.
pub(super) fn of_machine(machine: &MachineRecord) -> Vec<Finding> {
    let mut found = Vec::new();
    if matches!(machine.work_fs.as_str(), "tmpfs" | "ramfs") {
        let seen = format!("the work directory is on {}", machine.work_fs);
        found.push(Finding::new(FindingCode::WorkOnTmpfs, seen));
    }
    if machine.huge_pages == "always" {
        let seen = "/sys/kernel/mm/transparent_hugepage/enabled says `always`";
        found.push(Finding::new(FindingCode::HugePages, seen));
    }
    if !matches!(machine.governor.as_str(), "" | "performance") {
        let seen = format!("the processors' frequency governor is `{}`", machine.governor);
        found.push(Finding::new(FindingCode::Governor, seen));
    }
    let mut seen: Vec<String> = Vec::new();
    if NO_DISKS.contains(&machine.work_fs.as_str()) {
        seen.push(format!("the work directory lies on {}", machine.work_fs));
    }
    for option in &machine.work_fs_options {
        let name = option.split(':').next().unwrap_or_default();
        let known = TELLING_OPTIONS
            .iter()
            .find(|(telling, _)| name == *telling || name.starts_with(&format!("{telling}=")));
        seen.extend(known.map(|(_, what)| format!("mounted with `{option}`: {what}")));
    }
    if !seen.is_empty() {
        found.push(Finding::new(FindingCode::FileSystem, seen.join("; ")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_set_up_for_measuring_has_no_findings() {
        let good = MachineRecord {
            huge_pages: "madvise".to_string(),
            governor: "performance".to_string(),
            work_fs: "ext4".to_string(),
            work_fs_options: vec!["rw".to_string(), "relatime".to_string()],
            ..MachineRecord::default()
        };
        assert!(of_machine(&good).is_empty());
        let bad = MachineRecord {
            huge_pages: "always".to_string(),
            governor: "powersave".to_string(),
            work_fs: "btrfs".to_string(),
            work_fs_options: vec!["nobarrier".to_string(), "compress=zstd:3".to_string()],
            ..MachineRecord::default()
        };
        let found = of_machine(&bad);
        let codes: Vec<FindingCode> = found.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [FindingCode::HugePages, FindingCode::Governor, FindingCode::FileSystem]);
        assert!(found[1].seen.contains("powersave"));
        assert_eq!(
            found[2].seen,
            "mounted with `nobarrier`: syncs do not reach the medium; mounted with \
             `compress=zstd:3`: the file system compresses"
        );
    }
}
