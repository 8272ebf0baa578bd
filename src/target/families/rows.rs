//! The shapes of the rows that describe families.

/// A stretch of releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Releases {
    /// The first, major and minor.
    from: (u32, u32),
    /// The first that is no more among them; none for no end.
    before: Option<(u32, u32)>,
}

impl Releases {
    /// All of them.
    pub const ALL: Self = Self { from: (0, 0), before: None };

    /// From this one on.
    pub const fn from(major: u32, minor: u32) -> Self {
        Self { from: (major, minor), before: None }
    }

    /// Those before this one.
    pub const fn before(major: u32, minor: u32) -> Self {
        Self { from: (0, 0), before: Some((major, minor)) }
    }

    /// From one on to the last before another.
    pub const fn between(from: (u32, u32), before: (u32, u32)) -> Self {
        Self { from, before: Some(before) }
    }

    /// Whether it is among them.
    pub fn hold(self, release: (u32, u32)) -> bool {
        release >= self.from && self.before.is_none_or(|before| release < before)
    }
}

/// How an empty data directory is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialise {
    /// The server does it: `--initialize-insecure`.
    Insecure,
    /// The server runs scripts from standard input: `--bootstrap`.
    Bootstrap {
        /// Arguments beside it.
        arguments: &'static [&'static str],
        /// Statements before the scripts, one a line.
        first: &'static str,
        /// Scripts of the installation in order. Alternatives are names for one and the same in
        /// different releases, of which the first that is there is taken.
        scripts: &'static [Script],
        /// Statements after the scripts, one a line.
        last: &'static str,
    },
}

/// A script of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Script {
    /// Names that it may have.
    pub names: &'static [&'static str],
    /// Without it nothing can be made.
    pub needed: bool,
}

/// An option that enginecmp writes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnRow {
    /// In which releases.
    pub releases: Releases,
    /// Name with underscores.
    pub name: &'static str,
    /// Value; none for a bare option.
    pub value: Option<&'static str>,
    /// Why.
    pub reason: &'static str,
}

impl OwnRow {
    /// A row for every release.
    pub const fn always(
        name: &'static str,
        value: Option<&'static str>,
        reason: &'static str,
    ) -> Self {
        Self { releases: Releases::ALL, name, value, reason }
    }

    /// A row for some releases.
    pub const fn of(
        releases: Releases,
        name: &'static str,
        value: Option<&'static str>,
        reason: &'static str,
    ) -> Self {
        Self { releases, name, value, reason }
    }
}

/// How the redo log of InnoDB gets its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redo {
    /// `innodb_log_file_size` and `innodb_log_files_in_group`.
    FilesInGroup,
    /// `innodb_log_file_size` of the only file.
    OneFile,
    /// `innodb_redo_log_capacity`.
    Capacity,
}

/// How InnoDB is told to read and write past the page cache, or through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InnodbIo {
    /// `innodb_flush_method`, whose default is the buffered one and has no name.
    FlushMethodUnnamed,
    /// `innodb_flush_method=O_DIRECT` or `fsync`.
    FlushMethod,
    /// `innodb_data_file_buffering=OFF` or `ON`.
    DataFileBuffering,
}

/// What became of an option in some releases of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// In which releases.
    pub releases: Releases,
    /// The option, with underscores.
    pub name: &'static str,
    /// What became of it.
    pub became: Became,
}

impl Change {
    /// It is called `now`; the value is the same.
    pub const fn renamed(releases: Releases, name: &'static str, now: &'static str) -> Self {
        Self { releases, name, became: Became::Renamed(now) }
    }

    /// Not there, and leaving it out changes nothing that is measured: why.
    pub const fn left_out(releases: Releases, name: &'static str, why: &'static str) -> Self {
        Self { releases, name, became: Became::Harmless(why) }
    }

    /// Taken, and without effect: why.
    pub const fn ignored(releases: Releases, name: &'static str, why: &'static str) -> Self {
        Self { releases, name, became: Became::Ignored(why) }
    }

    /// Not there, and leaving it out would change what is measured: why, or what to write instead.
    pub const fn refused(releases: Releases, name: &'static str, why: &'static str) -> Self {
        Self { releases, name, became: Became::Refused(why) }
    }

    /// There, unlike in the family that this one is built from.
    pub const fn had(releases: Releases, name: &'static str) -> Self {
        Self { releases, name, became: Became::Had }
    }
}

/// What became of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It is there, as nowhere else in the family that this one is built from.
    Had,
    /// It is called so now; the value is the same.
    Renamed(&'static str),
    /// Not there, and leaving it out changes nothing that is measured.
    Harmless(&'static str),
    /// Taken, and without effect.
    Ignored(&'static str),
    /// Not there, and leaving it out would change what is measured: why, and what to write instead.
    Refused(&'static str),
}

/// A family of servers: rows by release.
#[derive(Debug)]
pub struct Family {
    /// Its name in descriptions.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Engines that are built in, with the releases that have them.
    pub built_in: &'static [(Releases, &'static str)],
    /// How a data directory is made.
    pub initialise: &'static [(Releases, Initialise)],
    /// Options that every start gets.
    pub own: &'static [&'static [OwnRow]],
    /// Options that every start gets unless the suite wants the defaults of the release.
    pub stated: &'static [&'static [OwnRow]],
    /// Options that make the defaults of releases alike.
    pub level: &'static [&'static [OwnRow]],
    /// The option that loads a plugin, and whether it may be repeated.
    pub plugin_option: &'static [(Releases, &'static str)],
    /// How InnoDB's redo log is sized, by full version (major, minor, patch) from which on.
    pub redo: &'static [((u32, u32, u32), Redo)],
    /// How InnoDB's input and output is chosen, by release from which on.
    pub innodb_io: &'static [((u32, u32), InnodbIo)],
    /// From this release on, a buffer pool is a multiple of chunk size x instances; and before
    /// that other one.
    pub pool_chunks: Option<Releases>,
    /// From this release on a large pool is divided into 8 instances; and before that other one.
    pub pool_instances: Option<Releases>,
    /// What became of options.
    pub changes: &'static [&'static [Change]],
}

impl Family {
    /// The row of a release in a list of rows.
    pub fn row<T: Copy>(rows: &[(Releases, T)], release: (u32, u32)) -> Option<T> {
        rows.iter().find(|(releases, _)| releases.hold(release)).map(|(_, row)| *row)
    }

    /// The last row whose beginning is not after `version`.
    pub fn since<V: PartialOrd + Copy, T: Copy>(rows: &[(V, T)], version: V) -> Option<T> {
        rows.iter().rev().find(|(from, _)| *from <= version).map(|(_, row)| *row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_stretches_with_an_open_or_a_closed_end() {
        assert!(Releases::ALL.hold((5, 1)));
        assert!(Releases::from(10, 5).hold((11, 0)) && !Releases::from(10, 5).hold((10, 4)));
        let between = Releases::between((5, 7), (8, 4));
        assert!(between.hold((8, 0)) && !between.hold((8, 4)) && !between.hold((5, 6)));
        assert!(Releases::before(5, 6).hold((5, 5)));
        let rows = [((8, 0, 0), Redo::FilesInGroup), ((8, 0, 30), Redo::Capacity)];
        assert_eq!(Family::since(&rows, (8, 0, 29)), Some(Redo::FilesInGroup));
        assert_eq!(Family::since(&rows, (8, 0, 30)), Some(Redo::Capacity));
        assert_eq!(Family::since(&rows, (5, 7, 1)), None);
    }
}
