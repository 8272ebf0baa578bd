//! Results of other tools, made into journals.
