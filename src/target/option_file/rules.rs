//! What is known about groups and options of option files.

use regex::Regex;
use std::sync::LazyLock;

/// Whether a server of this family and release reads a group.
pub(super) fn reads_group(name: &str, family: &str, (major, minor): (u32, u32)) -> bool {
    let (base, wanted) = match name.split_once('-') {
        Some((base, version)) => (base, Some(version)),
        None => (name, None),
    };
    let own = match base {
        "mysqld" => true,
        "server" => wanted.is_none(),
        "mariadb" | "mariadbd" => family.eq_ignore_ascii_case("mariadb"),
        // What clients read, too, and what is meant for a cluster, which is left out by name.
        "client" if name == "client-server" => {
            return family.eq_ignore_ascii_case("mariadb");
        }
        "galera" => wanted.is_none() && family.eq_ignore_ascii_case("mariadb"),
        _ => false,
    };
    own && wanted.is_none_or(|version| version == format!("{major}.{minor}"))
}

/// Groups of other programs of the family.
const OTHERS: &[&str] = &[
    "client",
    "client_server",
    "embedded",
    "galera",
    "isamchk",
    "myisamchk",
    "myisampack",
    "mysql",
    "mysql_upgrade",
    "mysqladmin",
    "mysqlbinlog",
    "mysqlcheck",
    "mysqld_multi",
    "mysqld_safe",
    "mysqldump",
    "mysqlhotcopy",
    "mysqlimport",
    "mysqlshow",
    "mysqlslap",
    "mysqltest",
    "safe_mysqld",
    "sst",
    "xtrabackup",
    "mariabackup",
    "mysql_cluster",
    "ndbd",
    "ndb_mgmd",
    "pt",
];

/// Groups that servers read.
const SERVERS: &[&str] = &["mysqld", "server", "mariadb", "mariadbd"];

/// Whether a group belongs to a program of the family, with a release or not.
pub(super) fn known_group(name: &str) -> bool {
    let base = name.split('-').next().unwrap_or(name);
    SERVERS.contains(&base)
        || OTHERS.contains(&base)
        || OTHERS.contains(&base.trim_end_matches(|c: char| c.is_ascii_digit()))
        || base.starts_with("mysqld") && base[6..].chars().all(|c| c.is_ascii_digit())
        || base.starts_with("mariadb_")
        || base.starts_with("client_")
}

/// The group of servers that a name may be meant to be.
pub(super) fn near_group(name: &str) -> Option<&'static str> {
    let base = name.split('-').next().unwrap_or(name).to_ascii_lowercase();
    SERVERS.iter().copied().find(|known| strsim::osa_distance(&base, known) <= 2)
}

/// Options that count each time they are given.
pub(super) fn adds_up(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "performance_schema_instrument",
        "plugin_load_add",
        "binlog_do_db",
        "binlog_ignore_db",
        "replicate_do_db",
        "replicate_do_table",
        "replicate_ignore_db",
        "replicate_ignore_table",
        "replicate_wild_do_table",
        "replicate_wild_ignore_table",
        "replicate_rewrite_db",
        "ignore_db_dir",
        "ignore_db_dirs",
        "early_plugin_load",
    ];
    NAMES.contains(&name)
}

/// Why an option never reaches a private server; none when it may.
pub(super) fn stays_home(name: &str, value: Option<&str>) -> Option<&'static str> {
    const PATHS: &[&str] = &[
        "datadir",
        "basedir",
        "tmpdir",
        "chroot",
        "pid_file",
        "plugin_dir",
        "lc_messages_dir",
        "character_sets_dir",
        "secure_file_priv",
        "slave_load_tmpdir",
        "replica_load_tmpdir",
        "log_error",
        "log_basename",
        "general_log_file",
        "slow_query_log_file",
        "log_bin_index",
        "relay_log",
        "relay_log_index",
        "relay_log_info_file",
        "master_info_file",
        "innodb_data_home_dir",
        "innodb_log_group_home_dir",
        "innodb_undo_directory",
        "innodb_tmpdir",
        "innodb_temp_tablespaces_dir",
        "innodb_directories",
        "innodb_doublewrite_dir",
        "innodb_buffer_pool_filename",
        "aria_log_dir_path",
        "rocksdb_datadir",
        "rocksdb_wal_dir",
        "tokudb_data_dir",
        "tokudb_log_dir",
        "tokudb_tmp_dir",
        "init_file",
        "keyring_file_data",
        "log_slow_query_file",
    ];
    const NETWORK: &[&str] = &[
        "port",
        "socket",
        "bind_address",
        "extra_port",
        "admin_address",
        "admin_port",
        "mysqlx_port",
        "mysqlx_socket",
        "mysqlx_bind_address",
        "report_host",
        "report_port",
        "skip_networking",
        "server_id",
        "require_secure_transport",
        "ssl",
    ];
    const TAKEN_APART: &[&str] =
        &["wsrep_", "ssl_", "tls_", "admin_ssl_", "admin_tls_", "master_", "report_"];
    const STATES: &[&str] = &[
        "read_only",
        "super_read_only",
        "innodb_read_only",
        "transaction_read_only",
        "offline_mode",
        "skip_grant_tables",
        "daemonize",
        "bootstrap",
    ];
    if PATHS.contains(&name) || value.is_some_and(is_path) && !SQL.contains(&name) {
        Some("it is a path of the user's server, and this one is private")
    } else if NETWORK.contains(&name) || TAKEN_APART.iter().any(|one| name.starts_with(one)) {
        Some("a private server has a socket and a name of its own")
    } else if STATES.contains(&name) {
        Some("a private server is started, read and written by enginecmp alone")
    } else if name == "user" {
        Some("the server runs as who started enginecmp says")
    } else {
        None
    }
}

/// Options whose value is SQL, which may begin with a comment.
const SQL: &[&str] = &["init_connect", "init_slave", "init_replica"];

/// Whether a value leads out of the data directory: `/a`, `../a`, `a:/b`, `FILE:/a`.
fn is_path(value: &str) -> bool {
    value.split([':', ';']).any(|part| {
        let part = part.trim_start();
        part.starts_with('/') || part == ".." || part.starts_with("../")
    })
}

/// A mark that a template left in a value.
pub(super) fn template_mark(value: &str) -> Option<&str> {
    static MARKS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"\{\{.*?\}\}|\{%.*?%\}|\[%.*?%\]|<%.*?%>|%\{.*?\}|%%\w+%%|@[A-Z][A-Z0-9_]*@|\$\{[A-Za-z_]\w*\}|^\$[A-Za-z_]\w*$|^<[^<>=]+>$|__[A-Z][A-Z0-9_]*__|\b(?:PORT|SOCKET|DATADIR|BASEDIR|TMPDIR)\b",
        )
        .expect("the expression is well formed")
    });
    MARKS.find(value).map(|found| found.as_str())
}
