//! Datasets: which cells share loaded data, and the recipe that says so.

use super::options::Line;
use super::suite::Engine;
use super::{DatasetSchema, IndexMoment, LoadPath, LoadSettings, SettlePolicy};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::RecipeId;
use crate::target::{OptionLine, TargetDescription};
use crate::workload::{Parameters, WorkloadKind};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// What the bytes of a dataset depend on.
pub(super) struct Recipe<'a> {
    pub(super) kind: &'static WorkloadKind,
    pub(super) seed: u64,
    pub(super) parameters: &'a Parameters,
    /// What the data depend on beside them.
    pub(super) data: Vec<(String, String)>,
    pub(super) storage: &'a str,
    /// The schema after transforms.
    pub(super) schema: &'a DatasetSchema,
    /// Hash of its script.
    pub(super) schema_hash: &'a str,
    pub(super) server: Option<&'a TargetDescription>,
    /// What was asked for, when there is no such server.
    pub(super) wanted: &'a str,
    pub(super) load: &'a LoadSettings,
    pub(super) settle: SettlePolicy,
    /// Loaded and run in one server start, with the options of its cell.
    pub(super) runs_as_loaded: bool,
    /// Options that the bytes depend on.
    pub(super) options: Vec<&'a Line>,
}

/// Whether rows outlive the stop of their server; an error says that they do not.
pub(super) fn keeps_rows(
    engine: &Engine,
    kind: &WorkloadKind,
    wrong: &mut Vec<Diagnostic>,
) -> bool {
    if engine.spec.persistent {
        return true;
    }
    let storage = engine.spec.storage;
    let error = Diagnostic::error(
        codes::ENGINE_CANNOT,
        engine.span,
        format!("{storage} keeps no rows when its server stops"),
    );
    let error = if kind.wants_lasting_rows {
        error.label("TPC-C is about transactions that last").help(format!(
            "leave {storage} out: `only` names the engines of a point, a profile or the suite"
        ))
    } else {
        error
            .label(
                "a dataset is loaded, its server stopped, and the files copied for each repetition",
            )
            .help("write `dataset each`: loaded and run in one server start, in each repetition")
    };
    if !wrong.contains(&error) {
        wrong.push(error);
    }
    false
}

/// `name = value`, or the bare name.
pub(super) fn option_text(line: &OptionLine) -> (String, String) {
    (line.name.clone(), line.value.clone().unwrap_or_else(|| "set".to_string()))
}

impl LoadSettings {
    /// The settings in a few words: `bulk, 2 threads, indexes after`.
    pub fn describe(&self) -> String {
        let path = match &self.path {
            LoadPath::Bulk => "bulk".to_string(),
            LoadPath::Rows(rows) => format!("rows {rows}"),
            LoadPath::External(loader) => loader.describe(),
        };
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        let indexes = match self.indexes {
            IndexMoment::Before => "before",
            IndexMoment::After => "after",
        };
        format!("{path}, {} {threads}, indexes {indexes}", self.threads)
    }
}

impl SettlePolicy {
    /// As the language writes it.
    pub fn describe(self) -> String {
        match self {
            Self::Full => "full".to_string(),
            Self::None => "none".to_string(),
            Self::For(time) => crate::model::units::exact_duration(time),
        }
    }
}

/// Everything that is hashed, in order.
pub(super) fn ingredients(recipe: &Recipe<'_>) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: String| list.push((name.to_string(), value));
    add("data", format!("{} version {}", recipe.kind.name, recipe.kind.data_version));
    add("seed", recipe.seed.to_string());
    for (name, value) in recipe.parameters {
        add(name, value.to_string());
    }
    for (name, value) in &recipe.data {
        add(name, value.clone());
    }
    add("storage", recipe.storage.to_string());
    add("schema", format!("sha256 {}", recipe.schema_hash));
    // Scripts state it in their tables; a tool's tables have that of the database.
    if let (true, Some((charset, collation))) =
        (recipe.schema.script.is_empty(), &recipe.schema.charset)
    {
        add("charset", format!("{charset}, {collation}"));
    }
    match recipe.server {
        Some(server) => {
            add("server", format!("{} {}", server.family, server.version));
            add("build", server.build.clone());
        }
        None => add("server", recipe.wanted.to_string()),
    }
    add("load", recipe.load.describe());
    add("settle", recipe.settle.describe());
    for line in &recipe.options {
        let (name, value) = option_text(&line.option);
        add(&format!("option {name}"), value);
    }
    if recipe.runs_as_loaded {
        add("dataset", "each".to_string());
    }
    list
}

/// The address made of them.
pub(super) fn address(ingredients: &[(String, String)]) -> RecipeId {
    let mut text = String::new();
    for (name, value) in ingredients {
        // Lengths keep `a=b` and `c` apart from `a` and `b=c`.
        let _ = writeln!(text, "{}:{name}={}:{value}", name.len(), value.len());
    }
    RecipeId(short_hash(text.as_bytes()))
}

/// The first 128 bits of SHA-256, hexadecimal.
pub(super) fn short_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(16).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_depends_on_every_name_and_value() {
        let of = |list: &[(&str, &str)]| {
            let list: Vec<_> =
                list.iter().map(|(n, v)| ((*n).to_string(), (*v).to_string())).collect();
            address(&list)
        };
        let one = of(&[("a", "b=c"), ("d", "e")]);
        assert_eq!(one, of(&[("a", "b=c"), ("d", "e")]));
        for other in
            [of(&[("a=b", "c"), ("d", "e")]), of(&[("a", "b=c")]), of(&[("d", "e"), ("a", "b=c")])]
        {
            assert_ne!(one, other);
        }
        assert_eq!(one.0.len(), 32);
    }
}
