//! Workloads on SQLite inside the process.

use crate::support::workload::load;
use enginecmp::engine::EngineSpec;
use enginecmp::host::interrupt::Interrupt;
use enginecmp::schema::{Transform, transform};
use enginecmp::target::session::BulkMethod;
use enginecmp::target::sqlite::SqliteTarget;
use enginecmp::target::sqlite::ddl::translate;
use enginecmp::target::{OptionLine, Running, StartSpec, Target};
use enginecmp::workload::Workload;
use std::path::Path;
use std::time::Duration;

fn statements(script: &str) -> Vec<String> {
    transform(script, &Transform::default()).statements
}

/// SQLite with the data of the workload.
pub(crate) fn loaded(folder: &Path, workload: &dyn Workload, row_format: &str) -> Box<dyn Running> {
    let target = SqliteTarget::new();
    target.initialise(folder, &[]).unwrap();
    let option = OptionLine::own;
    let options = vec![
        option("journal_mode", "wal"),
        option("synchronous", "off"),
        option("busy_timeout", "10000"),
    ];
    let running = target
        .start(&StartSpec {
            data_dir: folder.to_path_buf(),
            options,
            engines: vec!["SQLite".to_string()],
            ready_within: Duration::from_secs(10),
            stop_within: Duration::from_secs(10),
            interrupt: Interrupt::new(),
        })
        .unwrap();
    let source = workload.source_ddl();
    let schema = translate(
        &statements(&source.tables),
        &statements(&source.indexes),
        &statements(&source.foreign_keys),
        Some(row_format),
    )
    .unwrap();
    let mut session = running.connect(0).unwrap();
    for sql in &schema.tables {
        session.text(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    let connect = || running.connect(0).unwrap();
    let method = BulkMethod::MultiRowInsert { rows: 100, statements: 100 };
    let engine = EngineSpec::find("SQLite").unwrap();
    load(&connect, workload, 1, method, engine);
    for sql in &schema.indexes {
        session.text(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    running
}
