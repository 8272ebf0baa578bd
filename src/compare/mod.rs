//! Comparison of what journals hold: pairing, verdicts, expectations, causes.
