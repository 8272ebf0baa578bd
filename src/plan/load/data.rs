//! Schema, loading, settling.

use super::draft::{Draft, LoadDraft};
use super::resolver::Resolver;
use crate::model::SettingValue;
use crate::plan::suite::SchemaSettings;
use crate::plan::{IndexMoment, LoadPath, SettlePolicy};
use crate::syntax::Reading;

impl Resolver<'_> {
    /// `schema { ... }`
    pub(super) fn schema(&mut self, reading: &Reading<'_>, draft: &mut Draft) -> SchemaSettings {
        let mut schema = SchemaSettings::default();
        if let Some((parent, statements)) = reading.inside() {
            self.block(statements, parent, draft, |_, inner, _| {
                Self::schema_line(&inner, &mut schema);
            });
        }
        schema
    }

    /// One line of it; `strip` and `keep` also stand in engine blocks.
    pub(super) fn schema_line(reading: &Reading<'_>, schema: &mut SchemaSettings) {
        let texts = |part: &str| -> Vec<String> {
            reading.values(part).iter().map(|value| value.value.to_string()).collect()
        };
        let mut line = SchemaSettings::default();
        match reading.name() {
            "from" => line.from = texts("file"),
            "strip" => line.strip = texts("what"),
            "keep" => line.keep_foreign_key_indexes = Some(true),
            _ => {}
        }
        schema.add(&line);
    }

    /// `load { ... }`
    pub(super) fn load(&mut self, reading: &Reading<'_>, draft: &mut Draft) -> LoadDraft {
        let mut load = LoadDraft::default();
        let Some((parent, statements)) = reading.inside() else { return load };
        self.block(statements, parent, draft, |_, inner, _| {
            let count = |part: &str| match inner.value(part).map(|value| &value.value) {
                Some(SettingValue::Count(count)) => *count,
                _ => 1,
            };
            let small = |part: &str| u32::try_from(count(part)).unwrap_or(u32::MAX);
            match inner.name() {
                "path" => {
                    load.path = Some(if inner.has("rows") {
                        LoadPath::Rows(count("rows"))
                    } else if inner.has("external") {
                        LoadPath::External(inner.text("tool").unwrap_or_default().to_string())
                    } else {
                        LoadPath::Bulk
                    });
                }
                "threads" => load.threads = Some(small("value")),
                "indexes" => {
                    load.indexes = Some(match inner.text("value") {
                        Some("before") => IndexMoment::Before,
                        _ => IndexMoment::After,
                    });
                }
                "repeat" => load.repeat = Some(small("value")),
                _ => {}
            }
        });
        load
    }

    /// `settle full|none|DURATION`
    pub(super) fn settle(reading: &Reading<'_>) -> Option<SettlePolicy> {
        Some(match &reading.value("value")?.value {
            SettingValue::Duration(time) => SettlePolicy::For(*time),
            SettingValue::Word(word) if word == "none" => SettlePolicy::None,
            _ => SettlePolicy::Full,
        })
    }
}
