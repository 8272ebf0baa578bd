//! Option files of users: what of a my.cnf a private server of a family and release gets.
//!
//! Groups, includes, quotes, comments and prefixes are read as the server reads them. Paths, ports
//! and the like never reach a private server; left-over marks of templates are refused.

mod line;
mod rules;

use crate::model::Place;
use line::{Line, parse};
use rules::{adds_up, known_group, near_group, reads_group, stays_home, template_mark};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// Files may include each other this deep.
const DEEPEST: usize = 10;
/// So many files may belong to one option file.
const MOST_FILES: usize = 200;
/// A file may be this long, bytes.
const LONGEST: u64 = 1 << 20;

/// One option that a private server gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOption {
    /// Name with underscores, without `loose_`.
    pub name: String,
    /// Value without quotes; none for a bare option.
    pub value: Option<String>,
    /// The server shall pass over it when it does not know it.
    pub loose: bool,
    /// Each line of it counts, rather than the last alone.
    pub adds_up: bool,
    /// Where it stands.
    pub place: Place,
}

/// Something that a user should know about an option file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Where.
    pub place: Place,
    /// The option that it is about; none for what is about no single one.
    pub option: Option<String>,
    /// In words; what goes on behind the option's name.
    pub text: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if let Some(option) = &self.option {
            write!(f, "{option} ")?;
        }
        f.write_str(&self.text)
    }
}

/// For whom an option file is read.
#[derive(Clone, Copy, Debug)]
pub struct ReadFor<'a> {
    /// Family of the server: `mariadb`, `mysql`, `percona`.
    pub family: &'a str,
    /// Its release.
    pub release: (u32, u32),
    /// Files that it includes must lie below this folder; none when they may lie anywhere.
    pub within: Option<&'a Path>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionFile {
    /// Options in order; of those that do not add up the last alone.
    pub options: Vec<FileOption>,
    /// What was left out, and groups that look misspelt.
    pub remarks: Vec<Remark>,
}

/// Reads the option file at `path` as the server that it is read for does. The error lists everything that is wrong: files that cannot be read or include
/// each other without end, options before any group, left-over marks of templates.
pub fn read(path: &Path, read_for: ReadFor<'_>) -> Result<OptionFile, Vec<Remark>> {
    let mut reader = Reader {
        read_for,
        found: OptionFile::default(),
        wrong: Vec::new(),
        open: Vec::new(),
        files: 0,
    };
    reader.file(path, &Place::new(path.display().to_string(), 1, 1));
    if reader.wrong.is_empty() { Ok(reader.found) } else { Err(reader.wrong) }
}

struct Reader<'a> {
    read_for: ReadFor<'a>,
    found: OptionFile,
    wrong: Vec<Remark>,
    /// Files that are being read, outermost first.
    open: Vec<PathBuf>,
    files: usize,
}

impl Reader<'_> {
    fn wrong(&mut self, place: &Place, text: impl Into<String>) {
        self.wrong.push(Remark { place: place.clone(), option: None, text: text.into() });
    }

    fn remark(&mut self, place: &Place, option: Option<&str>, text: impl Into<String>) {
        self.found.remarks.push(Remark {
            place: place.clone(),
            option: option.map(str::to_string),
            text: text.into(),
        });
    }

    /// Reads a file that was asked for at `asked`.
    fn file(&mut self, path: &Path, asked: &Place) {
        let shown = path.display();
        let canonical = match fs::canonicalize(path) {
            Ok(canonical) => canonical,
            Err(error) => return self.wrong(asked, format!("cannot read {shown}: {error}")),
        };
        if let Some(folder) = self.read_for.within
            && !self.open.is_empty()
            && !canonical.starts_with(folder)
        {
            let text = format!(
                "{shown} lies outside the suite's folder; copy it beside the suite, or allow it \
                 with `--allow-external`"
            );
            return self.wrong(asked, text);
        }
        if self.open.contains(&canonical) {
            return self.wrong(asked, format!("{shown} includes itself"));
        }
        self.files += 1;
        if self.open.len() >= DEEPEST || self.files > MOST_FILES {
            return self.wrong(asked, format!("{shown}: too many files include each other"));
        }
        let text = match fs::metadata(path).map(|meta| meta.len()) {
            Ok(length) if length > LONGEST => {
                return self.wrong(asked, format!("{shown} is longer than {LONGEST} bytes"));
            }
            _ => fs::read(path),
        };
        match text {
            Ok(text) => {
                self.open.push(canonical);
                self.lines(path, &String::from_utf8_lossy(&text));
                self.open.pop();
            }
            Err(error) => self.wrong(asked, format!("cannot read {shown}: {error}")),
        }
    }

    fn lines(&mut self, path: &Path, text: &str) {
        // An included file begins without a group.
        let mut reads = None;
        let beside = path.parent().unwrap_or(Path::new(""));
        for (number, text) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let place = Place::new(path.display().to_string(), number as u32 + 1, 1);
            match parse(text) {
                Line::Blank => {}
                Line::Group(name) => reads = Some(self.group(&name, &place)),
                Line::Include(file) => self.file(&beside.join(file), &place),
                Line::IncludeDir(folder) => self.folder(&beside.join(folder), &place),
                Line::Unknown(text) => {
                    self.wrong(&place, format!("`{text}` is no line of an option file"));
                }
                Line::Option { name, value } => match reads {
                    None => self.wrong(&place, format!("{name} stands before any group")),
                    Some(false) => {}
                    Some(true) => self.option(name, value, place),
                },
            }
        }
    }

    fn folder(&mut self, folder: &Path, place: &Place) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                return self.wrong(place, format!("cannot read {}: {error}", folder.display()));
            }
        };
        let mut files: Vec<_> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "cnf"))
            .collect();
        files.sort();
        for file in files {
            self.file(&file, place);
        }
    }

    /// Whether the server reads a group.
    fn group(&mut self, name: &str, place: &Place) -> bool {
        let reads = reads_group(name, self.read_for.family, self.read_for.release);
        if !reads
            && !known_group(name)
            && let Some(near) = near_group(name)
        {
            self.remark(place, None, format!("no program reads [{name}]; did you mean [{near}]?"));
        }
        reads
    }

    fn option(&mut self, name: String, value: Option<String>, place: Place) {
        // Until MySQL 5.1 a variable was set by `set-variable = NAME=VALUE`.
        let (name, value) = match (name.as_str(), &value) {
            ("set_variable", Some(set)) => match parse(set) {
                Line::Option { name, value } => (name, value),
                _ => (name, value),
            },
            _ => (name, value),
        };
        if let Some(mark) = value.as_deref().and_then(template_mark) {
            let text = format!("{name} holds `{mark}`, left over from a template; write its value");
            return self.wrong(&place, text);
        }
        let (loose, name) = match name.strip_prefix("loose_") {
            Some(rest) => (true, rest.to_string()),
            None => (false, name),
        };
        // `disable_x` is `skip_x`; `enable_x` is `x = 1`.
        let (name, value) = if let Some(rest) = name.strip_prefix("disable_") {
            (format!("skip_{rest}"), value)
        } else if let Some(rest) = name.strip_prefix("enable_") {
            (rest.to_string(), value.or_else(|| Some("1".to_string())))
        } else {
            (name, value)
        };
        let prefixed = ["loose_", "enable_", "disable_"].iter().any(|one| name.starts_with(one));
        if prefixed || name.trim_matches('_').is_empty() {
            let text = format!("{name} is no option: a prefix stands before one name, once");
            return self.wrong(&place, text);
        }
        if name == "set_variable" {
            return self.wrong(&place, "write `NAME = VALUE` for this `set-variable`".to_string());
        }
        let value = match (name.as_str(), value) {
            // The file lies in the private data directory, whatever it is called.
            ("log_bin", Some(path)) if path.contains('/') => {
                let text = "without its path: the server is a private one";
                self.remark(&place, Some("log_bin"), text);
                None
            }
            (_, value) => value,
        };
        if let Some(why) = stays_home(&name, value.as_deref()) {
            return self.remark(&place, Some(&name), format!("left out: {why}"));
        }
        let key = |name: &str| name.strip_prefix("skip_").unwrap_or(name).to_string();
        let adds_up = adds_up(&name);
        if !adds_up {
            self.found.options.retain(|option| key(&option.name) != key(&name));
        }
        self.found.options.push(FileOption { name, value, loose, adds_up, place });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARIADB: ReadFor<'static> =
        ReadFor { family: "mariadb", release: (10, 11), within: None };

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn of(files: &[(&str, &str)]) -> Result<OptionFile, Vec<Remark>> {
        let folder = folder(files);
        read(&folder.path().join(files[0].0), MARIADB)
    }

    /// Options as `name=value`, bare ones as `name`.
    fn options(files: &[(&str, &str)]) -> Vec<String> {
        let found = of(files).unwrap();
        found
            .options
            .into_iter()
            .map(|option| {
                let loose = if option.loose { "loose_" } else { "" };
                let value = option.value.map_or_else(String::new, |value| format!("={value}"));
                format!("{loose}{}{value}", option.name)
            })
            .collect()
    }

    fn text(text: &str) -> Vec<String> {
        options(&[("my.cnf", text)])
    }

    #[test]
    fn groups_of_the_family_and_release_are_read() {
        assert_eq!(
            text(
                "[client]\na=0\n[mysqld]\na=1\n[server]\nb=2\n[mariadb-10.11]\nc=3\n\
                 [mariadb-10.5]\nd=4\n[mysqld-5.6]\ne=5\n[ mariadbd ]\nf\n[mysqld_safe]\ng=1\n"
            ),
            ["a=1", "b=2", "c=3", "f"]
        );
        let folder = folder(&[("my.cnf", "[mariadb]\na=1\n[mysqld-5.6]\nb=2\n")]);
        let mysql = ReadFor { family: "mysql", release: (5, 6), within: None };
        let found = read(&folder.path().join("my.cnf"), mysql).unwrap();
        assert_eq!(found.options.len(), 1);
        assert_eq!(found.options[0].name, "b");
    }

    #[test]
    fn names_values_quotes_and_comments_are_read_as_the_server_does() {
        assert_eq!(
            text(
                "# comment\n; comment\n[mysqld]\nInnodb-Buffer_Pool-size = 4G # half\n\
                 skip-name-resolve\nsql-mode=\"A,B # not a comment\"\nempty=\n\
                 init_connect='SET x=1; SET y=''2'''\npath_like=a\\tb\\\\c\n"
            ),
            [
                "innodb_buffer_pool_size=4G",
                "skip_name_resolve",
                "sql_mode=A,B # not a comment",
                "empty=",
                "init_connect=SET x=1; SET y=''2''",
                "path_like=a\tb\\c"
            ]
        );
        assert_eq!(
            text("[mysqld]\nrocksdb_default_cf_options=a={b=1;c={d=2}};e=3\n"),
            ["rocksdb_default_cf_options=a={b=1;c={d=2}};e=3"]
        );
    }

    #[test]
    fn prefixes_are_understood_and_the_last_one_wins() {
        assert_eq!(
            text("[mysqld]\nloose-foo=1\ndisable-log-bin\nenable-bar\nlog_bin\nfoo=2\n"),
            ["bar=1", "log_bin", "foo=2"]
        );
        assert_eq!(
            text(
                "[mysqld]\nperformance-schema-instrument='a%=ON'\nperformance_schema_instrument='b%=OFF'\n"
            ),
            ["performance_schema_instrument=a%=ON", "performance_schema_instrument=b%=OFF"]
        );
    }

    #[test]
    fn what_belongs_to_the_machine_stays_there() {
        let found = of(&[(
            "my.cnf",
            "[mysqld]\ndatadir=/var/lib/mysql\nport=3306\nsocket=/s\npid-file=/p\nlog-bin=/logs/b\n\
             innodb_log_group_home_dir=/fast\nssl-ca=/ca\nsync_binlog=1\n",
        )])
        .unwrap();
        let names: Vec<_> = found.options.iter().map(|option| option.name.as_str()).collect();
        assert_eq!(names, ["log_bin", "sync_binlog"]);
        assert_eq!(found.options[0].value, None);
        assert_eq!(found.remarks.len(), 7);
        assert_eq!(found.remarks[1].place.line, 3);
    }

    #[test]
    fn marks_of_templates_are_refused_with_their_lines() {
        let wrong = of(&[(
            "my.cnf",
            "[mysqld]\na={{ pool }}\nb=<%= x %>\nc=@SIZE@\nport=PORT\nsocket=/tmp/s.PORT.sock\nd=user@host\n",
        )])
        .unwrap_err();
        let lines: Vec<_> = wrong.iter().map(|one| one.place.line).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6]);
        assert!(wrong[0].text.contains("`{{ pool }}`"), "{}", wrong[0]);
    }

    #[test]
    fn includes_are_followed_once_and_never_round() {
        assert_eq!(
            options(&[
                ("my.cnf", "[mysqld]\na=1\n!include more.cnf\n!includedir conf.d\nb=2\n"),
                ("more.cnf", "[mysqld]\nc=3\n"),
                ("conf.d/b.cnf", "[server]\nd=4\n"),
                ("conf.d/a.cnf", "[server]\nd=5\n"),
                ("conf.d/c.txt", "[server]\nd=6\n"),
            ]),
            ["a=1", "c=3", "d=4", "b=2"]
        );
        let wrong =
            of(&[("my.cnf", "!include b.cnf\n"), ("b.cnf", "!include my.cnf\n")]).unwrap_err();
        assert!(wrong[0].text.ends_with("includes itself"), "{}", wrong[0]);
        assert!(of(&[("my.cnf", "!include gone.cnf\n")]).is_err());
    }

    #[test]
    fn includes_stay_in_the_folder_that_they_are_given() {
        let folder = folder(&[
            ("suite/my.cnf", "[mysqld]\na=1\n!include ../secret.cnf\n!include more.cnf\n"),
            ("suite/more.cnf", "[mysqld]\nb=2\n"),
            ("secret.cnf", "[mysqld]\nc=3\n"),
        ]);
        let within = fs::canonicalize(folder.path().join("suite")).unwrap();
        let inside = ReadFor { within: Some(&within), ..MARIADB };
        let wrong = read(&folder.path().join("suite/my.cnf"), inside).unwrap_err();
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].text.contains("outside the suite's folder"), "{}", wrong[0]);
        assert!(read(&folder.path().join("suite/my.cnf"), MARIADB).is_ok());
    }

    #[test]
    fn misspelt_groups_and_lost_options_are_told() {
        let found =
            of(&[("my.cnf", "[mysqdl]\na=1\n[mysqldump]\nquick\n[my_app]\nb=1\n")]).unwrap();
        assert_eq!(found.remarks.len(), 1);
        assert!(found.remarks[0].text.contains("did you mean [mysqld]?"), "{}", found.remarks[0]);
        assert!(
            of(&[("my.cnf", "a=1\n[mysqld]\n")]).unwrap_err()[0].text.contains("before any group")
        );
        assert!(of(&[("my.cnf", "[mysqld\n")]).is_err());
    }
}
