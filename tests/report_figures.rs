//! Figures and the page: what is drawn, and that a browser shows it.

use crate::support::golden::assert_golden;
use crate::support::scenario::{Cell, Measured, Scenario, count, word};
use enginecmp::compare::compare;
use enginecmp::journal::Record;
use enginecmp::journal::record::{TableShape, WindowColumns, WindowsRecord};
use enginecmp::model::{Failure, FailureKind, FigureWish, Metric, Phase};
use enginecmp::report::{Format, Output, render};
use std::path::Path;
use std::process::Command;

const OUTPUT: Output = Output { width: 120, color: false, whole: true };

/// Two engines, three numbers of clients, two repetitions of a warm-up of 4 s and 12 s measured;
/// MyRocks stalls in the eighth second.
fn sweep() -> Scenario {
    let mut scenario = Scenario::new("InnoDB against MyRocks <sweep> & more", "sweep.bench");
    scenario.compare(&["engine"], &["innodb"]);
    scenario.server("found", "mariadb", "10.11.19-MariaDB");
    for (point, clients) in [1, 2, 4].into_iter().enumerate() {
        for engine in ["innodb", "myrocks"] {
            let cell = Cell {
                axes: vec![word("engine", engine), count("clients", clients)],
                point,
                storage: engine.to_string(),
                recipe: engine.to_string(),
            };
            let key = scenario.cell(&cell, |_| {});
            let rate = if engine == "innodb" { 200 } else { 150 } * clients;
            for repetition in 1..=2u32 {
                let windows = |phase, round, length: u64| WindowsRecord {
                    cell: key.clone(),
                    repetition,
                    phase,
                    round,
                    counted: true,
                    window_ms: 1000,
                    types: vec![WindowColumns {
                        name: "new_order".to_string(),
                        count: (0..length)
                            .map(|at| match (engine, at, phase) {
                                ("myrocks", 7, Phase::Measure) => 0,
                                _ => rate + (at * 7 + u64::from(repetition) * 3) % 11,
                            })
                            .collect(),
                        p95_us: (0..length).map(|at| 9000 + at * 100).collect(),
                        p99_us: vec![20_000; length as usize],
                        max_us: vec![30_000; length as usize],
                    }],
                };
                scenario.push(Record::Windows(windows(Phase::WarmUp, 0, 4)));
                scenario.push(Record::Windows(windows(Phase::Measure, 1, 12)));
                let tpmc = rate as f64 * 60.0 * (1.0 + f64::from(repetition) * 0.002);
                let measured = Measured {
                    rounds: vec![tpmc],
                    p95: 0.0101,
                    start: 1.0,
                    stop: 2.0,
                    ..Measured::default()
                };
                scenario.repetition(&key, repetition, &measured);
            }
        }
    }
    let mib = 1024.0 * 1024.0;
    for (engine, seconds, size) in [("innodb", 6.8, 610.0), ("myrocks", 4.3, 449.0)] {
        let metrics = [(Metric::TotalLoadTime, seconds), (Metric::SizeSettled, size * mib)];
        let dataset = scenario.dataset(engine, engine, 1, "load data local", &metrics);
        let table = format!("CREATE TABLE `item` (\n  `i_id` int\n) ENGINE={engine}\n");
        dataset.ddl.insert("item".to_string(), table);
    }
    scenario
}

#[test]
fn figures_are_drawn_as_they_always_were() {
    let svg = render(&compare(&sweep().finish()), Format::Svg, OUTPUT);
    assert_golden("reports/sweep.svg", &svg);
}

#[test]
fn a_figure_is_averaged_over_the_windows_that_the_suite_asks_for() {
    let mut scenario = sweep();
    scenario.plan().figures =
        vec![FigureWish { what: "throughput".to_string(), every_ms: Some(4000) }];
    let page = render(&compare(&scenario.finish()), Format::Html, OUTPUT);
    // Of the 16 s four points are left; the stall of a second is a quarter of one of them.
    let data = page.split("application/json\">").nth(1).expect("the first figure has data");
    let data: serde_json::Value =
        serde_json::from_str(data.split("</script>").next().unwrap()).expect("the data is JSON");
    let points = data["lines"][0]["points"].as_array().expect("points");
    assert_eq!(points.len(), 3, "sweep of three numbers of clients comes first: {points:?}");
    let course = page.split("application/json\">").nth(3).expect("throughput over time");
    let course: serde_json::Value =
        serde_json::from_str(course.split("</script>").next().unwrap()).expect("JSON");
    assert_eq!(course["lines"][1]["points"].as_array().expect("points").len(), 4);
}

#[test]
fn two_axes_shape_the_table() {
    let mut scenario = sweep();
    scenario.plan().table =
        Some(TableShape { rows: "clients".to_string(), columns: "engine".to_string() });
    let text = render(&compare(&scenario.finish()), Format::Table, OUTPUT);
    assert_golden("reports/sweep.pivot.txt", &text);
}

#[test]
fn nothing_that_a_server_or_a_suite_says_is_taken_for_markup() {
    let evil = "<script>alert(1)</script><img src=x onerror='alert(2)'>";
    let mut scenario = sweep();
    scenario.run().suite_text = format!("suite \"{evil}\" # </script>");
    scenario.run().sets = vec![evil.to_string()];
    scenario.server(evil, evil, evil);
    let key = scenario.plan().cells[0].key.clone();
    let failure = Failure::new(Phase::Measure, FailureKind::Sql, evil)
        .next_step(evil)
        .log_tail(vec![evil.to_string()]);
    scenario.failed_repetition(&key, 3, failure);
    scenario.plan().cells[1].remarks = vec![evil.to_string()];
    let records = scenario.finish();
    for format in [Format::Html, Format::Svg] {
        let text = render(&compare(&records), format, OUTPUT);
        assert!(!text.contains("<script>alert"), "{}", format.name());
        assert!(!text.contains("<img"), "{}", format.name());
    }
}

#[test]
fn a_page_needs_no_network() {
    let page = render(&compare(&sweep().finish()), Format::Html, OUTPUT);
    for way in ["http://", "https://", "src=", "@import", "url(", "<link"] {
        assert!(!page.contains(way), "the page has `{way}`");
    }
}

/// Runs in the page before its own script: keeps what goes wrong.
const WATCH: &str = "<script>window.wrong = []; window.onerror = (m) => window.wrong.push(m);\
    const error = console.error; console.error = (...a) => window.wrong.push(a.join(' '));</script>";

/// Runs after it: sorts by the median, downwards, then filters, opens the data behind a figure, and
/// writes what it saw into the title.
const DRIVE: &str = "<script>
const grid = document.querySelector('.grid');
const heading = [...grid.querySelectorAll('th')].find((h) => /median/.test(h.textContent));
const column = [...heading.parentNode.children].indexOf(heading);
heading.querySelector('button').click();
const up = [...grid.querySelectorAll('tbody tr')].map((r) => r.cells[column].textContent);
heading.querySelector('button').click();
const down = [...grid.querySelectorAll('tbody tr')].map((r) => r.cells[column].textContent);
const choice = grid.querySelector('select');
choice.value = '2';
choice.dispatchEvent(new Event('change'));
const shown = [...grid.querySelectorAll('tbody tr')].filter((r) => !r.hidden).length;
const behind = document.querySelector('details[data-lines]');
behind.open = true;
setTimeout(() => {
  const rows = behind.querySelectorAll('tbody tr').length;
  document.title = JSON.stringify({ up, down, shown, rows, wrong: window.wrong });
}, 50);
</script>";

#[test]
fn a_browser_renders_sorts_and_filters() {
    let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .into_iter()
        .find(|path| Path::new(path).exists())
        .expect("no Chromium: apt-get install chromium");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = render(&compare(&sweep().finish()), Format::Html, OUTPUT)
        .replace("<main>", &format!("{WATCH}<main>"))
        .replace("</body>", &format!("{DRIVE}</body>"));
    let file = folder.path().join("report.html");
    std::fs::write(&file, page).expect("the page is written");
    let output = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("Chromium runs");
    let dom = String::from_utf8_lossy(&output.stdout);
    let title = dom
        .split("<title>")
        .nth(1)
        .and_then(|rest| rest.split("</title>").next())
        .unwrap_or_else(|| panic!("no page: {}", String::from_utf8_lossy(&output.stderr)));
    let seen: serde_json::Value = serde_json::from_str(title).expect("the script came to its end");
    assert_eq!(seen["wrong"], serde_json::json!([]));
    let expected = ["9,027.0", "12,036", "18,054", "24,072", "36,108", "48,144"];
    assert_eq!(seen["up"], serde_json::json!(expected));
    assert_eq!(seen["down"], serde_json::json!(expected.iter().rev().collect::<Vec<_>>()));
    assert_eq!(seen["shown"], 2);
    assert_eq!(seen["rows"], 3);
}
