//! A [`Session`] over the wire protocol of MySQL and its family.
//!
//! The client library opens the connection and prepares statements, once each; its own cache, which
//! closes the least used of 32, is off. Everything else is sent and read here: a write a statement,
//! rows looked at where they lie in the buffer and never kept. Where the connection is encrypted, only
//! the library has the keys, and sends and reads all of it.

mod bulk;
mod encrypted;
mod error;
mod field;
mod packets;
mod reply;
mod text_rows;
mod tls;
mod values;

use crate::host::socket;
use crate::target::session::{
    Access, BulkOutcome, BulkTable, Dialect, ErrorClass, Outcome, Param, RowSource, Session,
    SqlError, StatementId, Visit,
};
use error::{convert, lost, too_large};
use mysql::consts::CapabilityFlags;
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder, Statement};
use packets::Waiting;
use reply::{Link, Pieces};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use values::{Column, write_execute};

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
    /// The file of certificate authorities (PEM, or one in DER) of which one must vouch for the
    /// server; the connection is encrypted then, and the certificate must be for the host. None for
    /// a connection without TLS.
    pub tls_ca: Option<PathBuf>,
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
    /// The library alone can write to and read from the connection.
    encrypted: bool,
    /// The server's socket lies in the file system.
    on_file_system: bool,
    link: Link,
    statements: Vec<Prepared>,
    /// The execution that is put together; its memory is used again.
    execution: Vec<u8>,
    file_directory: Option<PathBuf>,
    /// Bytes.
    max_packet: u64,
    /// `START TRANSACTION READ ONLY` is understood.
    read_only_transactions: bool,
    /// The first error after which the connection is of no use.
    over: Option<SqlError>,
}

/// A prepared statement of this connection.
struct Prepared {
    /// As the library knows it.
    statement: Statement,
    /// Its number on the server.
    number: u32,
    parameters: usize,
    columns: Vec<Column>,
    /// Types of parameters that the server knows.
    bound: Vec<u8>,
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
            // The library would ask for it; see `ask`.
            .max_allowed_packet(Some(1 << 30))
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
        let builder = match &options.tls_ca {
            Some(authorities) => builder.ssl_opts(Some(tls::options(authorities)?)),
            None => builder,
        };
        let mut session = Self {
            connection: Conn::new(builder)
                .map_err(|error| tls::refusal(&error, options).unwrap_or_else(|| convert(error)))?,
            encrypted: options.tls_ca.is_some(),
            on_file_system: matches!(options.address, Address::Socket(_)),
            link: Link::new(),
            statements: Vec::new(),
            execution: Vec::new(),
            file_directory: options.file_directory.clone(),
            max_packet: 1 << 20,
            read_only_transactions: false,
            over: None,
        };
        session.ask()?;
        session.set_statement_limit(None)?;
        Ok(session)
    }

    /// Asks the server for what a session has to know of it.
    fn ask(&mut self) -> Result<(), SqlError> {
        let (mut version, mut max_packet) = (String::new(), None);
        self.text_visit("SELECT VERSION(), @@max_allowed_packet", &mut |row| {
            version =
                row.text(0).map_or(String::new(), |text| String::from_utf8_lossy(&text).into());
            max_packet = row.int(1).and_then(|bytes| u64::try_from(bytes).ok());
            false
        })?;
        self.read_only_transactions = knows_read_only(&version);
        if let Some(bytes) = max_packet {
            self.max_packet = bytes;
            self.link.limit_pieces(bytes);
        }
        Ok(())
    }

    /// Refuses to use a connection whose state is unknown.
    fn ready(&self) -> Result<(), SqlError> {
        self.over.clone().map_or(Ok(()), Err)
    }

    /// Remembers an error that ends the connection.
    fn noted(&mut self, error: SqlError) -> SqlError {
        if error.class == ErrorClass::ConnectionLost && self.over.is_none() {
            self.over = Some(error.clone());
        }
        error
    }

    fn run_prepared(
        &mut self,
        id: StatementId,
        params: &[Param<'_>],
        visit: Option<&mut Visit<'_>>,
    ) -> Result<Outcome, SqlError> {
        self.ready()?;
        let Some(statement) = self.statements.get_mut(id.0) else {
            return Err(SqlError::local(format!(
                "statement {} was not prepared in this session",
                id.0
            )));
        };
        if params.len() != statement.parameters {
            return Err(SqlError::local(format!(
                "the statement takes {} parameters and was given {}",
                statement.parameters,
                params.len()
            )));
        }
        if self.encrypted {
            let done =
                encrypted::execute(&mut self.connection, &statement.statement, params, visit);
            return done.map_err(|error| self.noted(convert(error)));
        }
        self.execution.clear();
        write_execute(&mut self.execution, statement.number, params, &mut statement.bound);
        if self.execution.len() as u64 >= self.max_packet {
            statement.bound.clear();
            return Err(too_large());
        }
        let columns = &mut statement.columns;
        match self.link.execute(&self.connection, &self.execution, columns, visit) {
            Ok(outcome) => Ok(outcome),
            Err(error) => {
                // Whether it took the types is not known.
                statement.bound.clear();
                Err(self.noted(error))
            }
        }
    }

    fn run_text(
        &mut self,
        sql: &str,
        visit: Option<&mut Visit<'_>>,
        file: Option<&mut dyn Pieces>,
    ) -> Result<Outcome, SqlError> {
        self.ready()?;
        if sql.len() as u64 >= self.max_packet {
            return Err(too_large());
        }
        if self.encrypted {
            if file.is_some() {
                return Err(SqlError::local(
                    "LOAD DATA LOCAL is not sent over TLS; load with `load { path rows 1000 }`",
                ));
            }
            let done = encrypted::query(&mut self.connection, sql, visit);
            return done.map_err(|error| self.noted(convert(error)));
        }
        let done = self.link.query(&self.connection, sql, visit, file);
        done.map_err(|error| self.noted(error))
    }
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
        if sql.len() as u64 >= self.max_packet {
            return Err(too_large());
        }
        let statement = self.connection.prep(sql).map_err(|error| self.noted(convert(error)))?;
        self.statements.push(Prepared {
            number: statement.id(),
            parameters: usize::from(statement.num_params()),
            columns: statement.columns().iter().map(Column::of).collect(),
            bound: Vec::new(),
            statement,
        });
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
        self.run_text(sql, None, None)
    }

    fn text_visit(&mut self, sql: &str, visit: &mut Visit<'_>) -> Result<Outcome, SqlError> {
        self.run_text(sql, Some(visit), None)
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
            .map_err(|error| lost(&format!("its time limit cannot be set: {error}")))?;
        self.link.wait_by(if self.on_file_system && limit.is_none() {
            Waiting::Polling
        } else {
            Waiting::Reading
        });
        Ok(())
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
            tls_ca: None,
            file_directory: None,
            within: Duration::from_secs(1),
        };
        assert!(!format!("{options:?}").contains("secret"));
    }
}
