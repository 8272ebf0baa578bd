//! A transaction's text as statements to prepare, with what each parameter stands for.

use super::text::{Effect, Kind, Piece, tokens};
use crate::target::session::Dialect;

/// What a place in a statement gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// A parameter that is drawn: an index into the workload's draws.
    Draw(usize),
    /// What an earlier statement gave: an index into the transaction's variables.
    Variable(usize),
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// With `?` for parameters, without the trailing INTO.
    pub(super) text: String,
    /// What the parameters stand for, in order.
    pub(super) slots: Vec<Slot>,
    /// The variables that the columns of its first row become.
    pub(super) into: Vec<usize>,
    /// What it does to the number of rows.
    pub(super) effect: Effect,
    /// It only reads and takes no lock.
    pub(super) reads: bool,
}

/// Something wrong in the text of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Where it begins, bytes from the start of the text.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// A name that is not known, and those that are.
    pub unknown: Option<(String, Vec<String>)>,
}

/// The statements of a transaction, and how many variables they pass on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Transaction {
    pub(super) statements: Vec<Statement>,
    pub(super) variables: usize,
}

struct Reader<'t> {
    text: &'t str,
    draws: &'t [String],
    /// Names of variables so far.
    variables: Vec<String>,
    wrong: Vec<TextError>,
}

/// Reads a transaction. `draws` are the names of drawn parameters.
pub(super) fn read(text: &str, draws: &[String]) -> Result<Transaction, Vec<TextError>> {
    let tokens = tokens(text);
    let mut reader = Reader { text, draws, variables: Vec::new(), wrong: Vec::new() };
    let mut statements = Vec::new();
    for piece in tokens.split(|token| token.kind == Kind::End) {
        if !piece.is_empty() {
            statements.push(reader.statement(Piece { text, tokens: piece }));
        }
    }
    if statements.is_empty() {
        reader.error(0, text.len(), "the transaction has no statement".to_string(), None);
    }
    if reader.wrong.is_empty() {
        Ok(Transaction { statements, variables: reader.variables.len() })
    } else {
        Err(reader.wrong)
    }
}

impl Reader<'_> {
    fn error(&mut self, start: usize, end: usize, message: String, help: Option<&str>) {
        let help = help.map(str::to_string);
        self.wrong.push(TextError { start, end, message, help, unknown: None });
    }

    fn statement(&mut self, piece: Piece<'_>) -> Statement {
        let effect = piece.effect();
        let first = piece.tokens[0];
        match effect {
            Effect::Commits => self.error(
                first.start,
                first.end,
                format!("`{}` stands in a transaction", piece.of(0)),
                Some("enginecmp begins and commits each transaction itself"),
            ),
            Effect::Defines => self.error(
                first.start,
                first.end,
                format!("`{}` ends a transaction unasked", piece.of(0)),
                Some("tables are made by `schema`, before the rows"),
            ),
            _ => {}
        }
        // `INTO :a, :b` at the end is ours; any other INTO is the server's.
        let into = trailing_into(piece);
        let end = into.unwrap_or(piece.tokens.len());
        let mut statement = Statement {
            text: String::new(),
            slots: Vec::new(),
            into: Vec::new(),
            reads: piece.is(0, "SELECT") && !piece.has(&["FOR"]) && !piece.has(&["LOCK"]),
            effect,
        };
        let mut copied = first.start;
        for token in &piece.tokens[..end] {
            if token.kind == Kind::Mark && &self.text[token.start..token.end] == "?" {
                let message = "a parameter has a name here".to_string();
                self.error(token.start, token.end, message, Some("write `:NAME` and `draw NAME`"));
            }
            if token.kind == Kind::Parameter {
                statement.text.push_str(&self.text[copied..token.start]);
                statement.text.push('?');
                copied = token.end;
                statement.slots.extend(self.slot(token.start, token.end));
            }
        }
        let last = piece.tokens[end - 1].end;
        statement.text.push_str(&self.text[copied..last]);
        if let Some(at) = into {
            let names = piece.tokens[at + 1..].iter();
            for token in names.filter(|token| token.kind == Kind::Parameter) {
                let name = &self.text[token.start + 1..token.end];
                if self.draws.iter().any(|draw| draw == name) {
                    let message = format!("`{name}` is drawn, so no statement can set it");
                    self.error(token.start, token.end, message, Some("give it another name"));
                    continue;
                }
                let known = self.variables.iter().position(|variable| variable == name);
                statement.into.push(known.unwrap_or_else(|| {
                    self.variables.push(name.to_string());
                    self.variables.len() - 1
                }));
            }
        }
        statement
    }

    fn slot(&mut self, start: usize, end: usize) -> Option<Slot> {
        let name = &self.text[start + 1..end];
        if let Some(draw) = self.draws.iter().position(|draw| draw == name) {
            return Some(Slot::Draw(draw));
        }
        if let Some(variable) = self.variables.iter().position(|known| known == name) {
            return Some(Slot::Variable(variable));
        }
        let known: Vec<String> = self.draws.iter().chain(&self.variables).cloned().collect();
        self.wrong.push(TextError {
            start,
            end,
            message: format!("unknown parameter `{name}`"),
            help: Some(format!(
                "write `draw {name} uniform 1 to 1000`, or `INTO :{name}` behind an earlier SELECT"
            )),
            unknown: Some((name.to_string(), known)),
        });
        None
    }
}

/// The token at which `INTO :a, :b` begins that ends the statement.
fn trailing_into(piece: Piece<'_>) -> Option<usize> {
    let mut at = piece.tokens.len();
    loop {
        if at < 2 || piece.tokens[at - 1].kind != Kind::Parameter {
            return None;
        }
        at -= 2;
        if piece.is(at, "INTO") && at > 0 {
            return Some(at);
        }
        if piece.of(at) != "," {
            return None;
        }
    }
}

impl Statement {
    /// The text for a dialect. SQLite's transactions lock when they begin.
    pub(super) fn text_for(&self, dialect: Dialect) -> String {
        if dialect == Dialect::MySql {
            return self.text.clone();
        }
        let tokens = tokens(&self.text);
        let piece = Piece { text: &self.text, tokens: &tokens };
        let mut text = self.text.clone();
        let count = tokens.len();
        if count > 2 && piece.is(count - 2, "FOR") && piece.is(count - 1, "UPDATE") {
            text.truncate(tokens[count - 3].end);
        }
        for at in (0..count).rev().filter(|&at| piece.is(at, "LAST_INSERT_ID")) {
            text.replace_range(tokens[at].start..tokens[at].end, "last_insert_rowid");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws() -> Vec<String> {
        ["customer", "qty"].map(str::to_string).to_vec()
    }

    #[test]
    fn results_of_a_statement_are_parameters_of_those_behind_it() {
        let text = "INSERT INTO orders (customer, note) VALUES (:customer, ':qty');\n\
                    SELECT LAST_INSERT_ID(), 'x' INTO :id, :x;\n\
                    -- a comment; with :nothing\n\
                    UPDATE orders SET qty = :qty, x = :x WHERE id = :id;";
        let read = read(text, &draws()).unwrap();
        let texts: Vec<&str> = read.statements.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "INSERT INTO orders (customer, note) VALUES (?, ':qty')",
                "SELECT LAST_INSERT_ID(), 'x'",
                "UPDATE orders SET qty = ?, x = ? WHERE id = ?",
            ]
        );
        assert_eq!(read.variables, 2);
        assert_eq!(read.statements[0].slots, [Slot::Draw(0)]);
        assert_eq!(read.statements[1].into, [0, 1]);
        assert_eq!(read.statements[2].slots, [Slot::Draw(1), Slot::Variable(1), Slot::Variable(0)]);
        assert_eq!(read.statements[1].text_for(Dialect::Sqlite), "SELECT last_insert_rowid(), 'x'");
    }

    #[test]
    fn what_is_wrong_is_told_where_it_stands() {
        let wrong = |text: &str| {
            let errors = read(text, &draws()).unwrap_err();
            let first = errors[0].clone();
            (text[first.start..first.end].to_string(), first.message)
        };
        assert_eq!(
            wrong("SELECT a FROM t WHERE b = :custommer"),
            (":custommer".to_string(), "unknown parameter `custommer`".to_string())
        );
        assert_eq!(wrong("SELECT :later; SELECT 1 INTO :later").0, ":later");
        assert_eq!(wrong("BEGIN; SELECT 1").0, "BEGIN");
        assert_eq!(wrong("SELECT 1; TRUNCATE t").0, "TRUNCATE");
        assert_eq!(wrong("SELECT ?").0, "?");
        assert_eq!(wrong("SELECT 1 INTO :qty").0, ":qty");
        assert_eq!(wrong(" -- nothing\n").1, "the transaction has no statement");
    }

    #[test]
    fn locks_are_left_to_the_transaction_where_sqlite_has_no_words_for_them() {
        let read = read("SELECT a FROM t WHERE b = :qty FOR UPDATE", &draws()).unwrap();
        assert!(!read.statements[0].reads);
        assert_eq!(read.statements[0].text_for(Dialect::Sqlite), "SELECT a FROM t WHERE b = ?");
        assert!(read.statements[0].text_for(Dialect::MySql).ends_with("FOR UPDATE"));
    }
}
