//! The text of other tools, both ways: what they printed, read into typed results, and what they read
//! ([`benchstat`], [`junit`]).
//!
//! [`read`] takes whatever text people have: whole logs, several runs in a row, pastes that a
//! terminal wrapped or a web page escaped, files that end in the middle. Each run in it becomes a
//! [`ToolRun`] with its figures, its windows and [`Note`]s on what was repaired, what carries a tag
//! and what was left out. A run that is no result has a [`Refusal`] and no figures.

pub mod benchstat;
pub mod fio;
pub mod go_tpc;
pub mod junit;
mod note;
mod result;
mod segment;
pub mod sysbench;
mod text;
pub mod tpcc_start;

pub use note::{Note, NoteCode, NoteKind};
pub use result::{
    Clock, ErrorSeen, Latency, Refusal, Statistic, Tool, ToolRun, TypeCounts, TypeWindow, Window,
};

use segment::{Segment, segments};

/// Reads every run in the output of a tool, in order. Bytes that are no UTF-8 are replaced, a
/// UTF-16 file is recognised. Text without a run gives nothing.
pub fn read(output: &[u8]) -> Vec<ToolRun> {
    let lines = text::lines(output);
    segments(&lines)
        .into_iter()
        .filter_map(|Segment { tool, lines }| match tool {
            Tool::TpccStart => tpcc_start::read(lines),
            Tool::Sysbench | Tool::SysbenchTpcc => sysbench::read(lines),
            Tool::GoTpc => go_tpc::read(lines),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: &str = "  10, 10(0):2.695|3.028, 10(0):0.500|0.696, 1(0):0.236|0.291, 1(0):3.061|3.177, 1(0):8.839|9.383\n";

    fn runs(text: &str) -> Vec<(Tool, usize)> {
        read(text.as_bytes()).iter().map(|run| (run.tool, run.windows.len())).collect()
    }

    #[test]
    fn text_without_a_run_gives_none() {
        assert_eq!(runs(""), []);
        assert_eq!(runs("Dear colleagues,\nplease find attached 10, 20 and 30 results.\n"), []);
    }

    #[test]
    fn several_runs_in_one_text_are_kept_apart() {
        let tpcc = format!("*** ###easy### TPC-C Load Generator ***\n{INTERVAL}");
        assert_eq!(runs(&tpcc.repeat(3)), [(Tool::TpccStart, 1); 3]);
        // Without a banner a time that goes back is another run's.
        assert_eq!(runs(&INTERVAL.repeat(2)), [(Tool::TpccStart, 1); 2]);
        let sysbench = "sysbench 1.0.20 (using LuaJIT 2)\n\nRunning the test with following options:\nNumber of threads: 2\n";
        assert_eq!(
            runs(&format!("{sysbench}{tpcc}{sysbench}")),
            [(Tool::Sysbench, 0), (Tool::TpccStart, 1), (Tool::Sysbench, 0)]
        );
    }

    #[test]
    fn a_latency_of_another_clock_carries_its_name() {
        let mut run = read(INTERVAL.as_bytes()).remove(0);
        assert!(run.has(NoteCode::CpuTime) && run.has(NoteCode::CutShort));
        assert_eq!(run.headline_value(), Some(60.0));
        run.latency(Statistic::Max, Some("new_order"), 0.003, Clock::ClientCpu);
        let named: Vec<String> = run.metrics().iter().map(|m| m.id.to_string()).collect();
        assert!(
            named.contains(&"max_latency(new_order, client CPU time)".to_string()),
            "{named:?}"
        );
    }
}
