//! How fast rows are made, on one core: each table of a TPC-C warehouse as tab-separated text in
//! a buffer that is used again. `cargo bench --bench row_generation`; a number after `--` is how
//! many warehouses are made (default 3).

#[path = "support/rows.rs"]
mod rows;

use enginecmp::model::SettingValue;
use enginecmp::workload::{Parameters, WorkloadKind};
use rows::{CHUNK, TabText};
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

fn main() -> std::io::Result<()> {
    let asked = std::env::args().skip(1).find_map(|word| word.parse::<u32>().ok());
    let warehouses = asked.unwrap_or(3).clamp(1, 1000);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:<12} {:>10} {:>12} {:>8} {:>8}", "table", "rows", "rows/s", "ns/row", "MB/s")?;
    for mode in ["spec", "tpcc_mysql"] {
        let parameters = Parameters::from([
            ("mode".to_string(), SettingValue::Word(mode.to_string())),
            ("warehouses".to_string(), SettingValue::Count(u64::from(warehouses))),
        ]);
        let kind = WorkloadKind::find("tpcc").ok_or_else(|| std::io::Error::other("no tpcc"))?;
        let workload = (kind.make)(&parameters)
            .map_err(|error| std::io::Error::other(format!("{}: {error:?}", error.parameter)))?;
        writeln!(out, "mode {mode}, {warehouses} warehouses")?;
        let (mut all_rows, mut all_time) = (0, Duration::ZERO);
        for table in workload.tables() {
            let mut sink = TabText { text: Vec::with_capacity(CHUNK + 4096), bytes: 0 };
            let mut rows = 0u64;
            let began = Instant::now();
            for part in &table.parts {
                let mut source = workload.rows(1, &table.table, part.part);
                while source.next_row(&mut sink) {
                    rows += 1;
                    if sink.text.len() >= CHUNK {
                        black_box(&sink.text);
                        sink.empty();
                    }
                }
            }
            let took = began.elapsed();
            all_rows += rows;
            all_time += took;
            sink.empty();
            line(&mut out, &table.table, rows, took, Some(sink.bytes))?;
        }
        line(&mut out, "all", all_rows, all_time, None)?;
    }
    Ok(())
}

fn line(
    out: &mut impl Write,
    name: &str,
    rows: u64,
    took: Duration,
    bytes: Option<u64>,
) -> std::io::Result<()> {
    let seconds = took.as_secs_f64().max(1e-9);
    let each = seconds * 1e9 / rows.max(1) as f64;
    let rate = rows as f64 / seconds;
    let speed =
        bytes.map_or(String::new(), |bytes| format!("{:8.0}", bytes as f64 / seconds / 1e6));
    writeln!(out, "{name:<12} {rows:>10} {rate:>12.0} {each:>8.1} {speed}")
}
