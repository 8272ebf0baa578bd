//! Reports: one view of a comparison, then one file a format.
