//! Counts that come from outside, added up: a file may say anything, and a sum that went round
//! would look like a figure.

/// The sum; the largest number there is, when it is larger.
pub fn total(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_never_goes_round() {
        assert_eq!(total([1, 2, 3]), 6);
        assert_eq!(total([u64::MAX, 5, 1]), u64::MAX);
        assert_eq!(total([]), 0);
    }
}
