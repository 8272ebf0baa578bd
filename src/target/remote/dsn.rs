//! Where a running server listens: `mysql://USER@HOST:PORT/DATABASE`, or a socket by
//! `mysql://USER@localhost/DATABASE?socket=/path`.

use crate::target::mysql_session::Address;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

const SCHEME: &str = "mysql://";
const PORT: u16 = 3306;

/// A DSN, taken apart. It never holds a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dsn {
    /// Where the server listens.
    pub address: Address,
    /// Account.
    pub user: String,
    /// The database that enginecmp makes, drops and makes again.
    pub database: String,
}

impl Dsn {
    /// Takes a DSN apart. An error says what is wrong and never repeats a password.
    pub fn parse(text: &str) -> Result<Self, String> {
        let rest = text.strip_prefix(SCHEME).ok_or_else(|| {
            "a DSN begins with mysql://, such as mysql://bench@127.0.0.1:3306/bench".to_string()
        })?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest
            .split_once('/')
            .ok_or("a DSN ends with the database: mysql://USER@HOST:PORT/DATABASE")?;
        let (account, host) = authority
            .rsplit_once('@')
            .ok_or("a DSN names the account: mysql://USER@HOST:PORT/DATABASE")?;
        if account.contains(':') {
            return Err(
                "a password does not belong into a suite: leave it out of the DSN, put it \
                        into a variable of the environment and name that with \
                        `password_env NAME`"
                    .to_string(),
            );
        }
        let user = decoded(account).ok_or("the account of the DSN is not readable")?;
        if user.is_empty() {
            return Err("a DSN names the account: mysql://USER@HOST:PORT/DATABASE".to_string());
        }
        let database = decoded(database).ok_or("the database of the DSN is not readable")?;
        let usual = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '-';
        if database.is_empty() || database.len() > 64 || !database.chars().all(usual) {
            return Err(format!(
                "the database of a DSN is a name of letters, digits, `_`, `$` and `-`, not \
                 `{database}`"
            ));
        }
        let forbidden = ["mysql", "information_schema", "performance_schema", "sys"];
        if forbidden.iter().any(|name| name.eq_ignore_ascii_case(&database)) {
            return Err(format!(
                "`{database}` is the server's own database; name one that enginecmp may make and \
                 drop"
            ));
        }
        let address = match socket(query)? {
            Some(path) => Address::Socket(path),
            None => tcp(host)?,
        };
        Ok(Self { address, user, database })
    }
}

impl fmt::Display for Dsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { user, database, .. } = self;
        match &self.address {
            Address::Socket(path) => {
                write!(f, "{SCHEME}{user}@localhost/{database}?socket={}", path.display())
            }
            Address::Tcp { host, port } if host.contains(':') => {
                write!(f, "{SCHEME}{user}@[{host}]:{port}/{database}")
            }
            Address::Tcp { host, port } => write!(f, "{SCHEME}{user}@{host}:{port}/{database}"),
        }
    }
}

/// The socket that the query of a DSN names.
fn socket(query: &str) -> Result<Option<PathBuf>, String> {
    let mut socket = None;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if name != "socket" {
            return Err(format!("a DSN takes `?socket=PATH`, not `{name}`"));
        }
        let path = decoded(value).ok_or("the socket of the DSN is not readable")?;
        if !path.starts_with('/') {
            return Err(format!("the socket of a DSN is an absolute path, not `{path}`"));
        }
        socket = Some(PathBuf::from(path));
    }
    Ok(socket)
}

/// Host and port. Names and rows would cross a network in clear text, so the host is this machine.
fn tcp(authority: &str) -> Result<Address, String> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']').ok_or("the `[` of the host is not closed")?;
            (host, port.strip_prefix(':'))
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let port = match port {
        None => PORT,
        Some(text) => text
            .parse()
            .ok()
            .filter(|&port| port > 0)
            .ok_or_else(|| format!("`{text}` is no port"))?,
    };
    if host.is_empty() {
        return Err("a DSN names a host or a socket: mysql://USER@HOST:PORT/DATABASE".to_string());
    }
    let loopback = host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if !loopback {
        return Err(format!(
            "`{host}` is another machine, which needs TLS; that is not supported in this version. \
             A DSN may name a socket, localhost, 127.0.0.1 or [::1]"
        ));
    }
    Ok(Address::Tcp { host: host.to_string(), port })
}

/// A part of a DSN with its `%40` and the like resolved.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_ports_and_sockets_are_read() {
        let tcp = |text: &str| match Dsn::parse(text).unwrap().address {
            Address::Tcp { host, port } => format!("{host} {port}"),
            Address::Socket(path) => path.display().to_string(),
        };
        assert_eq!(tcp("mysql://bench@127.0.0.1:3307/bench"), "127.0.0.1 3307");
        assert_eq!(tcp("mysql://bench@localhost/bench"), "localhost 3306");
        assert_eq!(tcp("mysql://bench@[::1]:3306/bench"), "::1 3306");
        assert_eq!(tcp("mysql://bench@localhost/bench?socket=/run/my%20s"), "/run/my s");
        let dsn = Dsn::parse("mysql://b%40x@/bench-1?socket=/run/s").unwrap();
        assert_eq!((dsn.user.as_str(), dsn.database.as_str()), ("b@x", "bench-1"));
        for text in
            ["mysql://b@[::1]:33/d", "mysql://b@localhost/d?socket=/s", "mysql://b@127.0.0.1:1/d"]
        {
            assert_eq!(Dsn::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        let error = Dsn::parse("mysql://bench:hunter2@127.0.0.1/bench").unwrap_err();
        assert!(error.contains("password_env") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, words) in [
            ("postgres://a@b/c", "begins with mysql://"),
            ("mysql://bench@127.0.0.1", "ends with the database"),
            ("mysql://127.0.0.1/bench", "names the account"),
            ("mysql://@127.0.0.1/bench", "names the account"),
            ("mysql://b@/bench", "a host or a socket"),
            ("mysql://b@127.0.0.1/", "name of letters"),
            ("mysql://b@127.0.0.1/a`b", "name of letters"),
            ("mysql://b@127.0.0.1/mysql", "the server's own database"),
            ("mysql://b@127.0.0.1:0/bench", "`0` is no port"),
            ("mysql://b@127.0.0.1:x/bench", "`x` is no port"),
            ("mysql://b@[::1/bench", "is not closed"),
            ("mysql://b@db.example.org/bench", "needs TLS"),
            ("mysql://b@10.0.0.1/bench", "needs TLS"),
            ("mysql://b@localhost/bench?tls=1", "not `tls`"),
            ("mysql://b@localhost/bench?socket=s", "absolute path"),
            ("mysql://b%@localhost/bench", "account of the DSN is not readable"),
        ] {
            let error = Dsn::parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
