//! What the client library and the server say, as [`SqlError`]s.

use crate::target::session::{ErrorClass, SqlError};
use std::io::ErrorKind;

/// Server errors that say the connection is over, beyond those of [`SqlError::class_of`]: 1040
/// too many connections, 1152-1161 and 1184 broken connections, 3169 session killed, 4031
/// disconnected for inactivity.
const CONNECTION_OVER: &[u16] = &[1040, 1152, 1158, 1159, 1160, 1161, 1184, 3169, 4031];

/// Server errors whose number says nothing and whose text is the engine's: 1030 from an engine,
/// 1180 while committing, 1296 and 1297 permanent and temporary engine errors.
const ENGINE_TEXT: &[u16] = &[1030, 1180, 1296, 1297];

/// The class of a server error, by its number and, where an engine speaks through it, its text.
pub(super) fn classify(errno: u16, message: &str) -> ErrorClass {
    if CONNECTION_OVER.contains(&errno) {
        return ErrorClass::ConnectionLost;
    }
    if !ENGINE_TEXT.contains(&errno) {
        return SqlError::class_of(errno);
    }
    let text = message.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // RocksDB: `Resource busy`, `Busy`, `Try again`, `Deadlock`, snapshot conflicts; handlers of
    // every engine: `Lock deadlock; Retry transaction`, `Lock timed out; Retry transaction`.
    if says(&["timed out", "timedout", "lock timeout", "lock wait timeout"]) {
        ErrorClass::LockWait
    } else if says(&["deadlock", "busy", "try again", "snapshot conflict", "tryagain"]) {
        ErrorClass::Deadlock
    } else {
        ErrorClass::Other
    }
}

/// Turns an error of the client library into ours. Nothing but an error that the server sent as
/// such leaves the connection usable for certain; the rest counts as lost.
pub(super) fn convert(error: mysql::Error) -> SqlError {
    match error {
        mysql::Error::MySqlError(error) => server_error(error.code, error.state, error.message),
        mysql::Error::IoError(error) => lost_by(&error),
        mysql::Error::CodecError(error) => {
            let text = error.to_string();
            if text.contains("max_allowed_packet") {
                too_large()
            } else {
                let timed_out = std::error::Error::source(&error)
                    .and_then(|source| source.downcast_ref::<std::io::Error>())
                    .map(std::io::Error::kind);
                lost(&timed_out.map_or(text.clone(), |kind| io_words(kind, &text)))
            }
        }
        mysql::Error::DriverError(error) => match error {
            mysql::DriverError::Params(_) | mysql::DriverError::MixedParams => {
                SqlError::local(error.to_string())
            }
            // The number that other clients give to the same.
            mysql::DriverError::CouldNotConnect(_) => {
                SqlError { errno: 2002, ..lost(&error.to_string()) }
            }
            other => lost(&other.to_string()),
        },
        other => SqlError::local(other.to_string()),
    }
}

/// An error that the server sent.
pub(super) fn server_error(errno: u16, sqlstate: String, message: String) -> SqlError {
    SqlError { class: classify(errno, &message), errno, sqlstate, ..SqlError::local(message) }
}

/// A statement that no packet of this server can hold.
pub(super) fn too_large() -> SqlError {
    SqlError::local("the statement is larger than the server's max_allowed_packet")
}

/// The error of a connection whose socket failed.
pub(super) fn lost_by(error: &std::io::Error) -> SqlError {
    lost(&io_words(error.kind(), &error.to_string()))
}

/// The error of a connection that is over.
pub(super) fn lost(message: &str) -> SqlError {
    SqlError {
        class: ErrorClass::ConnectionLost,
        ..SqlError::local(format!("the connection is lost: {message}"))
    }
}

fn io_words(kind: ErrorKind, text: &str) -> String {
    match kind {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            "a statement took longer than its limit".to_string()
        }
        _ => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_classed_by_number_and_by_the_words_of_the_engine() {
        for (errno, text, class) in [
            (1213, "Deadlock found when trying to get lock", ErrorClass::Deadlock),
            (1020, "Record has changed since last read in table 'stock'", ErrorClass::Deadlock),
            (1205, "Lock wait timeout exceeded", ErrorClass::LockWait),
            (1180, "Got error 149 \"Lock deadlock; Retry transaction\" during COMMIT", {
                ErrorClass::Deadlock
            }),
            (1296, "Got error 11 'Resource busy: ' from ROCKSDB", ErrorClass::Deadlock),
            (1296, "Got error 9 'Operation timed out: ' from ROCKSDB", ErrorClass::LockWait),
            (
                1296,
                "Got error 10 'Operation aborted: Failed to acquire lock due to \
                 rocksdb_max_row_locks limit' from ROCKSDB",
                ErrorClass::Other,
            ),
            (1030, "Got error 28 \"No space left on device\"", ErrorClass::Other),
            (1062, "Duplicate entry '1' for key 'PRIMARY', busy", ErrorClass::Other),
            (2013, "Lost connection", ErrorClass::ConnectionLost),
            (1053, "Server shutdown in progress", ErrorClass::ConnectionLost),
            (1927, "Connection was killed", ErrorClass::ConnectionLost),
            (4031, "The client was disconnected", ErrorClass::ConnectionLost),
        ] {
            assert_eq!(classify(errno, text), class, "{errno} {text}");
        }
    }

    #[test]
    fn a_broken_pipe_and_a_reached_limit_are_lost_connections() {
        let error = convert(mysql::Error::IoError(ErrorKind::BrokenPipe.into()));
        assert_eq!(error.class, ErrorClass::ConnectionLost);
        let error = convert(mysql::Error::IoError(ErrorKind::WouldBlock.into()));
        assert_eq!(error.class, ErrorClass::ConnectionLost);
        assert!(error.message.contains("limit"), "{error}");
        let refused = mysql::DriverError::CouldNotConnect(None);
        assert_eq!(convert(mysql::Error::DriverError(refused)).errno, 2002);
    }
}
