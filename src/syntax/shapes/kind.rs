//! Kinds of values.

use std::fmt;

/// What a value must be. The setting gives the kind; the same text means different things in
/// different kinds (`2m` is two minutes, `2M` two million or two mebibytes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A name: a letter or `_`, then letters, digits, `_`.
    Name,
    /// A name or several joined by dots: `tpcc.warehouses`.
    DottedName,
    /// The name of a server option; `-` counts as `_`.
    OptionName,
    /// One of these words, without regard to case.
    Words(&'static [&'static str]),
    /// A whole number, `k` and `M` for thousands and millions, within bounds.
    Count {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// A number with or without a fraction, within bounds.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// Bytes with a unit: `4GB`.
    Size,
    /// Time with a unit: `20m`.
    Duration,
    /// A percentage without a sign, above 0, up to 100.
    Percent,
    /// A percentage of one of these: `5% of data`.
    PercentOf(&'static [&'static str]),
    /// Events a second: `500/s`.
    Rate,
    /// Files x size: `2x4GB`.
    Files,
    /// A string.
    Text,
    /// Processors: `0..1` or `3`.
    Processors,
    /// The value of a server option, with the server's own suffixes K M G T.
    OptionValue,
    /// Any literal; whoever knows the setting checks it.
    Any,
    /// One of several kinds.
    OneOf(&'static [Kind]),
}

impl Kind {
    /// A count from 1.
    pub const POSITIVE: Self = Self::Count { min: 1, max: u64::MAX };

    /// A count from 1 to a bound.
    pub const fn up_to(max: u64) -> Self {
        Self::Count { min: 1, max }
    }

    /// How a synopsis shows a value of it: the words themselves, or the part's name in capitals.
    pub(super) fn placeholder(&self, name: &str) -> String {
        let word = name.to_uppercase();
        match self {
            Self::Words(words) => words.join("|"),
            Self::Text => format!("\"{word}\""),
            Self::OneOf(kinds) => {
                let mut shown: Vec<_> = kinds.iter().map(|kind| kind.placeholder(name)).collect();
                shown.dedup();
                shown.join("|")
            }
            Self::PercentOf(of) => format!("{word}% of {}", of.join("|")),
            _ => word,
        }
    }
}

/// What messages say was expected: "a size such as `4GB`".
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str("a name"),
            Self::DottedName => f.write_str("the name of a setting"),
            Self::OptionName => f.write_str("the name of a server option"),
            Self::Words(words) => {
                for (index, word) in words.iter().enumerate() {
                    let joint = match index {
                        0 => "",
                        _ if index + 1 == words.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{joint}`{word}`")?;
                }
                Ok(())
            }
            Self::Count { .. } => f.write_str("a count such as `64` or `100k`"),
            Self::Number { .. } => f.write_str("a number such as `0.8`"),
            Self::Size => f.write_str("a size such as `4GB`"),
            Self::Duration => f.write_str("a duration such as `20m`"),
            Self::Percent => f.write_str("a percentage such as `5%`"),
            Self::PercentOf(of) => {
                write!(f, "a percentage such as `5% of {}`", of.first().unwrap_or(&"data"))
            }
            Self::Rate => f.write_str("a rate such as `500/s`"),
            Self::Files => f.write_str("files and their size such as `2x4GB`"),
            Self::Text => f.write_str("a string in double quotes"),
            Self::Processors => f.write_str("processors such as `0..1`"),
            Self::OptionValue | Self::Any => f.write_str("a value"),
            Self::OneOf(kinds) => {
                for (index, kind) in kinds.iter().enumerate() {
                    write!(f, "{}{kind}", if index == 0 { "" } else { ", or " })?;
                }
                Ok(())
            }
        }
    }
}
