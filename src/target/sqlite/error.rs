//! SQLite's errors in the words of the session seam.

use crate::target::session::{ErrorClass, SqlError};
use rusqlite::ErrorCode;

/// `SQLITE_BUSY_SNAPSHOT`: a reader wanted to write on a snapshot that is no longer the newest.
const BUSY_SNAPSHOT: u16 = 517;

/// The error of a statement, with SQLite's extended result code as its number.
pub(super) fn sql_error(error: rusqlite::Error) -> SqlError {
    let code = match &error {
        rusqlite::Error::SqliteFailure(code, _)
        | rusqlite::Error::SqlInputError { error: code, .. } => Some(*code),
        _ => None,
    };
    let errno = code.and_then(|code| u16::try_from(code.extended_code).ok()).unwrap_or_default();
    let class = match code.map(|code| code.code) {
        Some(ErrorCode::DatabaseBusy) if errno == BUSY_SNAPSHOT => ErrorClass::Deadlock,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ErrorClass::LockWait,
        Some(ErrorCode::OperationInterrupted) => ErrorClass::ConnectionLost,
        _ => ErrorClass::Other,
    };
    SqlError { class, errno, ..SqlError::local(error.to_string()) }
}
