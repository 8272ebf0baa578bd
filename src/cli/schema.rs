//! `enginecmp schema SUITE | FILE.sql...`: what transforms make of DDL scripts.

use super::servers::Servers;
use super::suite::{self, ServerPlaces, Shaping};
use super::{CliError, Context, Exit};
use crate::diagnostic::SourceMap;
use crate::engine::{ENGINES, EngineSpec};
use crate::plan::{self, Dataset};
use crate::schema::{self, Rewrite, Streamed, Transform, Transformer};
use clap::ValueEnum;
use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};

/// Arguments of `schema`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A suite, or SQL scripts that belong together (`-` reads standard input)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Engine of every table
    #[arg(long, value_name = "ENGINE", value_parser = engine)]
    storage: Option<&'static EngineSpec>,
    /// Family of the server that will run it: row formats are written differently
    #[arg(long, default_value = "mariadb", value_parser = ["mariadb", "mysql", "percona", "tokutek"])]
    family: String,
    /// Release of that server, such as 10.11
    #[arg(long, value_parser = release)]
    release: Option<(u32, u32)>,
    /// Row format of every table
    #[arg(long, value_name = "FORMAT")]
    row_format: Option<String>,
    /// Compression of every table, where the engine writes it into DDL
    #[arg(long, value_name = "NAME")]
    compression: Option<String>,
    /// Leave these out
    #[arg(long, value_enum, value_delimiter = ',')]
    strip: Vec<Strip>,
    /// Make the index explicit that a stripped foreign key implied
    #[arg(long, value_enum)]
    keep: Option<Keep>,
    /// Add a primary key where there is none
    #[arg(long, value_enum)]
    add: Option<Add>,
    /// Replace a regular expression in statements that make or change tables
    #[arg(long, num_args = 2, value_names = ["REGEX", "TEXT"], action = clap::ArgAction::Append)]
    rewrite: Vec<String>,
    /// Tables that the rewrites concern, as LIKE has it
    #[arg(long = "in", value_name = "PATTERN", requires = "rewrite")]
    tables: Option<String>,
    /// Character set and collation to state where a table states none
    #[arg(long, value_name = "CHARSET:COLLATION", value_parser = charset)]
    charset: Option<(String, String)>,
    /// What to print; the script by default, the difference for a suite
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print no script; exit with 1 when a clause names another engine than --storage
    #[arg(long, requires = "storage")]
    check: bool,
    #[command(flatten)]
    shaping: Shaping,
    #[command(flatten)]
    places: ServerPlaces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Strip {
    ForeignKeys,
    SecondaryIndexes,
    Fulltext,
    Spatial,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Keep {
    ForeignKeyIndexes,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Add {
    PrimaryKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The transformed script
    Sql,
    /// A unified patch
    Diff,
}

fn engine(name: &str) -> Result<&'static EngineSpec, String> {
    EngineSpec::find(name).ok_or_else(|| {
        let names: Vec<_> = ENGINES.iter().map(|engine| engine.storage).collect();
        format!("no such engine; there are {}", names.join(", "))
    })
}

fn release(text: &str) -> Result<(u32, u32), String> {
    let number = |part: &str| part.parse::<u32>().ok();
    text.split_once('.')
        .and_then(|(major, minor)| Some((number(major)?, number(minor)?)))
        .ok_or_else(|| "a release has two numbers, such as 10.11".to_string())
}

fn charset(text: &str) -> Result<(String, String), String> {
    text.split_once(':')
        .map(|(charset, collation)| (charset.to_string(), collation.to_string()))
        .ok_or_else(|| "write both, such as utf8mb4:utf8mb4_bin".to_string())
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    if let [suite] = arguments.files.as_slice()
        && suite.extension().is_some_and(|ending| ending == "bench")
    {
        return of_suite(suite, arguments, context);
    }
    let transform = transform(arguments)?;
    let mut transformer = Transformer::new(&transform);
    let mut foreign = false;
    for path in &arguments.files {
        let name = if is_stdin(path) { "<stdin>".to_string() } else { path.display().to_string() };
        let wrong = |error: io::Error| CliError::new(format!("{name}: {error}"));
        let input: Box<dyn Read> = if is_stdin(path) {
            Box::new(io::stdin().lock())
        } else {
            Box::new(File::open(path).map_err(wrong)?)
        };
        let input = plain_text(&name, input)?;
        let streamed = match arguments.format.unwrap_or(Format::Sql) {
            _ if arguments.check => transformer.stream(input, io::sink()).map_err(wrong)?,
            Format::Sql => match transformer.stream(input, BufWriter::new(io::stdout().lock())) {
                // Whoever read the script has enough of it.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Good),
                streamed => streamed.map_err(wrong)?,
            },
            Format::Diff => {
                let (patch, streamed) =
                    patch(&name, input, &mut transformer, context).map_err(wrong)?;
                context.out(&patch)?;
                streamed
            }
        };
        tell(&name, &streamed, context);
        if arguments.check {
            foreign |= tell_foreign(&name, &streamed, &transform, context);
        }
    }
    Ok(if foreign { Exit::Failed } else { Exit::Good })
}

/// How files begin that hold a script in another form: the bytes, what it is, and what makes a
/// script of it.
const FORMS: &[(&[u8], &str, &str)] = &[
    (&[0x1f, 0x8b], "compressed by gzip", "zcat"),
    (b"BZh", "compressed by bzip2", "bzcat"),
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], "compressed by xz", "xzcat"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "compressed by zstd", "zstdcat"),
    (&[0xff, 0xfe], "UTF-16 text", "iconv -f UTF-16 -t UTF-8"),
    (&[0xfe, 0xff], "UTF-16 text", "iconv -f UTF-16 -t UTF-8"),
];

/// The input, unless it begins as no script does.
fn plain_text(name: &str, mut input: impl Read + 'static) -> Result<impl Read, CliError> {
    let mut head = Vec::new();
    let wrong = |error: io::Error| CliError::new(format!("{name}: {error}"));
    input.by_ref().take(6).read_to_end(&mut head).map_err(wrong)?;
    match FORMS.iter().find(|(begins, ..)| head.starts_with(begins)) {
        Some((_, what, by)) => Err(CliError::new(format!("{name} is {what}"))
            .help(format!("{by} {name} | enginecmp schema ... -"))),
        None => Ok(io::Cursor::new(head).chain(input)),
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn transform(arguments: &Arguments) -> Result<Transform, CliError> {
    let rewrites = arguments
        .rewrite
        .chunks(2)
        .map(|pair| Rewrite::new(&pair[0], &pair[1], arguments.tables.as_deref()))
        .collect::<Result<_, _>>()
        .map_err(|error| CliError::new(format!("--rewrite: {error}")))?;
    let strips = |what| arguments.strip.contains(&what);
    Ok(Transform {
        storage: arguments.storage,
        family: arguments.family.clone(),
        release: arguments.release,
        row_format: arguments.row_format.as_ref().map(|format| format.to_uppercase()),
        compression: arguments.compression.clone(),
        strip_foreign_keys: strips(Strip::ForeignKeys),
        keep_foreign_key_indexes: arguments.keep.is_some(),
        strip_secondary_indexes: strips(Strip::SecondaryIndexes),
        strip_fulltext: strips(Strip::Fulltext),
        strip_spatial: strips(Strip::Spatial),
        add_primary_key: arguments.add.is_some(),
        rewrites,
        charset: arguments.charset.clone(),
    })
}

/// The patch of one script. Bytes that are no UTF-8 are shown as such.
fn patch(
    name: &str,
    mut input: impl Read,
    transformer: &mut Transformer<'_>,
    context: &Context,
) -> io::Result<(String, Streamed)> {
    let mut old = Vec::new();
    input.read_to_end(&mut old)?;
    let mut new = Vec::new();
    let streamed = transformer.stream(old.as_slice(), &mut new)?;
    let (old, new) = (String::from_utf8_lossy(&old), String::from_utf8_lossy(&new));
    Ok((schema::diff(name, &old, &new, context.colored(false)), streamed))
}

/// Says on standard error what was changed beside the engine and what the engine cannot take.
fn tell(name: &str, streamed: &Streamed, context: &Context) {
    for note in &streamed.notes {
        let kind = if note.refused { "warning" } else { "note" };
        let table = note.table.as_ref().map_or_else(String::new, |table| format!("{table}: "));
        context.err(&format!("{name}:{}: {kind}: {table}{}\n", note.line, note.text));
    }
}

/// Says which clauses name another engine; true when any does.
fn tell_foreign(name: &str, streamed: &Streamed, transform: &Transform, context: &Context) -> bool {
    let mut any = false;
    let Some(storage) = transform.storage else { return false };
    for clause in &streamed.engines {
        let same = EngineSpec::find(&clause.engine)
            .is_some_and(|engine| engine.storage == storage.storage);
        if !same {
            let of = clause.table.as_ref().map_or_else(String::new, |table| format!(" of {table}"));
            context.err(&format!(
                "{name}:{}: the engine{of} is {}, not {}\n",
                clause.line, clause.engine, storage.storage
            ));
            any = true;
        }
    }
    any
}

/// One patch of all scripts of a dataset; each file goes by the engine that it is made for.
fn patch_of_dataset(dataset: &Dataset, colored: bool) -> String {
    let files = dataset.schema.files.iter();
    files
        .map(|file| {
            let name = format!("{}/{}", dataset.engine, file.name);
            schema::diff(&name, &file.source, &file.transformed, colored)
        })
        .collect()
}

/// What a suite's datasets make of their schemas.
fn of_suite(path: &Path, arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let mut sources = SourceMap::new();
    let suite = match suite::load(path, &arguments.shaping, &mut sources, context) {
        Ok(suite) => suite,
        Err(exit) => return Ok(exit),
    };
    let servers = Servers::find(&suite, arguments.places.directory(context), None, context);
    let plan = match plan::make(&suite, &servers.descriptions) {
        Ok(plan) => plan,
        Err(diagnostics) => return Ok(suite::tell(&diagnostics, &sources, context)),
    };
    let mut shown = Vec::new();
    for dataset in &plan.datasets {
        let schema = &dataset.schema;
        if shown.contains(&(&dataset.engine, &schema.script)) {
            continue;
        }
        shown.push((&dataset.engine, &schema.script));
        let server = &plan.servers[dataset.server].name;
        let text = match arguments.format.unwrap_or(Format::Diff) {
            Format::Sql => {
                format!("-- engine {} on server {server}\n{}\n", dataset.engine, schema.script)
            }
            Format::Diff => patch_of_dataset(dataset, context.colored(false)),
        };
        context.out(&text)?;
        for note in &schema.notes {
            context.err(&format!("{}: note: {note}\n", dataset.engine));
        }
    }
    Ok(Exit::Good)
}
