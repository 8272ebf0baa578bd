//! The input of benchstat: the text format of Go's benchmarks.

use std::fmt::Write;

/// A benchmark that ran once: a line of the format.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// Configuration in force, by key; benchstat can make columns of it.
    pub keys: Vec<(String, String)>,
    /// Its name, such as `tpcc`.
    pub name: String,
    /// What tells it apart, in order: `wh=100`.
    pub parameters: Vec<(String, String)>,
    /// Figures with their units.
    pub figures: Vec<(f64, String)>,
}

/// What is said of a unit: its name, and whether more is better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitLine {
    /// The unit.
    pub unit: String,
    /// Whether more is better.
    pub higher_is_better: bool,
}

/// The file for these benchmarks. A key is written again only where its value changes.
pub fn write(units: &[UnitLine], benchmarks: &[Benchmark]) -> String {
    let mut out = String::new();
    for unit in units {
        let better = if unit.higher_is_better { "higher" } else { "lower" };
        let _ = writeln!(out, "Unit {} better={better}", unit_name(&unit.unit));
    }
    let mut known: Vec<(String, String)> = Vec::new();
    for benchmark in benchmarks {
        for (key, value) in &benchmark.keys {
            let (key, value) = (key_name(key), value.replace('\n', " "));
            if known.iter().any(|(k, v)| *k == key && *v == value) {
                continue;
            }
            known.retain(|(other, _)| *other != key);
            let _ = writeln!(out, "{key}: {value}");
            known.push((key, value));
        }
        let mut name = format!("Benchmark{}", capital(&word(&benchmark.name)));
        for (parameter, value) in &benchmark.parameters {
            let _ = write!(name, "/{}={}", word(parameter), word(value));
        }
        // A last number after `-` is taken for the count of processors.
        let _ = write!(out, "{name}-1\t1");
        for (value, unit) in &benchmark.figures {
            let _ = write!(out, "\t{value} {}", unit_name(unit));
        }
        out.push('\n');
    }
    out
}

/// A word without what ends a name or a part of one.
fn word(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_whitespace() || matches!(c, '/' | ':') { '_' } else { c })
        .collect()
}

fn unit_name(text: &str) -> String {
    text.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect()
}

/// Keys begin with a lower-case letter and have no blank or colon.
fn key_name(text: &str) -> String {
    let name = word(text).to_lowercase();
    if name.starts_with(|c: char| c.is_ascii_lowercase()) { name } else { format!("k{name}") }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_that_benchstat_reads() {
        let of = |side: &str, value: f64| Benchmark {
            keys: vec![("Engine".to_string(), side.to_string())],
            name: "tpcc mode/x".to_string(),
            parameters: vec![("clients".to_string(), "16".to_string())],
            figures: vec![(value, "tpmC".to_string()), (0.013, "p95 sec".to_string())],
        };
        let units = [UnitLine { unit: "tpmC".to_string(), higher_is_better: true }];
        assert_eq!(
            write(&units, &[of("innodb", 22805.0), of("innodb", 22810.5), of("toku db", 1.0)]),
            "Unit tpmC better=higher\n\
             engine: innodb\n\
             BenchmarkTpcc_mode_x/clients=16-1\t1\t22805 tpmC\t0.013 p95_sec\n\
             BenchmarkTpcc_mode_x/clients=16-1\t1\t22810.5 tpmC\t0.013 p95_sec\n\
             engine: toku db\n\
             BenchmarkTpcc_mode_x/clients=16-1\t1\t1 tpmC\t0.013 p95_sec\n"
        );
    }
}
