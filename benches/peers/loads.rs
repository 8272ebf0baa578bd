//! How fast data come in: TPC-C against tpcc_load and against files that the server reads itself,
//! sysbench's tables against `sysbench prepare`.

use super::pairs::{Pairs, interleaved, median};
use super::processes::run;
use super::rows::{CHUNK, TabText};
use super::server::Server;
use super::table::Row;
use super::{Bench, Res, ours};
use enginecmp::engine::EngineSpec;
use enginecmp::model::{Metric, SettingValue};
use enginecmp::schema::{Phases, Transform, phases, transform};
use enginecmp::target::session::Session;
use enginecmp::workload::{Parameters, Workload, WorkloadKind};
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The seed of a suite that states none.
const SEED: u64 = 1;

/// Connections that load.
const LOADERS: usize = 2;

/// A program of tpcc-mysql, from the folder that the user names.
pub(crate) fn tpcc_program(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("ENGINECMP_TPCC_MYSQL")?;
    Some(PathBuf::from(folder).join(name)).filter(|program| program.is_file())
}

/// Why a row that needs it has no figure.
pub(crate) const NO_TPCC: &str =
    "ENGINECMP_TPCC_MYSQL names no folder with tpcc_load and tpcc_start";

/// A workload with these parameters.
pub(crate) fn workload(kind: &str, parameters: &[(&str, SettingValue)]) -> Res<Box<dyn Workload>> {
    let parameters: Parameters =
        parameters.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect();
    let kind = WorkloadKind::find(kind).ok_or("no such workload")?;
    (kind.make)(&parameters).map_err(|error| error.message.into())
}

/// TPC-C as tpcc-mysql has it.
pub(crate) fn tpcc_mysql(warehouses: u64) -> Res<Box<dyn Workload>> {
    let mode = SettingValue::Word("tpcc_mysql".to_string());
    workload("tpcc", &[("mode", mode), ("warehouses", SettingValue::Count(warehouses))])
}

/// Statements that make the tables of a workload in an engine.
fn schema(workload: &dyn Workload, spec: &'static EngineSpec) -> Phases {
    let source = workload.source_ddl();
    let change = Transform {
        storage: Some(spec),
        family: "mariadb".to_string(),
        strip_foreign_keys: true,
        keep_foreign_key_indexes: true,
        charset: Some(("latin1".to_string(), "latin1_bin".to_string())),
        ..Transform::default()
    };
    phases(&transform(&[source.tables, source.indexes].concat(), &change).statements)
}

fn make_tables(server: &Server, database: &str, statements: &[String]) -> Res<()> {
    server.empty(database)?;
    let mut session = server.session(Some(database))?;
    for sql in statements {
        session.text(sql)?;
    }
    Ok(())
}

/// A suite that loads TPC-C into this engine and does next to nothing with it.
pub(crate) fn tpcc_suite(server: &Server, database: &str, storage: &str, rest: &str) -> String {
    format!(
        "suite \"Load\"\n{}engine e {{ storage {storage} }}\n\
         schema {{ strip foreign_keys; keep foreign_key_indexes; charset latin1 }}\n\
         load {{ threads {LOADERS} }}\nsettle none\n\
         workload tpcc {{ mode tpcc_mysql; {rest} }}\n",
        server.block(database)
    )
}

/// The rows of one part of a table, in a file that the server reads.
struct RowsFile {
    table: usize,
    rows: u64,
    statement: String,
}

fn write_files(workload: &dyn Workload, folder: &Path) -> Res<Vec<RowsFile>> {
    fs::create_dir_all(folder)?;
    let mut files = Vec::new();
    for (number, table) in workload.tables().iter().enumerate() {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        for part in &table.parts {
            let path = folder.join(format!("{}-{}", table.table, part.part));
            let mut file = BufWriter::new(fs::File::create(&path)?);
            let mut rows = workload.rows(SEED, &table.table, part.part);
            let mut text = TabText::default();
            while rows.next_row(&mut text) {
                if text.text.len() >= CHUNK {
                    file.write_all(&text.text)?;
                    text.empty();
                }
            }
            file.write_all(&text.text)?;
            file.flush()?;
            let statement = format!(
                "LOAD DATA INFILE '{}' INTO TABLE {} CHARACTER SET binary ({})",
                path.display(),
                table.table,
                columns.join(",")
            );
            files.push(RowsFile { table: number, rows: part.rows, statement });
        }
    }
    // The largest first, so that no loader is left alone with a large one at the end.
    files.sort_by_key(|file| std::cmp::Reverse(file.rows));
    Ok(files)
}

/// What of the files is left, and how far each table is: two loaders that begin with one empty
/// table can deadlock, so the first file of a table goes in alone.
struct Left<'a> {
    files: Vec<&'a RowsFile>,
    begun: Vec<Option<bool>>,
}

impl<'a> Left<'a> {
    fn take(&mut self) -> Option<&'a RowsFile> {
        let at = self.files.iter().position(|file| self.begun[file.table] != Some(false))?;
        let file = self.files.remove(at);
        self.begun[file.table].get_or_insert(false);
        Some(file)
    }
}

/// Loads the files by two connections, as fast as the server can: seconds.
fn load_files(server: &Server, spec: &EngineSpec, files: &[RowsFile]) -> Res<f64> {
    let tables = files.iter().map(|file| file.table).max().unwrap_or(0) + 1;
    let left = Mutex::new(Left { files: files.iter().collect(), begun: vec![None; tables] });
    let locked = || left.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let loader = || -> Result<(), String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let mut session = server.session(Some("files")).map_err(|error| told(&error))?;
        loop {
            let (file, over) = {
                let mut left = locked();
                (left.take(), left.files.is_empty())
            };
            let Some(file) = file else {
                if over {
                    return Ok(());
                }
                std::thread::sleep(Duration::from_millis(1));
                continue;
            };
            let (before, after) = spec.bulk_session;
            for sql in
                before.iter().copied().chain([file.statement.as_str()]).chain(after.iter().copied())
            {
                session.text(sql).map_err(|error| format!("{sql}: {error}"))?;
            }
            locked().begun[file.table] = Some(true);
        }
    };
    let began = Instant::now();
    let ended: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let loaders: Vec<_> = (0..LOADERS).map(|_| scope.spawn(loader)).collect();
        loaders.into_iter().map(|one| one.join().unwrap_or_else(|_| Err("panic".into()))).collect()
    });
    let elapsed = began.elapsed().as_secs_f64();
    ended.into_iter().collect::<Result<(), String>>()?;
    Ok(elapsed)
}

/// Rows alone, without secondary indexes, for all three.
pub(crate) fn tpcc(bench: &Bench) -> Res<Vec<Row>> {
    let warehouses = bench.either(1, 2);
    let workload = tpcc_mysql(warehouses)?;
    let files = write_files(&*workload, &bench.server.folder().join("rows"))?;
    let mut rows = Vec::new();
    for (storage, goal) in [("InnoDB", 12.0), ("RocksDB", 30.0)] {
        let spec = EngineSpec::find(storage).ok_or("an unknown engine")?;
        let tables = schema(&*workload, spec).tables;
        let rest = format!("warehouses {warehouses}; clients 1; measure 1s");
        let suite = tpcc_suite(&bench.server, "ours", storage, &rest);
        let pairs = interleaved(
            bench.either(1, 3),
            || ours::run(bench.server.folder(), &suite)?.loaded(Metric::LoadTime),
            || {
                make_tables(&bench.server, "files", &tables)?;
                load_files(&bench.server, spec, &files)
            },
        )?;
        let pairs = pairs.into_iter().fold(Pairs::default(), |mut pairs, (ours, theirs)| {
            pairs.ours.push(ours);
            pairs.theirs.push(theirs);
            pairs
        });
        let mine = median(&pairs.ours);
        rows.push(by_tool(bench, storage, goal, warehouses, mine, &tables)?);
        rows.push(Row::new(
            &format!("TPC-C load, 2 loaders, {storage}, against parallel LOAD DATA INFILE of the same rows"),
            "at most 1.15 x its time",
            format!("{:.2} x ({})", pairs.ratio(), pairs.each()),
            format!("{mine:.2} s against {:.2} s", median(&pairs.theirs)),
            pairs.ratio() <= 1.15,
        ));
        bench.server.empty("files")?;
        bench.server.empty("ours")?;
    }
    Ok(rows)
}

fn by_tool(
    bench: &Bench,
    storage: &str,
    goal: f64,
    warehouses: u64,
    mine: f64,
    tables: &[String],
) -> Res<Row> {
    let what =
        format!("TPC-C load, {warehouses} warehouses, 2 loaders, {storage}, against tpcc_load");
    let goal_text = format!("{goal} x as fast");
    let Some(program) = tpcc_program("tpcc_load") else {
        return Ok(Row::missing(&what, &goal_text, NO_TPCC));
    };
    make_tables(&bench.server, "peer", tables)?;
    let loaded = run(Command::new(program)
        .env("MYSQL_UNIX_PORT", bench.server.socket())
        .args(["-h", "localhost", "-d", "peer", "-u", "root", "-p", "", "-w"])
        .arg(warehouses.to_string()))?;
    let stock: u64 = bench.server.value("SELECT COUNT(*) FROM peer.stock")?.parse()?;
    if stock != warehouses * 100_000 {
        return Err(format!("tpcc_load brought {stock} rows of stock in").into());
    }
    bench.server.empty("peer")?;
    let ratio = loaded.elapsed / mine;
    Ok(Row::new(
        &what,
        &goal_text,
        format!("{ratio:.1} x"),
        format!("{mine:.2} s against {:.1} s (once)", loaded.elapsed),
        ratio >= goal,
    ))
}

/// Rows and the index on k, two connections.
pub(crate) fn sysbench(bench: &Bench) -> Res<Vec<Row>> {
    let (tables, rows) = (4, bench.either(25_000, 250_000));
    let suite = format!(
        "suite \"Load\"\n{}engine e {{ storage InnoDB }}\nload {{ threads {LOADERS} }}\nsettle none\n\
         schema {{ charset latin1 }}\n\
         workload oltp_read_write {{ tables {tables}; rows {rows}; distribution uniform; clients 1; \
         measure 1s }}\n",
        bench.server.block("ours")
    );
    let pairs = interleaved(
        bench.either(1, 3),
        || {
            let ran = ours::run(bench.server.folder(), &suite)?;
            Ok(ran.loaded(Metric::LoadTime)? + ran.loaded(Metric::IndexTime)?)
        },
        || {
            bench.server.empty("theirs")?;
            let mut command =
                super::clients::sysbench(&bench.server, "oltp_read_write", tables, rows);
            Ok(run(command.arg(format!("--threads={LOADERS}")).arg("prepare"))?.elapsed)
        },
    )?;
    let (ours, theirs) = pairs.into_iter().unzip();
    let pairs = Pairs { ours, theirs };
    let (mine, other) = (median(&pairs.ours), median(&pairs.theirs));
    let all = f64::from(tables) * f64::from(rows);
    let ratio = 1.0 / pairs.ratio();
    Ok(vec![Row::new(
        &format!("sysbench tables load ({tables} x {rows} rows, index on k), 2 loaders, InnoDB"),
        "1.3 x sysbench prepare",
        format!("{ratio:.2} x"),
        format!("{:.0} rows/s against {:.0} rows/s", all / mine, all / other),
        ratio >= 1.3,
    )])
}
