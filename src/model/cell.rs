//! Identities that outlive a run: the key of a cell and the recipe of a dataset.

use super::value::SettingValue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// One value on one axis, in the order the suite states the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AxisValue {
    /// The axis: `engine`, `server`, `workload`, `variant`, a setting, an option or a named axis.
    pub axis: String,
    /// The value.
    pub value: SettingValue,
}

/// The identity of a cell: its axis values, sorted by axis. Resume, merge, compare and baselines
/// join on it, so its text form never changes between releases.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CellKey(BTreeMap<String, String>);

impl CellKey {
    /// The key made of these axis values. Names of engines and words compare in lower case.
    pub fn new<'a>(axes: impl IntoIterator<Item = &'a AxisValue>) -> Self {
        Self(
            axes.into_iter()
                .map(|axis| (axis.axis.clone(), axis.value.to_string().to_lowercase()))
                .collect(),
        )
    }

    /// The key made of these pairs of axis and value text.
    pub fn from_pairs<I, A, B>(pairs: I) -> Self
    where
        I: IntoIterator<Item = (A, B)>,
        A: Into<String>,
        B: Into<String>,
    {
        Self(pairs.into_iter().map(|(axis, value)| (axis.into(), value.into())).collect())
    }

    /// The value on `axis`, if the key has that axis.
    pub fn get(&self, axis: &str) -> Option<&str> {
        self.0.get(axis).map(String::as_str)
    }

    /// The same key without `axis`: what the sides of a pair have in common.
    #[must_use]
    pub fn without(&self, axis: &str) -> Self {
        let mut rest = self.0.clone();
        rest.remove(axis);
        Self(rest)
    }

    /// The same key with `axis` set to `value`.
    #[must_use]
    pub fn with(&self, axis: &str, value: &str) -> Self {
        let mut other = self.0.clone();
        other.insert(axis.to_string(), value.to_string());
        Self(other)
    }

    /// The pairs in order of axis name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(axis, value)| (axis.as_str(), value.as_str()))
    }
}

impl fmt::Display for CellKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (axis, value)) in self.iter().enumerate() {
            write!(f, "{}{axis}={value}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// The address of a dataset: a hash over everything that its bytes depend on, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecipeId(pub String);

impl fmt::Display for RecipeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
