//! `release "mysql 5.6"`, matched among the servers that were found.

use crate::target::TargetDescription;
use crate::target::version;
use std::fmt;

/// Why no server matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchRelease {
    /// What was asked for.
    pub wanted: String,
    /// What there is instead: family and version of each.
    pub found: Vec<String>,
}

impl fmt::Display for NoSuchRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no server matches release \"{}\"; ", self.wanted)?;
        if self.found.is_empty() {
            f.write_str("this machine has none")
        } else {
            write!(f, "this machine has {}", self.found.join(", "))
        }
    }
}

impl std::error::Error for NoSuchRelease {}

/// The server that matches `mysql 5.6`, `mariadb 10.11.19`, `percona server 8.0` or `mariadb`
/// alone: the family, then as many numbers as are given. Of several the one of the highest
/// version, and of equal ones the first.
pub fn find_release<'a>(
    wanted: &str,
    found: &'a [TargetDescription],
) -> Result<&'a TargetDescription, NoSuchRelease> {
    let mut family = "";
    let mut numbers: Vec<u32> = Vec::new();
    for word in wanted.split_whitespace() {
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            numbers = word.split('.').map_while(|part| part.parse().ok()).collect();
        } else if family.is_empty() {
            family = word;
        }
    }
    let mut best: Option<(&TargetDescription, (u32, u32, u32))> = None;
    for server in found.iter().filter(|server| server.family.eq_ignore_ascii_case(family)) {
        let Some(version) = version::numbers(&server.version) else { continue };
        let all = [version.0, version.1, version.2];
        if all.starts_with(&numbers[..numbers.len().min(3)])
            && best.is_none_or(|(_, known)| version > known)
        {
            best = Some((server, version));
        }
    }
    best.map(|(server, _)| server).ok_or_else(|| NoSuchRelease {
        wanted: wanted.to_string(),
        found: found.iter().map(|server| format!("{} {}", server.family, server.version)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::TargetKind;

    fn server(family: &str, version: &str) -> TargetDescription {
        let numbers = version::numbers(version).unwrap();
        TargetDescription {
            name: "found".into(),
            kind: TargetKind::Managed,
            family: family.into(),
            version: version.into(),
            release: (numbers.0, numbers.1),
            binary: None,
            build: String::new(),
            engines: Vec::new(),
        }
    }

    #[test]
    fn a_release_matches_by_family_and_as_many_numbers_as_are_given() {
        let found = [
            server("mysql", "5.6.24"),
            server("mariadb", "10.5.23-MariaDB"),
            server("mariadb", "10.11.19-MariaDB"),
            server("percona", "8.0.36-28"),
        ];
        let version = |wanted: &str| find_release(wanted, &found).map(|found| &*found.version);
        assert_eq!(version("mysql 5.6"), Ok("5.6.24"));
        assert_eq!(version("MariaDB 10.11"), Ok("10.11.19-MariaDB"));
        assert_eq!(version("mariadb 10"), Ok("10.11.19-MariaDB"));
        assert_eq!(version("mariadb"), Ok("10.11.19-MariaDB"));
        assert_eq!(version("Percona Server 8.0"), Ok("8.0.36-28"));
        // 10.1 is not a beginning of 10.11.
        let error = version("mariadb 10.1").unwrap_err().to_string();
        assert!(error.contains("\"mariadb 10.1\"") && error.contains("mysql 5.6.24"), "{error}");
        assert!(version("mysql 8.0").is_err());
        assert!(find_release("mysql 5.6", &[]).unwrap_err().to_string().contains("has none"));
    }
}
