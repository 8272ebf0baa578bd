//! A TextMate grammar for editors, made from the shapes.

use super::shapes::{self, Kind, Part};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The grammar as JSON, for `source.enginecmp`.
pub fn textmate() -> String {
    let words = Words::of_all_shapes();
    let grammar = json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "enginecmp",
        "scopeName": "source.enginecmp",
        "fileTypes": ["bench"],
        "patterns": [
            { "include": "#comment" },
            { "include": "#raw" },
            { "include": "#string" },
            { "include": "#statement" },
            { "include": "#variable" },
            { "include": "#number" },
            { "include": "#keyword" },
            { "include": "#constant" },
            { "include": "#operator" },
        ],
        "repository": {
            "comment": { "name": "comment.line.number-sign.enginecmp", "match": "#.*$" },
            "raw": {
                "name": "string.quoted.triple.enginecmp",
                "begin": "\"\"\"",
                "end": "\"\"\"",
            },
            "string": {
                "name": "string.quoted.double.enginecmp",
                "begin": "\"",
                "end": "\"|$",
                "patterns": [
                    { "name": "constant.character.escape.enginecmp", "match": r#"\\["\\nt]"# },
                    { "name": "invalid.illegal.enginecmp", "match": r"\\." },
                ],
            },
            "statement": { "patterns": [
                statement(&words.declarations, true),
                statement(&words.statements, false),
            ] },
            "variable": { "name": "variable.other.enginecmp", "match": r"\$[\p{L}_][\p{L}\p{N}_]*" },
            "number": {
                "name": "constant.numeric.enginecmp",
                "match": r"(?:^|[\s=<>,(])([+-]?[0-9][\p{L}\p{N}_.%/]*)",
                "captures": { "1": { "name": "constant.numeric.enginecmp" } },
            },
            "keyword": {
                "name": "keyword.other.enginecmp",
                "match": format!(r"\b(?:{})\b", words.keywords),
            },
            "constant": {
                "name": "constant.language.enginecmp",
                "match": format!(r"(?i)\b(?:{})\b", words.constants),
            },
            "operator": { "name": "keyword.operator.enginecmp", "match": "[<>!=]=?|[,;]" },
        },
    });
    let mut text = serde_json::to_string_pretty(&grammar).unwrap_or_default();
    text.push('\n');
    text
}

/// A pattern for first words of statements; declarations are followed by the name they declare.
fn statement(names: &str, declares: bool) -> Value {
    let start = r"(^|[{;])\s*";
    if declares {
        return json!({
            "match": format!(r"{start}({names})[ \t]+([\p{{L}}_][\p{{L}}\p{{N}}_]*)"),
            "captures": {
                "2": { "name": "keyword.control.enginecmp" },
                "3": { "name": "entity.name.enginecmp" },
            },
        });
    }
    json!({
        "match": format!(r"{start}(option\+|(?:{names})\b)"),
        "captures": { "2": { "name": "keyword.control.enginecmp" } },
    })
}

/// The words of the language, each list joined by `|`.
struct Words {
    declarations: String,
    statements: String,
    keywords: String,
    constants: String,
}

impl Words {
    fn of_all_shapes() -> Self {
        let mut declarations = BTreeSet::new();
        let mut statements = BTreeSet::new();
        let mut keywords = BTreeSet::from(["and", "or", "not", "double", "step", "each"]);
        let mut constants = BTreeSet::new();
        for shape in shapes::all() {
            let declares = matches!(shape.parts.first(), Some(Part::One("name", Kind::Name)));
            if declares && shape.block.inside().is_some() {
                declarations.insert(shape.name);
            }
            if shape.name != "option+" {
                statements.insert(shape.name);
            }
            collect(shape.parts, &mut keywords, &mut constants);
        }
        let join = |words: BTreeSet<&str>| words.into_iter().collect::<Vec<_>>().join("|");
        Self {
            declarations: join(declarations),
            statements: join(statements),
            keywords: join(keywords),
            constants: join(constants),
        }
    }
}

fn collect(
    parts: &'static [Part],
    keywords: &mut BTreeSet<&'static str>,
    constants: &mut BTreeSet<&'static str>,
) {
    for part in parts {
        match part {
            Part::Keyword(word) if *word != "=" => {
                keywords.insert(word);
            }
            Part::One(_, kind) | Part::List(_, kind) => words_of(kind, constants),
            Part::Condition(_) => {
                keywords.insert("where");
            }
            Part::Maybe(parts) => collect(parts, keywords, constants),
            _ => {}
        }
    }
}

fn words_of(kind: &'static Kind, constants: &mut BTreeSet<&'static str>) {
    match kind {
        Kind::Words(words) | Kind::PercentOf(words) => constants.extend(*words),
        Kind::OneOf(kinds) => {
            for kind in *kinds {
                words_of(kind, constants);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    /// The patterns of the grammar.
    fn patterns() -> Vec<(Regex, Value)> {
        let grammar: Value = serde_json::from_str(&textmate()).expect("the grammar is JSON");
        let mut patterns = Vec::new();
        collect_patterns(&grammar, &mut patterns);
        let compiled = |pattern: &Value| {
            let text = pattern["match"].as_str().expect("a pattern is text");
            Regex::new(text).unwrap_or_else(|error| panic!("{text}: {error}"))
        };
        patterns.into_iter().map(|pattern| (compiled(pattern), pattern.clone())).collect()
    }

    /// What the patterns find in a line: scope and text.
    fn found(patterns: &[(Regex, Value)], line: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (regex, pattern) in patterns {
            for captures in regex.captures_iter(line) {
                let scope = |value: &Value| value["name"].as_str().unwrap_or_default().to_string();
                let Some(groups) = pattern["captures"].as_object() else {
                    found.push((scope(pattern), captures[0].to_string()));
                    continue;
                };
                for (group, named) in groups {
                    let group: usize = group.parse().expect("groups are numbered");
                    let part = captures.get(group);
                    found.extend(part.map(|part| (scope(named), part.as_str().to_string())));
                }
            }
        }
        found
    }

    fn collect_patterns<'g>(value: &'g Value, patterns: &mut Vec<&'g Value>) {
        if value["match"].is_string() {
            patterns.push(value);
        }
        match value {
            Value::Object(fields) => {
                fields.values().for_each(|field| collect_patterns(field, patterns));
            }
            Value::Array(items) => items.iter().for_each(|item| collect_patterns(item, patterns)),
            _ => {}
        }
    }

    #[test]
    fn every_pattern_is_valid_and_finds_its_words() {
        let found = found(
            &patterns(),
            "engine toku { storage TokuDB; cache 4GB, 5% of data } where not $x # c",
        );
        for (scope, text) in [
            ("keyword.control", "engine"),
            ("entity.name", "toku"),
            ("keyword.control", "storage"),
            ("keyword.control", "cache"),
            ("constant.numeric", "4GB"),
            ("constant.numeric", "5%"),
            ("constant.language", "data"),
            ("keyword.other", "not"),
            ("variable.other", "$x"),
            ("comment.line.number-sign", "# c"),
        ] {
            let wanted = (format!("{scope}.enginecmp"), text.to_string());
            assert!(found.contains(&wanted), "{wanted:?} is not in {found:?}");
        }
    }

    #[test]
    fn every_statement_is_a_keyword() {
        let patterns = patterns();
        for shape in shapes::all() {
            let line = format!("  {} x", shape.name);
            let wanted = ("keyword.control.enginecmp".to_string(), shape.name.to_string());
            assert!(found(&patterns, &line).contains(&wanted), "{line}");
        }
    }
}
