//! DDL scripts of users: statements, transforms, diff. A hand-written tokenizer that streams;
//! what is not understood passes through byte for byte.

mod catalog;
mod change;
mod column_size;
mod diff;
mod edit;
mod option_rules;
mod parse;
mod phases;
mod rewrite;
mod row_format;
mod split;
mod stream;
mod token;

pub use catalog::{IndexSummary, KeyKind, TableSummary};
pub use diff::diff;
pub use phases::{Phases, phases, statements};
pub use rewrite::Rewrite;
pub use stream::{Streamed, Transformer, transform_stream};

use crate::engine::EngineSpec;

/// What a script shall become.
#[derive(Clone, Debug, Default)]
pub struct Transform {
    /// The engine of every table; none keeps what the script says.
    pub storage: Option<&'static EngineSpec>,
    /// Family of the server that will run it (`mariadb`, `mysql`, `percona`, `tokutek`, `sqlite`):
    /// row formats are written differently.
    pub family: String,
    /// Release of that server, where it is known: what stands in conditional comments counts or not.
    pub release: Option<(u32, u32)>,
    /// Row format of every table, upper case.
    pub row_format: Option<String>,
    /// Portable compression (`none`, `zlib` ...), where the engine writes it into DDL.
    pub compression: Option<String>,
    /// Leave foreign keys out.
    pub strip_foreign_keys: bool,
    /// Make the index explicit that a foreign key implies.
    pub keep_foreign_key_indexes: bool,
    /// Leave secondary indexes out.
    pub strip_secondary_indexes: bool,
    /// Leave FULLTEXT indexes out.
    pub strip_fulltext: bool,
    /// Leave SPATIAL indexes out.
    pub strip_spatial: bool,
    /// Give tables without a primary key one: over their AUTO_INCREMENT column, else over a new
    /// column, invisible where the server has such columns.
    pub add_primary_key: bool,
    /// Rewrites of the statements that make or change tables, before everything else.
    pub rewrites: Vec<Rewrite>,
    /// Character set and collation to state where the script states none.
    pub charset: Option<(String, String)>,
}

/// A script after its transforms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transformed {
    /// The whole script.
    pub script: String,
    /// Its statements, without terminators, comments between them left out.
    pub statements: Vec<String>,
    /// What was dropped or changed, in words, each with its line.
    pub notes: Vec<Note>,
    /// The tables that the script leaves behind, in the order it makes them.
    pub tables: Vec<TableSummary>,
    /// Every clause of the source that names an engine.
    pub engines: Vec<EngineClause>,
}

/// Something that a transform did or could not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Line in the script, from 1.
    pub line: u32,
    /// The table, where it is known.
    pub table: Option<String>,
    /// In words.
    pub text: String,
    /// The engine cannot take it: an error before loading, unless a named transform helps.
    pub refused: bool,
}

/// A clause or setting of the source script that names an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineClause {
    /// Line in the script, from 1.
    pub line: u32,
    /// The table, where it is one of a table.
    pub table: Option<String>,
    /// The engine as written, without quotes.
    pub engine: String,
}

/// Transforms a script. No script is an error: what is not understood stays as it is.
pub fn transform(script: &str, transform: &Transform) -> Transformed {
    stream::transform_text(script, transform)
}
