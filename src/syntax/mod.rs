//! The language: grammar to tree, tree to canonical text, and the shapes of all statements as data.

mod build;
mod grammar;
mod parse;
pub mod tree;
mod words;

pub use parse::{parse, parse_bytes};
