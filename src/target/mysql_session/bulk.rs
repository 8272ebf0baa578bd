//! Bringing rows in: LOAD DATA LOCAL streamed while the rows are made, LOAD DATA from a file,
//! multi-row INSERT. Rows taken and warnings are what the server says, chunk by chunk.

use super::MysqlSession;
use super::reply::Pieces;
use super::text_rows::{TabSeparated, ValueLists};
use crate::target::session::{
    BulkMethod, BulkOutcome, BulkTable, Outcome, RowSource, Session, SqlError,
};
use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

/// Bytes of row text that are made before they are handed on.
const CHUNK: usize = 256 << 10;
/// Bytes that an INSERT statement may grow to, however large the server's packets are.
const STATEMENT: usize = 4 << 20;
/// Texts of warnings that are kept.
const WARNINGS_KEPT: usize = 5;

/// Loads `rows` by the method of `table`.
pub(super) fn load(
    session: &mut MysqlSession,
    table: &BulkTable<'_>,
    rows: &mut dyn RowSource,
) -> Result<BulkOutcome, SqlError> {
    let mut outcome = BulkOutcome::default();
    match table.method {
        BulkMethod::LoadDataLocal { commit_rows } => {
            let limit = if commit_rows == 0 { u64::MAX } else { commit_rows };
            let mut sink = TabSeparated::default();
            while load_local(session, table, rows, limit, &mut sink, &mut outcome)? {}
        }
        BulkMethod::LoadDataFile => load_file(session, table, rows, &mut outcome)?,
        BulkMethod::MultiRowInsert { rows: each, statements } => {
            insert(session, table, rows, each.max(1), statements.max(1), &mut outcome)?;
        }
    }
    Ok(outcome)
}

/// Fills `sink` until it holds a chunk or `limit` rows; false when the source is exhausted.
fn fill(rows: &mut dyn RowSource, sink: &mut TabSeparated, limit: u64) -> bool {
    while sink.text.len() < CHUNK && sink.rows < limit {
        if !rows.next_row(sink) {
            return false;
        }
    }
    true
}

/// One LOAD DATA LOCAL statement of at most `limit` rows; false when there are no more.
///
/// The calling thread makes rows while another one feeds the server. Three buffers go around.
fn load_local(
    session: &mut MysqlSession,
    table: &BulkTable<'_>,
    rows: &mut dyn RowSource,
    limit: u64,
    sink: &mut TabSeparated,
    outcome: &mut BulkOutcome,
) -> Result<bool, SqlError> {
    let mut more = fill(rows, sink, limit);
    if sink.rows == 0 {
        return Ok(false);
    }
    let statement = load_statement("LOCAL ", "rows", table);
    let (full, to_send) = sync_channel::<Vec<u8>>(1);
    let (give_back, empty) = channel::<Vec<u8>>();
    let (sent, bytes, done) = std::thread::scope(|scope| {
        let feeder = scope.spawn(|| feed(session, &statement, to_send, give_back));
        let mut sent = 0;
        let mut bytes = 0;
        loop {
            sent += sink.rows;
            bytes += sink.text.len() as u64;
            let buffer = empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(CHUNK + 4096));
            // The feeder hangs up when the statement failed; its error says why.
            if full.send(sink.swap(buffer)).is_err() || !more || sent >= limit {
                break;
            }
            more = fill(rows, sink, limit - sent);
            if sink.rows == 0 {
                break;
            }
        }
        drop(full);
        (sent, bytes, feeder.join())
    });
    outcome.sent += sent;
    outcome.bytes += bytes;
    let done = done.map_err(|_| SqlError::local("the thread that feeds LOAD DATA panicked"))?;
    count(session, &done?, outcome)?;
    Ok(more)
}

/// Sends the statement and, when the server asks for the file, the buffers.
fn feed(
    session: &mut MysqlSession,
    statement: &str,
    full: Receiver<Vec<u8>>,
    give_back: Sender<Vec<u8>>,
) -> Result<Outcome, SqlError> {
    // Dropped at the end, it hangs up on the maker of rows.
    let mut buffers = Buffers { full, give_back, sent: None };
    session.run_text(statement, None, Some(&mut buffers))
}

/// Buffers of rows on their way to the server.
struct Buffers {
    full: Receiver<Vec<u8>>,
    give_back: Sender<Vec<u8>>,
    /// What was given last.
    sent: Option<Vec<u8>>,
}

impl Pieces for Buffers {
    fn next(&mut self) -> Option<&[u8]> {
        if let Some(sent) = self.sent.take() {
            // Nobody waits for it when the source is exhausted.
            let _ = self.give_back.send(sent);
        }
        self.sent = self.full.recv().ok();
        self.sent.as_deref()
    }
}

fn load_file(
    session: &mut MysqlSession,
    table: &BulkTable<'_>,
    rows: &mut dyn RowSource,
    outcome: &mut BulkOutcome,
) -> Result<(), SqlError> {
    let Some(directory) = session.file_directory.clone() else {
        return Err(SqlError::local(
            "LOAD DATA INFILE needs a directory that the server reads; this server has none that \
             is known. Load with `load { path rows 1000 }`",
        ));
    };
    // Unique among loaders: the table and the connection.
    let path =
        directory.join(format!("{}-{}.rows", table.table, session.connection.connection_id()));
    let told = |what: &str, error: std::io::Error| {
        SqlError::local(format!("{what} {}: {error}", path.display()))
    };
    let written = write_rows(&path, rows).map_err(|error| told("cannot write", error));
    let loaded = written.and_then(|(sent, bytes)| {
        outcome.sent += sent;
        outcome.bytes += bytes;
        let name = path.to_str().ok_or_else(|| {
            SqlError::local(format!("{} is not UTF-8, which SQL needs", path.display()))
        })?;
        let done = session.text(&load_statement("", name, table))?;
        count(session, &done, outcome)
    });
    match std::fs::remove_file(&path) {
        Err(error) if loaded.is_ok() => Err(told("cannot remove", error)),
        _ => loaded,
    }
}

fn write_rows(path: &Path, rows: &mut dyn RowSource) -> std::io::Result<(u64, u64)> {
    // Old servers want the file readable by all; the directory around it is not.
    let file: File = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    file.set_permissions(Permissions::from_mode(0o644))?;
    let mut file = BufWriter::with_capacity(CHUNK, file);
    let mut sink = TabSeparated::default();
    let (mut sent, mut bytes) = (0, 0);
    loop {
        let more = fill(rows, &mut sink, u64::MAX);
        sent += sink.rows;
        bytes += sink.text.len() as u64;
        file.write_all(&sink.text)?;
        let buffer = std::mem::take(&mut sink.text);
        sink.swap(Vec::new());
        sink.swap(buffer);
        if !more {
            break;
        }
    }
    file.flush()?;
    Ok((sent, bytes))
}

fn insert(
    session: &mut MysqlSession,
    table: &BulkTable<'_>,
    rows: &mut dyn RowSource,
    each: u64,
    statements: u64,
    outcome: &mut BulkOutcome,
) -> Result<(), SqlError> {
    let largest = STATEMENT.min(session.max_packet.saturating_sub(1024) as usize);
    let mut sink = ValueLists::new(&format!(
        "INSERT INTO {} ({}) VALUES ",
        quoted(table.table),
        columns(table)
    ));
    let mut in_transaction = 0;
    let mut more = true;
    while more {
        while more && sink.rows < each && sink.text.len() < largest {
            let before = (sink.text.len(), sink.rows);
            more = rows.next_row(&mut sink);
            if sink.text.len() > largest && before.1 > 0 {
                let rest = sink.split_off(before.0, before.1);
                transact(session, &sink, statements, &mut in_transaction, outcome)?;
                sink.clear();
                sink.resume(&rest, 1);
            }
        }
        if sink.rows > 0 {
            transact(session, &sink, statements, &mut in_transaction, outcome)?;
            sink.clear();
        }
    }
    if in_transaction > 0 {
        session.commit()?;
    }
    Ok(())
}

/// Sends one INSERT, in a transaction of `statements`.
fn transact(
    session: &mut MysqlSession,
    sink: &ValueLists,
    statements: u64,
    in_transaction: &mut u64,
    outcome: &mut BulkOutcome,
) -> Result<(), SqlError> {
    if *in_transaction == 0 && statements > 1 {
        session.text("BEGIN")?;
    }
    outcome.sent += sink.rows;
    outcome.bytes += sink.text.len() as u64;
    let text = std::str::from_utf8(&sink.text)
        .map_err(|_| SqlError::local("a row is not text that SQL can carry"))?;
    let done = session.text(text)?;
    count(session, &done, outcome)?;
    if statements > 1 {
        *in_transaction += 1;
        if *in_transaction == statements {
            *in_transaction = 0;
            session.commit()?;
        }
    }
    Ok(())
}

/// Adds what the server says of the statement just sent; its warnings are asked for in its words.
fn count(
    session: &mut MysqlSession,
    done: &Outcome,
    outcome: &mut BulkOutcome,
) -> Result<(), SqlError> {
    outcome.taken += done.affected;
    // The packet counts to 65,535; the words beside it say the whole number.
    let told = warnings_told(&session.link.info());
    let warnings = told.unwrap_or(0).max(u64::from(done.warnings));
    outcome.warnings += warnings;
    if warnings > 0 && outcome.warning_texts.len() < WARNINGS_KEPT {
        let room = WARNINGS_KEPT - outcome.warning_texts.len();
        session.text_visit(&format!("SHOW WARNINGS LIMIT {room}"), &mut |row| {
            let field = |column| {
                row.text(column).map_or(String::new(), |text| String::from_utf8_lossy(&text).into())
            };
            outcome.warning_texts.push(format!("{} {}: {}", field(0), field(1), field(2)));
            true
        })?;
    }
    Ok(())
}

/// `Records: 3  Deleted: 0  Skipped: 0  Warnings: 1`.
fn warnings_told(info: &str) -> Option<u64> {
    info.split("Warnings:").nth(1)?.split_whitespace().next()?.parse().ok()
}

/// LOAD DATA with the bytes taken as they are: no character set conversion.
fn load_statement(local: &str, name: &str, table: &BulkTable<'_>) -> String {
    format!(
        "LOAD DATA {local}INFILE '{}' INTO TABLE {} CHARACTER SET binary ({})",
        name.replace('\\', "\\\\").replace('\'', "''"),
        quoted(table.table),
        columns(table)
    )
}

fn columns(table: &BulkTable<'_>) -> String {
    table.columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(",")
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_warnings_are_read_beyond_the_packets_range() {
        let table =
            BulkTable { table: "or`der", columns: &["a", "b"], method: BulkMethod::LoadDataFile };
        assert_eq!(
            load_statement("", "/x/it's", &table),
            "LOAD DATA INFILE '/x/it''s' INTO TABLE `or``der` CHARACTER SET binary (`a`,`b`)"
        );
        assert_eq!(
            warnings_told("Records: 90000  Deleted: 0  Skipped: 0  Warnings: 90000"),
            Some(90_000)
        );
        assert_eq!(warnings_told(""), None);
    }
}
