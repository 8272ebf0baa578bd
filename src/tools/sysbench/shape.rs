//! What a sysbench run did, told by its queries: the output names neither the test nor, since 0.5,
//! the distribution of rows.

use super::header::Header;

/// Reads, writes and others a transaction, and the test that issues them.
const TESTS: &[([u64; 3], &str)] = &[
    ([14, 4, 2], "oltp_read_write"),
    ([14, 4, 0], "oltp_read_write without transactions"),
    ([14, 0, 2], "oltp_read_only"),
    ([14, 0, 0], "oltp_read_only without transactions"),
    ([0, 4, 2], "oltp_write_only"),
    ([1, 0, 0], "oltp_point_select"),
    ([0, 1, 0], "one write a transaction"),
    ([14, 5, 2], "oltp complex"),
];

/// The release that decides about statements and defaults: `0.4`, `1.0` ...
pub(super) fn release(version: &str) -> String {
    version.split(['.', '-']).take(2).collect::<Vec<_>>().join(".")
}

/// The distribution that a release draws rows from unless told otherwise.
fn default_distribution(release: &str) -> &'static str {
    match release {
        "0.4" | "0.5" | "1.0" => "special",
        _ => "uniform",
    }
}

/// Whether the queries are those of TPC-C: about 13 reads and 13 writes a transaction.
pub(super) fn is_tpcc(each: [f64; 3]) -> bool {
    (11.0..15.5).contains(&each[0]) && (11.0..15.5).contains(&each[1])
}

/// The test: by name where one is known, else by its queries. Queries of transactions that ended
/// in an error count too; `failed` is how many there were for each that was completed.
fn test(header: &Header, each: Option<[f64; 3]>, failed: f64) -> String {
    let by_queries = each.map(|each| {
        let whole = each.map(|queries| queries.round() as u64);
        let fits = |known: &[u64; 3]| {
            known.iter().zip(each).all(|(known, most)| {
                let known = *known as f64;
                (most / (1.0 + failed) - 0.25..=most + 0.25).contains(&known)
                    && (known > 0.0) == (most > 0.0)
            })
        };
        let known = TESTS.iter().find(|(queries, _)| fits(queries)).map(|(_, name)| *name);
        known.map_or_else(
            || {
                format!(
                    "{} reads, {} writes, {} others a transaction",
                    whole[0], whole[1], whole[2]
                )
            },
            str::to_string,
        )
    });
    match (&header.test, by_queries) {
        // 0.4 says "mixed" and "read-only"; the queries say more.
        (Some(said), Some(queries)) if matches!(said.as_str(), "mixed" | "read-only" | "oltp") => {
            queries
        }
        (Some(said), _) => said.clone(),
        (None, Some(queries)) => queries,
        (None, None) => "test not said".to_string(),
    }
}

/// What was run, with everything that makes figures unlike others; and whether the distribution is
/// only assumed.
pub(super) fn workload(
    header: &Header,
    release: &str,
    each: Option<[f64; 3]>,
    failed: f64,
) -> (String, bool) {
    let (distribution, assumed) = match &header.distribution {
        Some(distribution) => (format!("{distribution} distribution"), false),
        None => {
            (format!("distribution not said ({} by default)", default_distribution(release)), true)
        }
    };
    let mut workload = format!("sysbench {release} {}, {distribution}", test(header, each, failed));
    for (names, says) in [
        (["tables", "oltp-tables-count"], "tables"),
        (["table-size", "oltp-table-size"], "rows a table"),
        (["scale", "warehouses"], "warehouses"),
    ] {
        if let Some(value) = names.iter().find_map(|name| header.arguments.get(*name)) {
            workload = format!("{workload}, {value} {says}");
        }
    }
    if let Some(rate) = header.rate {
        workload = format!("{workload}, rate {rate}/s");
    }
    (workload, assumed)
}
