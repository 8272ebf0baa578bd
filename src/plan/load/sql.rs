//! `workload sql { ... }`: its lines, and what they come to once the schema is known.

use super::beside::Named;
use super::draft::WorkloadDraft;
use super::resolver::Resolver;
use crate::diagnostic::{Diagnostic, Span, codes, did_you_mean};
use crate::model::SettingValue;
use crate::plan::suite::SchemaSettings;
use crate::syntax::Reading;
use crate::syntax::tree::{Word, WordKind};
use crate::workload::distribution::Distribution;
use crate::workload::sql::{Definition, Drawn, KIND, LONGEST_TEXT, TextError};
use std::sync::Arc;

/// `draw NAME ...`
#[derive(Clone, Debug)]
pub(super) struct DrawDraft {
    pub(super) name: String,
    pub(super) drawn: Drawn,
    /// The column that it is drawn from.
    pub(super) column: Option<Span>,
}

/// `transaction NAME weight N "SQL"`
#[derive(Clone, Debug)]
pub(super) struct TransactionDraft {
    name: String,
    weight: u64,
    text: String,
    /// Where the text stands.
    word: Word,
}

/// `load "FILE", ...` or `load csv "FILE" into TABLE`
#[derive(Clone, Debug)]
pub(super) struct LoadLine {
    pub(super) file: Named,
    pub(super) span: Span,
    /// The table that a CSV file goes into.
    pub(super) into: Option<(String, Span)>,
}

/// `generate TABLE rows N`
#[derive(Clone, Debug)]
pub(super) struct GenerateDraft {
    pub(super) table: String,
    pub(super) rows: u64,
    pub(super) span: Span,
}

/// `column TABLE.COLUMN ...`
#[derive(Clone, Debug)]
pub(super) struct ColumnDraft {
    pub(super) table: String,
    pub(super) column: String,
    pub(super) drawn: Drawn,
    pub(super) span: Span,
}

/// The lines of the block that other workloads have not.
#[derive(Clone, Debug, Default)]
pub(super) struct SqlDraft {
    pub(super) draws: Vec<DrawDraft>,
    transactions: Vec<TransactionDraft>,
    pub(super) loads: Vec<LoadLine>,
    pub(super) generates: Vec<GenerateDraft>,
    pub(super) columns: Vec<ColumnDraft>,
}

/// Puts `new` in the place of the one that is the same, or at the end.
fn put<T: Clone>(all: &mut Vec<T>, new: &T, same: impl Fn(&T, &T) -> bool) {
    match all.iter_mut().find(|known| same(known, new)) {
        Some(known) => *known = new.clone(),
        None => all.push(new.clone()),
    }
}

impl SqlDraft {
    /// Adds the lines of `later`, which win; its files replace those before.
    pub(super) fn add(&mut self, later: &Self) {
        for draw in &later.draws {
            put(&mut self.draws, draw, |a, b| a.name == b.name);
        }
        for transaction in &later.transactions {
            put(&mut self.transactions, transaction, |a, b| a.name == b.name);
        }
        for generate in &later.generates {
            put(&mut self.generates, generate, |a, b| a.table == b.table);
        }
        for column in &later.columns {
            put(&mut self.columns, column, |a, b| (&a.table, &a.column) == (&b.table, &b.column));
        }
        if !later.loads.is_empty() {
            self.loads.clone_from(&later.loads);
        }
    }
}

fn count(reading: &Reading<'_>, part: &str) -> Option<u64> {
    match reading.value(part)?.value {
        SettingValue::Count(count) => Some(count),
        _ => None,
    }
}

impl Resolver<'_> {
    /// One line of the block.
    pub(super) fn sql_line(&mut self, reading: &Reading<'_>, sql: &mut SqlDraft) {
        let text = |part: &str| reading.text(part).unwrap_or_default().to_string();
        match reading.name() {
            "load" => {
                let into = reading.has("csv").then(|| (text("table"), reading.span_of("table")));
                for file in reading.values("file") {
                    let name = file.value.to_string();
                    match self.beside.named(self.sources, &name, file.span) {
                        Ok(named) => sql.loads.push(LoadLine {
                            file: named,
                            span: file.span,
                            into: into.clone(),
                        }),
                        Err(wrong) => self.wrong.push(wrong),
                    }
                }
            }
            "generate" => sql.generates.push(GenerateDraft {
                table: text("table"),
                rows: count(reading, "rows").unwrap_or(1),
                span: reading.span_of("table"),
            }),
            "column" => {
                let Some(drawn) = self.drawn(reading) else { return };
                let name = text("column");
                let span = reading.span_of("column");
                if let Some((table, column)) = name.split_once('.') {
                    let (table, column) = (table.to_string(), column.to_string());
                    sql.columns.push(ColumnDraft { table, column, drawn, span });
                } else {
                    self.wrong.push(
                        Diagnostic::error(
                            codes::BAD_DATA,
                            span,
                            format!("`{name}` names no column of a table"),
                        )
                        .help("write `column orders.customer_id ...`"),
                    );
                }
            }
            "draw" => {
                if let Some(drawn) = self.drawn(reading) {
                    let column = matches!(drawn, Drawn::Column(..));
                    sql.draws.push(DrawDraft {
                        name: text("name"),
                        drawn,
                        column: column.then(|| reading.span_of("column")),
                    });
                }
            }
            "transaction" => {
                let Some(word) = reading.words("sql").first() else { return };
                sql.transactions.push(TransactionDraft {
                    name: text("name"),
                    weight: count(reading, "weight").unwrap_or(1),
                    text: text("sql"),
                    word: word.clone(),
                });
            }
            _ => {}
        }
    }

    /// What a `draw` or `column` line draws.
    fn drawn(&mut self, reading: &Reading<'_>) -> Option<Drawn> {
        let how = reading.text("distribution")?.to_string();
        let range = count(reading, "low").zip(count(reading, "high"));
        let texts: Vec<String> =
            reading.values("text").iter().map(|text| text.value.to_string()).collect();
        let column = reading.text("column").filter(|_| reading.name() == "draw");
        let mut wrong = |span, message: String, help: &str| {
            self.wrong.push(Diagnostic::error(codes::BAD_DATA, span, message).help(help));
            None
        };
        if let Some((low, high)) = range.filter(|(low, high)| low > high) {
            let message = format!("there is no number from {low} to {high}");
            return wrong(reading.span_of("low"), message, "the smaller one stands first");
        }
        let span = reading.span_of("distribution");
        let stated = [range.is_some(), !texts.is_empty(), column.is_some()];
        if stated.iter().filter(|stated| **stated).count() != 1 {
            let message = format!("`{how}` of one thing: a range, texts or a column");
            let help = "such as `zipfian 1 to 100k`, `uniform of \"new\", \"paid\"`, and for \
                        `draw` `uniform from orders.id`";
            return wrong(span, message, help);
        }
        let Some(distribution) = Distribution::find(&how) else {
            let Some((low, high)) = range else {
                let help = format!("write `{how} 1 to 100`");
                return wrong(span, format!("`{how}` is of a range of numbers"), &help);
            };
            if how == "sequential" {
                return Some(Drawn::Sequential(low, high));
            }
            if high > LONGEST_TEXT {
                let message = format!("a text has at most {LONGEST_TEXT} characters");
                return wrong(reading.span_of("high"), message, "write `text 10 to 200`");
            }
            return Some(Drawn::Text(low, high));
        };
        match (range, column) {
            (Some((low, high)), _) => Some(Drawn::Range(distribution, low, high)),
            (None, Some(name)) => match name.split_once('.') {
                Some((table, column)) => {
                    Some(Drawn::Column(distribution, table.to_string(), column.to_string()))
                }
                None => wrong(
                    reading.span_of("column"),
                    format!("`{name}` names no column of a table"),
                    "write `from orders.id`",
                ),
            },
            (None, None) => Some(Drawn::OneOf(distribution, texts)),
        }
    }

    /// What a `workload sql` block comes to; none for other workloads and where something is wrong.
    pub(super) fn sql_definition(
        &mut self,
        workload: &WorkloadDraft,
        suite: Option<&SchemaSettings>,
    ) -> Option<Arc<Definition>> {
        if workload.kind.name != KIND.name {
            return None;
        }
        let sql = &workload.sql;
        if sql.transactions.is_empty() {
            self.wrong.push(
                Diagnostic::error(
                    codes::INCOMPLETE,
                    workload.head.span,
                    format!("workload `{}` has no transaction", workload.head.name),
                )
                .help("write `transaction read weight 1 \"SELECT ...\"`"),
            );
        }
        let mut schema = suite.cloned().unwrap_or_default();
        schema.add(&workload.schema);
        let data = self.sql_data(workload, &schema)?;
        let draws = sql.draws.iter().map(|draw| (draw.name.clone(), draw.drawn.clone())).collect();
        let transactions: Vec<(String, u64, String)> = sql
            .transactions
            .iter()
            .map(|one| (one.name.clone(), one.weight, one.text.clone()))
            .collect();
        match Definition::new(draws, &transactions, data) {
            Ok(definition) => Some(Arc::new(definition)),
            Err(wrong) => {
                for (index, error) in wrong {
                    self.wrong.push(in_text(&sql.transactions[index].word, error));
                }
                None
            }
        }
    }
}

/// The error at its place inside the quotes.
fn in_text(word: &Word, error: TextError) -> Diagnostic {
    let inside = match &word.kind {
        WordKind::Raw(_) => Some(3),
        // Escapes would shift what stands behind them.
        WordKind::Quoted(text) if text.len() + 2 == word.span.end - word.span.start => Some(1),
        _ => None,
    };
    let span = inside.map_or(word.span, |quotes| Span {
        file: word.span.file,
        start: word.span.start + quotes + error.start,
        end: word.span.start + quotes + error.end,
    });
    let mut diagnostic = Diagnostic::error(codes::BAD_SQL, span, error.message);
    if let Some((name, known)) = &error.unknown {
        let meant = did_you_mean(name, known.iter().map(String::as_str));
        // Whoever mistyped a name needs no lesson on how to make one.
        if meant.is_some() {
            return diagnostic.maybe_help(meant);
        }
    }
    if let Some(help) = error.help {
        diagnostic = diagnostic.help(help);
    }
    diagnostic
}
