//! What a fake server keeps: tables and how many rows each has.

use super::script::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

const FILE_NAME: &str = "fake.json";

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) tables: BTreeMap<String, Table>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Table {
    pub(super) storage: String,
    pub(super) row_format: String,
    pub(super) ddl: String,
    pub(super) rows: i64,
    /// What this start has loaded in bulk; a later one only knows how many rows there are.
    #[serde(skip)]
    pub(super) loaded: Loaded,
}

/// Rows as they were loaded.
#[derive(Clone, Debug, Default)]
pub(super) struct Loaded {
    /// Names of the columns, in the order of the fields.
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<Value>>,
}

impl Loaded {
    /// These columns (`a, b`) of every row; none where one of them was not loaded.
    pub(super) fn columns(&self, list: &str) -> Option<Vec<Vec<Value>>> {
        let at: Vec<usize> = list
            .split(',')
            .map(|asked| {
                let asked = asked.trim();
                self.columns.iter().position(|column| column.eq_ignore_ascii_case(asked))
            })
            .collect::<Option<_>>()?;
        Some(self.rows.iter().map(|row| at.iter().map(|&at| row[at].clone()).collect()).collect())
    }
}

impl State {
    pub(super) fn load(data_dir: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(data_dir.join(FILE_NAME))?)?)
    }

    pub(super) fn save(&self, data_dir: &Path) -> io::Result<()> {
        std::fs::create_dir_all(data_dir)?;
        std::fs::write(data_dir.join(FILE_NAME), serde_json::to_vec(self)?)
    }
}
