//! Text in columns.

use unicode_width::UnicodeWidthStr;

/// Lines of cells, padded to the widest of each column; two spaces between columns, `indent` in
/// front. Nothing trails.
pub(super) fn columns(lines: &[Vec<String>], indent: usize) -> String {
    let count = lines.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..count)
        .map(|column| {
            lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.width()).max()
        })
        .map(Option::unwrap_or_default)
        .collect();
    let mut out = String::new();
    for line in lines {
        let mut text = " ".repeat(indent);
        for (cell, width) in line.iter().zip(&widths) {
            text.push_str(cell);
            text.push_str(&" ".repeat(width - cell.width() + 2));
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// Breaks a text at spaces into lines of at most `width` columns (a longer word stays whole), each
/// after the first indented.
pub(super) fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut out = String::new();
    let mut used = indent;
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            if used + 1 + word.width() > width {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                used = indent;
            } else {
                out.push(' ');
                used += 1;
            }
        }
        out.push_str(word);
        used += word.width();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_long_texts_wrap() {
        let lines =
            [vec!["a".to_string(), "bb".to_string()], vec!["größe".to_string(), "c".to_string()]];
        assert_eq!(columns(&lines, 2), "  a      bb\n  größe  c\n");
        assert_eq!(wrapped("one two three four", 2, 12), "one two\n  three four");
        assert_eq!(wrapped("averyverylongword x", 2, 8), "averyverylongword\n  x");
    }
}
