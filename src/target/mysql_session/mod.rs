//! A [`Session`] over the wire protocol of MySQL and its family.
//!
//! Statements are prepared once and kept by number: the client library's own cache, which closes
//! the least used of 32, is off. Rows are read one at a time and never kept.

mod bulk;
mod error;
mod text_rows;
mod values;

use crate::host::socket;
use crate::target::session::{
    Access, BulkOutcome, BulkTable, Dialect, ErrorClass, Outcome, Param, RowSource, Session,
    SqlError, StatementId, Visit,
};
use error::{convert, lost};
use mysql::consts::CapabilityFlags;
use mysql::prelude::{Protocol, Queryable};
use mysql::{Conn, OptsBuilder, QueryResult, Statement};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use values::{MysqlRow, to_params};

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket in the file system.
    Socket(PathBuf),
    /// A host and port.
    Tcp {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
    },
}

/// How to connect.
#[derive(Clone, PartialEq, Eq)]
pub struct ConnectOptions {
    /// Where.
    pub address: Address,
    /// Account.
    pub user: String,
    /// Its password; none for none.
    pub password: Option<String>,
    /// The database to use from the start.
    pub database: Option<String>,
    /// A directory whose files the server reads, for LOAD DATA INFILE.
    pub file_directory: Option<PathBuf>,
    /// How long connecting may take.
    pub within: Duration,
}

impl fmt::Debug for ConnectOptions {
    // The password never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectOptions")
            .field("address", &self.address)
            .field("user", &self.user)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

/// One connection to a server of the family.
pub struct MysqlSession {
    connection: Conn,
    statements: Vec<Statement>,
    file_directory: Option<PathBuf>,
    /// Bytes.
    max_packet: u64,
    /// `START TRANSACTION READ ONLY` is understood.
    read_only_transactions: bool,
    /// The first error after which the connection is of no use.
    over: Option<SqlError>,
}

impl MysqlSession {
    /// Connects.
    pub fn connect(options: &ConnectOptions) -> Result<Self, SqlError> {
        let builder = OptsBuilder::new()
            .user(Some(options.user.as_str()))
            .pass(options.password.as_deref())
            .db_name(options.database.as_deref())
            .prefer_socket(false)
            .stmt_cache_size(0)
            .connect_attrs::<String, String>(None)
            .tcp_connect_timeout(Some(options.within))
            // A handshake with a server that hangs must end too; lifted once connected.
            .read_timeout(Some(options.within))
            .write_timeout(Some(options.within))
            .additional_capabilities(CapabilityFlags::CLIENT_FOUND_ROWS);
        let builder = match &options.address {
            Address::Socket(path) => {
                let path = path.to_str().ok_or_else(|| {
                    SqlError::local(format!("the socket path {} is not UTF-8", path.display()))
                })?;
                builder.socket(Some(path))
            }
            Address::Tcp { host, port } => {
                builder.ip_or_hostname(Some(host.as_str())).tcp_port(*port)
            }
        };
        let mut connection = Conn::new(builder).map_err(convert)?;
        let version: String =
            connection.query_first("SELECT VERSION()").map_err(convert)?.unwrap_or_default();
        let max_packet: u64 = connection
            .query_first("SELECT @@max_allowed_packet")
            .map_err(convert)?
            .unwrap_or(1 << 20);
        let mut session = Self {
            connection,
            statements: Vec::new(),
            file_directory: options.file_directory.clone(),
            max_packet,
            read_only_transactions: knows_read_only(&version),
            over: None,
        };
        session.set_statement_limit(None)?;
        Ok(session)
    }

    /// Refuses to use a connection whose state is unknown.
    fn ready(&self) -> Result<(), SqlError> {
        self.over.clone().map_or(Ok(()), Err)
    }

    /// Remembers an error that ends the connection.
    fn noted(&mut self, error: mysql::Error) -> SqlError {
        let error = convert(error);
        if error.class == ErrorClass::ConnectionLost && self.over.is_none() {
            self.over = Some(error.clone());
        }
        error
    }

    fn statement(&self, id: StatementId) -> Result<Statement, SqlError> {
        self.statements.get(id.0).cloned().ok_or_else(|| {
            SqlError::local(format!("statement {} was not prepared in this session", id.0))
        })
    }

    fn run_prepared(
        &mut self,
        id: StatementId,
        params: &[Param<'_>],
        visit: Option<&mut Visit<'_>>,
    ) -> Result<Outcome, SqlError> {
        self.ready()?;
        let statement = self.statement(id)?;
        let done = self
            .connection
            .exec_iter(&statement, to_params(params))
            .and_then(|result| read_through(result, visit));
        self.outcome(done)
    }

    fn run_text(&mut self, sql: &str, visit: Option<&mut Visit<'_>>) -> Result<Outcome, SqlError> {
        self.ready()?;
        let done = self.connection.query_iter(sql).and_then(|result| read_through(result, visit));
        self.outcome(done)
    }

    fn outcome(&mut self, done: Result<Outcome, mysql::Error>) -> Result<Outcome, SqlError> {
        match done {
            // Warnings of a result set come with its end, after the rows.
            Ok(outcome) => Ok(Outcome {
                warnings: outcome.warnings.max(self.connection.warnings()),
                ..outcome
            }),
            Err(error) => Err(self.noted(error)),
        }
    }
}

/// Reads every row of every result set; `visit` sees them until it says that it has enough.
fn read_through<T: Protocol>(
    mut result: QueryResult<'_, '_, '_, T>,
    mut visit: Option<&mut Visit<'_>>,
) -> Result<Outcome, mysql::Error> {
    let mut outcome = Outcome::default();
    while let Some(set) = result.iter() {
        outcome.affected += set.affected_rows();
        outcome.warnings = outcome.warnings.max(set.warnings());
        for row in set {
            let row = row?;
            outcome.rows += 1;
            if let Some(visitor) = visit.as_mut()
                && !visitor(&MysqlRow(&row))
            {
                visit = None;
            }
        }
    }
    Ok(outcome)
}

/// MySQL 5.6.5, MariaDB 10.0 and later know read-only transactions.
fn knows_read_only(version: &str) -> bool {
    let numbers: Vec<u32> = version
        .split(|c: char| !c.is_ascii_digit())
        .take(3)
        .filter_map(|part| part.parse().ok())
        .collect();
    numbers.as_slice() >= [5, 6, 5].as_slice()
}

impl Session for MysqlSession {
    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    fn prepare(&mut self, sql: &str) -> Result<StatementId, SqlError> {
        self.ready()?;
        let statement = self.connection.prep(sql).map_err(|error| self.noted(error))?;
        self.statements.push(statement);
        Ok(StatementId(self.statements.len() - 1))
    }

    fn execute(
        &mut self,
        statement: StatementId,
        params: &[Param<'_>],
    ) -> Result<Outcome, SqlError> {
        self.run_prepared(statement, params, None)
    }

    fn execute_visit(
        &mut self,
        statement: StatementId,
        params: &[Param<'_>],
        visit: &mut Visit<'_>,
    ) -> Result<Outcome, SqlError> {
        self.run_prepared(statement, params, Some(visit))
    }

    fn text(&mut self, sql: &str) -> Result<Outcome, SqlError> {
        self.run_text(sql, None)
    }

    fn text_visit(&mut self, sql: &str, visit: &mut Visit<'_>) -> Result<Outcome, SqlError> {
        self.run_text(sql, Some(visit))
    }

    fn begin(&mut self, access: Access) -> Result<(), SqlError> {
        let read_only = access == Access::ReadOnly && self.read_only_transactions;
        self.text(if read_only { "START TRANSACTION READ ONLY" } else { "BEGIN" }).map(drop)
    }

    fn commit(&mut self) -> Result<(), SqlError> {
        self.text("COMMIT").map(drop)
    }

    fn rollback(&mut self) -> Result<(), SqlError> {
        self.text("ROLLBACK").map(drop)
    }

    fn bulk_load(
        &mut self,
        table: &BulkTable<'_>,
        rows: &mut dyn RowSource,
    ) -> Result<BulkOutcome, SqlError> {
        bulk::load(self, table, rows)
    }

    fn set_statement_limit(&mut self, limit: Option<Duration>) -> Result<(), SqlError> {
        self.ready()?;
        socket::set_timeouts(&self.connection, limit)
            .map_err(|error| lost(&format!("its time limit cannot be set: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_only_transactions_are_known_by_release() {
        for (version, knows) in [
            ("5.5.41-MariaDB", false),
            ("5.6.4", false),
            ("5.6.24", true),
            ("10.0.1-MariaDB", true),
            ("10.11.19-MariaDB-0+deb12u1", true),
            ("9.7.4", true),
            ("nonsense", false),
        ] {
            assert_eq!(knows_read_only(version), knows, "{version}");
        }
    }

    #[test]
    fn a_password_is_never_printed() {
        let options = ConnectOptions {
            address: Address::Socket("/run/s".into()),
            user: "root".into(),
            password: Some("secret".into()),
            database: None,
            file_directory: None,
            within: Duration::from_secs(1),
        };
        assert!(!format!("{options:?}").contains("secret"));
    }
}
