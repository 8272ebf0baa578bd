//! The language: grammar to tree, tree to canonical text, and the shapes of all statements as data.
//!
//! [`parse`] gives the tree of a file with all its syntax errors. [`read_block`] or a
//! [`BlockReader`] reads statements by their shapes; [`condition`] and [`values`] read what stands
//! inside them.

mod build;
mod condition;
pub mod editor;
mod format;
mod grammar;
pub mod literal;
mod matcher;
mod parse;
mod read;
pub mod reference;
pub mod shapes;
pub mod tree;
mod values;
mod variables;
mod words;

pub use condition::{ParsedCondition, condition};
pub use format::format;
pub use parse::{parse, parse_bytes, parse_words};
pub use read::{BlockReader, Reading, read, read_as, read_block};
pub use values::{MAX_VALUES, Value, values};
pub use variables::Variables;
