//! What a server binary says about itself with `--version`.

/// A release as its binary reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Family: `mariadb`, `mysql`, `percona`, `tokutek`.
    pub family: &'static str,
    /// The whole version: `10.11.19-MariaDB`, `8.0.36-28`.
    pub text: String,
    /// Major, minor and patch number.
    pub numbers: (u32, u32, u32),
}

impl Version {
    /// Reads the line that `mysqld --version` prints:
    /// `mysqld  Ver 8.0.36-28 for Linux on x86_64 (Percona Server (GPL), Release 28)`.
    pub fn parse(output: &str) -> Option<Self> {
        let line = output.lines().find(|line| line.contains(" Ver "))?;
        let (_, rest) = line.split_once(" Ver ")?;
        let text = rest.split_whitespace().next()?.to_string();
        let numbers = numbers(&text)?;
        let lower = rest.to_ascii_lowercase();
        // Tokutek's builds are forks of MySQL and MariaDB and name both.
        let family = if lower.contains("tokudb") || lower.contains("tokutek") {
            "tokutek"
        } else if lower.contains("mariadb") {
            "mariadb"
        } else if lower.contains("percona") {
            "percona"
        } else {
            "mysql"
        };
        Some(Self { family, text: shortened(&text), numbers })
    }

    /// Major and minor number.
    pub fn release(&self) -> (u32, u32) {
        (self.numbers.0, self.numbers.1)
    }
}

/// The three numbers that a version begins with; a missing patch number is 0.
pub fn numbers(version: &str) -> Option<(u32, u32, u32)> {
    let mut parts =
        version.split(['.', '-', '+', '~']).map_while(|part| part.parse::<u32>().ok()).take(3);
    let major = parts.next()?;
    let minor = parts.next()?;
    Some((major, minor, parts.next().unwrap_or(0)))
}

/// Without what packagers add: `10.11.19-MariaDB-0+deb12u1` is `10.11.19-MariaDB`.
fn shortened(version: &str) -> String {
    match version.find("-MariaDB") {
        Some(at)
            if version[at + "-MariaDB".len()..].starts_with(['-', '+', '~', ':'])
                && !version.to_ascii_lowercase().contains("tokudb") =>
        {
            version[..at + "-MariaDB".len()].to_string()
        }
        _ => version.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_and_releases_are_told_apart() {
        for (output, family, text, numbers) in [
            (
                "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)",
                "mariadb",
                "10.11.19-MariaDB",
                (10, 11, 19),
            ),
            (
                "mysqld  Ver 11.8.9-MariaDB-deb13u1 from Debian for debian-linux-gnu on x86_64",
                "mariadb",
                "11.8.9-MariaDB",
                (11, 8, 9),
            ),
            (
                "/opt/m/bin/mysqld  Ver 5.6.24 for linux-glibc2.5 on x86_64 (MySQL Community Server (GPL))",
                "mysql",
                "5.6.24",
                (5, 6, 24),
            ),
            ("mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))", "mysql", "9.7.4-2", (9, 7, 4)),
            (
                "mysqld  Ver 8.0.36-28 for Linux on x86_64 (Percona Server (GPL), Release 28, Revision 47601f19)",
                "percona",
                "8.0.36-28",
                (8, 0, 36),
            ),
            (
                "mysqld  Ver 5.5.41-MariaDB-tokudb-7.5.7 for Linux on x86_64 (MariaDB Server)",
                "tokutek",
                "5.5.41-MariaDB-tokudb-7.5.7",
                (5, 5, 41),
            ),
        ] {
            let version = Version::parse(output).unwrap();
            assert_eq!((version.family, version.text.as_str()), (family, text), "{output}");
            assert_eq!(version.numbers, numbers);
        }
        assert_eq!(Version::parse("sysbench 1.0.20"), None);
        assert_eq!(numbers("8.4"), Some((8, 4, 0)));
    }
}
