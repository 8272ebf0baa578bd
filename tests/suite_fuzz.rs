//! Suites that nobody wrote: parsed, formatted, resolved and planned.

use crate::plan::mariadb;
use crate::support::fuzz::{Target, corpus, files};
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::plan::advice::advice;
use enginecmp::plan::{self, Arguments, Reader, order, show};
use enginecmp::syntax::{format, parse_bytes};
use enginecmp::target::sqlite;
use std::io;
use std::path::{Path, PathBuf};

/// Texts that make a mutation interesting.
const DICTIONARY: &[&str] = &[
    "{",
    "}",
    ";",
    "\n",
    ",",
    ", ",
    "\"",
    "\"\"\"",
    "\\",
    "#",
    "..",
    "1..64 double",
    "1..9 step 2",
    "$x",
    "let x 1, 2\n",
    "extends ",
    "profile p { ",
    "axis a { b { ",
    "variant v { ",
    "point { ",
    "where ",
    "not (",
    "and",
    ">= +10%",
    "each",
    "5% of data",
    "GB",
    "ms",
    "/s",
    "2x4GB",
    "option x = ",
    "option+ x = ",
    "set_global",
    "include \"x.bench\"\n",
    "storage SQLite",
    "compare engine against ",
    "repeat 0",
    "\u{feff}",
    "\u{202e}",
    "\0",
];

/// One file, and nothing beside it.
struct Alone<'b>(&'b [u8]);

impl Reader for Alone<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new("fuzz.bench") {
            return Ok(self.0.to_vec());
        }
        Err(io::ErrorKind::NotFound.into())
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(Path::new("/suites").join(path))
    }
}

/// What is wrong has a place and can be shown; what is right formats to itself and can be planned.
fn take(bytes: &[u8]) {
    let mut sources = SourceMap::new();
    let (_, tree, errors) = parse_bytes(&mut sources, "fuzz.bench", bytes);
    if errors.is_empty() {
        let once = format(&tree);
        let (_, again, errors) = parse_bytes(&mut sources, "again.bench", once.as_bytes());
        assert!(errors.is_empty(), "{once}");
        assert_eq!(format(&again), once);
    }
    let mut sources = SourceMap::new();
    let arguments = Arguments { processors: 2, memory: Some(8 << 30), ..Arguments::default() };
    let path = Path::new("fuzz.bench");
    let made = plan::load(path, &arguments, &mut sources, &Alone(bytes))
        .and_then(|suite| plan::make(&suite, &[sqlite::describe(), mariadb()]));
    match made {
        // More cells only take longer.
        Ok(plan) if plan.cells.len() < 200 => {
            let slots = order(&plan);
            assert!(slots.len() <= plan.cells.len() * plan.repeat as usize);
            show::text(&plan, &advice(&plan, &|_| None), 100);
            show::json::json(&plan, &advice(&plan, &|_| None));
        }
        Ok(_) => {}
        Err(wrong) => {
            assert!(!wrong.is_empty(), "an error without words");
            let shown = render(&wrong, &sources, false, 100);
            assert!(shown.contains("fuzz.bench"), "{shown}");
        }
    }
}

pub(crate) fn target() -> Target {
    let mut seeds = corpus("errors", &["bench"]);
    seeds.extend(corpus("plan", &["bench"]));
    let suites = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("suites"), &["bench"]);
    seeds.extend(suites.iter().map(|path| std::fs::read(path).expect("it was just listed")));
    // A line of a megabyte has nothing new to say each time.
    seeds.retain(|seed| seed.len() < 8000);
    Target {
        name: "suite",
        take: Box::new(take),
        corpus: seeds,
        dictionary: DICTIONARY,
        longest: 40,
    }
}
