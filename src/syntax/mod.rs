//! The language: grammar to tree, tree to canonical text, and the shapes of all statements as data.

pub mod tree;
