//! Server families as data: one file a family, rows by release. The functions here answer what a
//! plan must know about a server without starting it.

mod common;
mod level;
mod mariadb;
mod mariadb_changes;
mod mysql;
mod mysql_changes;
mod percona;
pub mod rows;
mod scope;
mod tokutek;
mod translate;

pub use level::Defaults;
pub use scope::{OptionScope, option_scope, option_scope_of};
pub use translate::translate;

use super::TargetDescription;
use crate::engine::{ENGINES, EngineSpec, Home};
use rows::Became;
pub use rows::Family;

/// Every family. Adding one is adding a file and a line here.
pub static FAMILIES: &[&Family] =
    &[&mariadb::MARIADB, &mysql::MYSQL, &percona::PERCONA, &tokutek::TOKUTEK];

/// The family with this name, as descriptions have it.
pub fn find(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().copied().find(|family| family.name == name)
}

/// An option that enginecmp writes by itself, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnOption {
    /// Name with underscores.
    pub name: String,
    /// Value; none for a bare option.
    pub value: Option<String>,
    /// Why, in a few words for `plan`.
    pub reason: String,
}

impl OwnOption {
    fn new(name: &str, value: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { name: name.to_string(), value: Some(value.into()), reason: reason.into() }
    }
}

/// Whether an engine is built into this server, so that no plugin must be loaded.
pub fn is_built_in(family: &Family, release: (u32, u32), storage: &str) -> bool {
    family
        .built_in
        .iter()
        .any(|(releases, name)| releases.hold(release) && name.eq_ignore_ascii_case(storage))
}

/// Options that every start of this server gets: no network, buffer-pool dump off, plugins of the
/// engines in use, smallest caches for engines that are not, strict SQL mode, and so on.
/// `under_test` are the engines whose tables the cells use. `defaults` is what the suite says of
/// the defaults of releases: shipped ones are left as they are, levelled ones made alike; of a suite
/// that says nothing those are stated that would make two releases differ in what they do.
pub fn own_options(
    server: &TargetDescription,
    under_test: &[&EngineSpec],
    defaults: Option<Defaults>,
) -> Vec<OwnOption> {
    let Some(family) = find(&server.family) else { return Vec::new() };
    let stated = if defaults == Some(Defaults::Shipped) { &[] } else { family.stated };
    let level = if defaults == Some(Defaults::Levelled) { family.level } else { &[] };
    let mut options: Vec<OwnOption> = [family.own, stated, level]
        .into_iter()
        .flatten()
        .flat_map(|rows| rows.iter())
        .filter(|row| row.releases.hold(server.release))
        .map(|row| OwnOption {
            name: row.name.to_string(),
            value: row.value.map(str::to_string),
            reason: row.reason.to_string(),
        })
        .collect();
    for engine in ENGINES.iter().filter(|engine| engine.home == Home::Server) {
        let tested = under_test.iter().any(|tested| tested.storage == engine.storage);
        let built_in = is_built_in(family, server.release, engine.storage);
        if tested && !built_in {
            if let Some(plugin) = engine.plugin {
                let name = Family::row(family.plugin_option, server.release);
                options.push(OwnOption::new(
                    name.unwrap_or("plugin_load_add"),
                    format!("{plugin}.so"),
                    format!("{} is a plugin", engine.storage),
                ));
            }
        } else if !tested
            && built_in
            && engine.persistent
            && let Some(cache) = engine.cache_option
        {
            options.push(OwnOption::new(
                cache,
                engine.cache_minimum.to_string(),
                format!("the smallest, since {} is not under test", engine.storage),
            ));
        }
    }
    options
}

/// What becomes of an option on this server, as far as it is known without starting it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing is known against it.
    Taken,
    /// Write it under this name, with the same value.
    Renamed(String),
    /// Leave it out: it is not there, and nothing that is measured changes. Why.
    LeftOut(String),
    /// It is taken and has no effect. Why.
    Ignored(String),
    /// The server would not start, or would mean something else. Why, and what to write.
    Refused(String),
}

/// What becomes of an option on this server. `name` with underscores, without `loose_`.
pub fn fate(server: &TargetDescription, name: &str) -> Fate {
    let Some(family) = find(&server.family) else { return Fate::Taken };
    let change = family
        .changes
        .iter()
        .flat_map(|changes| changes.iter())
        .find(|change| change.name == name && change.releases.hold(server.release));
    let who = || format!("{} {}.{}", family.title, server.release.0, server.release.1);
    match change.map(|change| change.became) {
        None | Some(Became::Had) => Fate::Taken,
        Some(Became::Renamed(name)) => Fate::Renamed(name.to_string()),
        Some(Became::Harmless(why)) => Fate::LeftOut(format!("{} has no {name}: {why}", who())),
        Some(Became::Ignored(why)) => Fate::Ignored(format!("{name} does nothing: {why}")),
        Some(Became::Refused(why)) => Fate::Refused(format!("{} has no {name}: {why}", who())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::TargetKind;

    /// A description as discovery would give it.
    pub(super) fn server(family: &str, version: &str) -> TargetDescription {
        let numbers = crate::target::version::numbers(version).unwrap();
        TargetDescription {
            name: "found".into(),
            kind: TargetKind::Managed,
            family: family.into(),
            version: version.into(),
            release: (numbers.0, numbers.1),
            binary: None,
            build: "b".into(),
            engines: vec!["InnoDB".into()],
        }
    }

    /// The option file that a family, a release and an engine give, for comparison by eye.
    fn file(family: &str, version: &str, engine: &str) -> String {
        let engine = EngineSpec::find(engine).unwrap();
        own_options(&server(family, version), &[engine], None)
            .into_iter()
            .map(|option| match option.value {
                Some(value) => format!("{}={value}\n", option.name),
                None => format!("{}\n", option.name),
            })
            .collect()
    }

    #[test]
    fn each_family_and_release_gets_its_own_lines() {
        let text = file("mariadb", "10.11.19-MariaDB", "rocksdb");
        assert!(text.contains("plugin_load_add=ha_rocksdb.so\n"), "{text}");
        assert!(text.contains("innodb_buffer_pool_size=25165824\n"), "{text}");
        assert!(text.contains("innodb_buffer_pool_dump_at_shutdown=OFF\n"));
        assert!(!text.contains("snapshot") && !text.contains("mysqlx"));
        assert!(!text.contains("rocksdb_block_cache_size"), "the engine under test has its own");

        let text = file("mariadb", "11.8.9-MariaDB", "innodb");
        assert!(text.contains("innodb_snapshot_isolation=OFF\n"), "{text}");
        assert!(!text.contains("innodb_buffer_pool_size") && !text.contains("plugin_load"));

        let text = file("mysql", "9.7.4", "innodb");
        assert!(text.contains("mysqlx=OFF\n") && text.contains("secure_file_priv=\n"), "{text}");
        assert!(text.contains("skip_log_bin\n") && !text.contains("query_cache"));

        let text = file("mysql", "5.1.73", "innodb");
        assert!(text.contains("innodb_file_per_table=ON\n"), "{text}");
        assert!(!text.contains("dump_at_shutdown") && !text.contains("skip_log_bin"));

        let text = file("percona", "5.7.44-48", "tokudb");
        assert!(text.contains("plugin_load_add=ha_tokudb.so\n"), "{text}");

        let text = file("tokutek", "5.5.41-MariaDB-tokudb-7.5.7", "tokudb");
        assert!(text.contains("default_storage_engine=InnoDB\n"), "{text}");
        assert!(!text.contains("plugin_load"), "TokuDB is built into these");
    }

    #[test]
    fn what_became_of_an_option_is_known_by_release() {
        assert_eq!(
            fate(&server("mariadb", "10.11.19"), "innodb_buffer_pool_instances"),
            Fate::Ignored(
                "innodb_buffer_pool_instances does nothing: MariaDB has one buffer pool from \
                 10.5 on"
                    .into()
            )
        );
        assert_eq!(
            fate(&server("mysql", "9.7.4"), "tx_isolation"),
            Fate::Renamed("transaction_isolation".into())
        );
        assert!(matches!(fate(&server("mysql", "9.7.4"), "query_cache_size"), Fate::LeftOut(_)));
        assert_eq!(fate(&server("mysql", "5.6.24"), "query_cache_size"), Fate::Taken);
        assert!(matches!(
            fate(&server("percona", "8.4.1"), "innodb_log_file_size"),
            Fate::Refused(_)
        ));
        assert_eq!(fate(&server("fake", "1.0"), "anything"), Fate::Taken);
    }

    #[test]
    fn families_are_found_by_the_names_that_descriptions_use() {
        for family in FAMILIES {
            assert_eq!(find(family.name).unwrap().title, family.title);
            assert!(!family.initialise.is_empty());
            for release in [(5, 1), (5, 6), (8, 0), (10, 11), (11, 8)] {
                assert!(Family::row(family.initialise, release).is_some(), "{release:?}");
                assert!(Family::row(family.plugin_option, release).is_some());
            }
        }
    }
}
