//! What is said about figures of other tools: known defects, repaired or not.

/// What was done about something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// A figure was wrong and was made right.
    Repaired,
    /// A figure is not what its name says, and cannot be made right.
    Tagged,
    /// A figure held no truth and was left out.
    LeftOut,
    /// The output ends before the run does.
    Cut,
    /// Something to know when reading the figures.
    Seen,
}

impl NoteKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repaired => "repaired",
            Self::Tagged => "tagged",
            Self::LeftOut => "left out",
            Self::Cut => "cut short",
            Self::Seen => "seen",
        }
    }
}

macro_rules! notes {
    ($($(#[$doc:meta])* $name:ident = $kind:ident, $title:literal;)*) => {
        /// Which defect or circumstance.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum NoteCode { $($(#[$doc])* $name,)* }

        impl NoteCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
            /// What is done about it.
            pub const fn kind(self) -> NoteKind { match self { $(Self::$name => NoteKind::$kind,)* } }
            /// Its name.
            pub const fn title(self) -> &'static str { match self { $(Self::$name => $title,)* } }
        }
    };
}

notes! {
    /// Latencies are processor time of the client.
    CpuTime = Tagged, "latencies are client CPU time";
    /// Latencies are ticks of one attempt.
    TickTime = Tagged, "latencies are 10 ms ticks of one attempt";
    /// The late counts compare milliseconds with seconds.
    LateUnit = Repaired, "late counts in the wrong unit";
    /// Averages count time of the ramp-up that their count lacks.
    MeanInflated = Repaired, "averages contain the ramp-up";
    /// The first interval's latencies contain the ramp-up.
    FirstWindow = LeftOut, "latencies of the first interval contain the ramp-up";
    /// The racy counters lost updates.
    LostUpdates = Repaired, "lost counter updates";
    /// A histogram ended before the latencies did.
    HistogramFull = LeftOut, "percentile at the end of the histogram";
    /// A figure is beyond what can be.
    Overflow = LeftOut, "impossible figure";
    /// The output ends early.
    CutShort = Cut, "output ends before the run";
    /// Fewer clients than asked for.
    ClientsLost = Tagged, "fewer clients than asked for";
    /// The summary counts the warm-up.
    WarmupCounted = Repaired, "summary contains the warm-up";
    /// The averages lost their unit; the sum has it.
    MeanFromSum = Repaired, "average made again from the sum";
    /// Percentiles in the wrong unit.
    PercentileUnit = LeftOut, "percentiles in the wrong unit";
    /// Percentiles are edges of wide buckets.
    WideBuckets = Tagged, "percentiles are edges of wide buckets";
    /// Transactions were rolled back and not tried again.
    IgnoredErrors = Tagged, "ignored errors";
    /// Intended rollbacks stand among the ignored errors.
    Rollbacks = Seen, "intended rollbacks";
    /// Connections were made again.
    Reconnects = Tagged, "reconnects";
    /// The run was bounded by a number of events.
    EventBound = Tagged, "bounded by a number of events";
    /// The run was short.
    Short = Tagged, "measured for less than 10 s";
    /// The arrival rate was given.
    OpenLoop = Tagged, "latencies contain the time in the queue";
    /// The distribution is not in the output.
    DistributionUnsaid = Tagged, "distribution of rows not said";
    /// Figures come from intervals, for want of a summary.
    FromWindows = Seen, "figures from intervals";
    /// Transaction types stand in the wrong proportion.
    Mix = Tagged, "transaction mix out of bounds";
    /// Latencies and time do not add up.
    LittlesLaw = Tagged, "latencies do not add up to the time of the clients";
    /// The printed rate and the printed counts disagree.
    RateFromCounts = Repaired, "rate made again from the counts";
    /// The parameters show that the operations count from different starts.
    UnlikeBases = Seen, "rates have different bases";
    /// Errors were seen.
    Errors = Seen, "errors";
    /// Lines were put together again.
    Unwrapped = Repaired, "wrapped lines put together";
    /// A checkpoint report stood in the output.
    Checkpoint = Seen, "checkpoint reports passed over";
    /// Nothing completed in the last intervals.
    Stalled = Tagged, "nothing completed at the end";
    /// The throughput that a mix would mean in another measure.
    Estimate = Seen, "estimate, not compared";
}

/// Something said about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Which defect or circumstance.
    pub code: NoteCode,
    /// In words, with figures.
    pub said: String,
}

impl Note {
    /// What was done about it.
    pub const fn kind(&self) -> NoteKind {
        self.code.kind()
    }
}
