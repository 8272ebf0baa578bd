//! fio's JSON output (fio 3: `jobs[]` with `read`, `write` and `sync`, times in nanoseconds).

use serde::Deserialize;
use std::collections::BTreeMap;

/// What fio measured, job group by job group.
#[derive(Clone, Debug, PartialEq)]
pub struct FioResult {
    /// Its version: `fio-3.33`.
    pub version: String,
    /// One for each group that it reported.
    pub jobs: Vec<FioJob>,
}

/// One group of jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct FioJob {
    /// Its name.
    pub name: String,
    /// Number of the error that ended it; 0 when it came to its end.
    pub error: i64,
    /// Reads.
    pub read: FioDirection,
    /// Writes.
    pub write: FioDirection,
    /// fsync or fdatasync; none when there were none.
    pub sync: Option<FioTimes>,
}

/// Requests in one direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioDirection {
    /// Requests a second.
    pub iops: f64,
    /// Bytes a second.
    pub bytes_per_second: f64,
    /// How long they took; none when there were none.
    pub times: Option<FioTimes>,
}

/// How long something took, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FioTimes {
    /// The mean.
    pub mean_ns: f64,
    /// The median.
    pub p50_ns: f64,
    /// The 99th percentile.
    pub p99_ns: f64,
}

#[derive(Deserialize)]
struct Output {
    #[serde(rename = "fio version")]
    version: String,
    #[serde(default)]
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    jobname: String,
    #[serde(default)]
    error: i64,
    read: Direction,
    write: Direction,
    #[serde(default)]
    sync: Syncs,
}

#[derive(Deserialize)]
struct Direction {
    iops: f64,
    bw_bytes: f64,
    #[serde(default)]
    clat_ns: Times,
}

#[derive(Default, Deserialize)]
struct Syncs {
    #[serde(default)]
    lat_ns: Times,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Times {
    mean: f64,
    percentile: BTreeMap<String, f64>,
}

impl Times {
    fn given(&self) -> Option<FioTimes> {
        let of = |percent: &str| self.percentile.get(percent).copied();
        Some(FioTimes { mean_ns: self.mean, p50_ns: of("50.000000")?, p99_ns: of("99.000000")? })
    }
}

impl From<Direction> for FioDirection {
    fn from(from: Direction) -> Self {
        Self { iops: from.iops, bytes_per_second: from.bw_bytes, times: from.clat_ns.given() }
    }
}

/// Reads the output of `fio --output-format=json`, before which fio and others may have said
/// something. The error is in fio's words where it gave no result.
pub fn parse(text: &str) -> Result<FioResult, String> {
    let begins = text.starts_with('{').then_some(0).or_else(|| text.find("\n{").map(|at| at + 1));
    let said = |text: &str| {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.is_empty() { "fio said nothing".to_string() } else { lines.join("; ") }
    };
    let Some(begins) = begins else { return Err(said(text)) };
    let mut documents =
        serde_json::Deserializer::from_slice(&text.as_bytes()[begins..]).into_iter::<Output>();
    let output = match documents.next() {
        Some(Ok(output)) => output,
        Some(Err(error)) => return Err(format!("fio's output cannot be read: {error}")),
        None => return Err(said(text)),
    };
    let result = FioResult {
        version: output.version,
        jobs: output
            .jobs
            .into_iter()
            .map(|job| FioJob {
                name: job.jobname,
                error: job.error,
                read: job.read.into(),
                write: job.write.into(),
                sync: job.sync.lat_ns.given(),
            })
            .collect(),
    };
    match result.jobs.iter().find(|job| job.error != 0) {
        Some(job) => Err(format!("{}: error {}: {}", job.name, job.error, said(&text[..begins]))),
        None => Ok(result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As fio 3.33 prints it, cut to what is read.
    const TWO_JOBS: &str = r#"note: both iodepth >= 1 and synchronous I/O engine are selected
{
  "fio version" : "fio-3.33",
  "timestamp" : 1796082421,
  "global options" : { "size" : "64M" },
  "jobs" : [
    {
      "jobname" : "mixed",
      "groupid" : 0,
      "error" : 0,
      "read" : { "iops" : 8458.5, "bw_bytes" : 138581673, "clat_ns" : {
        "min" : 1, "max" : 2, "mean" : 240000.5, "stddev" : 1.0, "N" : 16917,
        "percentile" : { "50.000000" : 130560, "99.000000" : 2965504 } } },
      "write" : { "iops" : 3729.67581, "bw_bytes" : 61107008, "clat_ns" : {
        "mean" : 190000.0, "percentile" : { "50.000000" : 90000, "99.000000" : 1965504 } } },
      "sync" : { "total_ios" : 0, "lat_ns" : { "min" : 0, "max" : 0, "mean" : 0.0, "N" : 0 } }
    },
    {
      "jobname" : "sync",
      "error" : 0,
      "read" : { "iops" : 0.0, "bw_bytes" : 0, "clat_ns" : { "mean" : 0.0 } },
      "write" : { "iops" : 155.688623, "bw_bytes" : 637700, "clat_ns" : {
        "mean" : 9.0, "percentile" : { "50.000000" : 8, "99.000000" : 19 } } },
      "sync" : { "total_ios" : 156, "lat_ns" : { "mean" : 6374699.480769,
        "percentile" : { "50.000000" : 4620288, "99.000000" : 35913728 } } }
    }
  ],
  "disk_util" : [ ]
}
"#;

    #[test]
    fn figures_of_each_group_are_read() {
        let result = parse(TWO_JOBS).unwrap();
        assert_eq!(result.version, "fio-3.33");
        let (mixed, sync) = (&result.jobs[0], &result.jobs[1]);
        assert_eq!((mixed.name.as_str(), mixed.read.iops), ("mixed", 8458.5));
        assert_eq!(mixed.write.bytes_per_second, 61_107_008.0);
        assert_eq!(mixed.read.times.unwrap().p99_ns, 2_965_504.0);
        assert_eq!(mixed.sync, None);
        assert_eq!(sync.read.times, None);
        let times = sync.sync.unwrap();
        assert_eq!((times.p50_ns, times.p99_ns), (4_620_288.0, 35_913_728.0));
    }

    #[test]
    fn what_went_wrong_is_told_in_the_words_of_fio() {
        let failed = TWO_JOBS
            .replacen("\"error\" : 0", "\"error\" : 28", 1)
            .replace("note: both", "fio: io_u error on file data: No space left on device; both");
        let error = parse(&failed).unwrap_err();
        assert!(error.starts_with("mixed: error 28: fio: io_u error on file data"), "{error}");
        assert_eq!(parse("fio: unable to open\n\n").unwrap_err(), "fio: unable to open");
        assert_eq!(parse("").unwrap_err(), "fio said nothing");
        assert!(parse("{ \"jobs\" : [").unwrap_err().contains("cannot be read"));
    }
}
