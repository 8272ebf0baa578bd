//! Codes of resolving: names, duplicates, cycles, levels, overrides.

codes! { RESOLVE:
    UNKNOWN_NAME = "E0201", "unknown name",
        "The statement refers to something that the suite does not declare.",
        wrong "engine innodb { storage InnoDB }\ncompare engine against inodb",
        right "engine innodb { storage InnoDB }\ncompare engine against innodb";
    DECLARED_TWICE = "E0202", "declared twice",
        "A name stands for one thing: two blocks of one kind need two names.",
        wrong "engine a { storage InnoDB }\nengine a { storage Aria }",
        right "engine a { storage InnoDB }\nengine b { storage Aria }";
    LEVEL_TWICE = "E0203", "set twice on one level",
        "A value that stands nearer to the cell replaces one that stands farther away: option file, suite, server, engine, axis value, --set. Two values on one level contradict each other, whichever is meant.",
        wrong "option sync_binlog = 1\noption sync_binlog = 0",
        right "option sync_binlog = 1\nvariant relaxed { option sync_binlog = 0 }";
    EXTENDS_CYCLE = "E0204", "extends that goes in a circle",
        "A block begins with the lines of the block that it extends, so following `extends` must come to an end.",
        wrong "engine a { extends b }\nengine b { extends a }",
        right "engine a { storage InnoDB }\nengine b { extends a }";
    INCLUDE_FAILED = "E0205", "a file that cannot be included",
        "`include` names a file relative to the file in which it stands. Each file is taken once, includes do not go in a circle, and a suite has at most 64 of them.",
        wrong "include \"missing.bench\"",
        right "include \"engines.bench\"";
    INCLUDE_OUTSIDE = "E0206", "an include outside the suite's folder",
        "A suite includes files of its own folder and of folders below it. Others must be allowed on the command line, because a suite may come from somebody else.",
        wrong "include \"../../etc/my.bench\"",
        right "include \"common/engines.bench\"";
    UNKNOWN_SETTING = "E0207", "unknown setting",
        "The word is neither a statement of the language nor a parameter of a workload of this suite.",
        wrong "workload tpcc { warehouse 1 }",
        right "workload tpcc { warehouses 1 }";
    INCOMPLETE = "E0208", "something is missing",
        "An engine needs its storage, a server its source, and a suite at least one engine and one workload.",
        wrong "engine a { compression zlib }",
        right "engine a { storage TokuDB; compression zlib }";
    ENGINE_CANNOT = "E0209", "an engine cannot do that",
        "The engine table knows the row formats, compressions, isolation levels and schemas that each engine has. What an engine lacks is an error before anything starts, not a silent substitute.",
        wrong "engine a { storage InnoDB; row_format TOKUDB_FAST }",
        right "engine a { storage InnoDB; row_format DYNAMIC }";
    BAD_PARAMETER = "E0210", "a parameter that does not fit",
        "The workload cannot be made with these parameters taken together.",
        wrong "workload tpcc { warehouses 10; active 20 }",
        right "workload tpcc { warehouses 20; active 10 }";
    BAD_SET = "E0211", "an override that is none",
        "`--set` takes NAME=VALUE[,VALUE]: a setting, a parameter (`tpcc.warehouses` for one workload), an option of the suite or `option.NAME`, or an axis with some of its values.",
        wrong "--set warehouses",
        right "--set warehouses=10,20";
    OWN_OPTION = "E0212", "an option that enginecmp sets itself",
        "Paths, sockets, ports and process ids of a private server belong to enginecmp; a suite cannot move them.",
        wrong "option datadir = \"/var/lib/mysql\"",
        right "option innodb_buffer_pool_instances = 1";
    UNREADABLE = "E0213", "a suite that cannot be read",
        "The file is not there, or this user may not read it.",
        wrong "",
        right "suite \"readable\"";
    BAD_DSN = "E0214", "a DSN that cannot be used",
        "A DSN is `mysql://USER@HOST:PORT/DATABASE`, or the same with `?socket=PATH`. It names a database that enginecmp may drop, and no password: that comes from the variable which `password_env` names. Another machine is reached with TLS alone: `tls_ca` names the authority that signed its certificate.",
        wrong "server here { dsn \"mysql://bench:secret@127.0.0.1/bench\" }",
        right "server here { dsn \"mysql://bench@127.0.0.1/bench\"; password_env BENCH_PASSWORD }";
    FILE_UNUSABLE = "E0221", "a file that cannot be used",
        "A suite names files relative to the file in which it stands. Scripts of DDL are UTF-8 text of at most 16 MiB; rows come from files of their own.",
        wrong "schema { from \"missing.sql\" }",
        right "schema { from \"tables.sql\" }";
    BAD_PATTERN = "E0222", "a regular expression that cannot be used",
        "`rewrite` takes the regular expressions of the Rust crate `regex`: no look-around and no back references, so that time is bounded. Groups stand as `$1` or `${name}` in the replacement.",
        wrong "schema { rewrite \"VARCHAR(\" to \"CHAR\" in \"%\" }",
        right "schema { rewrite \"\"\"VARCHAR\\((\\d+)\\)\"\"\" to \"CHAR($1)\" in \"%\" }";
    OPTION_FILE = "E0223", "an option file that cannot be used",
        "`defaults_file` names an option file as servers read it. Marks that a template left in it, lines that are none, includes in a circle or outside the suite's folder, and options that the release cannot take are told with their lines.",
        wrong "server here { dsn \"mysql://bench@127.0.0.1/bench\"; defaults_file \"my.cnf\" }",
        right "server here { release \"mysql 8.4\"; defaults_file \"my.cnf\" }";
    BAD_SQL = "E0224", "SQL that the workload cannot run",
        "The text of a transaction is statements separated by `;`. Parameters are written `:NAME`: drawn ones, or those that `INTO :NAME` behind an earlier SELECT sets. enginecmp begins and commits.",
        wrong "workload sql { transaction t weight 1 \"SELECT :id\" }",
        right "workload sql { draw id uniform 1 to 9; transaction t weight 1 \"SELECT :id\" }";
    BAD_DATA = "E0225", "rows that do not fit the schema",
        "Rows of a `workload sql` go into tables of its `schema`: generated by the types of columns, from CSV files whose first line names the columns, or from scripts. A table is filled in one of the first two ways.",
        wrong "workload sql { schema { from \"tables.sql\" }; generate custmers rows 10 }",
        right "workload sql { schema { from \"tables.sql\" }; generate customers rows 10 }";
    BAD_COMMAND = "E0226", "a command that is none",
        "`collect` names a program and its arguments. No shell reads them: blanks part arguments, and quotes keep the blanks between them.",
        wrong "collect \"sh -c 'vmstat 1\"",
        right "collect \"vmstat 1\"";
    RELATIVE_BASEDIR = "E0227", "a basedir beside the suite",
        "The server in a `basedir` is started, be it only to ask for its version. A suite may come from somebody else, with a tree of programs beside it, so a relative path must be allowed on the command line (`--allow-external`).",
        wrong "server here { basedir \"mysql\" }",
        right "server here { basedir \"/usr/local/mysql\" }";
}
