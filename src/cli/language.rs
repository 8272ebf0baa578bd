//! `enginecmp language [STATEMENT]`, and what documentation and editors are made of.

use super::{CliError, Context, Exit};
use crate::diagnostic::did_you_mean;
use crate::syntax::{editor, reference, shapes};
use std::fmt::Write as _;

/// Arguments of `language`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The statement to tell about; without one, all are listed
    statement: Option<String>,
    /// Print the reference of all statements as Markdown
    #[arg(long, conflicts_with = "statement")]
    markdown: bool,
    /// Print a TextMate grammar for editors
    #[arg(long, conflicts_with_all = ["statement", "markdown"])]
    textmate: bool,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let text = if arguments.markdown {
        reference::markdown()
    } else if arguments.textmate {
        editor::textmate()
    } else if let Some(name) = &arguments.statement {
        reference::plain(name).ok_or_else(|| {
            let known = shapes::all().map(|shape| shape.name);
            CliError::new(format!("no statement `{name}`")).help(
                did_you_mean(name, known).unwrap_or_else(|| {
                    "`enginecmp language` without a statement lists them all".to_string()
                }),
            )
        })?
    } else {
        list()
    };
    context.out(&text)?;
    Ok(Exit::Good)
}

fn list() -> String {
    let mut out = String::new();
    for (heading, rows) in shapes::TABLES {
        let _ = writeln!(out, "{}{heading}:", if out.is_empty() { "" } else { "\n" });
        for shape in *rows {
            let _ = writeln!(out, "  {:<16}{}", shape.name, shape.doc);
        }
    }
    out
}
