//! Text to tree, with every syntax error of the file.

use super::build;
use super::grammar::{self, MAX_BYTES, Rule};
use super::tree::{File, Word};
use super::words::{self, Names};
use crate::diagnostic::{Diagnostic, FileId, SourceMap, Span, codes};
use crate::model::units::exact_size;

/// So many errors of one file are reported; more help nobody.
const MAX_ERRORS: usize = 50;

/// Parses a file of `sources`. The tree holds whatever could be understood, also when there are
/// errors; statements with an error inside are marked `broken`.
pub fn parse(sources: &SourceMap, file: FileId) -> (File, Vec<Diagnostic>) {
    let text = sources.text(file);
    let whole = Span { file, start: 0, end: text.len() };
    let nothing = File { statements: Vec::new(), trailing: Vec::new() };
    if let Some(diagnostic) = unreadable(text, whole) {
        return (nothing, vec![diagnostic]);
    }
    let pairs = match grammar::pairs(text) {
        Ok(pairs) => pairs,
        Err(error) => {
            let start = match error.location {
                pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => {
                    at
                }
            };
            let place = Span { file, start, end: start };
            let diagnostic =
                Diagnostic::error(codes::TOO_LARGE, place, "this text is too much to parse")
                    .help("split it into several files and `include` them");
            return (nothing, vec![diagnostic]);
        }
    };
    let (tree, mut diagnostics) = build::tree(file, text, pairs);
    if tree.statements.is_empty() && diagnostics.is_empty() {
        diagnostics.push(
            Diagnostic::error(codes::EMPTY, Span { end: 0, ..whole }, "the file has no statements")
                .help(
                    "a suite needs at least a workload and something to compare:\n\
                       `engine innodb { storage InnoDB }`, `workload tpcc { warehouses 1 }`, \
                       `compare engine against innodb`",
                ),
        );
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    if diagnostics.len() > MAX_ERRORS {
        let more = diagnostics.len() - MAX_ERRORS;
        diagnostics.truncate(MAX_ERRORS);
        let last = diagnostics.pop().expect("there are many");
        diagnostics.push(last.help(format!("{more} more errors in this file are not shown")));
    }
    (tree, diagnostics)
}

/// The words of a text that is one statement without a block, such as an argument of `--only`.
pub fn parse_words(sources: &SourceMap, file: FileId) -> (Vec<Word>, Vec<Diagnostic>) {
    let text = sources.text(file);
    let whole = Span { file, start: 0, end: text.len() };
    if let Some(diagnostic) = unreadable(text, whole) {
        return (Vec::new(), vec![diagnostic]);
    }
    let mut diagnostics = Vec::new();
    let mut list = Vec::new();
    for pair in grammar::pairs(text).into_iter().flatten() {
        let place = pair.as_span();
        let span = Span { file, start: place.start(), end: place.end() };
        match pair.as_rule() {
            Rule::statement if list.is_empty() => {
                list = words::read(file, pair, Names::Anything, &mut diagnostics).list;
            }
            Rule::statement | Rule::open | Rule::close | Rule::end | Rule::comment => {
                let message = "this does not belong here".to_string();
                diagnostics.push(Diagnostic::error(codes::WRONG_FORM, span, message));
            }
            _ => {}
        }
    }
    (list, diagnostics)
}

/// Adds the bytes of a file to `sources` and parses them. Bytes that are no UTF-8 are an error
/// with the place of the first; they never reach the tree.
pub fn parse_bytes(
    sources: &mut SourceMap,
    name: &str,
    bytes: &[u8],
) -> (FileId, File, Vec<Diagnostic>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            let file = sources.add(name, text);
            let (tree, diagnostics) = parse(sources, file);
            (file, tree, diagnostics)
        }
        Err(error) => {
            let good = error.valid_up_to();
            let before = String::from_utf8_lossy(&bytes[..good]);
            let after = String::from_utf8_lossy(&bytes[good..bytes.len().min(good + 200)]);
            let file = sources.add(name, format!("{before}{after}"));
            let start = sources.text(file).len() - after.len();
            let end = start + after.chars().next().map_or(0, char::len_utf8);
            let span = Span { file, start, end };
            let nothing = File { statements: Vec::new(), trailing: Vec::new() };
            let label = format!("byte 0x{:02X} is no UTF-8", bytes[good]);
            (file, nothing, vec![not_text(span, &label)])
        }
    }
}

fn not_text(span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(codes::NOT_TEXT, span, "the file is not UTF-8 text")
        .label(label)
        .help("suites are UTF-8 text; is this the right file?")
}

fn unreadable(text: &str, whole: Span) -> Option<Diagnostic> {
    if text.len() > MAX_BYTES {
        let message = format!(
            "the file has {} bytes; a suite has at most {}",
            text.len(),
            exact_size(MAX_BYTES as u64)
        );
        return Some(
            Diagnostic::error(codes::TOO_LARGE, Span { end: 0, ..whole }, message)
                .help("is this the right file? Values that follow a rule are written as ranges: `1..64 double`"),
        );
    }
    let start = text.find('\0')?;
    Some(not_text(Span { start, end: start + 1, ..whole }, "a NUL byte"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::tree::{Statement, WordKind};

    fn parsed(text: &str) -> (File, Vec<String>) {
        let mut sources = SourceMap::new();
        let (_, tree, diagnostics) = parse_bytes(&mut sources, "t.bench", text.as_bytes());
        let shown = diagnostics
            .iter()
            .map(|d| {
                let place = d.place(&sources);
                format!("{}:{} {}", place.line, place.column, d.code)
            })
            .collect();
        (tree, shown)
    }

    fn outline(statements: &[Statement]) -> String {
        statements
            .iter()
            .map(|statement| {
                let words: Vec<_> = statement.words.iter().map(Word::text).collect();
                match &statement.block {
                    Some(block) => format!("{}{{{}}}", words.join(" "), outline(&block.statements)),
                    None => words.join(" "),
                }
            })
            .collect::<Vec<_>>()
            .join(";")
    }

    #[test]
    fn statements_end_with_the_line_a_semicolon_or_a_brace() {
        let (tree, errors) = parsed(
            "a 1; b\nc { d 1,\n  # why\n  2; e } # beside\r\n\n# last\n option+ x=\"1 \\\" 2\" # c\n",
        );
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(outline(&tree.statements), "a 1;b;c{d 1 , 2;e};option+ x = 1 \" 2");
        assert_eq!(tree.statements[2].comments.beside.as_deref(), Some(" beside"));
        assert_eq!(tree.statements[3].comments.above, ["", " last"]);
        assert_eq!(tree.statements[3].comments.beside.as_deref(), Some(" c"));
        assert_eq!(tree.statements[2].children()[0].comments.within, [(2, " why".to_string())]);
    }

    #[test]
    fn words_have_the_kind_of_their_first_character() {
        let (tree, errors) =
            parsed("x 4GB +10% -5% 2x4GB 1..64 500/s tpcc.w>=$n \"\"\"a\n\"b\"\"\"");
        assert_eq!(errors, Vec::<String>::new());
        let kinds: Vec<_> = tree.statements[0].arguments().iter().map(|word| &word.kind).collect();
        let number = |text: &str| WordKind::Number(text.to_string());
        assert_eq!(
            kinds,
            [
                &number("4GB"),
                &number("+10%"),
                &number("-5%"),
                &number("2x4GB"),
                &number("1..64"),
                &number("500/s"),
                &WordKind::Bare("tpcc.w".to_string()),
                &WordKind::Mark(">=".to_string()),
                &WordKind::Variable("n".to_string()),
                &WordKind::Raw("a\n\"b".to_string()),
            ]
        );
    }

    #[test]
    fn all_errors_come_in_one_go_and_the_rest_is_understood() {
        let (tree, errors) = parsed(
            "suite \"open\nengine a { storage [X] }\n} \nb 1,,2\n'c'\nd \"\\q\"\ne {\nf 1\ng 2\n",
        );
        assert_eq!(
            errors,
            [
                "1:7 E0102",
                "2:20 E0101",
                "2:22 E0101",
                "3:1 E0107",
                "4:5 E0110",
                "5:1 E0105",
                "6:4 E0104",
                "7:3 E0106"
            ]
        );
        assert_eq!(
            outline(&tree.statements),
            "suite open;engine a{storage X};b 1 , , 2;c;d q;e{};f 1;g 2"
        );
        assert!(tree.statements[0].broken);
        assert!(!tree.statements[6].broken);
    }

    #[test]
    fn columns_count_characters() {
        let (_, errors) = parsed("\u{FEFF}größe \"日本\" ]\n\t\u{00A0}x\n");
        assert_eq!(errors, ["1:12 E0101", "2:2 E0101"]);
    }

    #[test]
    fn the_brace_that_is_missing_is_found_by_indentation() {
        let (tree, errors) = parsed("a {\n  b {\n    c 1\n  d 2\n}\ne 3\n");
        assert_eq!(errors, ["2:5 E0106"]);
        assert_eq!(outline(&tree.statements), "a{b{c 1};d 2};e 3");
        let (tree, errors) = parsed("a {\n  b {\n    c 1\n}\nd {\n  e 2\nf 3\n");
        assert_eq!(errors, ["2:5 E0106", "5:3 E0106"]);
        assert_eq!(outline(&tree.statements), "a{b{c 1}};d{e 2};f 3");
    }

    #[test]
    fn texts_that_are_no_suites_get_one_clear_error() {
        for (text, error) in
            [("", "1:1 E0114"), ("\n# only a comment\n", "1:1 E0114"), ("a\0b", "1:2 E0113")]
        {
            assert_eq!(parsed(text).1, [error], "{text:?}");
        }
        let mut sources = SourceMap::new();
        let (_, tree, errors) = parse_bytes(&mut sources, "t.bench", b"ok 1\nb\xFFc");
        assert_eq!((errors.len(), errors[0].code), (1, codes::NOT_TEXT));
        assert_eq!(errors[0].place(&sources).to_string(), "t.bench:2:2");
        assert_eq!(tree.statements, []);
    }

    #[test]
    fn size_and_depth_are_bounded() {
        assert_eq!(parsed(&"a ".repeat(MAX_BYTES / 2 + 1)).1, ["1:1 E0115"]);
        let (_, errors) = parsed(&"a{".repeat(100_000));
        assert_eq!(errors[32], "1:66 E0112");
        assert_eq!(errors.len(), 33);
        let (tree, errors) = parsed(&format!("{}{}b", "a{".repeat(1000), "}".repeat(1000)));
        assert_eq!(errors, ["1:66 E0112", "1:3001 E0109"]);
        assert_eq!(tree.statements.len(), 2);
    }

    #[test]
    fn a_long_line_parses() {
        let (tree, errors) = parsed(&format!("a {}1", "1, ".repeat(100_000)));
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(tree.statements[0].words.len(), 200_002);
    }
}
