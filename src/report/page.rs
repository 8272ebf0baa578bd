//! A report before it has a form: headings, grids and notes in order.

use super::by_transaction::by_transaction;
use super::cost::cost;
use super::course::{dips, evenness};
use super::grid::{Grid, Place};
use super::ledger::ledger;
use super::loads::loads;
use super::open_loop::open_loop;
use super::pivot;
use super::rows::{probes, results, starts};
use super::steps::steps;
use crate::compare::Comparison;
use crate::compare::view::{Absent, Against, Expected, Judged, OnlyIn, Section, Side, Verdict};
use crate::journal::record::DiskTestRecord;
use crate::model::units::{grouped, human_bytes, human_seconds};
use crate::model::{CellKey, FindingCode};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A whole report.
pub(super) struct Page {
    /// The suite's title.
    pub(super) title: String,
    /// Run, machine, seed.
    pub(super) about: Vec<String>,
    /// Why the run is not whole.
    pub(super) incomplete: Option<String>,
    /// The tables.
    pub(super) blocks: Vec<Block>,
    /// What the marks mean that occur.
    pub(super) legend: Vec<String>,
    /// What commands of the user said.
    pub(super) collected: Vec<Collected>,
    /// What broke.
    pub(super) failures: Vec<Failed>,
    /// What the suite expected.
    pub(super) expectations: Vec<Expected>,
    /// What only one of several runs has.
    pub(super) only_in: Vec<String>,
    /// Warnings about our own numbers.
    pub(super) findings: Vec<Found>,
}

/// A heading with its tables.
pub(super) struct Block {
    /// Workload and remarks; empty when the block belongs to the one before.
    pub(super) heading: String,
    /// Servers, and what all rows have in common.
    pub(super) about: Vec<String>,
    /// The table.
    pub(super) grid: Grid,
    /// What is shown of it where a report shall be short.
    pub(super) brief: Brief,
}

/// What is shown of a block where a report shall be short.
pub(super) enum Brief {
    /// All of it.
    Whole,
    /// Fewer columns.
    Columns(Grid),
    /// A line that says what it holds.
    Line(String),
}

impl Block {
    /// A block that belongs to the one before and is always shown.
    fn continued(grid: Grid) -> Self {
        Self { heading: String::new(), about: Vec::new(), grid, brief: Brief::Whole }
    }

    /// One that is folded into a line.
    fn folded((grid, line): (Grid, String)) -> Self {
        Self { brief: Brief::Line(line), ..Self::continued(grid) }
    }

    /// One of which some columns are always shown.
    fn in_columns((grid, fewer): (Grid, Grid)) -> Self {
        Self { brief: Brief::Columns(fewer), ..Self::continued(grid) }
    }
}

/// A finding with every cell that it was made in.
pub(super) struct Found {
    /// Code and title.
    pub(super) code: FindingCode,
    /// What was seen.
    pub(super) seen: String,
    /// Where; none when it concerns the run.
    pub(super) cells: Vec<String>,
}

/// A command of the user, with what it said beside the repetitions.
pub(super) struct Collected {
    /// As the suite has it.
    pub(super) command: String,
    /// In the order in which they were made.
    pub(super) files: Vec<CollectedFile>,
}

/// What a command said beside one repetition.
pub(super) struct CollectedFile {
    /// Relative to the journal.
    pub(super) file: String,
    /// Cell, repetition, size, how it ended.
    pub(super) about: String,
}

/// Something that broke, as it is shown.
pub(super) struct Failed {
    /// What and in which phase.
    pub(super) what: String,
    /// Which cells.
    pub(super) cells: Vec<String>,
    /// What to do.
    pub(super) next_step: Option<String>,
    /// The server's own words.
    pub(super) log_tail: Vec<String>,
    /// The suite line that asked for it.
    pub(super) place: Option<String>,
}

/// Lays out everything that a comparison found.
pub(super) fn page(comparison: &Comparison) -> Page {
    let heading = &comparison.heading;
    let mut about = Vec::new();
    let mut run = vec![format!("run {}", heading.run)];
    if !heading.profiles.is_empty() {
        run.push(format!("profile {}", heading.profiles.join(", ")));
    }
    run.extend(heading.sets.iter().map(|set| format!("--set {set}")));
    run.extend(heading.seed.map(|seed| format!("seed {seed}")));
    run.push(heading.tool.clone());
    about.push(run.join(", "));
    if let Some(machine) = comparison.machine.as_ref().filter(|machine| machine.cores == 0) {
        about.push(format!("machine {}", machine.name));
    } else if let Some(machine) = &comparison.machine {
        about.push(format!(
            "machine {}: {}, {} cores, {}, Linux {}, {}",
            machine.name,
            machine.cpu,
            machine.cores,
            human_bytes(machine.memory_bytes as f64),
            machine.kernel,
            machine.work_fs
        ));
    }
    about.extend(comparison.disk.iter().filter_map(disk_line));
    about.extend(noise(comparison));
    let mut blocks = Vec::new();
    let mut shown = Vec::new();
    let workloads = comparison.sections.iter().map(workload_name).collect::<BTreeSet<_>>();
    let several_workloads = workloads.len() > 1;
    for section in &comparison.sections {
        let grids = pivot::grids(section);
        let mut rows = results(section, comparison.average);
        if !grids.is_empty() {
            rows.title = "Row by row".to_string();
        }
        // Repetitions of cells that a section before has shown need not be shown again.
        let seen = shown.contains(&cells_of(section));
        shown.push(cells_of(section));
        let rows = if seen {
            let fewer = rows.only(|_, group| group.place == Place::Main);
            Block::in_columns((rows, fewer))
        } else {
            Block::continued(rows)
        };
        let mut of_section: Vec<Block> = grids.into_iter().map(Block::continued).collect();
        of_section.push(rows);
        of_section[0].heading = section_heading(section);
        of_section[0].about = section_about(section);
        blocks.extend(of_section);
        let which = match (several_workloads, comparison.sections.len()) {
            (true, _) => format!("{}, {}: ", workload_name(section), compared(section)),
            (false, 1) => String::new(),
            (false, _) => format!("{}: ", compared(section)),
        };
        let folded = |(grid, line)| Block::folded((grid, format!("{which}{line}")));
        let by_type = by_transaction(section, comparison.average);
        blocks.extend(by_type.into_iter().map(folded));
        blocks.extend(open_loop(section).map(Block::continued));
        blocks.extend(evenness(section).map(folded));
        blocks.extend(dips(section).map(folded));
        blocks.extend(steps(section).map(Block::continued));
        blocks.extend(cost(section).map(folded));
        blocks.extend(ledger(section).map(folded));
    }
    blocks.extend(comparison.loads.iter().map(|section| Block::in_columns(loads(section))));
    for section in &comparison.sections {
        blocks.extend(probes(section, comparison.average).map(Block::in_columns));
    }
    for section in once_each(&comparison.sections) {
        let Some((mut grid, mut line)) = starts(section) else { continue };
        if several_workloads {
            let name = workload_name(section);
            grid.title = format!("{}, {name}", grid.title);
            line = format!("{name}: {line}");
        }
        blocks.push(Block::folded((grid, line)));
    }
    Page {
        title: heading.title.clone(),
        about,
        incomplete: heading.incomplete.clone(),
        blocks,
        legend: legend(comparison),
        collected: collected(comparison),
        failures: failures(comparison),
        expectations: comparison.expectations.clone(),
        only_in: comparison.only_in.iter().map(only_in).collect(),
        findings: findings(comparison),
    }
}

/// By which noise floor deltas were judged, where there are any.
fn noise(comparison: &Comparison) -> Option<String> {
    let noise = &comparison.noise;
    let deltas = comparison.sections.iter().any(|section| !section.compared.is_empty());
    if noise.floors.is_empty() || !deltas {
        return None;
    }
    let floors: Vec<String> = noise
        .floors
        .iter()
        .map(|(metric, floor, measured)| {
            let assumed = if *measured { "" } else { " (assumed)" };
            format!("{} {:.2} %{assumed}", metric.heading(), floor * 100.0)
        })
        .collect();
    let from = match &noise.calibration {
        Some(calibration) => format!(
            "calibrated {} with {}, {} repetitions a side",
            calibration.at.get(..10).unwrap_or(&calibration.at),
            calibration.suite,
            calibration.repetitions
        ),
        None => "not calibrated".to_string(),
    };
    Some(format!("noise floor {}, {from}", floors.join(", ")))
}

/// `disk before: 16 KiB random, 70 % reads, 30 jobs, psync, direct: 3,456 reads/s ...`.
fn disk_line(test: &DiskTestRecord) -> Option<String> {
    let figures = test.figures?;
    Some(format!(
        "disk {}: {} random, {:.0} % reads, {} job{}, {}, {}: {} reads/s, {} writes/s; fdatasync \
         of 4 KiB {}, p99 {}",
        test.moment.as_str(),
        human_bytes(test.block_bytes as f64),
        test.read_percent,
        test.jobs,
        if test.jobs == 1 { "" } else { "s" },
        test.engine,
        if test.direct { "direct" } else { "buffered" },
        grouped(figures.reads_per_second, 0),
        grouped(figures.writes_per_second, 0),
        human_seconds(figures.sync_p50_ns / 1e9),
        human_seconds(figures.sync_p99_ns / 1e9)
    ))
}

/// The first section of each set of cells: what belongs to servers rather than to a comparison is
/// shown once, however many `compare` statements look at the same cells.
fn once_each(sections: &[Section]) -> impl Iterator<Item = &Section> {
    let mut shown: BTreeSet<CellKey> = BTreeSet::new();
    sections.iter().filter(move |section| {
        let cells = cells_of(section);
        let new = !cells.is_subset(&shown);
        shown.extend(cells);
        new
    })
}

fn cells_of(section: &Section) -> BTreeSet<CellKey> {
    section.points.iter().flat_map(|p| &p.sides).map(|side| side.cell.clone()).collect()
}

/// What a workload is called, without what makes it what it is.
fn workload_name(section: &Section) -> &str {
    section.workload.split(',').next().unwrap_or_default()
}

/// `engine against innodb`.
fn compared(section: &Section) -> String {
    format!("{} against {}", section.compared.join(", "), section.baseline.join(", "))
}

/// Each command of the user with the files beside the journal that hold what it said.
fn collected(comparison: &Comparison) -> Vec<Collected> {
    let mut found: Vec<Collected> = Vec::new();
    for one in &comparison.collected {
        let mut about = format!(
            "{}, repetition {}, {}",
            one.cell,
            one.repetition,
            human_bytes(one.bytes as f64)
        );
        if one.dropped_bytes > 0 {
            let dropped = human_bytes(one.dropped_bytes as f64);
            let _ = write!(about, ", {dropped} of the middle left out");
        }
        if let Some(ended) = &one.ended {
            let _ = write!(about, ", ended by itself with {ended}");
        }
        let file = CollectedFile { file: one.file.clone(), about };
        match found.iter_mut().find(|known| known.command == one.command) {
            Some(known) => known.files.push(file),
            None => {
                found.push(Collected { command: one.command.clone(), files: vec![file] });
            }
        }
    }
    found
}

fn section_heading(section: &Section) -> String {
    let mut heading = section.workload.clone();
    for remark in &section.remarks {
        heading.push_str(", ");
        heading.push_str(remark);
    }
    if !section.compared.is_empty() {
        let _ = write!(heading, ": {}", compared(section));
    }
    heading
}

fn section_about(section: &Section) -> Vec<String> {
    let servers: Vec<String> = section
        .servers
        .iter()
        .filter(|server| !server.version.is_empty())
        .map(|server| format!("server {}: {} {}", server.name, server.family, server.version))
        .collect();
    let constants: Vec<String> =
        section.constants.iter().map(|(name, value)| setting(name, value)).collect();
    let mut about = servers;
    if !constants.is_empty() {
        about.push(format!("all rows: {}", constants.join(", ")));
    }
    about
}

/// A setting as the suite writes it.
fn setting(name: &str, value: &str) -> String {
    let between = if name == "count" { " last " } else { " " };
    format!("{name}{between}{value}")
}

fn legend(comparison: &Comparison) -> Vec<String> {
    let mut legend = Vec::new();
    let sides = || comparison.sections.iter().flat_map(|s| &s.points).flat_map(|p| &p.sides);
    let against = || sides().flat_map(|side| &side.series).map(|series| &series.against);
    let told_apart = |against: &Against| {
        against.delta().is_some_and(|delta| {
            matches!(
                delta.judged,
                Judged::Verdict { verdict: Verdict::Same | Verdict::Undecided, .. }
            )
        })
    };
    if against().any(told_apart) {
        legend.push("~ the repetitions cannot tell the sides apart".to_string());
    }
    for side in sides() {
        if let Some(Against::Unequal(reasons)) = side.headline().map(|series| &series.against) {
            for reason in reasons {
                let line = format!("≠ {}: {reason}", side_label(side));
                if !legend.contains(&line) {
                    legend.push(line);
                }
            }
        }
    }
    if sides().filter_map(Side::headline).flat_map(|s| &s.samples).any(|s| s.outlier) {
        legend.push("! far from the cell's other repetitions; counted all the same".to_string());
    }
    let mut missing: Vec<(&str, Vec<String>)> = Vec::new();
    for side in sides() {
        if let Some(Absent::NotAvailable(reason)) = &side.absent {
            let label = side_label(side);
            match missing.iter_mut().find(|(known, _)| known == reason) {
                Some((_, labels)) if labels.contains(&label) => {}
                Some((_, labels)) => labels.push(label),
                None => missing.push((reason, vec![label])),
            }
        }
    }
    legend.extend(
        missing.iter().map(|(why, sides)| format!("not available: {}: {why}", sides.join(", "))),
    );
    legend
}

/// Findings that say the same of several cells are one. What is not available is said by the
/// failure already, with the way to get it.
fn findings(comparison: &Comparison) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for finding in &comparison.findings {
        let told = comparison
            .failures
            .iter()
            .any(|broken| finding.seen.contains(broken.failure.message.as_str()));
        if finding.code == FindingCode::NotAvailable && told {
            continue;
        }
        let cell = finding.cell.as_ref().map(ToString::to_string);
        match found.iter_mut().find(|one| one.code == finding.code && one.seen == finding.seen) {
            Some(one) => one.cells.extend(cell),
            None => found.push(Found {
                code: finding.code,
                seen: finding.seen.clone(),
                cells: cell.into_iter().collect(),
            }),
        }
    }
    found
}

fn only_in(only: &OnlyIn) -> String {
    match &only.nearest {
        Some(nearest) if !nearest.is_empty() => {
            format!("only in {}: {} (nearest elsewhere: {nearest})", only.run, only.cell)
        }
        _ => format!("only in {}: {}", only.run, only.cell),
    }
}

fn side_label(side: &Side) -> String {
    if side.name.is_empty() { side.cell.to_string() } else { side.name.clone() }
}

fn failures(comparison: &Comparison) -> Vec<Failed> {
    comparison
        .failures
        .iter()
        .map(|broken| Failed {
            what: match broken.repetition {
                Some(repetition) => format!("repetition {repetition}, {}", broken.failure),
                None => broken.failure.to_string(),
            },
            cells: broken.cells.clone(),
            next_step: broken.failure.next_step.clone(),
            log_tail: broken.failure.log_tail.clone(),
            place: broken.failure.place.as_ref().map(ToString::to_string),
        })
        .collect()
}
