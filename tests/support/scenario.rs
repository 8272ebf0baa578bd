//! Journals with known truth, built record by record.

use enginecmp::journal::Record;
use enginecmp::journal::record::{
    Average, Comparison, DatasetRecord, EndRecord, FailedRecord, MachineRecord, PlanRecord,
    PlannedCell, ProbeRecord, RepetitionRecord, Round, RunRecord, ServerRecord, TypeTotals,
    VERSION,
};
use enginecmp::model::{
    AxisValue, CellKey, Failure, FailureKind, Metric, MetricId, MetricValue, Phase, Place,
    RecipeId, SettingValue,
};
use std::collections::BTreeMap;

/// A run in the making.
pub(crate) struct Scenario {
    records: Vec<Record>,
    plan: PlanRecord,
    order: u32,
}

/// A cell in the making.
#[derive(Clone)]
pub(crate) struct Cell {
    pub(crate) axes: Vec<AxisValue>,
    pub(crate) point: usize,
    pub(crate) storage: String,
    pub(crate) recipe: String,
}

/// What one repetition measured.
#[derive(Clone, Default)]
pub(crate) struct Measured {
    pub(crate) rounds: Vec<f64>,
    pub(crate) p95: f64,
    pub(crate) errors: u64,
    pub(crate) retries: u64,
    pub(crate) start: f64,
    pub(crate) stop: f64,
}

impl Scenario {
    pub(crate) fn new(title: &str, file: &str) -> Self {
        let run = RunRecord {
            v: VERSION,
            id: "20260203-7f3a".to_string(),
            tool: "0.1.0".to_string(),
            at: "2026-02-03T22:14:05Z".to_string(),
            title: title.to_string(),
            suite_file: file.to_string(),
            suite_text: format!("suite \"{title}\"\n"),
            seed: 42,
            ..RunRecord::default()
        };
        let machine = MachineRecord {
            name: "xeon-e5-2620-12c-32gb".to_string(),
            cpu: "Intel Xeon E5-2620".to_string(),
            cores: 12,
            memory_bytes: 32 << 30,
            kernel: "6.1.0".to_string(),
            work_fs: "xfs".to_string(),
            ..MachineRecord::default()
        };
        Self {
            records: vec![Record::Run(run), Record::Machine(machine)],
            plan: PlanRecord { repeat: 3, ..PlanRecord::default() },
            order: 0,
        }
    }

    pub(crate) fn run(&mut self) -> &mut RunRecord {
        match &mut self.records[0] {
            Record::Run(run) => run,
            _ => unreachable!("the first record is the run"),
        }
    }

    pub(crate) fn plan(&mut self) -> &mut PlanRecord {
        &mut self.plan
    }

    pub(crate) fn records(&mut self) -> &mut [Record] {
        &mut self.records
    }

    pub(crate) fn compare(&mut self, axes: &[&str], baseline: &[&str]) {
        self.plan.comparisons.push(Comparison {
            axes: axes.iter().map(ToString::to_string).collect(),
            baseline: baseline.iter().map(ToString::to_string).collect(),
            place: Place::new("suite.bench", 20, 1),
        });
    }

    pub(crate) fn average(&mut self, average: Average) {
        self.plan.average = average;
    }

    pub(crate) fn server(&mut self, name: &str, family: &str, version: &str) {
        self.records.push(Record::Server(ServerRecord {
            name: name.to_string(),
            family: family.to_string(),
            version: version.to_string(),
            build: String::new(),
            variables: BTreeMap::new(),
        }));
    }

    /// Plans a cell; `change` may alter what is not of interest to most tests.
    pub(crate) fn cell(&mut self, cell: &Cell, change: impl FnOnce(&mut PlannedCell)) -> CellKey {
        let key = CellKey::new(&cell.axes);
        let mut planned = PlannedCell {
            key: key.clone(),
            axes: cell.axes.clone(),
            point: cell.point,
            recipe: RecipeId(cell.recipe.clone()),
            server: "found".to_string(),
            engine: cell
                .axes
                .iter()
                .find(|axis| axis.axis == "engine")
                .map_or_else(String::new, |axis| axis.value.to_string()),
            storage: cell.storage.clone(),
            transactional: true,
            workload: "tpcc tpcc_mysql".to_string(),
            remarks: Vec::new(),
            headline: Metric::Tpmc,
            headline_type: Some("new_order".to_string()),
            stated: cell
                .axes
                .iter()
                .map(|axis| (axis.axis.clone(), vec![axis.axis.clone()]))
                .collect(),
            settings: BTreeMap::from(
                [("isolation", "READ COMMITTED"), ("warmup", "2m"), ("measure", "20m")]
                    .map(|(name, value)| (name.to_string(), value.to_string())),
            ),
            options: Vec::new(),
            place: Place::new("suite.bench", 10 + cell.point as u32, 1),
        };
        for axis in &cell.axes {
            planned.settings.insert(axis.axis.clone(), axis.value.to_string());
        }
        change(&mut planned);
        self.plan.cells.push(planned);
        key
    }

    pub(crate) fn dataset(
        &mut self,
        recipe: &str,
        engine: &str,
        load: u32,
        path: &str,
        metrics: &[(Metric, f64)],
    ) -> &mut DatasetRecord {
        self.records.push(Record::Dataset(DatasetRecord {
            recipe: RecipeId(recipe.to_string()),
            engine: engine.to_string(),
            server: "found".to_string(),
            load,
            path: path.to_string(),
            threads: 8,
            rows: BTreeMap::from([("order_line".to_string(), 30_000_000)]),
            checksums: BTreeMap::new(),
            metrics: metrics.iter().map(|(metric, value)| whole(*metric, *value)).collect(),
            table_sizes: BTreeMap::new(),
            reported_sizes: BTreeMap::new(),
            files: Vec::new(),
            ddl: BTreeMap::new(),
            checks: Vec::new(),
            reused: false,
        }));
        match self.records.last_mut() {
            Some(Record::Dataset(dataset)) => dataset,
            _ => unreachable!("it was just pushed"),
        }
    }

    pub(crate) fn repetition(
        &mut self,
        cell: &CellKey,
        repetition: u32,
        measured: &Measured,
    ) -> &mut RepetitionRecord {
        self.order += 1;
        let count = measured.rounds.len().max(1) as u64;
        let minutes = 20;
        let rounds = measured
            .rounds
            .iter()
            .enumerate()
            .map(|(index, tpmc)| Round {
                round: index as u32 + 1,
                duration_ns: minutes * 60_000_000_000,
                types: vec![TypeTotals {
                    name: "new_order".to_string(),
                    committed: (tpmc * minutes as f64) as u64,
                    retries: BTreeMap::from([(1213, measured.retries / count)]),
                    errors: BTreeMap::from([(1020, measured.errors / count)]),
                    ..TypeTotals::default()
                }],
                metrics: vec![whole(Metric::Tpmc, *tpmc)],
            })
            .collect();
        let tpmc = measured.rounds.iter().sum::<f64>() / count as f64;
        self.records.push(Record::Repetition(RepetitionRecord {
            cell: cell.clone(),
            repetition,
            order: self.order,
            at: "2026-02-03T23:00:00Z".to_string(),
            elapsed_ms: 1_400_000,
            rounds,
            metrics: vec![
                whole(Metric::Tpmc, tpmc),
                MetricValue { id: MetricId::of(Metric::P95, "new_order"), value: measured.p95 },
                whole(Metric::StartTime, measured.start),
                whole(Metric::StopTime, measured.stop),
            ],
            checks: Vec::new(),
            clients: 32,
            resident_before_start: Some(0.001),
            resident_before_measure: None,
            variables: BTreeMap::new(),
            open: None,
            failure: None,
        }));
        match self.records.last_mut() {
            Some(Record::Repetition(repetition)) => repetition,
            _ => unreachable!("it was just pushed"),
        }
    }

    pub(crate) fn failed_repetition(&mut self, cell: &CellKey, repetition: u32, failure: Failure) {
        let record = self.repetition(cell, repetition, &Measured::default());
        record.rounds.clear();
        record.metrics.clear();
        record.failure = Some(failure);
    }

    pub(crate) fn probe(&mut self, cell: &CellKey, repetition: u32, name: &str, seconds: f64) {
        self.records.push(Record::Probe(ProbeRecord {
            cell: cell.clone(),
            repetition,
            probe: name.to_string(),
            sql: "select count(*) from customer".to_string(),
            elapsed_ns: (seconds * 1e9) as u64,
            rows: 1,
            first_value: Some("3000000".to_string()),
            failure: None,
        }));
    }

    pub(crate) fn not_available(&mut self, cells: &[CellKey], message: &str, advice: &str) {
        self.records.push(Record::Failed(FailedRecord {
            cells: cells.to_vec(),
            failure: Failure::new(Phase::Start, FailureKind::EngineMissing, message)
                .next_step(advice),
        }));
    }

    pub(crate) fn push(&mut self, record: Record) {
        self.records.push(record);
    }

    /// The records in the order of a journal.
    pub(crate) fn finish(mut self) -> Vec<Record> {
        let failed = self
            .records
            .iter()
            .filter(|record| matches!(record, Record::Repetition(r) if r.failure.is_some()))
            .count() as u32;
        let made =
            self.records.iter().filter(|record| matches!(record, Record::Repetition(_))).count();
        self.records.insert(2, Record::Plan(self.plan));
        self.records.push(Record::End(EndRecord {
            at: "2026-02-04T09:00:00Z".to_string(),
            finished: made as u32 - failed,
            failed,
            interrupted: false,
        }));
        self.records
    }
}

/// A metric of the whole.
pub(crate) fn whole(metric: Metric, value: f64) -> MetricValue {
    MetricValue { id: MetricId::whole(metric), value }
}

/// An axis value that is a bare word.
pub(crate) fn word(axis: &str, value: &str) -> AxisValue {
    AxisValue { axis: axis.to_string(), value: SettingValue::Word(value.to_string()) }
}

/// An axis value that is a count.
pub(crate) fn count(axis: &str, value: u64) -> AxisValue {
    AxisValue { axis: axis.to_string(), value: SettingValue::Count(value) }
}

/// An axis value that is a size in GB.
pub(crate) fn gigabytes(axis: &str, value: u64) -> AxisValue {
    AxisValue { axis: axis.to_string(), value: SettingValue::Size(value << 30) }
}
