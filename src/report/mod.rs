//! Reports: one view of a comparison, then one file a format.

pub mod calibration;
mod course;
mod csv;
mod figure;
mod fit;
mod grid;
mod html;
mod json;
mod markdown;
mod open_loop;
mod page;
mod pivot;
mod rows;
mod svg;
mod table;
mod text;

use crate::compare::Comparison;
use std::str::FromStr;

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Tables for the terminal.
    Table,
    /// Tables for a wiki or a pull request.
    Markdown,
    /// One figure a line.
    Csv,
    /// Everything, with a version.
    Json,
    /// One self-contained page with figures.
    Html,
    /// The figures alone.
    Svg,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] =
        &[Self::Table, Self::Markdown, Self::Csv, Self::Json, Self::Html, Self::Svg];

    /// The name that `--format` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Html => "html",
            Self::Svg => "svg",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|format| format.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            format!("no format `{text}`; there are {}", names.join(", "))
        })
    }
}

/// What the output can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// Columns of a line.
    pub width: usize,
    /// Whether it takes colours.
    pub color: bool,
}

/// Writes `comparison` as `format`. Only the table depends on `output`.
pub fn render(comparison: &Comparison, format: Format, output: Output) -> String {
    match format {
        Format::Table => table::render(comparison, output),
        Format::Markdown => markdown::render(comparison),
        Format::Csv => csv::render(comparison),
        Format::Json => json::render(comparison),
        Format::Html => html::render(comparison),
        Format::Svg => svg::render(comparison),
    }
}
