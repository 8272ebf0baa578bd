//! At what rate a dump streams through the DDL transforms: `cargo bench --bench schema_stream`.
//! `ENGINECMP_BENCH_MIB` sets how much of a dump is made up (256 MiB without it).

#![allow(clippy::print_stdout)] // a benchmark prints its figure

use enginecmp::engine::EngineSpec;
use enginecmp::schema::{Transform, transform_stream};
use std::io::{self, Read};
use std::time::Instant;

const HEAD: &str = "CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `p` int,\n  `v` varchar(200),\n  \
    PRIMARY KEY (`id`),\n  CONSTRAINT `f` FOREIGN KEY (`p`) REFERENCES `t` (`id`)\n) ENGINE=InnoDB;\n";

/// A dump as mysqldump writes it: one table, then INSERT statements of a thousand rows.
struct Dump {
    left: u64,
    piece: Vec<u8>,
    at: usize,
}

impl Dump {
    fn new(bytes: u64) -> Self {
        Self { left: bytes, piece: HEAD.as_bytes().to_vec(), at: 0 }
    }

    fn insert() -> Vec<u8> {
        let rows: Vec<_> = (0..1000)
            .map(|n| format!("({n},NULL,'row {n}; it\\'s \\\"quoted\\\" text -- no comment')"))
            .collect();
        format!("INSERT INTO `t` VALUES {};\n", rows.join(",")).into_bytes()
    }
}

impl Read for Dump {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Ok(0);
        }
        if self.at == self.piece.len() {
            if self.piece.starts_with(b"CREATE") {
                self.piece = Self::insert();
            }
            self.at = 0;
        }
        let length = into.len().min(self.piece.len() - self.at).min(self.left as usize);
        into[..length].copy_from_slice(&self.piece[self.at..self.at + length]);
        self.at += length;
        self.left -= length as u64;
        Ok(length)
    }
}

/// Largest resident memory of this process so far, KiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn main() {
    let mib = std::env::var("ENGINECMP_BENCH_MIB").ok().and_then(|n| n.parse().ok()).unwrap_or(256);
    let transform = Transform {
        storage: EngineSpec::find("RocksDB"),
        family: "mariadb".to_string(),
        strip_foreign_keys: true,
        ..Transform::default()
    };
    let began = Instant::now();
    let streamed = transform_stream(Dump::new(mib << 20), io::sink(), &transform)
        .expect("a sink takes everything");
    let seconds = began.elapsed().as_secs_f64();
    let rate = streamed.bytes as f64 / f64::from(1 << 20) / seconds;
    println!(
        "schema_stream: {mib} MiB in {seconds:.2} s, {rate:.0} MiB/s, peak memory {} KiB",
        peak_memory()
    );
}
