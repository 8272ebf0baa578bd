//! SQLite's options: pragmas, as data. What was asked is compared with what the pragma says
//! afterwards, both in one canonical form.

use crate::target::families::OptionScope;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// What a pragma's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One of these words; SQLite reports the word.
    Word(&'static [&'static str]),
    /// One of these words; SQLite reports its position.
    Numbered(&'static [&'static str]),
    /// A whole number.
    Number,
    /// Bytes; K, M and G count in powers of 1024.
    Bytes,
}

/// A pragma that can be set as an option.
#[derive(Clone, Copy, Debug)]
pub struct Pragma {
    /// Its name.
    pub name: &'static str,
    /// What it moves.
    pub scope: OptionScope,
    /// What it does, in a line.
    pub doc: &'static str,
    kind: Kind,
}

const SWITCH: Kind = Kind::Numbered(&["off", "on"]);

const fn run(name: &'static str, kind: Kind, doc: &'static str) -> Pragma {
    Pragma { name, scope: OptionScope::Run, doc, kind }
}

const fn init(name: &'static str, kind: Kind, doc: &'static str) -> Pragma {
    Pragma { name, scope: OptionScope::Init, doc, kind }
}

/// Every pragma that can be set as an option. Locking modes that shut other connections out are
/// left out on purpose: several clients share the file.
pub static PRAGMAS: &[Pragma] = &[
    init("page_size", Kind::Bytes, "bytes of a page, 512 to 65536; fixed when the file is made"),
    init(
        "auto_vacuum",
        Kind::Numbered(&["none", "full", "incremental"]),
        "whether freed pages are given back; fixed when the file is made",
    ),
    run(
        "journal_mode",
        Kind::Word(&["delete", "truncate", "persist", "memory", "wal", "off"]),
        "rollback journal, or write-ahead log with readers beside one writer",
    ),
    run(
        "synchronous",
        Kind::Numbered(&["off", "normal", "full", "extra"]),
        "when fsync is called; full makes every commit durable",
    ),
    run("cache_size", Kind::Number, "page cache of each connection: pages, or -KiB"),
    run("cache_spill", Kind::Number, "dirty pages that may stay in the cache"),
    run("busy_timeout", Kind::Number, "milliseconds that a statement waits for a lock"),
    run("wal_autocheckpoint", Kind::Number, "pages in the log that start a checkpoint"),
    run("journal_size_limit", Kind::Bytes, "bytes to which the journal is cut back; -1 for none"),
    run("mmap_size", Kind::Bytes, "bytes of the file that are read through memory mapping"),
    run("temp_store", Kind::Numbered(&["default", "file", "memory"]), "where temporary tables lie"),
    run("foreign_keys", SWITCH, "whether foreign keys are enforced"),
    run("automatic_index", SWITCH, "whether queries may build indexes for themselves"),
    run("secure_delete", Kind::Numbered(&["off", "on", "fast"]), "whether deleted rows are zeroed"),
    run("threads", Kind::Number, "helper threads that a sort may use"),
];

/// The pragma with this name.
pub fn find(name: &str) -> Option<&'static Pragma> {
    PRAGMAS.iter().find(|pragma| pragma.name.eq_ignore_ascii_case(name))
}

impl Pragma {
    /// The canonical form of a value as a suite writes it; an error says what would fit.
    pub fn canonical(&self, value: &str) -> Result<String, String> {
        let text = value.trim().to_ascii_lowercase();
        match self.kind {
            Kind::Word(words) if words.contains(&text.as_str()) => Ok(text),
            Kind::Word(words) => Err(one_of(self.name, words, value)),
            Kind::Numbered(words) => {
                let text = match (words[1], text.as_str()) {
                    ("on", "true" | "yes") => "on",
                    ("on", "false" | "no") => "off",
                    (_, other) => other,
                };
                words
                    .iter()
                    .enumerate()
                    .find(|(number, word)| **word == text || number.to_string() == text)
                    .map(|(_, word)| (*word).to_string())
                    .ok_or_else(|| one_of(self.name, words, value))
            }
            Kind::Number => text
                .parse::<i64>()
                .map(|number| number.to_string())
                .map_err(|_| format!("{} takes a whole number, not `{value}`", self.name)),
            Kind::Bytes => bytes(&text).map(|number| number.to_string()).ok_or_else(|| {
                format!("{} takes bytes such as 4096 or 8K, not `{value}`", self.name)
            }),
        }
    }

    /// Sets the pragma on one connection and asks for it again: asked and got, both canonical.
    pub(super) fn set(
        &self,
        connection: &Connection,
        value: &str,
    ) -> Result<Result<(), String>, rusqlite::Error> {
        let asked = match self.canonical(value) {
            Ok(asked) => asked,
            Err(message) => return Ok(Err(message)),
        };
        // Some pragmas answer with a row and some do not; both are right.
        connection.pragma(None, self.name, self.argument(&asked), |_| Ok(()))?;
        let runs = self.read(connection)?;
        Ok(if runs == asked {
            Ok(())
        } else {
            Err(format!("asked for {} = {asked}, SQLite runs with {runs}", self.name))
        })
    }

    /// The pragma's value on a connection, canonical.
    pub(super) fn read(&self, connection: &Connection) -> rusqlite::Result<String> {
        let text = connection.pragma_query_value(None, self.name, |row| {
            Ok(match row.get_ref(0)? {
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                _ => String::new(),
            })
        });
        match text {
            Ok(text) => Ok(self.canonical(&text).unwrap_or(text)),
            // `mmap_size` gives no row where the build has no memory mapping.
            Err(rusqlite::Error::QueryReturnedNoRows) => Ok("unavailable".to_string()),
            Err(error) => Err(error),
        }
    }

    /// Numbers go in as numbers: SQLite reads `'4096'` as none.
    fn argument(&self, canonical: &str) -> rusqlite::types::Value {
        match self.kind {
            Kind::Number | Kind::Bytes => canonical
                .parse::<i64>()
                .map_or_else(|_| canonical.to_string().into(), rusqlite::types::Value::from),
            Kind::Word(_) | Kind::Numbered(_) => canonical.to_string().into(),
        }
    }
}

fn one_of(name: &str, words: &[&str], value: &str) -> String {
    format!("{name} takes one of {}, not `{value}`", words.join(", "))
}

/// Bytes with an optional unit, or -1.
fn bytes(text: &str) -> Option<i64> {
    let plain = text.strip_suffix("ib").or_else(|| text.strip_suffix('b')).unwrap_or(text);
    let (digits, shift) = match plain.as_bytes().last()? {
        b'k' => (&plain[..plain.len() - 1], 10),
        b'm' => (&plain[..plain.len() - 1], 20),
        b'g' => (&plain[..plain.len() - 1], 30),
        _ => (plain, 0),
    };
    digits.parse::<i64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_one_form() {
        let canonical = |name: &str, value: &str| find(name).unwrap().canonical(value);
        assert_eq!(canonical("journal_mode", "WAL").unwrap(), "wal");
        assert_eq!(canonical("synchronous", "2").unwrap(), "full");
        assert_eq!(canonical("SYNCHRONOUS", "Normal").unwrap(), "normal");
        assert_eq!(canonical("foreign_keys", "true").unwrap(), "on");
        assert_eq!(canonical("foreign_keys", "0").unwrap(), "off");
        assert_eq!(canonical("page_size", "8K").unwrap(), "8192");
        assert_eq!(canonical("page_size", "16KB").unwrap(), "16384");
        assert_eq!(canonical("cache_size", "-2000").unwrap(), "-2000");
        assert_eq!(
            canonical("synchronous", "sometimes").unwrap_err(),
            "synchronous takes one of off, normal, full, extra, not `sometimes`"
        );
        assert_eq!(
            canonical("cache_size", "64M").unwrap_err(),
            "cache_size takes a whole number, not `64M`"
        );
    }

    #[test]
    fn every_pragma_is_known_to_this_build_and_reads_canonical() {
        let connection = Connection::open_in_memory().unwrap();
        for pragma in PRAGMAS {
            // Memory databases have no file to map; all others answer.
            if pragma.name == "mmap_size" {
                continue;
            }
            let value = pragma.read(&connection).unwrap();
            assert_eq!(pragma.canonical(&value).as_ref(), Ok(&value), "{}", pragma.name);
        }
    }

    #[test]
    fn a_value_that_does_not_take_is_told() {
        let connection = Connection::open_in_memory().unwrap();
        let told = find("journal_mode").unwrap().set(&connection, "wal").unwrap();
        assert_eq!(told.unwrap_err(), "asked for journal_mode = wal, SQLite runs with memory");
        let page = find("page_size").unwrap().set(&connection, "1000").unwrap();
        assert_eq!(page.unwrap_err(), "asked for page_size = 1000, SQLite runs with 4096");
    }
}
