//! `enginecmp explain CODE`.

use super::{CliError, Context, Exit};
use crate::diagnostic::{codes, did_you_mean};
use crate::model::FindingCode;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The code, such as E0123 or F006; without one, all codes are listed
    code: Option<String>,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let Some(asked) = &arguments.code else {
        context.out(&list())?;
        return Ok(Exit::Good);
    };
    let text = diagnostic(asked).or_else(|| finding(asked)).ok_or_else(|| {
        let known = codes::all()
            .map(|entry| entry.code)
            .chain(FindingCode::ALL.iter().map(|code| code.code()));
        let help = did_you_mean(asked, known)
            .unwrap_or_else(|| "`enginecmp explain` without a code lists them all".to_string());
        CliError::new(format!("no code `{asked}`")).help(help)
    })?;
    context.out(&fitted(&text, context))?;
    Ok(Exit::Good)
}

/// The text with its first line in bold and its paragraphs folded; examples stay as they are.
fn fitted(text: &str, context: &Context) -> String {
    let width = usize::from(context.width()).min(100);
    let mut out = String::new();
    for (at, line) in text.lines().enumerate() {
        if line.starts_with(' ') {
            out.push_str(line);
        } else if at == 0 && context.colored(false) {
            let _ = write!(out, "\u{1b}[1m{line}\u{1b}[0m");
        } else {
            let mut used = 0;
            for word in line.split(' ') {
                let wide = word.width();
                if used > 0 && used + 1 + wide > width {
                    out.push('\n');
                    used = 0;
                } else if used > 0 {
                    out.push(' ');
                    used += 1;
                }
                out.push_str(word);
                used += wide;
            }
        }
        out.push('\n');
    }
    out
}

fn list() -> String {
    let errors = codes::all().map(|entry| format!("{}  {}\n", entry.code, entry.title));
    let findings =
        FindingCode::ALL.iter().map(|code| format!("{}   {}\n", code.code(), code.title()));
    format!(
        "Errors in a suite:\n\n{}\nFindings about the numbers of a run:\n\n{}",
        errors.collect::<String>(),
        findings.collect::<String>()
    )
}

/// The text of a diagnostic's code: why, and a suite with and without the error.
fn diagnostic(asked: &str) -> Option<String> {
    let entry = codes::find(asked)?;
    let mut text = format!("{} {}\n\n{}\n", entry.code, entry.title, entry.explanation);
    let printable = |example: &str| !example.is_empty() && !example.contains('\0');
    for (heading, example) in [("Wrong", entry.wrong), ("Right", entry.right)] {
        if printable(example) {
            let lines: String = example.lines().map(|line| format!("    {line}\n")).collect();
            let _ = write!(text, "\n{heading}:\n\n{lines}");
        }
    }
    Some(text)
}

fn finding(asked: &str) -> Option<String> {
    let code = FindingCode::ALL.iter().find(|code| code.code().eq_ignore_ascii_case(asked))?;
    Some(format!("{} {}\n\n{}\n", code.code(), code.title(), code.explanation()))
}
