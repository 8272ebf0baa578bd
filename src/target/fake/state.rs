//! What a fake server keeps: tables and how many rows each has.

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
