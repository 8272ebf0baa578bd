//! `enginecmp doctor` on machines that are made of files: what is there, what is missing, what to
//! do about it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn program(root: &Path, path: &str, script: &str) {
    write(root, path, script);
    fs::set_permissions(root.join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

/// A machine with two processors and nothing installed.
fn bare() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let processor = "processor\t: 0\nmodel name\t: Example CPU 9000\n\n";
    write(root.path(), "proc/cpuinfo", &processor.repeat(2));
    write(root.path(), "proc/meminfo", "MemTotal:  8388608 kB\nSwapTotal: 1048576 kB\n");
    write(root.path(), "proc/self/limits", "Max open files  1024  4096  files\n");
    write(root.path(), "etc/os-release", "PRETTY_NAME=\"Example Linux 7\"\n");
    write(root.path(), "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    let governor = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    write(root.path(), governor, "powersave\n");
    root
}

/// What doctor prints at 80 columns on that machine, work directory left out: its free space is
/// the real one's.
fn doctor(root: &Path) -> (String, Output) {
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(["doctor", "--root"])
        .arg(root)
        .arg("--servers")
        .arg(root.join("servers"))
        .arg("--work")
        .arg(root.join("work"))
        .env_clear()
        .env("PATH", root.join("bin"))
        .env("HOME", root)
        .env("COLUMNS", "80")
        .output()
        .unwrap();
    let page = String::from_utf8(output.stdout.clone()).unwrap();
    let page = page.replace(&root.display().to_string(), "ROOT");
    let (page, work) =
        page.split_once("         work  ").map_or((page.as_str(), ""), |parts| parts);
    assert!(work.is_empty() || work.contains("ROOT/work"), "{work}");
    (page.to_string(), output)
}

fn section<'p>(page: &'p str, title: &str) -> &'p str {
    let from = page.find(&format!("{title}\n")).unwrap_or_else(|| panic!("no {title}: {page}"));
    let rest = &page[from..];
    rest.split_once("\n\n").map_or(rest, |(section, _)| section)
}

#[test]
fn a_bare_machine_is_told_what_is_missing_and_how_to_get_it() {
    let root = bare();
    let (page, output) = doctor(root.path());
    assert!(output.status.success(), "{page}");
    assert_eq!(
        section(&page, "Servers"),
        "\
Servers
  missing  none  no server on PATH, in the usual places or in DIR
           Debian:  apt-get install mariadb-server mariadb-plugin-rocksdb
           RPM:     dnf install MariaDB-server MariaDB-rocksdb-engine
           tarball: unpack it into a directory of its own in DIR
           DIR:     ROOT/servers"
    );
    let machine = section(&page, "Machine");
    let machine = &machine[..machine.find("tarball: put libjemalloc").unwrap()];
    assert_eq!(
        machine,
        "\
Machine
  ok       processors   2 x Example 9000, Example Linux 7
  ok       memory       8.0 GiB, 1.0 GiB of swap
  note     governor     powersave: the clock rate follows the load
           cpupower frequency-set --governor performance
  note     huge pages   always: TokuDB does not start
           echo never > /sys/kernel/mm/transparent_hugepage/enabled
  note     open files   at most 4096; engines with many files want 10000 and
                        more
           ulimit -Hn 65536, or `nofile` in /etc/security/limits.conf
  note     drop caches  not allowed: `os_cache drop` evicts a run's own files
                        alone
           run enginecmp as root where suites say `os_cache drop`
  missing  libaio       not found; most servers from tarballs do not start
                        without it
           Debian:  apt-get install libaio1 (Debian 13 and Ubuntu 24.04:
                    libaio1t64)
           RPM:     dnf install libaio
           tarball: put libaio.so.1 into the server's lib/private
  note     jemalloc     not found; TokuDB alone needs it
           Debian:  apt-get install libjemalloc2
           RPM:     dnf install jemalloc (from EPEL)
           "
    );
    assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
}

#[test]
fn a_machine_that_has_all_of_it_is_told_so() {
    let root = bare();
    write(root.path(), "proc/self/limits", "Max open files  1024  1048576  files\n");
    write(root.path(), "proc/sys/vm/drop_caches", "0\n");
    write(root.path(), "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    fs::remove_dir_all(root.path().join("sys/devices")).unwrap();
    write(root.path(), "usr/lib64/libaio.so.1", "");
    write(root.path(), "usr/lib/libjemalloc.so.2", "");
    let (page, _) = doctor(root.path());
    let machine = section(&page, "Machine");
    assert!(
        machine.starts_with(
            "\
Machine
  ok       processors   2 x Example 9000, Example Linux 7
  ok       memory       8.0 GiB, 1.0 GiB of swap
  ok       huge pages   madvise
  ok       open files   at most 1048576
  ok       drop caches  allowed
  ok       libaio       /usr/lib64/libaio.so.1
  ok       jemalloc     /usr/lib/libjemalloc.so.2
"
        ),
        "{machine}"
    );
}

#[test]
fn servers_that_do_not_work_are_told_in_their_own_words() {
    let root = bare();
    let lost = "libicuuc.so.78: cannot open shared object file";
    program(root.path(), "bin/mysqld", &format!("#!/bin/sh\necho '{lost}' >&2\nexit 127\n"));
    program(
        root.path(),
        "servers/old/bin/mysqld",
        "#!/bin/sh\n\
         case \"$*\" in *--version*) echo 'mysqld  Ver 5.6.24 for Linux (MySQL)'; exit 0;; esac\n\
         echo '[ERROR] Fatal error: nothing works here' >&2\n\
         exit 1\n",
    );
    let (page, output) = doctor(root.path());
    assert_eq!(output.status.code(), Some(125), "{page}");
    let servers = section(&page, "Servers");
    assert!(servers.contains("  missing  mysql 5.6.24  ROOT/servers/old/bin/mysqld,"), "{servers}");
    assert!(servers.contains("does not start"), "{servers}");
    assert!(servers.contains(lost), "{servers}");
    assert!(section(&page, "Engines").contains("missing  InnoDB   no server here offers it"));
}
