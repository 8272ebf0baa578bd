//! Reports: one view of a comparison, then one file a format.

mod benchstat;
mod by_transaction;
pub mod calibration;
mod cost;
mod course;
mod csv;
mod csv_wide;
mod figure;
mod fit;
mod grid;
mod html;
pub mod index;
mod json;
mod junit;
mod ledger;
mod loads;
mod markdown;
mod open_loop;
mod page;
mod pivot;
mod pull_request;
mod rows;
mod spark;
mod steps;
mod svg;
mod table;
mod text;
mod verdict;

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
    /// One side a line, every metric in columns of its own.
    CsvWide,
    /// Everything, with a version.
    Json,
    /// One self-contained page with figures.
    Html,
    /// The figures alone.
    Svg,
    /// The deltas for a pull request, everything else folded.
    PullRequest,
    /// Every repetition, for benchstat.
    Benchstat,
    /// Cells and expectations as test cases, for build servers.
    Junit,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[
        Self::Table,
        Self::Markdown,
        Self::PullRequest,
        Self::Csv,
        Self::CsvWide,
        Self::Json,
        Self::Benchstat,
        Self::Junit,
        Self::Html,
        Self::Svg,
    ];

    /// The name that `--format` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Markdown => "markdown",
            Self::PullRequest => "pull-request",
            Self::Csv => "csv",
            Self::CsvWide => "csv-wide",
            Self::Json => "json",
            Self::Html => "html",
            Self::Svg => "svg",
            Self::Benchstat => "benchstat",
            Self::Junit => "junit",
        }
    }

    /// The ending of a file of this format: a report beside its journal is `report.ENDING`.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Table => "txt",
            Self::Markdown => "md",
            Self::PullRequest => "pr.md",
            Self::CsvWide => "wide.csv",
            Self::Benchstat => "bench.txt",
            Self::Junit => "xml",
            other => other.name(),
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
    /// Every table whole; else those that few readers ask for first are folded into a line each.
    pub whole: bool,
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
        Format::PullRequest => pull_request::render(comparison),
        Format::CsvWide => csv_wide::render(comparison),
        Format::Benchstat => benchstat::render(comparison),
        Format::Junit => junit::render(comparison),
    }
}
