//! DDL transforms on scripts that nobody wrote: put together at random, and mutated.

use crate::support::fuzz::Target;
use crate::support::schema_case::schema_cases;
use enginecmp::engine::EngineSpec;
use enginecmp::schema::{Transform, transform, transform_stream};
use proptest::prelude::*;

fn to(storage: &str) -> Transform {
    Transform {
        storage: EngineSpec::find(storage),
        family: "mariadb".to_string(),
        strip_foreign_keys: true,
        ..Transform::default()
    }
}

/// White space and comments that may stand between tokens.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(" ".to_string()),
        Just("\n  ".to_string()),
        Just("\t".to_string()),
        Just(" /* ENGINE=InnoDB; */ ".to_string()),
        Just(" -- it's, (a) comment;\n".to_string()),
        Just(" # TYPE=InnoDB\r\n".to_string()),
    ]
}

/// A column, constraint or key that no transform touches.
fn item() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("engine int".to_string()),
        Just("`a,)b` varchar(10) DEFAULT 'ENGINE=InnoDB, (x'".to_string()),
        Just("type enum('FOREIGN KEY','b;') COMMENT 'it''s'".to_string()),
        Just("KEY k (engine, `type`(3))".to_string()),
        Just("CONSTRAINT c CHECK (engine > (1) AND type <> ')')".to_string()),
        Just("UNIQUE u (engine) COMMENT 'REFERENCES p (id)'".to_string()),
    ]
}

fn engine_clause() -> impl Strategy<Value = (String, String)> {
    (
        prop_oneof!["ENGINE", "engine", "Engine", "TYPE"],
        prop_oneof!["=", " = ", " ", "\n=\t"],
        any::<bool>(),
    )
        .prop_map(|(word, equals, quoted)| {
            let new_word = if word == "TYPE" { "ENGINE".to_string() } else { word.clone() };
            let old = if quoted { "'InnoDB'" } else { "MyISAM" };
            (format!("{word}{equals}{old}"), format!("{new_word}{equals}ROCKSDB"))
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// What stands around an engine clause comes out byte for byte.
    #[test]
    fn tokens_outside_the_clause_stay(
        items in prop::collection::vec((item(), gap()), 1..6),
        head in gap(),
        before in prop_oneof![Just(""), Just("COMMENT='TYPE=x' "), Just("DEFAULT CHARSET latin1, ")],
        (old, new) in engine_clause(),
        after in prop_oneof![Just(""), Just(" COMMENT \"ENGINE=y;\""), Just(", MAX_ROWS=3 -- end\n")],
    ) {
        let body: Vec<_> = items.iter().map(|(item, gap)| format!("{gap}{item}")).collect();
        let text = |clause: &str| {
            format!("CREATE{head}TABLE{head}`t;`{head}({}\n){head}{before}{clause}{after};\nSELECT 1;", body.join(","))
        };
        let result = transform(&text(&old), &to("RocksDB"));
        prop_assert_eq!(&result.script, &text(&new));
        prop_assert_eq!(transform(&result.script, &to("RocksDB")).script, result.script);
    }

    /// Foreign keys go wherever they stand, and nothing else does.
    #[test]
    fn foreign_keys_go_alone(
        items in prop::collection::vec((item(), any::<bool>()), 1..7),
        last in item(),
    ) {
        let key = "CONSTRAINT `f,(` FOREIGN KEY (engine) REFERENCES p (`id,)`) ON DELETE CASCADE";
        let mut with = Vec::new();
        let mut without = Vec::new();
        for (item, foreign) in &items {
            if *foreign {
                with.push(key.to_string());
            }
            with.push(item.clone());
            without.push(item.clone());
        }
        with.push(last.clone());
        without.push(last);
        with.push(key.to_string());
        let text = |items: &[String]| format!("CREATE TABLE t (\n  {}\n) ENGINE=ROCKSDB;", items.join(",\n  "));
        let result = transform(&text(&with), &to("RocksDB"));
        prop_assert_eq!(result.script, text(&without));
    }

    /// No text breaks anything, and without a transform none is changed.
    #[test]
    fn any_text_is_taken(text in "(?s).{0,200}") {
        prop_assert_eq!(&transform(&text, &Transform::default()).script, &text);
        transform(&text, &to("RocksDB"));
    }
}

/// One input of the fuzzer: any bytes. It must not panic, and must come out unchanged without a
/// transform.
fn fuzz(bytes: &[u8]) {
    let run = |transform: &Transform| {
        let mut out = Vec::new();
        transform_stream(bytes, &mut out, transform).expect("memory takes every write");
        out
    };
    assert!(run(&Transform::default()) == bytes, "{:?}", String::from_utf8_lossy(bytes));
    let all = Transform {
        keep_foreign_key_indexes: bytes.len().is_multiple_of(2),
        strip_secondary_indexes: bytes.len().is_multiple_of(3),
        strip_fulltext: true,
        add_primary_key: bytes.len().is_multiple_of(5),
        row_format: bytes.len().is_multiple_of(7).then(|| "COMPACT".to_string()),
        charset: Some(("latin1".to_string(), "latin1_bin".to_string())),
        ..to("InnoDB")
    };
    run(&all);
}

/// Words that make a mutation interesting.
const DICTIONARY: &[&str] = &[
    "ENGINE=",
    "TYPE",
    "(",
    ")",
    ",",
    ";",
    "'",
    "\"",
    "`",
    "/*!50000 ",
    "*/",
    "/*",
    "-- ",
    "#",
    "\n",
    "FOREIGN KEY (a) REFERENCES p (b)",
    "CONSTRAINT",
    "PARTITION BY HASH (a)",
    "DELIMITER //\n",
    "\\",
    "SET sql_mode='NO_BACKSLASH_ESCAPES';",
    "CREATE TABLE",
    "ALTER TABLE t",
    "LIKE",
    "SELECT",
    "\u{feff}",
    "ROW_FORMAT=",
    "UNION=(",
    "KEY",
    "AUTO_INCREMENT",
    "REFERENCES",
    "ADD",
    "DROP",
    "@@",
    ":=",
    "=",
];

pub(crate) fn target() -> Target {
    Target {
        name: "schema",
        take: Box::new(fuzz),
        corpus: schema_cases().into_iter().map(|case| case.script.into_bytes()).collect(),
        dictionary: DICTIONARY,
        longest: 40,
    }
}
