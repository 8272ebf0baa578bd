//! The statements of a schema, read for what SQLite needs to know.

use super::lex::{Token, literal, tokens};
use crate::model::Decimal;

/// A statement of a MySQL schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// CREATE TABLE.
    Table(Table),
    /// CREATE INDEX and ALTER TABLE ... ADD: the table and what it gets.
    Add(String, Vec<Element>),
    /// DROP TABLE IF EXISTS.
    Drop(String),
    /// SET, USE and the like, which mean nothing to SQLite.
    Setting(String),
}

/// A table as MySQL declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) elements: Vec<Element>,
    /// Collation of its texts, where the table states one.
    pub(super) collation: Option<String>,
    /// Words about what was left out.
    pub(super) notes: Vec<String>,
}

/// A column, key or constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// A column.
    Column(Column),
    /// PRIMARY KEY.
    Primary(Vec<Part>),
    /// A secondary index.
    Index { name: Option<String>, unique: bool, parts: Vec<Part> },
    /// FOREIGN KEY.
    Foreign(ForeignKey),
    /// CHECK, as written.
    Check(String),
}

/// SQLite's type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Integer,
    /// DECIMAL: the unscaled number, with so many digits after the point.
    Decimal(u8),
    Real,
    Text,
    /// Bytes, which the session binds as text: a column that takes both.
    Any,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Type,
    pub(super) not_null: bool,
    pub(super) auto_increment: bool,
    /// Declared as the table's primary key in the column's own line.
    pub(super) primary: bool,
    /// The same for a unique index.
    pub(super) unique: bool,
    pub(super) default: Option<String>,
    pub(super) collation: Option<String>,
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) column: String,
    pub(super) descending: bool,
    /// Characters that MySQL indexes, where it indexes a prefix.
    pub(super) prefix: Option<String>,
}

/// A foreign key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ForeignKey {
    pub(super) name: Option<String>,
    pub(super) columns: Vec<Part>,
    pub(super) parent: String,
    pub(super) parent_columns: Vec<Part>,
    /// `ON DELETE CASCADE` and the like.
    pub(super) actions: String,
}

/// Reads one statement; an error says what SQLite cannot have.
pub(super) fn statement(sql: &str) -> Result<Statement, String> {
    let mut reader = Reader { tokens: tokens(sql)?, at: 0, notes: Vec::new() };
    let parsed = reader.statement()?;
    match reader.peek() {
        None => Ok(parsed),
        Some(token) => Err(format!("`{}` is not understood", token.show())),
    }
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    notes: Vec<String>,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn is(&self, keyword: &str) -> bool {
        self.peek().is_some_and(|token| token.is(keyword))
    }

    fn take(&mut self, keyword: &str) -> bool {
        let found = self.is(keyword);
        self.at += usize::from(found);
        found
    }

    fn take_all(&mut self, keywords: &[&str]) -> bool {
        let found = keywords.iter().enumerate().all(|(offset, keyword)| {
            self.tokens.get(self.at + offset).is_some_and(|token| token.is(keyword))
        });
        if found {
            self.at += keywords.len();
        }
        found
    }

    fn take_mark(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(&Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    fn expect_mark(&mut self, mark: char) -> Result<(), String> {
        if self.take_mark(mark) {
            return Ok(());
        }
        Err(match self.peek() {
            Some(token) => format!("expected `{mark}`, found `{}`", token.show()),
            None => format!("expected `{mark}`, the statement ends"),
        })
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += usize::from(token.is_some());
        token
    }

    /// A name; of `database.table` the table.
    fn name(&mut self) -> Result<String, String> {
        let name = match self.next() {
            Some(Token::Word(name) | Token::Name(name) | Token::Text(name)) => name,
            Some(Token::Mark(mark)) => return Err(format!("expected a name, found `{mark}`")),
            None => return Err("expected a name, the statement ends".to_string()),
        };
        if self.take_mark('.') { self.name() } else { Ok(name) }
    }

    /// Everything up to the bracket that closes the open one, which was just taken.
    fn bracketed(&mut self) -> Result<String, String> {
        let mut depth = 1;
        let mut words = Vec::new();
        while let Some(token) = self.next() {
            match token {
                Token::Mark('(') => depth += 1,
                Token::Mark(')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(words.join(" "));
            }
            words.push(token.show());
        }
        Err("a bracket is not closed".to_string())
    }

    fn statement(&mut self) -> Result<Statement, String> {
        if self.take("create") {
            self.take("temporary");
            if self.take("table") {
                return self.table();
            }
            let unique = self.take("unique");
            if self.is("fulltext") || self.is("spatial") {
                return Err("SQLite has no FULLTEXT and no SPATIAL index".to_string());
            }
            if self.take("index") {
                self.take_all(&["if", "not", "exists"]);
                let name = Some(self.name()?);
                self.index_type()?;
                if !self.take("on") {
                    return Err("CREATE INDEX without ON".to_string());
                }
                let table = self.name()?;
                let parts = self.parts()?;
                self.index_type()?;
                return Ok(Statement::Add(table, vec![Element::Index { name, unique, parts }]));
            }
        } else if self.take_all(&["alter", "table"]) {
            let table = self.name()?;
            let mut elements = Vec::new();
            loop {
                if !self.take("add") {
                    return Err("of ALTER TABLE, SQLite is given ADD INDEX and ADD FOREIGN KEY \
                                alone"
                        .to_string());
                }
                match self.element()? {
                    Element::Column(column) => {
                        return Err(format!("ALTER TABLE adds the column `{}`", column.name));
                    }
                    element => elements.push(element),
                }
                if !self.take_mark(',') {
                    return Ok(Statement::Add(table, elements));
                }
            }
        } else if self.take_all(&["drop", "table"]) {
            self.take_all(&["if", "exists"]);
            return Ok(Statement::Drop(self.name()?));
        } else if self.is("set") || self.is("use") || self.is("lock") || self.is("unlock") {
            let shown: Vec<String> = self.tokens.iter().map(Token::show).collect();
            self.at = self.tokens.len();
            return Ok(Statement::Setting(shown.join(" ")));
        }
        let shown: Vec<String> = self.tokens.iter().take(4).map(Token::show).collect();
        Err(format!("`{} ...` is no statement of a schema that SQLite can have", shown.join(" ")))
    }

    fn table(&mut self) -> Result<Statement, String> {
        self.take_all(&["if", "not", "exists"]);
        let name = self.name()?;
        if !self.take_mark('(') {
            return Err(format!("table `{name}`: CREATE TABLE needs a list of columns"));
        }
        let mut elements = Vec::new();
        loop {
            let element = self.element().map_err(|error| format!("table `{name}`: {error}"))?;
            elements.push(element);
            if self.take_mark(')') {
                break;
            }
            self.expect_mark(',').map_err(|error| format!("table `{name}`: {error}"))?;
        }
        let collation = self.table_options();
        let notes = std::mem::take(&mut self.notes);
        Ok(Statement::Table(Table { name, elements, collation, notes }))
    }

    /// Engine, row format, comments and the like are a server's own; the collation is not.
    fn table_options(&mut self) -> Option<String> {
        let mut collation = None;
        while let Some(token) = self.next() {
            if token.is("partition") {
                self.notes.push("PARTITION BY is left out: SQLite has no partitions".to_string());
                self.at = self.tokens.len();
            } else if token.is("collate") {
                self.take_mark('=');
                collation = self.name().ok();
            }
        }
        collation
    }

    fn element(&mut self) -> Result<Element, String> {
        let mut name = None;
        if self.take("constraint") {
            let unnamed = ["primary", "unique", "foreign", "check"].iter().any(|key| self.is(key));
            name = if unnamed { None } else { Some(self.name()?) };
        }
        if self.take_all(&["primary", "key"]) {
            self.index_type()?;
            let parts = self.parts()?;
            self.index_type()?;
            return Ok(Element::Primary(parts));
        }
        if self.take_all(&["foreign", "key"]) {
            if self.peek() != Some(&Token::Mark('(')) {
                name = name.or(Some(self.name()?));
            }
            return self.foreign_key(name);
        }
        if self.is("fulltext") || self.is("spatial") {
            return Err("SQLite has no FULLTEXT and no SPATIAL index".to_string());
        }
        if self.take("check") {
            self.expect_mark('(')?;
            return Ok(Element::Check(self.bracketed()?));
        }
        let unique = self.take("unique");
        if self.take("key") || self.take("index") || unique {
            if !matches!(self.peek(), Some(Token::Mark('('))) && !self.is("using") {
                name = Some(self.name()?);
            }
            self.index_type()?;
            let parts = self.parts()?;
            self.index_type()?;
            return Ok(Element::Index { name, unique, parts });
        }
        self.take("column");
        Ok(Element::Column(self.column()?))
    }

    /// `USING BTREE` and other remarks about an index.
    fn index_type(&mut self) -> Result<(), String> {
        while self.take("using") {
            self.name()?;
        }
        if self.take("comment") {
            self.name()?;
        }
        Ok(())
    }

    fn parts(&mut self) -> Result<Vec<Part>, String> {
        self.expect_mark('(')?;
        let mut parts = Vec::new();
        loop {
            let column = self.name()?;
            let prefix = if self.take_mark('(') { Some(self.bracketed()?) } else { None };
            let descending = self.take("desc");
            self.take("asc");
            parts.push(Part { column, descending, prefix });
            if self.take_mark(')') {
                return Ok(parts);
            }
            self.expect_mark(',')?;
        }
    }

    fn foreign_key(&mut self, name: Option<String>) -> Result<Element, String> {
        let columns = self.parts()?;
        if !self.take("references") {
            return Err("FOREIGN KEY without REFERENCES".to_string());
        }
        let parent = self.name()?;
        let parent_columns = self.parts()?;
        let mut actions = Vec::new();
        while self.is("on") || self.is("match") {
            if self.take("match") {
                self.name()?;
                continue;
            }
            self.take("on");
            let event = self.name()?.to_uppercase();
            let action = self.name()?.to_uppercase();
            let action = match action.as_str() {
                "SET" | "NO" => format!("{action} {}", self.name()?.to_uppercase()),
                _ => action,
            };
            actions.push(format!("ON {event} {action}"));
        }
        Ok(Element::Foreign(ForeignKey {
            name,
            columns,
            parent,
            parent_columns,
            actions: actions.join(" "),
        }))
    }

    fn column(&mut self) -> Result<Column, String> {
        let name = self.name()?;
        let kind = self.kind().map_err(|error| format!("column `{name}`: {error}"))?;
        let mut column = Column {
            name,
            kind,
            not_null: false,
            auto_increment: false,
            primary: false,
            unique: false,
            default: None,
            collation: None,
        };
        self.attributes(&mut column)
            .map_err(|error| format!("column `{}`: {error}", column.name))?;
        Ok(column)
    }

    fn kind(&mut self) -> Result<Type, String> {
        let word = self.name()?.to_lowercase();
        if word == "double" {
            self.take("precision");
        }
        let arguments = if self.take_mark('(') { self.bracketed()? } else { String::new() };
        Ok(match word.as_str() {
            "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" | "bool"
            | "boolean" | "year" => Type::Integer,
            "decimal" | "numeric" | "dec" | "fixed" => {
                let scale = arguments.split(',').nth(1).map_or("0", str::trim);
                Type::Decimal(scale.parse().map_err(|_| format!("a scale of `{scale}`"))?)
            }
            "float" | "double" | "real" => Type::Real,
            "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "enum"
            | "set" | "json" | "date" | "datetime" | "timestamp" | "time" => Type::Text,
            "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => Type::Any,
            other => return Err(format!("SQLite has nothing like the type {other}")),
        })
    }

    fn attributes(&mut self, column: &mut Column) -> Result<(), String> {
        loop {
            if self.take_all(&["not", "null"]) {
                column.not_null = true;
            } else if self.take("null") || self.take("unsigned") || self.take("zerofill") {
                // Neither says anything to SQLite.
            } else if self.take("auto_increment") {
                column.auto_increment = true;
            } else if self.take("default") {
                column.default = Some(self.default(column.kind)?);
            } else if self.take_all(&["character", "set"]) || self.take("charset") {
                self.name()?;
            } else if self.take("collate") {
                column.collation = Some(self.name()?);
            } else if self.take("comment") {
                self.name()?;
            } else if self.take_all(&["on", "update"]) {
                let value = self.name()?;
                if self.take_mark('(') {
                    self.bracketed()?;
                }
                self.notes.push(format!("`{}`: ON UPDATE {value} is left out", column.name));
            } else if self.take_all(&["primary", "key"]) || self.take("key") {
                column.primary = true;
            } else if self.take("unique") {
                self.take("key");
                column.unique = true;
            } else if self.take("references") {
                return Err("a foreign key must be written as a line of its own".to_string());
            } else {
                return Ok(());
            }
        }
    }

    fn default(&mut self, kind: Type) -> Result<String, String> {
        let negative = self.take_mark('-');
        let value = match self.next() {
            Some(Token::Text(text)) => text,
            Some(Token::Word(word)) => {
                if self.take_mark('(') {
                    self.bracketed()?;
                }
                match word.to_lowercase().as_str() {
                    "null" | "current_timestamp" => return Ok(word.to_uppercase()),
                    "now" => return Ok("CURRENT_TIMESTAMP".to_string()),
                    "true" => "1".to_string(),
                    "false" => "0".to_string(),
                    _ => format!("{}{word}", if negative { "-" } else { "" }),
                }
            }
            _ => return Err("a default that is no literal".to_string()),
        };
        match kind {
            Type::Decimal(scale) => Decimal::parse(value.as_bytes(), scale)
                .map(|number| number.unscaled.to_string())
                .ok_or_else(|| format!("a default of `{value}`")),
            Type::Integer | Type::Real => value
                .parse::<f64>()
                .map(|_| value.clone())
                .map_err(|_| format!("a default of `{value}`")),
            Type::Text | Type::Any => Ok(literal(&value)),
        }
    }
}
