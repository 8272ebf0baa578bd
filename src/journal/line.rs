//! One line of a journal: a record, and in `t` which one it is.

use super::record::{
    CalibrationRecord, CollectedRecord, DatasetRecord, DiskTestRecord, EndRecord, FailedRecord,
    MachineRecord, MaximumRecord, PlanRecord, PlansRecord, ProbeRecord, RepetitionRecord,
    ResumedRecord, RunRecord, SamplesRecord, ServerRecord, WindowsRecord,
};
use crate::model::Finding;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The records with what `t` calls them. Reading looks for `t` first and then reads the line as that
/// record: serde's own way for tagged enums would hold every line as a tree in between.
macro_rules! records {
    ($($(#[$doc:meta])* $variant:ident($record:ty) = $tag:literal,)*) => {
        /// One line of a journal.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(tag = "t")]
        pub enum Record {
            $($(#[$doc])* #[serde(rename = $tag)] $variant($record),)*
            /// A record of a later release.
            #[serde(rename = "unknown")]
            Unknown,
        }

        impl Record {
            /// The record that a line holds, its end left out.
            pub(super) fn read(line: &[u8]) -> serde_json::Result<Self> {
                let Tag { t } = serde_json::from_slice(line)?;
                match &*t {
                    $($tag => serde_json::from_slice(line).map(Self::$variant),)*
                    _ => Ok(Self::Unknown),
                }
            }
        }
    };
}

/// What is looked at first.
#[derive(Deserialize)]
struct Tag<'l> {
    #[serde(borrow)]
    t: Cow<'l, str>,
}

records! {
    /// First line: what runs.
    Run(RunRecord) = "run",
    /// The machine.
    Machine(MachineRecord) = "machine",
    /// What was planned; resolved, so that comparing never parses a suite.
    Plan(PlanRecord) = "plan",
    /// How far figures of one and the same thing stray on this machine, measured before the run.
    Calibration(CalibrationRecord) = "calibration",
    /// A server that was started, in its own words.
    Server(ServerRecord) = "server",
    /// A dataset was loaded once.
    Dataset(DatasetRecord) = "dataset",
    /// One repetition of a cell, whole or failed.
    Repetition(RepetitionRecord) = "repetition",
    /// The seconds of one phase of a repetition.
    Windows(WindowsRecord) = "windows",
    /// What was sampled every second of one phase of a repetition.
    Samples(SamplesRecord) = "samples",
    /// The plans of a workload's statements in a repetition.
    Plans(PlansRecord) = "plans",
    /// What a collector said during a repetition.
    Collected(CollectedRecord) = "collected",
    /// A probe query, timed.
    Probe(ProbeRecord) = "probe",
    /// Something broke outside any one repetition: a server, a dataset, an engine.
    Failed(FailedRecord) = "failed",
    /// A warning about our own numbers.
    Finding(Finding) = "finding",
    /// The throughput of a closed loop, which the rate of an open one is a share of.
    Maximum(MaximumRecord) = "maximum",
    /// The disk was tested.
    DiskTest(DiskTestRecord) = "disk_test",
    /// A run was taken up again.
    Resumed(ResumedRecord) = "resumed",
    /// Last line of a run that came to its end.
    End(EndRecord) = "end",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_by_its_tag_wherever_that_stands() {
        let failed = "{\"place\":null,\"t\":\"end\",\"reason\":1}";
        assert!(Record::read(failed.as_bytes()).is_err());
        for line in ["{\"t\":\"later\",\"x\":[1]}", "{\"x\":[1],\"t\":\"la\\u0074er\"}"] {
            assert_eq!(Record::read(line.as_bytes()).unwrap(), Record::Unknown);
        }
        assert!(Record::read(b"{\"x\":1}").is_err());
        assert!(Record::read(b"{\"t\":\"run\"} {}").is_err());
    }
}
