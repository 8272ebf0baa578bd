//! A suite or a profile as read: blocks before `extends`, values before overrides.

use super::sql::SqlDraft;
use crate::diagnostic::Span;
use crate::engine::EngineSpec;
use crate::model::{FigureWish, Place};
use crate::plan::suite::{
    CompareStatement, DefaultsFile, ExpectStatement, Given, Layer, NamedAt, SchemaSettings,
    ServerSource, WhereCondition,
};
use crate::plan::{
    Average, Collector, DiskTest, IndexMoment, LoadPath, MachineLimits, Probe, SettlePolicy,
    Unsupported,
};
use crate::target::families::Defaults;
use crate::workload::WorkloadKind;
use std::path::PathBuf;

/// `server NAME { ... }`
#[derive(Clone, Debug)]
pub(super) struct ServerDraft {
    pub(super) head: Head,
    pub(super) source: Option<ServerSource>,
    pub(super) password_env: Option<String>,
    pub(super) tls_ca: Option<PathBuf>,
    pub(super) defaults_file: Option<DefaultsFile>,
    pub(super) reuse_data: bool,
    pub(super) layer: Layer,
}

/// `engine NAME { ... }`
#[derive(Clone, Debug)]
pub(super) struct EngineDraft {
    pub(super) head: Head,
    pub(super) storage: Option<&'static EngineSpec>,
    /// A storage was named that does not exist: reported, so nothing is missing.
    pub(super) wrong_storage: bool,
    pub(super) layer: Layer,
    pub(super) schema: SchemaSettings,
}

/// `workload KIND [NAME] { ... }`
#[derive(Clone, Debug)]
pub(super) struct WorkloadDraft {
    pub(super) head: Head,
    pub(super) kind: &'static WorkloadKind,
    pub(super) layer: Layer,
    pub(super) sql: SqlDraft,
    pub(super) schema: SchemaSettings,
    pub(super) load: Option<LoadDraft>,
    pub(super) settle: Option<SettlePolicy>,
    pub(super) dataset_each: Option<bool>,
}

/// A value of an axis.
#[derive(Clone, Debug)]
pub(super) struct EntryDraft {
    pub(super) head: Head,
    pub(super) layer: Layer,
}

/// `axis NAME { ... }`
#[derive(Clone, Debug)]
pub(super) struct AxisDraft {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) entries: Vec<EntryDraft>,
}

/// `point { ... }`
#[derive(Clone, Debug)]
pub(super) struct PointDraft {
    pub(super) only: Vec<NamedAt>,
    pub(super) layer: Layer,
    pub(super) span: Span,
    pub(super) place: Place,
}

/// Name, place and parent of a block.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) extends: Option<NamedAt>,
    pub(super) span: Span,
    pub(super) place: Place,
}

/// `load { ... }`: what it leaves out has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LoadDraft {
    pub(super) path: Option<LoadPath>,
    pub(super) threads: Option<u32>,
    pub(super) indexes: Option<IndexMoment>,
    pub(super) repeat: Option<u32>,
}

/// `profile NAME { ... }`
#[derive(Clone, Debug)]
pub(super) struct ProfileDraft {
    pub(super) head: Head,
    pub(super) draft: Draft,
}

/// What stands on one level of a file: the suite's top level, or the inside of a profile.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) title: Option<String>,
    /// Of a profile: the one whose lines come first.
    pub(super) extends: Option<NamedAt>,
    pub(super) seed: Option<u64>,
    pub(super) repeat: Option<u32>,
    pub(super) average: Option<Average>,
    pub(super) defaults_file: Option<DefaultsFile>,
    pub(super) layer: Layer,
    /// Settings for one workload: `tpcc.warehouses 1`.
    pub(super) dotted: Vec<(NamedAt, Given)>,
    pub(super) servers: Vec<ServerDraft>,
    pub(super) engines: Vec<EngineDraft>,
    pub(super) workloads: Vec<WorkloadDraft>,
    pub(super) axes: Vec<AxisDraft>,
    pub(super) points: Vec<PointDraft>,
    pub(super) conditions: Vec<WhereCondition>,
    pub(super) schema: Option<SchemaSettings>,
    pub(super) load: Option<LoadDraft>,
    pub(super) settle: Option<SettlePolicy>,
    pub(super) dataset_each: Option<bool>,
    pub(super) disk: Option<DiskTest>,
    pub(super) collectors: Vec<Collector>,
    pub(super) machine: Option<MachineLimits>,
    pub(super) defaults: Option<Defaults>,
    pub(super) probes: Vec<Probe>,
    pub(super) comparisons: Vec<CompareStatement>,
    pub(super) expectations: Vec<ExpectStatement>,
    pub(super) table: Option<(NamedAt, NamedAt)>,
    pub(super) figures: Vec<FigureWish>,
    pub(super) allowed: Vec<(String, String)>,
    pub(super) unsupported: Vec<Unsupported>,
    pub(super) profiles: Vec<ProfileDraft>,
    /// Names in the order in which they were first written: the order of axes.
    pub(super) mentioned: Vec<String>,
}

impl Draft {
    /// Remembers that `name` was written.
    pub(super) fn mention(&mut self, name: &str) {
        if !self.mentioned.iter().any(|known| known == name) {
            self.mentioned.push(name.to_string());
        }
    }

    /// The layers in which a setting may stand, the suite's own left out.
    pub(super) fn inner_layers(&mut self) -> impl Iterator<Item = &mut Layer> {
        let workloads = self.workloads.iter_mut().map(|workload| &mut workload.layer);
        let points = self.points.iter_mut().map(|point| &mut point.layer);
        let entries = self
            .axes
            .iter_mut()
            .flat_map(|axis| axis.entries.iter_mut().map(|entry| &mut entry.layer));
        let servers = self.servers.iter_mut().map(|server| &mut server.layer);
        let engines = self.engines.iter_mut().map(|engine| &mut engine.layer);
        workloads.chain(points).chain(entries).chain(servers).chain(engines)
    }

    /// Whether some layer gives a value to an option of this name.
    pub(super) fn layers(&self) -> impl Iterator<Item = &Layer> {
        let workloads = self.workloads.iter().map(|workload| &workload.layer);
        let points = self.points.iter().map(|point| &point.layer);
        let entries =
            self.axes.iter().flat_map(|axis| axis.entries.iter().map(|entry| &entry.layer));
        let servers = self.servers.iter().map(|server| &server.layer);
        let engines = self.engines.iter().map(|engine| &engine.layer);
        std::iter::once(&self.layer)
            .chain(workloads)
            .chain(points)
            .chain(entries)
            .chain(servers)
            .chain(engines)
    }

    /// Works a profile into the suite: values, points and blocks are replaced whole.
    pub(super) fn apply(&mut self, profile: &Draft) {
        macro_rules! replace {
            ($($field:ident),*) => {
                $(if profile.$field.is_some() {
                    self.$field.clone_from(&profile.$field);
                })*
            };
        }
        replace!(
            seed,
            repeat,
            average,
            defaults,
            defaults_file,
            schema,
            load,
            settle,
            dataset_each,
            table,
            disk,
            machine
        );
        if !profile.figures.is_empty() {
            self.figures.clone_from(&profile.figures);
        }
        if !profile.points.is_empty() {
            self.points.clone_from(&profile.points);
        }
        if !profile.servers.is_empty() {
            self.servers.clone_from(&profile.servers);
        }
        for axis in &profile.axes {
            match self.axes.iter_mut().find(|known| known.name == axis.name) {
                Some(known) => *known = axis.clone(),
                None => self.axes.push(axis.clone()),
            }
        }
        for workload in &profile.workloads {
            match self.workloads.iter_mut().find(|known| known.head.name == workload.head.name) {
                Some(known) => known.add(workload),
                None => self.workloads.push(workload.clone()),
            }
        }
        for given in &profile.layer.givens {
            self.override_with(given);
        }
        self.dotted.extend(profile.dotted.iter().cloned());
        for probe in &profile.probes {
            match self.probes.iter_mut().find(|known| known.name == probe.name) {
                Some(known) => *known = probe.clone(),
                None => self.probes.push(probe.clone()),
            }
        }
        for compare in &profile.comparisons {
            let axes = |statement: &CompareStatement| -> Vec<String> {
                statement.axes.iter().map(|axis| axis.name.clone()).collect()
            };
            match self.comparisons.iter_mut().find(|known| axes(known) == axes(compare)) {
                Some(known) => *known = compare.clone(),
                None => self.comparisons.push(compare.clone()),
            }
        }
        for allowed in &profile.allowed {
            self.allowed.retain(|(what, _)| *what != allowed.0);
            self.allowed.push(allowed.clone());
        }
        self.expectations.extend(profile.expectations.iter().cloned());
        self.conditions.extend(profile.conditions.iter().cloned());
        self.collectors.extend(profile.collectors.iter().cloned());
        self.unsupported.extend(profile.unsupported.iter().cloned());
        for name in &profile.mentioned {
            self.mention(name);
        }
    }

    /// A plain setting of a profile or of `--set`: the suite's, else that of every workload, point
    /// and axis value (and server and engine) that has it; else it is new to the suite.
    pub(super) fn override_with(&mut self, given: &Given) {
        if self.layer.get(&given.name).is_some() {
            self.layer.replace(given.clone());
            return;
        }
        let mut found = false;
        for layer in self.inner_layers() {
            if layer.get(&given.name).is_some() {
                layer.replace(given.clone());
                found = true;
            }
        }
        if !found {
            self.layer.replace(given.clone());
        }
    }
}

impl WorkloadDraft {
    /// Adds the lines of `later`, which win.
    pub(super) fn add(&mut self, later: &Self) {
        for given in &later.layer.givens {
            self.layer.replace(given.clone());
        }
        self.schema.add(&later.schema);
        self.sql.add(&later.sql);
        if later.load.is_some() {
            self.load.clone_from(&later.load);
        }
        self.settle = later.settle.or(self.settle);
        self.dataset_each = later.dataset_each.or(self.dataset_each);
    }
}
