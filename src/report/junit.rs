//! JUnit's XML: cells that must have numbers, and what the suite expects of them.

use super::text::{delta, interval, level};
use crate::compare::Comparison;
use crate::compare::view::{Absent, Case, Outcome, Section, Side};
use crate::tools::junit::{TestCase, TestOutcome, TestSuite, write};

pub(super) fn render(comparison: &Comparison) -> String {
    let mut suites: Vec<TestSuite> = comparison.sections.iter().map(cells).collect();
    let mut expected = TestSuite { name: "expectations".to_string(), cases: Vec::new() };
    for expectation in &comparison.expectations {
        let class = format!("{} ({})", expectation.text, expectation.place);
        if expectation.cases.is_empty() {
            expected.cases.push(TestCase {
                class: class.clone(),
                name: "no cell".to_string(),
                outcome: judged(expectation.outcome, "no cell to judge it by"),
                output: String::new(),
            });
        }
        expected.cases.extend(expectation.cases.iter().map(|case| judged_case(&class, case)));
    }
    if !expected.cases.is_empty() {
        suites.push(expected);
    }
    write(&comparison.heading.title, &suites)
}

fn judged_case(class: &str, case: &Case) -> TestCase {
    TestCase {
        class: class.to_string(),
        name: case.cell.to_string(),
        outcome: judged(case.outcome, &case.seen),
        output: case.seen.clone(),
    }
}

fn judged(outcome: Outcome, seen: &str) -> TestOutcome {
    match outcome {
        Outcome::Holds => TestOutcome::Passed,
        Outcome::Fails => TestOutcome::Failed(seen.to_string()),
        Outcome::CannotTell => TestOutcome::Skipped(format!("cannot tell: {seen}")),
    }
}

/// A case for each cell: it has numbers, or says why not.
fn cells(section: &Section) -> TestSuite {
    let sides = section.points.iter().flat_map(|point| &point.sides);
    TestSuite {
        name: section.workload.clone(),
        cases: sides
            .map(|side| TestCase {
                class: section.workload.clone(),
                name: side.cell.to_string(),
                outcome: measured(side),
                output: seen(section, side),
            })
            .collect(),
    }
}

fn measured(side: &Side) -> TestOutcome {
    match &side.absent {
        Some(Absent::NotAvailable(why)) => TestOutcome::Skipped(why.clone()),
        Some(Absent::Failed(why)) => TestOutcome::Error(why.clone()),
        Some(Absent::NotRun) => TestOutcome::Skipped("not run".to_string()),
        None => match side.failed.first() {
            Some((repetition, failure)) => {
                TestOutcome::Error(format!("repetition {repetition}: {failure}"))
            }
            None => TestOutcome::Passed,
        },
    }
}

/// `TpmC 18,525, -18.77% [-20.1%, -17.2%] against without`.
fn seen(section: &Section, side: &Side) -> String {
    let Some(series) = side.headline() else { return String::new() };
    let mut seen = format!("{} {}", section.headline.heading(), level(series));
    let delta = delta(&series.against);
    if !delta.trim().is_empty() {
        let parts = [delta.trim().to_string(), interval(&series.against)];
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
        seen = format!("{seen}, {} against {}", parts.join(" "), section.baseline.join(", "));
    }
    seen
}
