//! Option files that nobody wrote: mutated at random. What comes out of one is written as an option
//! file and read again, and must say the same.

use crate::support::fuzz::{Target, corpus};
use enginecmp::target::OptionLine;
use enginecmp::target::managed::option_text;
use enginecmp::target::option_file::{FileOption, ReadFor, read};
use std::fs;
use std::path::Path;

/// Texts that make a mutation interesting.
const DICTIONARY: &[&str] = &[
    "[mysqld]\n",
    "[mariadb-10.11]\n",
    "[",
    "]",
    "=",
    " = ",
    "\"",
    "'",
    "\\",
    "\\n",
    "#",
    ";",
    "\n",
    "\r\n",
    "!include ",
    "!includedir .",
    "loose-",
    "skip_",
    "disable-",
    "enable_",
    "log_bin",
    "port=1\n",
    "{{ x }}",
    "@X@",
    "{a={b=1};c=2}",
    "\u{feff}",
    "\u{fc}",
    "performance_schema_instrument='a%=ON'\n",
];

/// What an option says, without its place.
fn said(option: &FileOption) -> (String, Option<String>, bool) {
    (option.name.clone(), option.value.clone(), option.loose)
}

fn fuzz(folder: &Path, bytes: &[u8]) {
    let file = folder.join("my.cnf");
    let read_for = ReadFor { family: "mariadb", release: (10, 11), within: Some(folder) };
    fs::write(&file, bytes).expect("it is written");
    let Ok(found) = read(&file, read_for) else { return };
    let lines: Vec<OptionLine> = found
        .options
        .iter()
        .map(|option| OptionLine {
            name: format!("{}{}", if option.loose { "loose_" } else { "" }, option.name),
            value: option.value.clone(),
            place: None,
        })
        .collect();
    for private in ["port", "socket", "datadir", "tmpdir", "pid_file", "user", "basedir"] {
        assert!(!found.options.iter().any(|option| option.name == private), "{private}");
    }
    // Values that no option file can hold are told when the file is written.
    let Ok(text) = option_text(&lines) else { return };
    fs::write(&file, &text).expect("it is written");
    let again = read(&file, read_for).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
    let (before, after): (Vec<_>, Vec<_>) =
        (found.options.iter().map(said).collect(), again.options.iter().map(said).collect());
    assert_eq!(before, after, "{text}");
}

pub(crate) fn target() -> Target {
    let folder = tempfile::tempdir().expect("a directory");
    let place = fs::canonicalize(folder.path()).expect("a directory");
    Target {
        name: "option_file",
        take: Box::new(move |bytes| {
            let _stays = &folder;
            fuzz(&place, bytes);
        }),
        corpus: corpus("option_files", &["cnf"]),
        dictionary: DICTIONARY,
        longest: 20,
    }
}
