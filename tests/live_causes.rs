//! What is sampled of a real MariaDB, and that a redo log far too small is named where it hurts.

use crate::support::managed::Bench;
use enginecmp::compare::compare;
use enginecmp::compare::view::{Against, Course, Standing};
use enginecmp::journal::record::SamplesRecord;
use enginecmp::journal::{Journal, read};
use enginecmp::model::{Metric, MetricId, Phase, Signal};
use std::process::{Command, Stdio};

/// Runs a suite by the real binary; gives its journal.
fn run(text: &str) -> Journal {
    let bench = Bench::new();
    let suite = bench.path().join("suite.bench");
    std::fs::write(&suite, text).expect("it is written");
    let out = bench.path().join("out");
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .arg(&suite)
        .arg("--work")
        .arg(bench.path().join("work"))
        .arg("--out")
        .arg(&out)
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    read(&out).expect("a journal")
}

fn measured<'a>(journal: &'a Journal, axis: &str, value: &str) -> &'a SamplesRecord {
    let views = journal.repetitions();
    let view = views
        .iter()
        .find(|view| view.record.cell.get(axis) == Some(value))
        .unwrap_or_else(|| panic!("no repetition with {axis} {value}"));
    view.samples.iter().find(|samples| samples.phase == Phase::Measure).expect("it was sampled")
}

fn column(samples: &SamplesRecord, signal: Signal) -> Vec<u64> {
    samples
        .signals
        .iter()
        .find(|column| column.name == signal.name())
        .unwrap_or_else(|| panic!("no {}", signal.name()))
        .values
        .iter()
        .copied()
        .flatten()
        .collect()
}

fn highest(samples: &SamplesRecord, signal: Signal) -> f64 {
    column(samples, signal).into_iter().max().unwrap_or(0) as f64
}

#[test]
fn a_redo_log_far_too_small_is_named_and_a_large_one_is_not() {
    let journal = run("
        suite \"Redo log\"
        engine innodb { storage InnoDB }
        variant small { option innodb_log_file_size = 4M }
        variant large { option innodb_log_file_size = 256M }
        workload tpcc { warehouses 2; density 5%; clients 8; warmup 1s; measure 11s }
        cache 64M
        settle none
        compare variant against large
    ");
    let filled = |variant: &str| {
        let samples = measured(&journal, "variant", variant);
        highest(samples, Signal::RedoAge) / highest(samples, Signal::RedoCapacity)
    };
    assert!(filled("small") > 0.85, "{}", filled("small"));
    assert!(filled("large") < 0.5, "{}", filled("large"));
    let comparison = compare(&journal.records);
    let sides = &comparison.sections[0].points[0].sides;
    let course = |variant: &str| -> &Course {
        let side = sides.iter().find(|side| side.name == variant).expect("it ran");
        side.course.as_ref().expect("it is long enough")
    };
    // How often throughput dips is the machine's affair; what is said of it is ours.
    for dip in &course("small").dips {
        let first = dip.causes.first().expect("something moved");
        assert_eq!(first.signal, Signal::RedoAge, "{dip:?}");
    }
    for dip in &course("large").dips {
        assert!(dip.causes.iter().all(|cause| cause.signal != Signal::RedoAge), "{dip:?}");
    }
}

#[test]
fn every_second_of_each_engine_is_sampled() {
    let journal = run("
        suite \"Sampled\"
        engine innodb { storage InnoDB }
        engine myrocks { storage RocksDB }
        schema { strip foreign_keys; keep foreign_key_indexes }
        isolation read_committed
        option log_bin = on
        workload tpcc { warehouses 1; density 2%; clients 2; warmup 1s; measure 4s }
        cache 32M
        settle none
        compare engine against innodb
    ");
    for (engine, own) in [
        (
            "innodb",
            [Signal::RedoAge, Signal::RedoCapacity, Signal::DirtyPages, Signal::HistoryLength],
        ),
        (
            "myrocks",
            [Signal::Memtables, Signal::WriteStall, Signal::LevelZeroFiles, Signal::LogWritten],
        ),
    ] {
        let samples = measured(&journal, "engine", engine);
        // A second may be missed on a busy machine, never most of them.
        assert!((3..=5).contains(&samples.at_ms.len()), "{:?}", samples.at_ms);
        for signal in own
            .into_iter()
            .chain([Signal::CompactionsPending].into_iter().filter(|_| engine == "myrocks"))
        {
            assert_eq!(column(samples, signal).len(), samples.at_ms.len(), "{}", signal.name());
        }
        for signal in [
            Signal::Fsyncs,
            Signal::RowsChanged,
            Signal::RowsRead,
            Signal::BinlogWritten,
            Signal::BinlogGroupCommits,
            Signal::ServerCpu,
            Signal::ClientCpu,
            Signal::MachineCpu,
            Signal::ContextSwitches,
            Signal::DeviceWritten,
        ] {
            let sum: u64 = column(samples, signal).iter().sum();
            assert!(sum > 0, "{engine}: {}", signal.name());
        }
        assert!(highest(samples, Signal::ServerMemory) > 1e7);
        assert!(highest(samples, Signal::BinlogFile) >= 1.0);
    }
}

#[test]
fn what_is_set_for_one_engine_alone_costs_the_delta_and_is_told() {
    let journal = run("
        suite \"Unequal\"
        engine strict { storage InnoDB }
        engine lax {
          extends strict
          option innodb_flush_log_at_trx_commit = 2
          schema { strip foreign_keys }
        }
        workload tpcc { warehouses 1; density 1%; clients 2; warmup 1s; measure 2s }
        cache 32M
        settle none
        compare engine against strict
    ");
    let comparison = compare(&journal.records);
    let section = &comparison.sections[0];
    let lax = section.points[0].sides.iter().find(|side| side.name == "lax").expect("it ran");
    for (property, detail) in [
        ("durability", "each commit against written at commit, synced each second"),
        ("foreign keys", "10 against 0"),
    ] {
        let difference = lax
            .differences
            .iter()
            .find(|difference| difference.property == property)
            .unwrap_or_else(|| panic!("no {property} in {:?}", lax.differences));
        assert_eq!(difference.standing, Standing::Unequal);
        assert!(difference.detail.starts_with(detail), "{}", difference.detail);
    }
    let headline = lax.headline().expect("it was measured");
    assert!(matches!(headline.against, Against::Unequal(_)), "{:?}", headline.against);
    let of = |property: &str| {
        let row = section.ledger.iter().find(|row| row.property == property);
        row.unwrap_or_else(|| panic!("no {property}")).values.clone()
    };
    for property in
        ["data against cache", "server memory", "reads and writes", "load path", "checksums"]
    {
        assert!(of(property).iter().all(|(_, value)| !value.is_empty()), "{property}");
    }
    assert_eq!(of("TLS")[0].1, "off");
    assert!(of("plans").iter().all(|(_, value)| value.contains("const ")), "{:?}", of("plans"));
    let costs = [
        Metric::ServerCpuPerTransaction,
        Metric::BytesWrittenPerTransaction,
        Metric::FsyncsPerTransaction,
        Metric::SwitchesPerTransaction,
        Metric::WriteAmplification,
    ];
    for metric in costs {
        let series = lax.series(&MetricId::whole(metric));
        assert!(series.is_some_and(|series| series.level > 0.0), "{metric}");
    }
}
