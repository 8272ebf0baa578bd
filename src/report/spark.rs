//! Sparklines: the course of throughput in one line of text.

/// From lowest to highest.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A stretch in which nothing completed.
const NOTHING: char = '·';

/// `values` in at most `width` characters, each the mean of its part, from 0 to `highest`.
pub(super) fn spark(values: &[f64], width: usize, highest: f64) -> String {
    let parts = width.min(values.len());
    (0..parts)
        .map(|part| {
            let of = &values[part * values.len() / parts..(part + 1) * values.len() / parts];
            let mean = of.iter().sum::<f64>() / of.len().max(1) as f64;
            if mean <= 0.0 || highest <= 0.0 {
                return NOTHING;
            }
            let level = (mean / highest * LEVELS.len() as f64).ceil() as usize;
            LEVELS[level.clamp(1, LEVELS.len()) - 1]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_is_full_and_nothing_is_a_dot() {
        assert_eq!(spark(&[8.0, 4.0, 1.0, 0.0, 0.1], 10, 8.0), "█▄▁·▁");
    }

    #[test]
    fn long_courses_are_averaged_part_by_part() {
        let long: Vec<f64> = (0..1000).map(|at| if at < 500 { 2.0 } else { 1.0 }).collect();
        assert_eq!(spark(&long, 4, 2.0), "██▄▄");
        assert_eq!(spark(&[], 4, 2.0), "");
        assert_eq!(spark(&[1.0, f64::NAN], 2, 1.0).chars().count(), 2);
    }
}
