//! How far repetitions stray: one variance for all cells of a run, and for those cells that plainly
//! stray further, their own.
//!
//! Three values say little about their own variance; the values of all cells together say much.
//! So the variance is pooled over the cells of a run, as in an analysis of variance (G. W. Snedecor
//! and W. G. Cochran, *Statistical Methods*, 8th edition, 1989, section 12.3). That is only right
//! while cells stray alike. One engine ten times as noisy as the others would be called better or
//! worse far too often, so a cell that stands out is judged by its own values: by an F test of its
//! variance against that of the others, at a level mild enough that simulated tables with one cell
//! ten times as noisy keep their 5 % (see the tests of the same name in `tests/stats.rs`).

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// A cell whose variance is this improbable among the others', counted over all cells, is left out
/// of their pool.
const LEFT_OUT: f64 = 0.01;

/// Below so many degrees of freedom, which is with two values, a variance hides.
const HIDDEN: f64 = 2.0;

/// Variance of one repetition of a cell, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variance {
    /// Of log values.
    pub variance: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// It is that of all cells together, not the cell's own.
    pub pooled: bool,
}

/// The variances of the cells of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// By cell, in the order they were given; none for cells with fewer than two values.
    pub cells: Vec<Option<Variance>>,
    /// The variance of all cells that stray alike.
    pub pool: Option<Variance>,
}

/// One cell's own sum of squares.
#[derive(Clone, Copy)]
struct Own {
    squares: f64,
    df: f64,
    in_pool: bool,
}

impl Own {
    fn variance(self) -> f64 {
        self.squares / self.df
    }
}

/// The spread of `cells`, each a list of log values; no variance goes below `floor` squared.
pub fn spread(cells: &[&[f64]], floor: f64) -> Spread {
    let least = floor * floor;
    let mut own: Vec<Option<Own>> = cells.iter().map(|values| own_spread(values)).collect();
    let known = own.iter().flatten().count();
    if known < 3 {
        return of_a_pair(&own, least);
    }
    leave_out(&mut own, least);
    let (squares, df) = pool_of(&own, None);
    let pool = Variance { variance: (squares / df).max(least), df, pooled: true };
    let level = |n_minus_one: f64| stands_out_level(n_minus_one, known);
    let cells = own
        .iter()
        .enumerate()
        .map(|(index, cell)| {
            let cell = (*cell)?;
            let (others, others_df) = pool_of(&own, Some(index));
            let stands_out = !cell.in_pool
                || others_df > 0.0
                    && excess(cell, (others / others_df).max(least), others_df) < level(cell.df);
            Some(if stands_out {
                Variance {
                    variance: cell.variance().max(pool.variance),
                    df: cell.df,
                    pooled: false,
                }
            } else {
                pool
            })
        })
        .collect();
    Spread { cells, pool: Some(pool) }
}

/// Two cells alone: each has its own variance, as in Welch's test. Pooling two would gain little
/// and cost much where they differ.
fn of_a_pair(own: &[Option<Own>], least: f64) -> Spread {
    let cells = own
        .iter()
        .map(|cell| {
            cell.map(|cell| Variance {
                variance: cell.variance().max(least),
                df: cell.df,
                pooled: false,
            })
        })
        .collect();
    let (squares, df) = pool_of(own, None);
    let pool =
        (df > 0.0).then(|| Variance { variance: (squares / df).max(least), df, pooled: true });
    Spread { cells, pool }
}

fn own_spread(values: &[f64]) -> Option<Own> {
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some(Own { squares, df: (values.len() - 1) as f64, in_pool: true })
}

/// Sum of squares and degrees of freedom of the pool, without cell `but`.
fn pool_of(own: &[Option<Own>], but: Option<usize>) -> (f64, f64) {
    own.iter()
        .enumerate()
        .filter(|(index, _)| Some(*index) != but)
        .filter_map(|(_, cell)| cell.filter(|cell| cell.in_pool))
        .fold((0.0, 0.0), |(squares, df), cell| (squares + cell.squares, df + cell.df))
}

/// Takes cells out of the pool, the wildest first, while one stands out beyond doubt.
fn leave_out(own: &mut [Option<Own>], least: f64) {
    loop {
        let pooled = own.iter().flatten().filter(|cell| cell.in_pool).count();
        let wildest = own
            .iter()
            .enumerate()
            .filter_map(|(index, cell)| cell.filter(|cell| cell.in_pool).map(|c| (index, c)))
            .max_by(|(_, a), (_, b)| a.variance().total_cmp(&b.variance()));
        let Some((index, cell)) = wildest.filter(|_| pooled > 2) else { return };
        let (squares, df) = pool_of(own, Some(index));
        if excess(cell, (squares / df).max(least), df) * pooled as f64 >= LEFT_OUT {
            return;
        }
        own[index] = Some(Own { in_pool: false, ..cell });
    }
}

/// How often a cell no wilder than `others` shows so large a variance.
fn excess(cell: Own, others: f64, others_df: f64) -> f64 {
    let ratio = cell.variance() / others;
    if ratio <= 1.0 || !ratio.is_finite() {
        // A ratio to nothing at all: without a floor, any spread stands out among none.
        return if cell.variance() > 0.0 && others == 0.0 { 0.0 } else { 1.0 };
    }
    FisherSnedecor::new(cell.df, others_df).map_or(1.0, |f| f.sf(ratio))
}

/// Below which probability a cell is judged by its own values. Two values hide their variance
/// often, so they need the mildest level; so do cells that have few others beside them.
fn stands_out_level(df: f64, cells: usize) -> f64 {
    if df < HIDDEN {
        0.5
    } else if cells <= 4 {
        0.2
    } else {
        0.1
    }
}

/// The standard error of a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandardError {
    /// Of the difference of two log levels.
    pub error: f64,
    /// Degrees of freedom.
    pub df: f64,
}

/// The standard error of the difference of two levels, each with a variance and the factor that
/// makes its standard deviation the standard error of its level (see [`super::median`]).
///
/// Two pooled variances are one and the same; others are joined as F. E. Satterthwaite does, "An
/// approximate distribution of estimates of variance components", Biometrics Bulletin 2 (1946).
/// Two values lie close together by chance too often for that: a noisy side hides, and its degrees
/// of freedom come out too high. Three quarters of the way to the one degree that it has, simulated
/// tables keep their 5 % whichever side is the noisy one.
pub fn standard_error(sides: [(Variance, f64); 2]) -> StandardError {
    let [a, b] = sides.map(|(side, factor)| side.variance * factor * factor);
    let [df_a, df_b] = sides.map(|(side, _)| side.df);
    let sum = a + b;
    let both_pooled = sides.iter().all(|(side, _)| side.pooled);
    let df = if both_pooled || sum == 0.0 {
        df_a.max(df_b)
    } else {
        let joined = sum * sum / (a * a / df_a + b * b / df_b);
        let own = sides.iter().filter(|(side, _)| !side.pooled).map(|(side, _)| side.df);
        let fewest = own.fold(f64::INFINITY, f64::min);
        if fewest < HIDDEN { fewest + (joined - fewest) / 4.0 } else { joined }
    };
    StandardError { error: sum.sqrt(), df }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_stray_alike_share_one_variance() {
        let cells: [&[f64]; 4] = [&[1.0, 3.0], &[10.0, 10.0, 13.0], &[0.0, 1.0, 2.0, 1.0], &[5.0]];
        let spread = spread(&cells, 0.0);
        let pool = spread.pool.unwrap();
        // 2 + 6 + 2 over 1 + 2 + 3.
        assert!((pool.variance - 10.0 / 6.0).abs() < 1e-12);
        assert_eq!(pool.df, 6.0);
        assert_eq!(spread.cells[2], Some(pool));
        assert_eq!(spread.cells[3], None);
    }

    #[test]
    fn a_wild_cell_is_judged_by_its_own_values_and_spoils_no_other() {
        let quiet: &[f64] = &[0.0, 0.01, -0.01];
        let wild: &[f64] = &[0.0, 0.2, -0.2];
        let spread = spread(&[quiet, quiet, quiet, quiet, quiet, wild], 0.0);
        assert!((spread.pool.unwrap().variance - 1e-4).abs() < 1e-12);
        let own = spread.cells[5].unwrap();
        assert!(!own.pooled);
        assert!((own.variance - 0.04).abs() < 1e-12);
        assert_eq!(own.df, 2.0);
    }

    #[test]
    fn no_variance_goes_below_the_floor() {
        let still: &[f64] = &[1.0, 1.0, 1.0];
        for cells in [vec![still, still], vec![still, still, still]] {
            let spread = spread(&cells, 0.005);
            for cell in spread.cells {
                assert!((cell.unwrap().variance - 2.5e-5).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn two_cells_alone_are_compared_as_welch_does() {
        // Two samples whose variances are 6.25 and 1, n = 5: by Welch's formula
        // df = (6.25/5 + 1/5)^2 / ((6.25/5)^2/4 + (1/5)^2/4) = 5.2480.
        let a: &[f64] = &[
            -2.5 * 1.264_911_064_067_352,
            -2.5 * 0.632_455_532_033_676,
            0.0,
            2.5 * 0.632_455_532_033_676,
            2.5 * 1.264_911_064_067_352,
        ];
        let b: &[f64] = &[
            -1.264_911_064_067_352,
            -0.632_455_532_033_676,
            0.0,
            0.632_455_532_033_676,
            1.264_911_064_067_352,
        ];
        let spread = spread(&[a, b], 0.0);
        let mean = 1.0 / 5f64.sqrt();
        let error =
            standard_error([(spread.cells[0].unwrap(), mean), (spread.cells[1].unwrap(), mean)]);
        assert!((error.error - (6.25f64 / 5.0 + 0.2).sqrt()).abs() < 1e-9);
        assert!((error.df - 5.248_0).abs() < 1e-3, "{}", error.df);
    }

    #[test]
    fn two_values_count_for_less_than_satterthwaite_says() {
        let side = |df| (Variance { variance: 1.0, df, pooled: false }, 1.0);
        assert_eq!(standard_error([side(1.0), side(1.0)]).df, 1.25);
        assert_eq!(standard_error([side(2.0), side(2.0)]).df, 4.0);
    }
}
