//! `rewrite """REGEX""" to "TEXT" in "table_%"`: for what no transform foresaw.

use regex::bytes::{Regex, RegexBuilder};

/// A regular expression may compile to this many bytes.
const LARGEST_PATTERN: usize = 1 << 20;
/// A statement may grow to this many bytes and no further.
const LARGEST_RESULT: usize = 4 << 20;

/// A replacement in the statements that make or change tables.
#[derive(Clone, Debug)]
pub struct Rewrite {
    pattern: Regex,
    replacement: String,
    tables: Option<String>,
}

impl Rewrite {
    /// A rewrite of `pattern` (the syntax of the `regex` crate: no look-around, time linear in the
    /// text) by `replacement`, where `$1` or `${name}` stand for groups. `tables` is a LIKE pattern
    /// of the tables whose statements it concerns; none for all. An error says what is wrong with
    /// the pattern.
    pub fn new(pattern: &str, replacement: &str, tables: Option<&str>) -> Result<Self, String> {
        let pattern = RegexBuilder::new(pattern)
            .size_limit(LARGEST_PATTERN)
            .build()
            .map_err(|error| error.to_string())?;
        let tables = tables.map(str::to_lowercase);
        Ok(Self { pattern, replacement: replacement.to_string(), tables })
    }

    /// Whether it concerns a table of this name.
    pub(crate) fn concerns(&self, table: &str) -> bool {
        self.tables.as_ref().is_none_or(|like| matches_like(like, &table.to_lowercase()))
    }

    /// The statement rewritten; none when nothing matches, an error when it would grow too long.
    pub(crate) fn apply(&self, statement: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let mut out = Vec::new();
        let mut at = 0;
        for found in self.pattern.captures_iter(statement) {
            let whole = found.get(0).expect("group 0 is the match");
            out.extend_from_slice(&statement[at..whole.start()]);
            found.expand(self.replacement.as_bytes(), &mut out);
            at = whole.end();
            if out.len() > LARGEST_RESULT {
                return Err(format!(
                    "the rewrite of `{}` makes a statement of more than {} MiB",
                    self.pattern.as_str(),
                    LARGEST_RESULT >> 20
                ));
            }
        }
        if out.is_empty() && at == 0 {
            return Ok(None);
        }
        out.extend_from_slice(&statement[at..]);
        Ok((out != statement).then_some(out))
    }
}

/// SQL's LIKE: `%` any text, `_` any character, `\` takes the next one as it is.
fn matches_like(like: &str, text: &str) -> bool {
    let like: Vec<char> = like.chars().collect();
    let text: Vec<char> = text.chars().collect();
    // Which prefixes of the text the pattern read so far can stand for.
    let mut reach = vec![false; text.len() + 1];
    reach[0] = true;
    let mut at = 0;
    while at < like.len() {
        let mut next = vec![false; text.len() + 1];
        if like[at] == '%' {
            let from = reach.iter().position(|reached| *reached).unwrap_or(text.len() + 1);
            next.iter_mut().skip(from).for_each(|reached| *reached = true);
        } else {
            let any = like[at] == '_';
            if like[at] == '\\' && at + 1 < like.len() {
                at += 1;
            }
            for (index, character) in text.iter().enumerate() {
                next[index + 1] = reach[index] && (any || like[at] == *character);
            }
        }
        reach = next;
        at += 1;
    }
    reach[text.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_chosen_as_like_does() {
        for (like, text, expected) in [
            ("table_%", "table_1", true),
            ("table_%", "tables", true),
            (r"table\_%", "tables", false),
            ("%", "", true),
            ("a%b%c", "axxbyyc", true),
            ("a%b%c", "axxbyy", false),
            ("_", "ab", false),
            ("", "", true),
            ("orders", "orders", true),
        ] {
            assert_eq!(matches_like(like, text), expected, "{like} {text}");
        }
    }

    #[test]
    fn groups_are_put_in_and_growth_is_bounded() {
        let rewrite = Rewrite::new(r"(?i)varchar\((\d+)\)", "char($1)", None).unwrap();
        assert_eq!(rewrite.apply(b"a VARCHAR(10), b int").unwrap().unwrap(), b"a char(10), b int");
        assert_eq!(rewrite.apply(b"b int").unwrap(), None);
        let bomb = Rewrite::new("", &"x".repeat(1000), None).unwrap();
        assert!(bomb.apply(&[b'a'; 10_000]).is_err());
        assert!(Rewrite::new("(", "", None).is_err());
        assert!(Rewrite::new(r"(\w{1000}){1000}", "", None).is_err());
    }
}
