//! The tree to its canonical text: one statement a line, two spaces for each block, comments kept,
//! at most one blank line in a row.
//!
//! Statements on adjacent lines are aligned: the words behind their names, the braces of one-line
//! blocks of one kind, and the comments beside them.

use super::tree::{Block, File, Statement, Word, WordKind};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Columns of a line.
const WIDTH: usize = 100;

/// Columns of adjacent one-line blocks that are set as a table.
const TABLE_WIDTH: usize = 120;

/// Comments beside lines longer than this are not aligned with others.
const COMMENT_COLUMN: usize = 60;

/// The canonical text of a file.
pub fn format(file: &File) -> String {
    let mut out = String::new();
    statements(&file.statements, 0, &mut out);
    lines_of_comment(&file.trailing, file.statements.is_empty(), 0, &mut out);
    out
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn comment(text: &str, out: &mut String) {
    out.push('#');
    out.push_str(text.trim_end());
}

/// Comment lines; an empty one is a blank line, never the first of its block nor a second in a row.
fn lines_of_comment(lines: &[String], first_of_block: bool, depth: usize, out: &mut String) {
    let mut first = first_of_block;
    for line in lines {
        if !line.is_empty() {
            first = false;
            indent(depth, out);
            comment(line, out);
            out.push('\n');
        } else if !(first || out.ends_with("\n\n")) {
            out.push('\n');
        }
    }
}

/// A statement on its way to text.
struct Line<'s> {
    statement: &'s Statement,
    /// Its whole text when it fits on one line.
    text: Option<String>,
}

fn statements(list: &[Statement], depth: usize, out: &mut String) {
    let lines: Vec<_> = list
        .iter()
        .map(|statement| {
            let text = one_line(statement).filter(|text| depth * 2 + text.width() <= WIDTH);
            Line { statement, text }
        })
        .collect();
    let mut start = 0;
    while start < lines.len() {
        let adjacent =
            |line: &Line<'_>| line.text.is_some() && line.statement.comments.above.is_empty();
        let behind = lines[start + 1..].iter().take_while(|line| adjacent(line)).count();
        let end = if lines[start].text.is_some() { start + 1 + behind } else { start + 1 };
        lines_of_comment(&list[start].comments.above, start == 0, depth, out);
        run(&lines[start..end], depth, out);
        start = end;
    }
}

/// Statements on adjacent lines, or one that takes several lines.
fn run(lines: &[Line<'_>], depth: usize, out: &mut String) {
    if lines[0].text.is_none() {
        several_lines(lines[0].statement, depth, out);
        return;
    }
    let texts = aligned(lines, depth);
    let column = texts
        .iter()
        .zip(lines)
        .filter(|(_, line)| line.statement.comments.beside.is_some())
        .map(|(text, _)| text.width())
        .filter(|width| *width <= COMMENT_COLUMN)
        .max()
        .unwrap_or(0);
    for (text, line) in texts.iter().zip(lines) {
        indent(depth, out);
        out.push_str(text);
        if let Some(beside) = &line.statement.comments.beside {
            out.extend(std::iter::repeat_n(' ', column.saturating_sub(text.width()) + 2));
            comment(beside, out);
        }
        out.push('\n');
    }
}

/// The texts of adjacent lines, aligned where all of them still fit.
fn aligned(lines: &[Line<'_>], depth: usize) -> Vec<String> {
    let mut texts: Vec<String> = lines.iter().filter_map(|line| line.text.clone()).collect();
    for group in groups(lines, |a, b| a.block.is_none() && b.block.is_none()) {
        let heads: Vec<_> =
            lines[group.clone()].iter().map(|line| words(&line.statement.words[..1])).collect();
        pad(&mut texts[group], &heads, depth);
    }
    let same_kind = |a: &Statement, b: &Statement| {
        a.block.is_some() && b.block.is_some() && a.name() == b.name()
    };
    let same_table = |a: &Statement, b: &Statement| {
        let names = |s: &Statement| s.children().iter().map(|c| c.name().to_string()).collect();
        let (of_a, of_b): (Vec<_>, Vec<_>) = (names(a), names(b));
        same_kind(a, b) && of_a == of_b
    };
    for group in groups(lines, same_table) {
        set_as_table(&mut texts[group.clone()], &lines[group]);
    }
    for group in groups(lines, same_kind) {
        let heads: Vec<_> =
            lines[group.clone()].iter().map(|line| words(&line.statement.words)).collect();
        pad(&mut texts[group], &heads, depth);
    }
    texts
}

/// Stretches of at least two lines of which each fits to the one before.
fn groups(lines: &[Line<'_>], fit: impl Fn(&Statement, &Statement) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for index in 1..lines.len() {
        if !fit(lines[index - 1].statement, lines[index].statement) {
            continue;
        }
        match found.last_mut() {
            Some(group) if group.end == index => group.end += 1,
            _ => found.push(index - 1..index + 1),
        }
    }
    found
}

/// Sets the statements inside one-line blocks that hold the same ones below each other, but for
/// columns that would make a line too long.
fn set_as_table(texts: &mut [String], lines: &[Line<'_>]) {
    let cells: Vec<Vec<String>> = lines
        .iter()
        .map(|line| line.statement.children().iter().filter_map(one_line).collect())
        .collect();
    let columns = cells.first().map_or(0, Vec::len);
    for column in 1..columns {
        let widest = cells.iter().map(|row| row[column - 1].width()).max().unwrap_or(0);
        let gap = |row: &Vec<String>| widest - row[column - 1].width();
        if texts.iter().zip(&cells).any(|(text, row)| text.width() + gap(row) > TABLE_WIDTH) {
            continue;
        }
        for (text, row) in texts.iter_mut().zip(&cells) {
            // Behind the gap the text is as it was: the other cells with `; ` between them, ` }`.
            let behind: usize = row[column..].iter().map(|cell| cell.len() + 2).sum();
            text.insert_str(text.len() - behind, &" ".repeat(gap(row)));
        }
    }
}

/// Widens the head at the start of each text to the widest head, if all lines still fit.
fn pad(texts: &mut [String], heads: &[String], depth: usize) {
    let widest = heads.iter().map(|head| head.width()).max().unwrap_or(0);
    let limit = texts.iter().map(|text| text.width()).max().unwrap_or(0).max(WIDTH - depth * 2);
    let padded: Vec<_> = texts
        .iter()
        .zip(heads)
        .map(|(text, head)| {
            let rest = &text[head.len()..];
            // A bracket that touches its name, as in `p95(new_order)`, goes on touching it.
            let gap = if rest.starts_with(' ') { widest - head.width() } else { 0 };
            format!("{head}{}{rest}", " ".repeat(gap))
        })
        .collect();
    if padded.iter().all(|text| text.width() <= limit) {
        texts.clone_from_slice(&padded);
    }
}

/// The statement on one line, where it may stand on one.
fn one_line(statement: &Statement) -> Option<String> {
    if !statement.comments.within.is_empty() {
        return None;
    }
    let mut text = words(&statement.words);
    if text.contains('\n') {
        return None;
    }
    if let Some(block) = &statement.block {
        let empty = block.statements.is_empty();
        if block.beside.is_some() || !block.trailing.is_empty() || !(block.inline || empty) {
            return None;
        }
        text.push_str(" {");
        for (index, inner) in block.statements.iter().enumerate() {
            if !inner.comments.above.is_empty() || inner.comments.beside.is_some() {
                return None;
            }
            text.push_str(if index == 0 { " " } else { "; " });
            text.push_str(&one_line(inner)?);
        }
        text.push_str(" }");
    }
    Some(text)
}

/// A statement that does not fit on one line.
fn several_lines(statement: &Statement, depth: usize, out: &mut String) {
    indent(depth, out);
    wrapped(statement, depth, out);
    if let Some(block) = &statement.block {
        whole_block(block, depth, out);
    }
    if let Some(beside) = &statement.comments.beside {
        out.push_str("  ");
        comment(beside, out);
    }
    out.push('\n');
}

fn whole_block(block: &Block, depth: usize, out: &mut String) {
    out.push_str(" {");
    if let Some(beside) = &block.beside {
        out.push_str("  ");
        comment(beside, out);
    } else if block.statements.is_empty() && block.trailing.is_empty() {
        out.push_str(" }");
        return;
    }
    out.push('\n');
    statements(&block.statements, depth + 1, out);
    lines_of_comment(&block.trailing, block.statements.is_empty(), depth + 1, out);
    indent(depth, out);
    out.push('}');
}

/// The words of a statement, broken after commas where the line is full or a comment stands.
fn wrapped(statement: &Statement, depth: usize, out: &mut String) {
    let mut column = depth * 2;
    let mut from = 0;
    let list = &statement.words;
    while from < list.len() {
        let to = list[from..]
            .iter()
            .position(|word| word.is(","))
            .map_or(list.len(), |at| from + at + 1);
        let piece = words(&list[from..to]);
        let comments = statement.comments.within.iter().filter(|(behind, _)| *behind + 1 == from);
        let mut broken = false;
        for (index, (_, within)) in comments.enumerate() {
            if index == 0 {
                out.push_str("  ");
            } else {
                indent(depth + 2, out);
            }
            comment(within, out);
            out.push('\n');
            broken = true;
        }
        if from > 0 && !broken && column + 1 + piece.width() > WIDTH {
            out.push('\n');
            broken = true;
        }
        if broken {
            indent(depth + 2, out);
            column = (depth + 2) * 2;
        } else if from > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&piece);
        column += piece.width();
        from = to;
    }
}

/// Words with the spaces between them.
fn words(list: &[Word]) -> String {
    let mut text = String::new();
    for (index, word) in list.iter().enumerate() {
        if index > 0 && spaced(&list[index - 1], word) {
            text.push(' ');
        }
        match &word.kind {
            WordKind::Quoted(inside) => quote(inside, &mut text),
            WordKind::Raw(inside) => {
                text.push_str("\"\"\"");
                text.push_str(inside);
                text.push_str("\"\"\"");
            }
            WordKind::Variable(name) => {
                text.push('$');
                text.push_str(name);
            }
            WordKind::Bare(plain) | WordKind::Number(plain) | WordKind::Mark(plain) => {
                text.push_str(plain);
            }
        }
    }
    text
}

fn spaced(before: &Word, word: &Word) -> bool {
    if word.is(",") || word.is(")") || before.is("(") {
        return false;
    }
    // `p95(new_order)` stays as it is; words that join conditions are no names.
    let name = matches!(&before.kind, WordKind::Bare(text)
        if !["where", "and", "or", "not"].contains(&text.as_str()));
    !(word.is("(") && name && before.span.end == word.span.start)
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceMap;
    use crate::syntax::parse_bytes;

    fn formatted(text: &str) -> String {
        let mut sources = SourceMap::new();
        let (_, tree, errors) = parse_bytes(&mut sources, "t.bench", text.as_bytes());
        assert_eq!(errors, [], "{text}");
        format(&tree)
    }

    #[track_caller]
    fn becomes(text: &str, canonical: &str) {
        assert_eq!(formatted(text), canonical);
        assert_eq!(formatted(canonical), canonical);
    }

    #[test]
    fn one_statement_a_line_and_aligned() {
        becomes(
            "\n\n  suite   \"a\\\"b\" # title\nprobe p \"x\" cold;repeat 3\ncompare engine against innodb\n\n\n\
             option x=1;option skip_log_bin\nwhere not( a>=1 or b =c )and d!=5\n",
            "suite   \"a\\\"b\"  # title\n\
             probe   p \"x\" cold\n\
             repeat  3\n\
             compare engine against innodb\n\
             \n\
             option x = 1\n\
             option skip_log_bin\n\
             where  not (a >= 1 or b = c) and d != 5\n",
        );
    }

    #[test]
    fn a_bracket_that_touches_its_name_goes_on_touching_it() {
        becomes("measure 1s\np95(x)\n", "measure 1s\np95(x)\n");
    }

    #[test]
    fn blocks_on_one_line_stay_there_when_they_fit() {
        becomes(
            "engine innodb {storage InnoDB}\nengine toku_fast{extends toku;row_format TOKUDB_FAST;}\n\
             workload tpcc {\n warmup 2m\n\n\n mode tpcc_mysql # why\n # last\n\n}\nprofile p {\n}\n",
            "engine innodb    { storage InnoDB }\n\
             engine toku_fast { extends toku; row_format TOKUDB_FAST }\n\
             workload tpcc {\n  warmup 2m\n\n  mode tpcc_mysql  # why\n  # last\n}\n\
             profile p { }\n",
        );
        let long = format!("point {{ only innodb; clients {} }}", "12345, ".repeat(12) + "1");
        assert_eq!(formatted(&long).lines().count(), 4);
    }

    #[test]
    fn adjacent_blocks_that_name_the_same_statements_are_set_as_a_table() {
        becomes(
            "point { only a, b; clients 1; cache 4GB }\npoint { only a; clients 32,64; cache 10GB }\n\
             point { only c }\npoint { repeat 3 }\n",
            "point { only a, b; clients 1;      cache 4GB }\n\
             point { only a;    clients 32, 64; cache 10GB }\n\
             point { only c }\n\
             point { repeat 3 }\n",
        );
    }

    #[test]
    fn comments_stay_where_they_were() {
        becomes(
            "#!shebang\n#one\n#\n\n##  two\na 1#beside\nb { # at the brace\nc 1, #first\n   # second\n2 # end\n} # closed\n# last\n",
            "#!shebang\n# one\n#\n\n##  two\na 1  # beside\nb {  # at the brace\n  c 1,  # first\n      # second\n      2  # end\n}  # closed\n# last\n",
        );
    }

    #[test]
    fn a_blank_line_stays_behind_a_comment_that_looks_like_a_block() {
        becomes("a 1 # x {\n\n\nb 2\n", "a 1  # x {\n\nb 2\n");
        becomes("a { # x {\n\nb 2\n}\n", "a {  # x {\n  b 2\n}\n");
    }

    #[test]
    fn long_lists_are_broken_after_commas() {
        let list: Vec<_> = (100_000..100_030).map(|n| n.to_string()).collect();
        let text = formatted(&format!("let sizes {}\n", list.join(",")));
        assert!(text.lines().all(|line| line.width() <= WIDTH), "{text}");
        assert!(text.contains(",\n    1"), "{text}");
        assert_eq!(formatted(&text), text);
    }

    #[test]
    fn raw_strings_are_kept_byte_for_byte() {
        becomes(
            "probe  p \"\"\"a\n  \"b\" \\ \"\"\"  cold\n",
            "probe p \"\"\"a\n  \"b\" \\ \"\"\" cold\n",
        );
    }

    #[test]
    fn a_metric_keeps_its_parentheses_close() {
        becomes("expect p95(new_order)  of toku<=40ms", "expect p95(new_order) of toku <= 40ms\n");
    }
}
