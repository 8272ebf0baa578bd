//! The test of the disk that the data lie on: fio before and after the suite.

use super::places::Instance;
use super::program::run_program;
use super::records;
use super::repetition::Env;
use crate::host::guard::GuardedSpec;
use crate::journal::record::{DiskFigures, DiskMoment, DiskTestRecord};
use crate::model::{Finding, FindingCode, Phase};
use crate::plan::DiskTest;
use crate::tools::fio;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

/// The tool.
const FIO: &str = "fio";

/// How far the two tests may lie apart, as a share of the first.
const APART: f64 = 0.10;

/// How long fio may take beside its requests: it writes the whole file first.
const LAYING_OUT: Duration = Duration::from_secs(900);

/// Tests the disk. What keeps it from that is in the record; the suite goes on.
pub(super) fn test(env: Env<'_>, test: &DiskTest, moment: DiskMoment) -> DiskTestRecord {
    let at = records::now();
    let began = Instant::now();
    let measured = measured(env, test);
    let mut record = DiskTestRecord {
        moment,
        at,
        elapsed_ms: began.elapsed().as_millis() as u64,
        tool: String::new(),
        block_bytes: test.block_bytes,
        read_percent: test.read_percent,
        size_bytes: test.size_bytes,
        jobs: test.jobs,
        time_ms: test.time.as_millis() as u64,
        engine: test.engine.clone(),
        direct: test.direct,
        figures: None,
        why_not: None,
    };
    match measured {
        Ok((tool, figures)) => {
            record.tool = tool;
            record.figures = Some(figures);
        }
        Err(why) => record.why_not = Some(why),
    }
    record
}

fn measured(env: Env<'_>, test: &DiskTest) -> Result<(String, DiskFigures), String> {
    let work = env.settings.work;
    let directory =
        |label| Instance::new(work, label, Phase::Start).map_err(|failure| failure.message);
    // The guard removes the directory of the file, also when enginecmp is killed.
    let place = directory("disk-test")?;
    let said = directory("disk-test-output")?;
    let spec = GuardedSpec {
        program: FIO.into(),
        arguments: arguments(test, &place.folder().join("file")),
        output: said.folder().join("fio.out"),
        remove_after: Some(place.folder().to_path_buf()),
        ..GuardedSpec::default()
    };
    let limit = (test.time + test.sync_time()) * 2 + LAYING_OUT;
    let settings = env.settings;
    let ended = run_program(&settings.guard, &spec, limit, &settings.interrupt, &mut || {})
        .map_err(|error| format!("{error}. Install it: apt-get install fio"))?;
    if ended.ended.is_none() {
        return Err(format!("fio was {}", ended.how()));
    }
    let result = fio::parse(&ended.output)?;
    figures(&result)
        .ok_or_else(|| "fio's output lacks figures".to_string())
        .map(|figures| (result.version, figures))
}

/// fio's arguments: random requests of all jobs on one file, then small writes with fdatasync on
/// the same, one after the other.
fn arguments(test: &DiskTest, file: &Path) -> Vec<OsString> {
    let seconds = |time: Duration| time.as_secs_f64().ceil().max(1.0) as u64;
    let mut filename = OsString::from("--filename=");
    filename.push(file);
    let mut out = vec![filename];
    let (size, block) = (test.size_bytes, test.block_bytes);
    let (read, jobs, direct) = (test.read_percent.round(), test.jobs, u8::from(test.direct));
    let (mixed, sync, engine) = (seconds(test.time), seconds(test.sync_time()), &test.engine);
    out.extend(
        [
            "--output-format=json".to_string(),
            "--group_reporting".to_string(),
            "--time_based".to_string(),
            // One process: a job that is a process of its own leaves fio's group and outlives it.
            "--thread".to_string(),
            format!("--size={size}"),
            "--name=mixed".to_string(),
            "--rw=randrw".to_string(),
            format!("--rwmixread={read}"),
            format!("--bs={block}"),
            format!("--numjobs={jobs}"),
            format!("--runtime={mixed}"),
            format!("--ioengine={engine}"),
            format!("--direct={direct}"),
            "--name=sync".to_string(),
            "--stonewall".to_string(),
            "--rw=write".to_string(),
            "--bs=4096".to_string(),
            "--numjobs=1".to_string(),
            format!("--runtime={sync}"),
            "--ioengine=psync".to_string(),
            "--direct=0".to_string(),
            "--fdatasync=1".to_string(),
        ]
        .map(OsString::from),
    );
    out
}

fn figures(result: &fio::FioResult) -> Option<DiskFigures> {
    let of = |name: &str| result.jobs.iter().find(|job| job.name == name);
    let (mixed, sync) = (of("mixed")?, of("sync")?.sync?);
    let p99 = |direction: &fio::FioDirection| direction.times.map_or(0.0, |times| times.p99_ns);
    Some(DiskFigures {
        reads_per_second: mixed.read.iops,
        writes_per_second: mixed.write.iops,
        bytes_per_second: mixed.read.bytes_per_second + mixed.write.bytes_per_second,
        read_p99_ns: p99(&mixed.read),
        write_p99_ns: p99(&mixed.write),
        sync_p50_ns: sync.p50_ns,
        sync_p99_ns: sync.p99_ns,
    })
}

/// What is worth saying about the tests of a run.
pub(super) fn finding(before: Option<&DiskTestRecord>, record: &DiskTestRecord) -> Option<Finding> {
    if let Some(why) = &record.why_not {
        return Some(Finding::new(FindingCode::DiskNotTested, why.clone()));
    }
    let (before, after) = (before?.figures?, record.figures?);
    let mut apart = Vec::new();
    let mut compare = |what: &str, first: f64, second: f64, shown: &dyn Fn(f64) -> String| {
        let change = second / first - 1.0;
        if change.is_finite() && change.abs() > APART {
            apart.push(format!(
                "{what} {} before and {} after ({:+.0} %)",
                shown(first),
                shown(second),
                change * 100.0
            ));
        }
    };
    let requests = |figures: &DiskFigures| figures.reads_per_second + figures.writes_per_second;
    compare("requests/s", requests(&before), requests(&after), &|value| format!("{value:.0}"));
    compare("fdatasync", before.sync_p50_ns, after.sync_p50_ns, &|value| {
        format!("{:.2} ms", value / 1e6)
    });
    (!apart.is_empty()).then(|| Finding::new(FindingCode::DiskChanged, apart.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(requests: f64, sync_ms: f64) -> DiskTestRecord {
        DiskTestRecord {
            moment: DiskMoment::Before,
            at: String::new(),
            elapsed_ms: 0,
            tool: "fio-3.33".to_string(),
            block_bytes: 16_384,
            read_percent: 70.0,
            size_bytes: 1,
            jobs: 1,
            time_ms: 1000,
            engine: "psync".to_string(),
            direct: true,
            figures: Some(DiskFigures {
                reads_per_second: requests * 0.7,
                writes_per_second: requests * 0.3,
                bytes_per_second: 0.0,
                read_p99_ns: 0.0,
                write_p99_ns: 0.0,
                sync_p50_ns: sync_ms * 1e6,
                sync_p99_ns: 0.0,
            }),
            why_not: None,
        }
    }

    #[test]
    fn a_disk_that_is_ten_percent_slower_afterwards_is_told() {
        let before = record(1000.0, 2.0);
        assert_eq!(finding(Some(&before), &record(910.0, 2.19)), None);
        assert_eq!(finding(None, &record(1.0, 1.0)), None);
        let found = finding(Some(&before), &record(890.0, 3.0)).expect("it is told");
        assert_eq!(found.code, FindingCode::DiskChanged);
        assert_eq!(
            found.seen,
            "requests/s 1000 before and 890 after (-11 %); fdatasync 2.00 ms before and 3.00 ms \
             after (+50 %)"
        );
    }

    #[test]
    fn the_published_test_is_asked_for_as_it_was() {
        let arguments = arguments(&DiskTest::default(), Path::new("/data/file"));
        let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
        for word in [
            "--filename=/data/file",
            "--bs=16384",
            "--rwmixread=70",
            "--numjobs=30",
            "--size=2147483648",
            "--runtime=120",
            "--ioengine=psync",
            "--direct=1",
            "--fdatasync=1",
        ] {
            assert!(words.contains(&word), "{word} is not in {words:?}");
        }
    }
}
