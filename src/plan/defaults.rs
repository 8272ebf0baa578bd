//! What holds when the suite says nothing.

use crate::model::{FileSet, SettingValue};
use std::sync::LazyLock;
use std::time::Duration;

/// Settings of every cell with the values they have when nothing is said about them. Those that
/// depend on the engines in the suite (`io`, `isolation`) are chosen in [`super::fair`].
pub(super) static SETTINGS: LazyLock<Vec<(&'static str, SettingValue)>> = LazyLock::new(|| {
    vec![
        ("clients", SettingValue::Count(1)),
        ("warmup", SettingValue::Duration(Duration::ZERO)),
        ("measure", SettingValue::Duration(Duration::from_secs(60))),
        ("rounds", SettingValue::Count(1)),
        ("os_cache", SettingValue::Word("keep".to_string())),
    ]
});

/// The cache of every engine under test, bytes.
pub(super) const CACHE: u64 = 128 << 20;

/// How long a transaction waits for a lock, on all sides: long enough that a busy row does not
/// fail it, short enough that a deadlock which no engine detects ends within a phase.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(10);

/// The redo log of InnoDB where defaults are levelled.
pub(super) const LEVEL_REDO: FileSet = FileSet { files: 2, bytes_each: 256 << 20 };

/// Character set of tables that state none: one byte a character on every engine and release.
pub(super) const CHARSET: &str = "latin1";

/// Collation of tables that state none: comparing bytes costs the same everywhere.
pub(super) const COLLATION: &str = "latin1_bin";

/// Repetitions of each cell.
pub(super) const REPEAT: u32 = 1;

/// Seed of data and order.
pub(super) const SEED: u64 = 1;
