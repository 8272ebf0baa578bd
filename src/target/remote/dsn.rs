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

    /// Whether a connection with TLS, or without, may be made to this address; the error says why
    /// not. Rows and the password would cross a network in clear text, so another machine is
    /// reached with TLS alone; a socket has no network to cross.
    pub fn check_tls(&self, tls: bool) -> Result<(), String> {
        match &self.address {
            Address::Socket(_) if tls => Err("a socket stays on this machine and takes no TLS: \
                                              leave `tls_ca` out, or name host and port"
                .to_string()),
            Address::Tcp { host, .. } if !tls && !is_this_machine(host) => Err(format!(
                "`{host}` is another machine, to which data and password would go in clear text: \
                 name the authority that signed the server's certificate with `tls_ca \"ca.pem\"`"
            )),
            _ => Ok(()),
        }
    }
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
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

/// Host and port.
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
    fn another_machine_is_reached_with_tls_alone_and_a_socket_without() {
        let why = |text: &str, tls: bool| Dsn::parse(text).unwrap().check_tls(tls).err();
        for host in ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"] {
            let dsn = format!("mysql://b@{host}/bench");
            assert_eq!((why(&dsn, false), why(&dsn, true)), (None, None), "{host}");
        }
        for host in ["db.example.org", "10.0.0.1", "[2001:db8::1]"] {
            let dsn = format!("mysql://b@{host}:3307/bench");
            assert_eq!(why(&dsn, true), None, "{host}");
            assert!(why(&dsn, false).unwrap().contains("clear text"), "{host}");
        }
        let socket = "mysql://b@localhost/bench?socket=/run/s";
        assert_eq!(why(socket, false), None);
        assert!(why(socket, true).unwrap().contains("takes no TLS"));
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
            ("mysql://b@localhost/bench?tls=1", "not `tls`"),
            ("mysql://b@localhost/bench?socket=s", "absolute path"),
            ("mysql://b%@localhost/bench", "account of the DSN is not readable"),
        ] {
            let error = Dsn::parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
