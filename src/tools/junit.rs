//! JUnit's XML, as build servers read it.

use std::fmt::Write;

/// A group of test cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestSuite {
    /// Its name.
    pub name: String,
    /// Its cases.
    pub cases: Vec<TestCase>,
}

/// A test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// What it belongs to.
    pub class: String,
    /// Its name.
    pub name: String,
    /// How it ended.
    pub outcome: TestOutcome,
    /// What was seen, for whoever opens it.
    pub output: String,
}

/// How a test case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOutcome {
    /// As expected.
    Passed,
    /// Not as expected: why.
    Failed(String),
    /// It could not run: why.
    Error(String),
    /// It was not judged: why.
    Skipped(String),
}

/// The document.
pub fn write(name: &str, suites: &[TestSuite]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    let _ = writeln!(out, "<testsuites name=\"{}\"{}>", escaped(name), counts(all()));
    for suite in suites {
        let counts = counts(suite.cases.iter());
        let _ = writeln!(out, "  <testsuite name=\"{}\"{counts}>", escaped(&suite.name));
        for case in &suite.cases {
            let _ = writeln!(
                out,
                "    <testcase classname=\"{}\" name=\"{}\">",
                escaped(&case.class),
                escaped(&case.name)
            );
            let (tag, why) = match &case.outcome {
                TestOutcome::Passed => ("", ""),
                TestOutcome::Failed(why) => ("failure", why.as_str()),
                TestOutcome::Error(why) => ("error", why.as_str()),
                TestOutcome::Skipped(why) => ("skipped", why.as_str()),
            };
            if !tag.is_empty() {
                let _ = writeln!(out, "      <{tag} message=\"{}\"/>", escaped(why));
            }
            if !case.output.is_empty() {
                let _ = writeln!(out, "      <system-out>{}</system-out>", escaped(&case.output));
            }
            out.push_str("    </testcase>\n");
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn counts<'a>(cases: impl Iterator<Item = &'a TestCase>) -> String {
    let (mut tests, mut failures, mut errors, mut skipped) = (0, 0, 0, 0);
    for case in cases {
        tests += 1;
        match case.outcome {
            TestOutcome::Passed => {}
            TestOutcome::Failed(_) => failures += 1,
            TestOutcome::Error(_) => errors += 1,
            TestOutcome::Skipped(_) => skipped += 1,
        }
    }
    format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
}

/// Text as XML may hold it; characters that it may not hold at all become `?`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_counted_and_text_is_escaped() {
        let case = |outcome| TestCase {
            class: "a<b".to_string(),
            name: "\"x\" & \u{1}".to_string(),
            outcome,
            output: String::new(),
        };
        let suite = TestSuite {
            name: "s".to_string(),
            cases: vec![
                case(TestOutcome::Passed),
                case(TestOutcome::Failed("a\nb".to_string())),
                case(TestOutcome::Skipped("c".to_string())),
            ],
        };
        let text = write("all", &[suite]);
        assert!(text.contains(
            "<testsuites name=\"all\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">"
        ));
        assert!(text.contains("<testcase classname=\"a&lt;b\" name=\"&quot;x&quot; &amp; ?\">"));
        assert!(text.contains("<failure message=\"a&#10;b\"/>"));
    }
}
