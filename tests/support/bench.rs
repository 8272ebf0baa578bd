//! Plans made by hand, and runs of them on fake servers.

use super::shop;
use enginecmp::engine::EngineSpec;
use enginecmp::host::work_dir::WorkDir;
use enginecmp::journal::record::{CalibrationRecord, MachineRecord};
use enginecmp::journal::{Done, Journal, Writer, read};
use enginecmp::model::{AxisValue, CellKey, Failure, Place, RecipeId, SettingValue};
use enginecmp::plan::overlay::Overlay;
use enginecmp::plan::{
    Average, Cell, Dataset, DatasetSchema, ExpectedTable, IndexMoment, LoadPath, LoadSettings,
    OsCache, Pace, Plan, PlannedServer, Probe, SettlePolicy,
};
use enginecmp::run::{
    Event, Interrupt, Observer, RunOutcome, RunSettings, Silent, TargetSource, execute,
};
use enginecmp::target::Target;
use enginecmp::target::fake::{FakeTarget, Script, Trace};
use enginecmp::workload::Parameters;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The usual script: an order takes 10 ms and a payment 20 ms.
pub(crate) fn script() -> Script {
    Script::offering(&["InnoDB", "ROCKSDB", "Aria"])
        .takes("INSERT INTO orders", &[ms(10)])
        .takes("UPDATE accounts", &[ms(20)])
}

/// A plan that compares these engines by the shop workload: one client, 1 s warm-up, one round of
/// 3 s, one repetition.
pub(crate) fn plan(engines: &[&str]) -> Plan {
    let mut plan = Plan {
        title: "A shop".to_string(),
        suite_name: "shop".to_string(),
        suite_text: "suite \"A shop\"\n".to_string(),
        profiles: Vec::new(),
        sets: Vec::new(),
        seed: 42,
        servers: vec![PlannedServer {
            description: Some(FakeTarget::new("found", script()).describe().clone()),
            name: "found".to_string(),
            wanted: "the found server".to_string(),
            missing: None,
        }],
        datasets: Vec::new(),
        cells: Vec::new(),
        disk: None,
        collectors: Vec::new(),
        machine: None,
        probes: Vec::new(),
        repeat: 1,
        average: Average::Median,
        comparisons: Vec::new(),
        expectations: Vec::new(),
        table: None,
        figures: Vec::new(),
        allowed: Vec::new(),
        findings: Vec::new(),
        unsupported: Vec::new(),
        shard: None,
    };
    for engine in engines {
        add_cell(&mut plan, engine, 0);
    }
    plan
}

/// Adds a cell with a dataset of its own.
pub(crate) fn add_cell(plan: &mut Plan, engine: &str, point: usize) {
    let spec = EngineSpec::find(engine).expect("a known engine");
    let axes =
        vec![AxisValue { axis: "engine".to_string(), value: SettingValue::Word(engine.into()) }];
    let place = Place::new("shop.bench", plan.cells.len() as u32 + 3, 1);
    let table = |name: &str| format!("CREATE TABLE {name} (a INT) ENGINE={}", spec.storage);
    let expected = |name: &str| ExpectedTable {
        table: name.to_string(),
        storage: spec.storage.to_string(),
        row_format: None,
    };
    let dataset = plan.datasets.len();
    plan.datasets.push(Dataset {
        recipe: RecipeId(format!("{}{dataset}", engine.to_lowercase())),
        ingredients: Vec::new(),
        server: 0,
        engine: engine.to_lowercase(),
        spec,
        kind: &shop::KIND,
        workload: Arc::new(shop::Shop),
        schema: DatasetSchema {
            tables: vec![table("accounts"), table("orders")],
            expected: vec![expected("accounts"), expected("orders")],
            ..DatasetSchema::default()
        },
        load: LoadSettings {
            path: LoadPath::Bulk,
            threads: 1,
            indexes: IndexMoment::After,
            repeat: 1,
        },
        settle: SettlePolicy::Full,
        source: enginecmp::plan::DataSource::Store,
        init_options: Vec::new(),
        options: Vec::new(),
        database: "shop".to_string(),
        estimated_bytes: 0,
    });
    plan.cells.push(Cell {
        key: CellKey::new(&axes),
        axes,
        point,
        server: 0,
        dataset,
        engine: engine.to_lowercase(),
        spec,
        workload_name: "shop".to_string(),
        workload: Arc::new(shop::Shop),
        parameters: Arc::new(Parameters::new()),
        clients: 1,
        pace: Pace::Closed,
        warmup: ms(1000),
        measure: ms(3000),
        requests: None,
        rounds: 1,
        steady: None,
        count_last: None,
        isolation: "READ COMMITTED".to_string(),
        os_cache: OsCache::Keep,
        start: None,
        settings: Overlay::default(),
        stated: BTreeMap::new(),
        options: Arc::new([]),
        set_global: Vec::new(),
        set_session: Vec::new(),
        place,
        unavailable: None,
    });
}

pub(crate) fn probe(name: &str, sql: &str) -> Probe {
    Probe {
        name: name.to_string(),
        sql: sql.to_string(),
        cold: false,
        place: Place::new("shop.bench", 9, 1),
    }
}

/// One fake server for every server of a plan.
pub(crate) struct Servers(pub(crate) Arc<FakeTarget>);

impl TargetSource for Servers {
    fn target(&self, _server: usize) -> Result<Arc<dyn Target>, Failure> {
        Ok(Arc::clone(&self.0) as Arc<dyn Target>)
    }
}

/// What a run left.
pub(crate) struct Ran {
    pub(crate) journal: Journal,
    pub(crate) outcome: RunOutcome,
    pub(crate) trace: Vec<String>,
}

/// How a run is made.
pub(crate) struct Runner<'a> {
    pub(crate) interrupt: Interrupt,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) keep_datasets: bool,
    pub(crate) done: Option<Done>,
    pub(crate) budget: Option<Duration>,
    pub(crate) calibration: Option<CalibrationRecord>,
    pub(crate) machine: MachineRecord,
}

impl Default for Runner<'_> {
    fn default() -> Self {
        Self {
            interrupt: Interrupt::new(),
            observer: &Silent,
            keep_datasets: false,
            done: None,
            budget: None,
            calibration: None,
            machine: machine(),
        }
    }
}

pub(crate) fn machine() -> MachineRecord {
    MachineRecord {
        name: "test".to_string(),
        cores: 2,
        work_fs: "ext4".to_string(),
        ..MachineRecord::default()
    }
}

impl Runner<'_> {
    /// Runs `plan` in `directory` on a server; the journal is `journal` below it.
    pub(crate) fn run(&self, directory: &Path, plan: &Plan, server: &Arc<FakeTarget>) -> Ran {
        let (work, _) = WorkDir::open(&directory.join("work")).expect("a work directory");
        let settings = RunSettings {
            id: "20260203-7f3a".to_string(),
            work: &work,
            machine: self.machine.clone(),
            guard: super::managed::guard(),
            interrupt: self.interrupt.clone(),
            keep_datasets: self.keep_datasets,
            calibration: self.calibration.clone(),
            done: self.done.clone(),
            budget: self.budget,
            patience: enginecmp::run::PATIENCE,
        };
        let out = directory.join("journal");
        let mut writer = if self.done.is_some() {
            Writer::resume(&read(&out).expect("a journal")).expect("it can be gone on with")
        } else {
            Writer::create(&out).expect("a new journal")
        };
        let servers = Servers(Arc::clone(server));
        let outcome = execute(plan, &servers, &settings, &mut writer, self.observer)
            .expect("the journal can be written");
        drop(writer);
        let journal = read(&out).expect("a journal");
        let left: Vec<_> = std::fs::read_dir(work.root().join("runs"))
            .expect("the work directory is there")
            .collect();
        assert!(left.is_empty(), "directories are left behind: {left:?}");
        Ran { journal, outcome, trace: server.trace().sentences() }
    }
}

/// Runs a plan on a scripted server.
pub(crate) fn run(plan: &Plan, script: Script) -> Ran {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Arc::new(FakeTarget::new("found", script));
    Runner::default().run(directory.path(), plan, &server)
}

/// Puts a run's events between the sentences of its server.
pub(crate) struct Narrator(pub(crate) Trace);

impl Observer for Narrator {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::DatasetStarts { engine, .. } => self.0.say(format!("load {engine}")),
            Event::MaximumStarts { cell, .. } => self.0.say(format!("maximum of {cell}")),
            Event::RepetitionStarts { cell, repetition, .. } => {
                self.0.say(format!("repetition {repetition} of {cell}"));
            }
            Event::Phase { phase, round, .. } => self.0.say(match round {
                0 => format!("phase {phase}"),
                round => format!("phase {phase} {round}"),
            }),
            _ => {}
        }
    }
}
