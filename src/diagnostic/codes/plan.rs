//! Codes of planning (E03xx) and of judging (E04xx).

codes! { PLAN:
    EMPTY_MATRIX = "E0301", "an empty matrix",
        "Points, `only`, `where` and `--only` leave no cell to run.",
        wrong "where warehouses > 100\nworkload tpcc { warehouses 1 }",
        right "where warehouses > 100\nworkload tpcc { warehouses 1, 200 }";
    TOO_MANY_CELLS = "E0302", "too many cells",
        "Axes multiply. `point { ... }` rows state combinations one by one instead.",
        wrong "workload tpcc { warehouses 1..1000 step 1; active 1..1000 step 1 }",
        right "workload tpcc { warehouses 10, 100, 1000 }";
    NOT_AN_AXIS = "E0303", "not an axis",
        "`compare` and `table` name axes: `engine`, `server`, `workload`, `variant`, a named axis, or a setting or option with several values.",
        wrong "option sync_binlog = 1\ncompare sync_binlog against 1",
        right "option sync_binlog = 1, 0\ncompare sync_binlog against 1";
    BASELINE_OFF_AXIS = "E0304", "a baseline that is not on its axis",
        "The baseline is one of the values that the axis has.",
        wrong "option sync_binlog = 1, 0\ncompare sync_binlog against 100",
        right "option sync_binlog = 1, 0\ncompare sync_binlog against 1";
    NOTHING_TO_COMPARE = "E0305", "nothing to compare",
        "An axis with one value has a baseline and nothing beside it.",
        wrong "engine a { storage InnoDB }\ncompare engine against a",
        right "engine a { storage InnoDB }\nengine b { storage Aria }\ncompare engine against a";
    OPTION_REFUSED = "E0306", "a setting that a server cannot have",
        "The release has no such option, or the engine nothing like the setting. It is refused before anything starts, because leaving it out would change what is measured.",
        wrong "engine s { storage SQLite }\nisolation read_committed",
        right "engine s { storage SQLite }\nisolation serializable";
    DEFAULTS_UNSAID = "E0307", "a comparison of servers without `defaults`",
        "Releases differ in dozens of defaults, and the two questions have different answers: `defaults shipped` compares the releases as they come, `defaults levelled` gives all of them one set, so that what is left is the code.",
        wrong "server a { release \"mysql 5.6\" }\nserver b { release \"mysql 9\" }\ncompare server against a",
        right "defaults levelled\nserver a { release \"mysql 5.6\" }\nserver b { release \"mysql 9\" }\ncompare server against a";
    PHASE = "E0308", "a measured phase that cannot be",
        "`count last` is at most as long as the phase; a phase that ends when it is `steady` is the only one of its repetition and has no other end.",
        wrong "workload tpcc { warehouses 1; measure 10s; count last 20s }",
        right "workload tpcc { warehouses 1; measure 40s; count last 20s }";
    LIMIT_TOO_LOW = "E0320", "a limit of the server that is too low for the clients",
        "Clients connect, prepare statements and open tables. A limit that the suite states must have room for them, or they fail in the middle of a run.",
        wrong "option max_connections = 10\nworkload tpcc { warehouses 1; clients 64 }",
        right "option max_connections = 100\nworkload tpcc { warehouses 1; clients 64 }";
    CANNOT_JUDGE = "E0401", "an expectation that can never be judged",
        "No cell of the suite, paired with its baseline where a delta is asked, could decide it.",
        wrong "compare engine against innodb\nexpect tpmc of innodb >= +5%",
        right "compare engine against innodb\nexpect tpmc of myrocks >= +5%";
    UNSIGNED_PERCENT = "E0402", "a percentage without a sign",
        "A delta has a sign: `+10%` is a tenth more, `-10%` a tenth less. `10%` could mean either, or a tenth of something.",
        wrong "expect tpmc of myrocks >= 10%",
        right "expect tpmc of myrocks >= +10%";
    WRONG_UNIT = "E0403", "a bound in the wrong unit",
        "An absolute bound has the unit of its metric: times have durations, sizes have bytes.",
        wrong "expect p95 of each < 4GB",
        right "expect p95 of each < 50ms";
    NO_SUCH_METRIC = "E0404", "a metric that the suite does not give",
        "TpmC comes from TPC-C alone; `probe_time(NAME)` needs the probe, `p95(NAME)` a transaction of the workload.",
        wrong "expect probe_time(count_all) of each < 1s",
        right "probe count_all \"select count(*) from customer\"\nexpect probe_time(count_all) of each < 1s";
}
