//! Schema, loading, settling.

use super::draft::{Draft, LoadDraft};
use super::resolver::Resolver;
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::model::SettingValue;
use crate::plan::suite::{DefaultsFile, RewriteLine, SchemaSettings, Script};
use crate::plan::{DiskTest, IndexMoment, LoadPath, MachineLimits, SettlePolicy};
use crate::schema::Rewrite;
use crate::syntax::Reading;
use crate::workload::external::Loader;
use std::path::PathBuf;

/// What an error over several lines says in the end: the regular expression is drawn above it.
fn last_line(text: &str) -> &str {
    let line = text.lines().last().unwrap_or(text);
    line.strip_prefix("error: ").unwrap_or(line)
}

/// What a `load` block says of an outside tool.
#[derive(Default)]
struct LoaderDraft {
    tool: Option<(String, Span)>,
    program: Option<String>,
    arguments: Vec<String>,
    /// Lines that mean something for a tool alone.
    words: Vec<Span>,
}

impl LoaderDraft {
    fn finished(self) -> Result<Option<Loader>, Diagnostic> {
        let Some((tool, span)) = self.tool else {
            return self.words.first().map_or(Ok(None), |&span| {
                Err(Diagnostic::error(codes::INCOMPLETE, span, "no outside tool loads here")
                    .help("write `path external command` beside it, or `path external tpcc_load`"))
            });
        };
        Loader::new(&tool, self.program.as_deref(), self.arguments).map(Some).map_err(|why| {
            let message = format!("`path external {tool}` does not say what to start");
            Diagnostic::error(codes::INCOMPLETE, span, message).help(why)
        })
    }
}

impl Resolver<'_> {
    /// `schema { ... }`
    pub(super) fn schema(&mut self, reading: &Reading<'_>, draft: &mut Draft) -> SchemaSettings {
        let mut schema = SchemaSettings::default();
        if let Some((parent, statements)) = reading.inside() {
            self.block(statements, parent, draft, |resolver, inner, _| {
                resolver.schema_line(&inner, &mut schema);
            });
        }
        schema
    }

    /// One line of it; `strip`, `keep` and `add` also stand in engine blocks.
    pub(super) fn schema_line(&mut self, reading: &Reading<'_>, schema: &mut SchemaSettings) {
        let text = |part: &str| reading.text(part).map(str::to_string);
        let mut line = SchemaSettings::default();
        match reading.name() {
            "from" => line.from = self.scripts(reading),
            "strip" => {
                line.strip =
                    reading.values("what").iter().map(|value| value.value.to_string()).collect();
            }
            "keep" => line.keep_foreign_key_indexes = Some(true),
            "add" => line.add_primary_key = true,
            "charset" => line.charset = text("value"),
            "collation" => line.collation = text("value"),
            "rewrite" => line.rewrites.extend(self.rewrite(reading)),
            _ => {}
        }
        schema.add(&line);
    }

    fn scripts(&mut self, reading: &Reading<'_>) -> Vec<Script> {
        let mut scripts: Vec<Script> = Vec::new();
        for file in reading.values("file") {
            let name = file.value.to_string();
            if let Some(first) = scripts.iter().find(|known| known.name == name) {
                self.wrong.push(
                    Diagnostic::error(
                        codes::DECLARED_TWICE,
                        file.span,
                        format!("\"{name}\" is named twice"),
                    )
                    .also(first.span, "first here"),
                );
                continue;
            }
            match self.beside.script(self.sources, &name, file.span) {
                Ok(text) => scripts.push(Script { name, text, span: file.span }),
                Err(wrong) => self.wrong.push(wrong),
            }
        }
        scripts
    }

    fn rewrite(&mut self, reading: &Reading<'_>) -> Option<RewriteLine> {
        let text = |part: &str| reading.text(part).unwrap_or_default().to_string();
        let line =
            RewriteLine { pattern: text("pattern"), text: text("text"), tables: text("tables") };
        if let Err(why) = Rewrite::new(&line.pattern, &line.text, Some(&line.tables)) {
            let message = format!("the pattern cannot be used: {}", last_line(&why));
            self.wrong.push(
                Diagnostic::error(codes::BAD_PATTERN, reading.span_of("pattern"), message)
                    .help("the syntax is that of the Rust crate `regex`"),
            );
            return None;
        }
        Some(line)
    }

    /// The schema of an engine block, which has no scripts of its own: both sides have the same
    /// tables.
    pub(super) fn engine_schema(
        &mut self,
        reading: &Reading<'_>,
        draft: &mut Draft,
    ) -> SchemaSettings {
        let mut schema = self.schema(reading, draft);
        if let Some(script) = schema.from.first() {
            self.wrong.push(
                Diagnostic::error(
                    codes::FILE_UNUSABLE,
                    script.span,
                    "an engine has no scripts of its own",
                )
                .help(
                    "write `from` in the `schema` block of the suite or of a workload: all \
                       sides have the same tables, and transforms make them fit each engine",
                ),
            );
            schema.from.clear();
        }
        schema
    }

    /// `load { ... }`
    pub(super) fn load(&mut self, reading: &Reading<'_>, draft: &mut Draft) -> LoadDraft {
        let mut load = LoadDraft::default();
        let Some((parent, statements)) = reading.inside() else { return load };
        let mut loader = LoaderDraft::default();
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
                    } else {
                        LoadPath::Bulk
                    });
                    if let Some(tool) = inner.text("tool") {
                        loader.tool = Some((tool.to_string(), inner.span()));
                    }
                }
                "program" => {
                    loader.program = inner.text("value").map(str::to_string);
                    loader.words.push(inner.span());
                }
                "argument" => {
                    let words = inner.values("value").iter();
                    loader.arguments.extend(words.map(|value| value.value.to_string()));
                    loader.words.push(inner.span());
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
        match loader.finished() {
            Ok(Some(loader)) => load.path = Some(LoadPath::External(loader)),
            Ok(None) => {}
            Err(wrong) => self.wrong.push(wrong),
        }
        load
    }

    /// `defaults_file "my.cnf"`. What is in it is read for each server.
    pub(super) fn defaults_file(&mut self, reading: &Reading<'_>) -> Option<DefaultsFile> {
        let name = reading.text("file")?;
        match self.beside.named(self.sources, name, reading.span_of("file")) {
            Ok(named) => Some(DefaultsFile {
                name: named.name,
                path: named.path,
                within: self.beside.folder.clone(),
                span: reading.span(),
            }),
            Err(wrong) => {
                self.wrong.push(wrong);
                None
            }
        }
    }

    /// `tls_ca "ca.pem"`
    pub(super) fn authorities(&mut self, reading: &Reading<'_>) -> Option<PathBuf> {
        let name = reading.text("file")?;
        match self.beside.named(self.sources, name, reading.span_of("file")) {
            Ok(named) => Some(named.path),
            Err(wrong) => {
                self.wrong.push(wrong);
                None
            }
        }
    }

    /// `disk { ... }`: what it leaves out has its default.
    pub(super) fn disk(&mut self, reading: &Reading<'_>, draft: &mut Draft) -> DiskTest {
        let mut test = DiskTest::default();
        let Some((parent, statements)) = reading.inside() else { return test };
        self.block(statements, parent, draft, |_, inner, _| {
            let value = inner.value("value").map(|value| &value.value);
            match (inner.name(), value) {
                ("block", Some(SettingValue::Size(bytes))) => test.block_bytes = *bytes,
                ("size", Some(SettingValue::Size(bytes))) => test.size_bytes = *bytes,
                ("read", Some(SettingValue::Percent(percent))) => test.read_percent = *percent,
                ("jobs", Some(SettingValue::Count(jobs))) => {
                    test.jobs = u32::try_from(*jobs).unwrap_or(u32::MAX);
                }
                ("time", Some(SettingValue::Duration(time))) => test.time = *time,
                ("engine", Some(engine)) => test.engine = engine.to_string(),
                ("io", Some(io)) => test.direct = io.as_str() != Some("buffered"),
                _ => {}
            }
        });
        test
    }

    /// `machine { memory 2GB; cpus 0..1; client_cpus 2..3 }`
    pub(super) fn machine(&mut self, reading: &Reading<'_>, draft: &mut Draft) -> MachineLimits {
        let mut limits = MachineLimits::default();
        let Some((parent, statements)) = reading.inside() else { return limits };
        self.block(statements, parent, draft, |_, inner, _| {
            let processors = inner.text("value").and_then(MachineLimits::processors);
            match (inner.name(), inner.value("value").map(|value| &value.value)) {
                ("memory", Some(SettingValue::Size(bytes))) => limits.memory = Some(*bytes),
                ("cpus", _) => limits.cpus = processors,
                ("client_cpus", _) => limits.client_cpus = processors,
                _ => {}
            }
        });
        limits
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
