//! Warnings about our own numbers, each with a stable code.

use super::cell::CellKey;
use serde::{Deserialize, Serialize};

macro_rules! finding_codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $title:literal, $why:literal;)*) => {
        /// The stable code of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum FindingCode { $($(#[$doc])* #[serde(rename = $code)] $name,)* }

        impl FindingCode {
            /// Every code, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
            /// The code as printed, such as `F012`.
            pub const fn code(self) -> &'static str { match self { $(Self::$name => $code,)* } }
            /// A short name.
            pub const fn title(self) -> &'static str { match self { $(Self::$name => $title,)* } }
            /// Why it matters and what to do: the text of `enginecmp explain CODE`.
            pub const fn explanation(self) -> &'static str { match self { $(Self::$name => $why,)* } }
        }
    };
}

finding_codes! {
    /// Rows were scaled down.
    NotTpcc = "F001", "not TPC-C", "The suite scales rows with `density`. The figures show that things work; they are no TPC-C figures and cannot be laid beside any. Leave `density` out to measure.";
    /// Only one repetition.
    OneRepetition = "F002", "one repetition", "One repetition says nothing about how far a figure moves by itself, so there is no verdict. Use `repeat 3` or more.";
    /// The work directory is in memory.
    WorkOnTmpfs = "F003", "work directory on tmpfs", "Data directories lie in memory: fsync costs nothing there, and MariaDB maps its redo log. Name a directory on a disk with `--work DIR`.";
    /// Caches could not be dropped.
    CachesNotDropped = "F004", "OS caches not dropped", "`os_cache drop` needs the right to write /proc/sys/vm/drop_caches (root). The files of this dataset were evicted from the page cache all the same; other files were not.";
    /// The data fit in the cache.
    FitsInCache = "F005", "data fit in the cache", "The dataset is smaller than the engine's cache, so reads hardly ever reach the disk. This compares code paths, not storage. Load more or make `cache` smaller.";
    /// Too many retries.
    ManyRetries = "F006", "retries above 1 %", "More than one transaction in a hundred was rolled back for a deadlock or a lock wait and tried again. Retries cost time inside the latency. Use fewer clients or more active warehouses.";
    /// The sides of a pair are unequal in what the compared axis does not state.
    UnequalSides = "F007", "sides differ", "The sides of a pair differ in something that the compared axis does not state, so the delta would not be the axis's effect. Make them equal, or allow it with a reason.";
    /// Known deviations of a mode.
    KnownDeviations = "F008", "known deviations", "`mode tpcc_mysql` issues what tpcc-mysql issues: consistency conditions 10 and 12 do not hold after a run, by design of that tool, and are not checked.";
    /// Engines without transactions.
    NoTransactions = "F009", "no transactions", "The engine has no transactions: ROLLBACK does nothing, so conditions are reported but do not gate, and the cell is never paired with a transactional one.";
    /// Load paths differ.
    UnlikeLoadPaths = "F010", "unlike load paths", "The sides were loaded by different paths or with another number of threads, so their load times have no delta. `load { path rows 1000; threads 4 }` is a path that all engines have; `allow unequal load_path because \"...\"` keeps the deltas.";
    /// A run was cut short.
    Incomplete = "F011", "incomplete run", "The run ended before every repetition was made. What was finished is reported, with a smaller n.";
    /// Measured too short.
    TooShort = "F012", "measured too short", "A measured phase below 10 s is dominated by start effects and checkpoints do not show. Good for trying a suite out, not for a conclusion.";
    /// The client was busy.
    ClientBound = "F013", "client near saturation", "The clients used most of the processor time that was left to them: the figure may be the client's limit, not the server's.";
    /// Swapping.
    Swapping = "F014", "swapping", "The machine swapped during the measured phase: memory accesses waited for the disk. Make caches smaller, stop other programs, or turn swap off.";
    /// Something else used the processors.
    NoisyNeighbour = "F015", "busy neighbour", "Something else used the processors during the measured phase: other processes of this machine, or other guests of its host (steal). Figures move with it, and not for all sides alike. Measure on a machine of your own, or repeat more often.";
    /// Still trending.
    Trending = "F016", "still trending", "Throughput of the last third differs from the first third by more than 10 %: the phase was not in steady state. Warm up or measure longer.";
    /// An expectation could not be judged.
    CannotTell = "F017", "cannot tell", "The repetitions cannot tell whether the expectation holds. Use more repetitions.";
    /// Sides could not be told apart.
    Undecided = "F018", "undecided", "The interval of the delta contains 0 and reaches beyond the noise floor. Use more repetitions or measure longer.";
    /// A page cache that was not cold.
    NotCold = "F019", "restored data not cold", "Pages of the restored copy were still in the page cache when the server started. Engines that read through the page cache gain from that.";
    /// Deep in the work directory, something could not be removed.
    LeftBehind = "F020", "left behind", "A file or directory of the run could not be removed.";
    /// Repetitions ran on what earlier ones left.
    DataReused = "F040", "data reused", "`reuse data`: repetitions ran on the data that earlier ones had changed, so they are no equal trials, and there is no verdict. Leave `reuse data` out to load again in each repetition.";
    /// The time was up.
    BudgetUsed = "F041", "budget used up", "`--budget` ended the run at the end of a lap, so every cell has the same number of repetitions, fewer than asked for. `--resume DIR` makes the rest.";
    /// Runs, or shards of one, were made on unlike machines or servers.
    MixedMachines = "F042", "unlike machines", "Figures of unlike machines, or of unlike builds of a server, stand in one table, as `--mixed` allows. What differs between cells of two machines may be the machines and nothing else.";
    /// A kept dataset was altered.
    DatasetAltered = "F043", "kept dataset altered", "A dataset in the work directory was no longer, byte by byte, what was kept after its load, so it was loaded again. Something else writes below the work directory, or the disk loses data: `dmesg` tells of errors of a disk. `enginecmp data verify` looks at the other datasets.";
    /// The engine is not on the server.
    NotAvailable = "F021", "not available", "The server does not offer the engine, so its cells were not measured. `enginecmp doctor` lists what this machine has and how to get the rest.";
    /// An option of the suite is not in the option file.
    OptionLeftOut = "F022", "option left out", "The release has no such option, and nothing that is measured changes without it, so it is not in the option file.";
    /// A server that is not ours.
    NotOurServer = "F023", "server not started by enginecmp", "The server ran before and runs on, so some things cannot be done to it or seen of it. A cell says which. Compare it only with servers that are reached the same way.";
    /// The server's counters were not sampled.
    NotSampled = "F024", "counters not sampled", "The server did not tell its counters every second, so the causes of dips are not known. The figures themselves do not depend on it.";
    /// Huge pages.
    HugePages = "F025", "transparent huge pages", "The kernel gives huge pages unasked. TokuDB refuses to start then, and other servers may stall while memory is put together or use more of it. `echo madvise > /sys/kernel/mm/transparent_hugepage/enabled`.";
    /// Frequency governor.
    Governor = "F026", "frequency governor", "The processors change their frequency with the load, so that the same work takes different time. `cpupower frequency-set -g performance` while measuring.";
    /// File system.
    FileSystem = "F027", "file system of the work directory", "What a write and a sync cost depends on the file system and how it is mounted. Measure on the kind of disk that you will use; `--work DIR` names a directory elsewhere.";
    /// A disk at its limit.
    SlowDisk = "F028", "disk slow or throttled", "The device of the data was busy nearly all the time, so the figure is the disk's. Cloud disks are also slowed down once their credit is used up: the first minutes then measure another disk than the rest. Measure longer, or on another disk, and say which.";
    /// Mix out of bounds.
    MixOutOfBounds = "F029", "mix out of bounds", "Fewer transactions of a type were completed than the specification asks for, by more than chance. Slow types were left behind, which raises the figure of the others. Measure longer, or use fewer clients.";
    /// Errors.
    Errors = "F030", "transactions given up", "Transactions failed for good after being tried again. They are counted nowhere else. Look at what the clients wait for; a longer lock wait or fewer clients may help.";
    /// Statements prepared again.
    Reprepared = "F031", "statements prepared again", "The server prepared statements anew while clients used them, which costs time in each. Raise `table_definition_cache` and `table_open_cache`.";
    /// A plan changed.
    PlanChanged = "F032", "plan changed", "The optimizer chose another plan for a statement in another repetition of the same cell, so the repetitions did not measure the same. Statistics are frozen after the load; a plan that still changes stands on sampled pages. Look at the statement with EXPLAIN, and give it a hint or the engine more pages to sample.";
    /// A collector gave nothing.
    NotCollected = "F033", "collector failed", "A command of `collect` could not be started, ended with an error, or its output could not be kept. The figures do not depend on it. Commands are started as they stand, without a shell: a program on PATH or its path, then arguments.";
    /// Lines of the user's option file that the server does not get.
    OptionFileLines = "F050", "lines of the option file left out", "A private server has its own paths, ports and sockets, and the options of its own release; other lines of the option file are not for it. Groups that no program reads are told too.";
    /// The disk did other than before.
    DiskChanged = "F061", "disk changed", "The disk did more than 10 % more or less after the suite than before it: a neighbour, a cache of the device that filled up, a budget of a cloud volume that was used up. Figures of early and late repetitions differ for that reason. Look at the series over time, and run again.";
    /// There was no test.
    DiskNotTested = "F062", "disk not tested", "The suite asks for a test of the disk, which needs fio. The rest of the suite was run. Install fio (`apt-get install fio`) to know whether the disk was the same throughout.";
    /// A tool's output is lost.
    OutputNotKept = "F063", "output not kept", "What an outside tool wrote could not be kept beside the journal. Its figures were read before.";
    /// A tool drew the rows.
    RowsOfATool = "F064", "rows of a tool", "An outside tool brought the rows in, and draws them anew at each load: the sides have rows by the same rules, and not the same rows. Counts and conditions were checked. Leave `path external` out for data that are equal to the last byte.";
    /// More arrived than the server could do.
    Saturated = "F060", "saturated", "More transactions arrived than were completed, and those that waited became more and more. Latencies of such a cell grow with the length of the phase and say nothing of the server at this load. Its throughput is its maximum. Lower `rate`, or use `rate 70% of max`.";
    /// A figure of another tool was made right.
    ImportRepaired = "F090", "repaired on import", "The tool's own figure was wrong in a known way and was made right from what else it printed. The finding says what was done.";
    /// A figure of another tool is not what its name says.
    ImportTagged = "F091", "tagged on import", "A figure of the tool is not what its name says, or something about the run makes it unlike others, and the output does not hold what would put it right. Read it with that in mind; a latency of another clock is never laid beside one of time that went by.";
    /// Figures of another tool were left out.
    ImportLeftOut = "F092", "left out on import", "The tool printed figures that hold no truth: first intervals that contain the ramp-up, percentiles at the end of a histogram, counters that went round. They are left out, and nothing stands for them.";
    /// The output of another tool ends early.
    ImportCut = "F093", "output cut short", "The output ends before the tool's totals. The figures come from its intervals as far as they go; percentiles of the whole run cannot be made from them.";
    /// Something to know of an imported run.
    ImportSeen = "F094", "seen on import", "Something in the output that is no defect, and that helps to read its figures.";
    /// Imported labels that cannot be compared.
    NotPaired = "F095", "not paired", "Two labels were measured in different measures, by different workloads or at different sizes. Both are shown, without a delta.";
    /// Figures change by themselves.
    NotStationary = "F070", "figures drift by themselves", "The workload takes rows away or adds them, so a faster side works on other data after the same time, and a longer phase measures something else. End the phase by a count: `requests 100k`. Each repetition begins with a fresh copy of the data.";
    /// A limit that could not be had.
    Unlimited = "F047", "machine limits not had", "`machine { ... }` needs a control group for memory that this user may make (root, or a delegated group) and processors that are there. Without them servers and clients use the whole machine, and figures of a smaller one are not to be had.";
}

/// A warning about our own numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which.
    pub code: FindingCode,
    /// What was seen, with figures.
    pub seen: String,
    /// The cell it was seen in; none when it concerns the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<CellKey>,
}

impl Finding {
    /// A finding about the whole run.
    pub fn new(code: FindingCode, seen: impl Into<String>) -> Self {
        Self { code, seen: seen.into(), cell: None }
    }

    /// The same finding, about one cell.
    #[must_use]
    pub fn of(mut self, cell: CellKey) -> Self {
        self.cell = Some(cell);
        self
    }
}
