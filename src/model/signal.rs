//! What is sampled every second beside the throughput: counters of the server, its process and the
//! machine, under names that do not depend on engine or release.

use serde::{Deserialize, Serialize};

/// How a signal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// It stands at a level that rises and falls.
    Level,
    /// It counts up; a sample holds the increase since the sample before.
    Counter,
}

/// What a signal counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalUnit {
    /// A plain count.
    Count,
    /// Bytes.
    Bytes,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
}

macro_rules! signals {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $kind:ident, $unit:ident, $words:literal;)*) => {
        /// A quantity that is sampled every second.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Signal { $($(#[$doc])* $variant,)* }

        impl Signal {
            /// Every signal.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            /// The stable name, as journals write it.
            pub const fn name(self) -> &'static str { match self { $(Self::$variant => $name,)* } }
            /// How it moves.
            pub const fn kind(self) -> SignalKind { match self { $(Self::$variant => SignalKind::$kind,)* } }
            /// What it counts in.
            pub const fn unit(self) -> SignalUnit { match self { $(Self::$variant => SignalUnit::$unit,)* } }
            /// What it is, in words for reports.
            pub const fn words(self) -> &'static str { match self { $(Self::$variant => $words,)* } }
        }
    };
}

signals! {
    /// Redo log between the last checkpoint and the newest record.
    RedoAge = "redo_age", Level, Bytes, "redo log in use";
    /// How far that may grow before writers have to wait.
    RedoCapacity = "redo_capacity", Level, Bytes, "redo log capacity";
    /// Pages in the cache that differ from those on disk.
    DirtyPages = "dirty_pages", Level, Count, "dirty pages";
    /// Pages of the cache.
    CachePages = "cache_pages", Level, Count, "pages of the cache";
    /// Pages written to the data files.
    PagesFlushed = "pages_flushed", Counter, Count, "pages flushed";
    /// Waits for room in the log buffer.
    LogWaits = "log_waits", Counter, Count, "log waits";
    /// Waits for a free page in the cache.
    FreePageWaits = "free_page_waits", Counter, Count, "waits for a free page";
    /// Blocks that had to be read from disk since the cache did not have them.
    CacheMisses = "cache_misses", Counter, Count, "cache misses";
    /// Bytes written to the engine's log.
    LogWritten = "log_written", Counter, Bytes, "engine log written";
    /// Syncs that the engine has asked for.
    Fsyncs = "fsyncs", Counter, Count, "fsyncs";
    /// Time that the engine spent in syncs.
    FsyncTime = "fsync_time", Counter, Microseconds, "time in fsync";
    /// Old row versions that are not purged yet.
    HistoryLength = "history_length", Level, Count, "history list";
    /// Waits for row locks.
    RowLockWaits = "row_lock_waits", Counter, Count, "row lock waits";
    /// Compactions that wait for their turn, in column families.
    CompactionsPending = "compactions_pending", Level, Count, "compactions pending";
    /// Files in the first level of an LSM tree.
    LevelZeroFiles = "level_zero_files", Level, Count, "files in level 0";
    /// Memory of memtables.
    Memtables = "memtables", Level, Bytes, "memtables";
    /// Time for which writers were held back.
    WriteStall = "write_stall", Counter, Microseconds, "write stall";
    /// Times at which writers were stopped.
    WriteStops = "write_stops", Counter, Count, "write stops";
    /// Times at which writers were slowed down.
    WriteSlowdowns = "write_slowdowns", Counter, Count, "write slowdowns";
    /// Bytes written by compaction.
    CompactionWritten = "compaction_written", Counter, Bytes, "compaction";
    /// Bytes of memtables written out.
    MemtablesWritten = "memtables_written", Counter, Bytes, "memtable flushes";
    /// Checkpoints that were completed.
    Checkpoints = "checkpoints", Counter, Count, "checkpoints";
    /// 1 while a checkpoint is made.
    CheckpointRuns = "checkpoint_runs", Level, Count, "a checkpoint ran";
    /// Nodes that were driven out of the cache.
    Evictions = "evictions", Counter, Count, "evictions";
    /// Bytes in the cache.
    CacheUsed = "cache_used", Level, Bytes, "cache in use";
    /// Bytes that the cache may hold.
    CacheLimit = "cache_limit", Level, Bytes, "cache limit";
    /// Group commits to the binary log; with `sync_binlog` 1 each is a sync.
    BinlogGroupCommits = "binlog_group_commits", Counter, Count, "binary log group commits";
    /// Bytes written to the binary log.
    BinlogWritten = "binlog_written", Counter, Bytes, "binary log written";
    /// Number of the current file of the binary log.
    BinlogFile = "binlog_file", Level, Count, "binary log file";
    /// Rows that statements inserted, changed or deleted, by the server's own count.
    RowsChanged = "rows_changed", Counter, Count, "rows changed";
    /// Rows that statements read, by the server's own count.
    RowsRead = "rows_read", Counter, Count, "rows read";
    /// Statements that the server had to prepare again.
    Reprepared = "reprepared", Counter, Count, "statements prepared again";
    /// How long the server took to tell its counters.
    AnswerTime = "answer_time", Level, Microseconds, "answer of the server to the sampler";
    /// Processor time of the server.
    ServerCpu = "server_cpu", Counter, Milliseconds, "server CPU";
    /// Resident memory of the server.
    ServerMemory = "server_memory", Level, Bytes, "server memory";
    /// Processor time of enginecmp.
    ClientCpu = "client_cpu", Counter, Milliseconds, "client CPU";
    /// Bytes read from the device of the data directory.
    DeviceRead = "device_read", Counter, Bytes, "device reads";
    /// Bytes written to the device of the data directory.
    DeviceWritten = "device_written", Counter, Bytes, "device writes";
    /// Time in which the device was busy.
    DeviceBusy = "device_busy", Counter, Milliseconds, "device busy";
    /// Cache flushes that the device has made.
    DeviceFlushes = "device_flushes", Counter, Count, "device flushes";
    /// Processor time of the whole machine.
    MachineCpu = "machine_cpu", Counter, Milliseconds, "machine CPU";
    /// Processor time of neither the server nor enginecmp; made of the others when a report is made.
    OtherCpu = "other_cpu", Counter, Milliseconds, "CPU of other processes";
    /// Processor time that the hypervisor gave to others.
    Steal = "steal", Counter, Milliseconds, "steal";
    /// Processor time spent waiting for disks.
    IoWait = "io_wait", Counter, Milliseconds, "waiting for disks";
    /// Context switches of the whole machine.
    ContextSwitches = "context_switches", Counter, Count, "context switches";
    /// Pages that the machine swapped in.
    SwapIn = "swap_in", Counter, Count, "pages swapped in";
    /// Pages that the machine swapped out.
    SwapOut = "swap_out", Counter, Count, "pages swapped out";
}

impl Signal {
    /// The signal with this stable name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|signal| signal.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for signal in Signal::ALL {
            assert_eq!(Signal::parse(signal.name()), Some(*signal));
        }
        assert_eq!(Signal::parse("nosuch"), None);
    }
}
