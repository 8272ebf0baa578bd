//! The text of other tools, both ways.
