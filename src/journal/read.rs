//! Reading a journal: a torn tail is cut, unknown records are counted, anything else unreadable is
//! an error with its line.

use super::error::JournalError;
use super::record::{
    DatasetRecord, EndRecord, FailedRecord, MachineRecord, PlanRecord, ProbeRecord, Record,
    RepetitionRecord, RunRecord, SamplesRecord, ServerRecord, VERSION, WindowsRecord,
};
use crate::model::{CellKey, Finding};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A journal that was read.
#[derive(Clone, Debug)]
pub struct Journal {
    /// The file it came from, as named by the user or found in the run's directory.
    pub file: PathBuf,
    /// Its first record.
    pub run: RunRecord,
    /// Every known record in order, the first included.
    pub records: Vec<Record>,
    /// Records of a later release that were skipped.
    pub unknown: usize,
    /// What was cut off at its end.
    pub torn: Option<TornTail>,
    /// Bytes up to the end of the last whole record.
    pub whole_bytes: u64,
}

/// A last line that was never finished: the writer was killed, or the disk was full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TornTail {
    /// Its line, from 1.
    pub line: usize,
    /// Its length.
    pub bytes: u64,
}

/// One repetition with everything that was written about it.
#[derive(Clone, Debug)]
pub struct RepetitionView<'a> {
    /// The repetition.
    pub record: &'a RepetitionRecord,
    /// Its windows, in order of writing.
    pub windows: Vec<&'a WindowsRecord>,
    /// What was sampled in its phases, in order of writing.
    pub samples: Vec<&'a SamplesRecord>,
    /// Its probes, in order of writing.
    pub probes: Vec<&'a ProbeRecord>,
}

/// Reads a run's journal; `path` is its directory or the file itself.
pub fn read(path: &Path) -> Result<Journal, JournalError> {
    let file = if path.is_dir() { path.join(super::FILE_NAME) } else { path.to_path_buf() };
    let bytes = fs::read(&file).map_err(|source| JournalError::io("read", &file, source))?;
    parse(&file, &bytes)
}

/// What is looked at before anything else of the first line.
#[derive(Deserialize)]
struct Head {
    t: String,
    v: Option<u64>,
}

/// Reads a journal from memory; `file` is for messages.
pub fn parse(file: &Path, bytes: &[u8]) -> Result<Journal, JournalError> {
    let name = || file.display().to_string();
    let not_a_journal =
        |reason: &str| JournalError::NotAJournal { file: name(), reason: reason.to_string() };
    let mut records: Vec<Record> = Vec::new();
    let mut unknown = 0;
    let mut torn: Option<TornTail> = None;
    let mut whole_bytes = 0u64;
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let Some(text) = line.strip_suffix(b"\n") else {
            torn = Some(TornTail { line: index + 1, bytes: line.len() as u64 });
            break;
        };
        if index == 0 {
            let head: Head = serde_json::from_slice(text)
                .map_err(|_| not_a_journal("its first line is no record"))?;
            if head.t != "run" {
                return Err(not_a_journal("its first record does not say what runs"));
            }
            match head.v {
                None => return Err(not_a_journal("its first record has no version")),
                Some(found) if found > u64::from(VERSION) => {
                    return Err(JournalError::TooNew { file: name(), found, known: VERSION });
                }
                Some(_) => {}
            }
        }
        match Record::read(text) {
            Ok(Record::Unknown) => unknown += 1,
            Ok(record) => records.push(record),
            // A power cut can leave blocks that were never written: where no whole record follows,
            // the line is as torn as one without an end.
            Err(_) if records_end(&bytes[whole_bytes as usize..]) => {
                let bytes = bytes.len() as u64 - whole_bytes;
                torn = Some(TornTail { line: index + 1, bytes });
                break;
            }
            Err(error) => {
                return Err(JournalError::BadLine {
                    file: name(),
                    line: index + 1,
                    reason: error.to_string(),
                });
            }
        }
        whole_bytes += line.len() as u64;
    }
    let Some(Record::Run(run)) = records.first() else {
        return Err(not_a_journal("it has no whole record"));
    };
    let run = run.clone();
    Ok(Journal { file: file.to_path_buf(), run, records, unknown, torn, whole_bytes })
}

/// Whether nothing from here on is a whole record.
fn records_end(rest: &[u8]) -> bool {
    rest.split_inclusive(|&byte| byte == b'\n')
        .filter_map(|line| line.strip_suffix(b"\n"))
        .all(|line| Record::read(line).is_err())
}

impl Journal {
    /// The machine that was measured on.
    pub fn machine(&self) -> Option<&MachineRecord> {
        self.find(|record| match record {
            Record::Machine(machine) => Some(machine),
            _ => None,
        })
        .next()
    }

    /// What was planned; of a suite that was changed on the way, the last.
    pub fn plan(&self) -> Option<&PlanRecord> {
        self.find(|record| match record {
            Record::Plan(plan) => Some(plan),
            _ => None,
        })
        .last()
    }

    /// What ran last: the suite's text with its profiles, which may have changed on the way.
    pub fn latest(&self) -> &RunRecord {
        self.find(|record| match record {
            Record::Run(run) => Some(run),
            _ => None,
        })
        .last()
        .unwrap_or(&self.run)
    }

    /// Servers that were started.
    pub fn servers(&self) -> impl Iterator<Item = &ServerRecord> {
        self.find(|record| match record {
            Record::Server(server) => Some(server),
            _ => None,
        })
    }

    /// Datasets that were loaded or found.
    pub fn datasets(&self) -> impl Iterator<Item = &DatasetRecord> {
        self.find(|record| match record {
            Record::Dataset(dataset) => Some(dataset),
            _ => None,
        })
    }

    /// What broke outside repetitions.
    pub fn failures(&self) -> impl Iterator<Item = &FailedRecord> {
        self.find(|record| match record {
            Record::Failed(failed) => Some(failed),
            _ => None,
        })
    }

    /// Warnings about the run's own numbers.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.find(|record| match record {
            Record::Finding(finding) => Some(finding),
            _ => None,
        })
    }

    /// How the run ended; none when it was killed. A run that was taken up again counts by its
    /// last record.
    pub fn end(&self) -> Option<&EndRecord> {
        match self.records.last() {
            Some(Record::End(end)) => Some(end),
            _ => None,
        }
    }

    /// Every repetition, whole or failed, in order of writing, with its windows, samples and
    /// probes.
    ///
    /// Windows, samples and probes are written before their repetition. Those that a killed run left
    /// without one are not shown. A repetition made again replaces the earlier one.
    pub fn repetitions(&self) -> Vec<RepetitionView<'_>> {
        type Key<'a> = (&'a CellKey, u32);
        let mut windows: BTreeMap<Key<'_>, Vec<&WindowsRecord>> = BTreeMap::new();
        let mut samples: BTreeMap<Key<'_>, Vec<&SamplesRecord>> = BTreeMap::new();
        let mut probes: BTreeMap<Key<'_>, Vec<&ProbeRecord>> = BTreeMap::new();
        let mut views: Vec<Option<RepetitionView<'_>>> = Vec::new();
        let mut last: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        for record in super::effective(&self.records) {
            match record {
                Record::Windows(w) => windows.entry((&w.cell, w.repetition)).or_default().push(w),
                Record::Samples(s) => samples.entry((&s.cell, s.repetition)).or_default().push(s),
                Record::Probe(p) => probes.entry((&p.cell, p.repetition)).or_default().push(p),
                Record::Repetition(repetition) => {
                    let key = (&repetition.cell, repetition.repetition);
                    if let Some(before) = last.insert(key, views.len()) {
                        views[before] = None;
                    }
                    views.push(Some(RepetitionView {
                        record: repetition,
                        windows: windows.remove(&key).unwrap_or_default(),
                        samples: samples.remove(&key).unwrap_or_default(),
                        probes: probes.remove(&key).unwrap_or_default(),
                    }));
                }
                _ => {}
            }
        }
        views.into_iter().flatten().collect()
    }

    /// What a reader must be told about the file itself, in words.
    pub fn warnings(&self) -> Vec<String> {
        let mut said = Vec::new();
        if let Some(torn) = self.torn {
            said.push(format!(
                "{}:{}: the last record was never finished; its {} bytes are left out",
                self.file.display(),
                torn.line,
                torn.bytes
            ));
        }
        if self.unknown > 0 {
            said.push(format!(
                "{}: {} records of a later release were skipped",
                self.file.display(),
                self.unknown
            ));
        }
        said
    }

    fn find<'a, T: 'a>(
        &'a self,
        pick: impl Fn(&'a Record) -> Option<&'a T> + 'a,
    ) -> impl Iterator<Item = &'a T> {
        self.records.iter().filter_map(pick)
    }
}
