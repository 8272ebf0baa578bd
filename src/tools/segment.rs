//! An output cut into runs: by the banner each tool prints, else where a new run must have begun.

use super::result::Tool;
use super::text::{Line, patterns};
use super::{sysbench, tpcc_start};

/// The lines of one run.
pub(super) struct Segment<'a> {
    pub(super) tool: Tool,
    pub(super) lines: &'a [Line],
}

/// What a line says about the run it stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// The banner of this tool.
    Banner(Tool),
    /// The first line after a banner, which begins a run where the banner is missing.
    Head(Tool),
    /// A line that only this tool prints, while it runs.
    During(Tool),
    /// The last figure of a run of this tool.
    End(Tool),
}

impl Mark {
    fn tool(self) -> Tool {
        match self {
            Self::Banner(tool) | Self::Head(tool) | Self::During(tool) | Self::End(tool) => tool,
        }
    }
}

patterns! {
    TPCC_BANNER = r"TPC-C Load Generator";
    TPCC_HEAD = r"^\W*<Parameters>";
    TPCC_DURING = r"RAMP-UP TIME|MEASURING START|<Raw Results|\[\d\]\s*sc:\s*-?\d|\|\s*sc:\s*\d+\s*lt:|error at thread_main";
    TPCC_END = r"(?:^|\s)(?:[\d.]+|-?nan|-?inf)\s+TpmC\W*$";
    SYSBENCH_BANNER = r"\bsysbench \d+\.\d+(?:\.\d+)?\S*\s+(?:\(using|\(compiled|multi-threaded)";
    SYSBENCH_HEAD = r"^\W*Running the test with following options";
    SYSBENCH_DURING = r"Number of threads: \d|(?:OLTP test|SQL) statistics:|queries performed:|^\W*time,threads,tps,qps";
    SYSBENCH_END = r"execution time \(avg/stddev\)";
    CHECKPOINT = r"Checkpoint report:";
    GO_LINE = r"\[(?:Current|Summary)\]\s*[A-Z_]+\s*-\s*Takes\(s\)";
    GO_END = r"^\W*tpmC: ";
    LOADER = r"TPCC-mysql Data Loader";
}

fn mark(line: &str) -> Option<Mark> {
    let tests: [(&regex::Regex, Mark); 11] = [
        (&TPCC_BANNER, Mark::Banner(Tool::TpccStart)),
        (&SYSBENCH_BANNER, Mark::Banner(Tool::Sysbench)),
        (&TPCC_HEAD, Mark::Head(Tool::TpccStart)),
        (&SYSBENCH_HEAD, Mark::Head(Tool::Sysbench)),
        (&GO_END, Mark::End(Tool::GoTpc)),
        (&GO_LINE, Mark::During(Tool::GoTpc)),
        (&TPCC_END, Mark::End(Tool::TpccStart)),
        (&TPCC_DURING, Mark::During(Tool::TpccStart)),
        (&SYSBENCH_END, Mark::End(Tool::Sysbench)),
        (&SYSBENCH_DURING, Mark::During(Tool::Sysbench)),
        (&CHECKPOINT, Mark::During(Tool::Sysbench)),
    ];
    tests.into_iter().find(|(pattern, _)| pattern.is_match(line)).map(|(_, mark)| mark)
}

/// The interval line at `at`: its tool, its time and how many lines it takes.
fn interval(lines: &[Line], at: usize) -> Option<(Tool, f64, usize)> {
    if !lines[at].text.contains([',', '[']) {
        return None;
    }
    if let Some((time, used)) = tpcc_start::time_at(lines, at) {
        return Some((Tool::TpccStart, time, used));
    }
    sysbench::time_at(lines, at).map(|(time, used)| (Tool::Sysbench, time, used))
}

/// The run that is being read.
struct Current {
    tool: Tool,
    from: usize,
    /// Nothing but its banner was seen.
    banner_only: bool,
    /// Its last figure was seen.
    ended: bool,
    /// The totals of a checkpoint are being read, which end as a run does.
    checkpoint: bool,
    /// Time of its last interval.
    time: f64,
}

/// The runs of an output. What stands before the first mark belongs to the first run, what stands
/// between two runs to the earlier one; a loader's output belongs to none.
pub(super) fn segments(lines: &[Line]) -> Vec<Segment<'_>> {
    let mut done: Vec<(Tool, usize)> = Vec::new();
    let mut current: Option<Current> = None;
    let mut loading = false;
    let mut at = 0;
    while at < lines.len() {
        let text = lines[at].text.as_str();
        if LOADER.is_match(text) {
            loading = true;
            if let Some(current) = &mut current {
                current.ended = true;
            }
        }
        let (mark, time, used) = match interval(lines, at) {
            Some((tool, time, used)) => (Some(Mark::During(tool)), Some(time), used),
            None => (mark(text), None, 1),
        };
        // The loader prints parameters as the generator does.
        let of_loader = loading && mark == Some(Mark::Head(Tool::TpccStart));
        if let Some(mark) = mark.filter(|_| !of_loader) {
            loading = false;
            if begins(current.as_ref(), mark, time) {
                done.push((mark.tool(), if done.is_empty() { 0 } else { at }));
                current = Some(Current {
                    tool: mark.tool(),
                    from: at,
                    banner_only: true,
                    ended: false,
                    checkpoint: false,
                    time: 0.0,
                });
            }
            if let Some(current) = &mut current {
                current.banner_only = matches!(mark, Mark::Banner(_)) && current.from == at;
                current.time = time.unwrap_or(current.time);
                match mark {
                    Mark::End(_) if current.checkpoint => current.checkpoint = false,
                    Mark::End(_) => current.ended = true,
                    _ => current.checkpoint |= CHECKPOINT.is_match(text),
                }
            }
        }
        at += used;
    }
    let ends = done.iter().skip(1).map(|(_, from)| *from).chain([lines.len()]);
    done.iter()
        .zip(ends)
        .map(|((tool, from), to)| Segment { tool: *tool, lines: &lines[*from..to] })
        .collect()
}

/// Whether a new run begins at a line with this mark.
fn begins(current: Option<&Current>, mark: Mark, time: Option<f64>) -> bool {
    // A result alone, without anything of the run, is a sentence of somebody.
    let Some(current) = current else { return !matches!(mark, Mark::End(_)) };
    if current.tool != mark.tool() {
        return true;
    }
    match mark {
        Mark::Banner(_) => true,
        Mark::Head(_) => !current.banner_only && (current.ended || current.time > 0.0),
        // Time that goes back is the time of another run.
        Mark::During(_) => current.ended || time.is_some_and(|time| time <= current.time),
        Mark::End(_) => false,
    }
}
