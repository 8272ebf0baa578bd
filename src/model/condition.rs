//! The one condition grammar, used by `where`, `--only` and `expect`.

use super::place::Place;
use super::value::SettingValue;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareOp {
    /// `=`
    #[serde(rename = "=")]
    Equal,
    /// `!=`
    #[serde(rename = "!=")]
    NotEqual,
    /// `<`
    #[serde(rename = "<")]
    Less,
    /// `<=`
    #[serde(rename = "<=")]
    LessOrEqual,
    /// `>`
    #[serde(rename = ">")]
    Greater,
    /// `>=`
    #[serde(rename = ">=")]
    GreaterOrEqual,
}

impl CompareOp {
    /// Reads the operator as the language writes it.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "=" | "==" => Self::Equal,
            "!=" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            _ => return None,
        })
    }

    /// The operator as the language writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Whether `left OP right` holds, given how left compares with right.
    pub fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

impl fmt::Display for CompareOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One comparison of a setting with a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionTerm {
    /// The setting or axis.
    pub name: String,
    /// The operator.
    pub op: CompareOp,
    /// The value compared with.
    pub value: SettingValue,
    /// Where it was written.
    pub place: Place,
}

/// A condition over the settings of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// One comparison.
    Term(ConditionTerm),
    /// All of them.
    And(Vec<Condition>),
    /// At least one of them.
    Or(Vec<Condition>),
    /// Not this one.
    Not(Box<Condition>),
}

impl Condition {
    /// Whether the condition holds where `lookup` gives a cell's settings.
    ///
    /// `None` when it does not apply: it names a setting that the cell lacks. A part that does
    /// not apply leaves the decision to the other parts.
    pub fn holds(&self, lookup: &dyn Fn(&str) -> Option<SettingValue>) -> Option<bool> {
        match self {
            Self::Term(term) => {
                let actual = lookup(&term.name)?;
                Some(match actual.compare(&term.value) {
                    Some(ordering) => term.op.holds(ordering),
                    None => term.op == CompareOp::NotEqual,
                })
            }
            Self::And(parts) => {
                parts.iter().filter_map(|part| part.holds(lookup)).reduce(|all, part| all && part)
            }
            Self::Or(parts) => {
                parts.iter().filter_map(|part| part.holds(lookup)).reduce(|any, part| any || part)
            }
            Self::Not(part) => part.holds(lookup).map(|held| !held),
        }
    }

    /// Every comparison in it, in order.
    pub fn terms(&self) -> Vec<&ConditionTerm> {
        match self {
            Self::Term(term) => vec![term],
            Self::And(parts) | Self::Or(parts) => parts.iter().flat_map(Self::terms).collect(),
            Self::Not(part) => part.terms(),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Self], word: &str| {
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    write!(f, " {word} ")?;
                }
                match part {
                    Self::Term(_) | Self::Not(_) => write!(f, "{part}")?,
                    _ => write!(f, "({part})")?,
                }
            }
            Ok(())
        };
        match self {
            Self::Term(term) => write!(f, "{} {} {}", term.name, term.op, term.value),
            Self::And(parts) => joined(f, parts, "and"),
            Self::Or(parts) => joined(f, parts, "or"),
            Self::Not(part) => write!(f, "not ({part})"),
        }
    }
}
