//! A session that records what it is sent and answers from a script: how many statements each
//! transaction takes, in which order, and what becomes of answers that must not be.

use super::input::{Input, Terminal};
use super::now::Now;
use super::scale::Scale;
use super::{
    DELIVERY, Mode, NEW_ORDER, ORDER_STATUS, PAYMENT, STOCK_LEVEL, spec as standard,
    tpcc_mysql as tool,
};
use crate::model::Decimal;
use crate::target::session::{
    Access, BulkOutcome, BulkTable, Dialect, Outcome, Param, RowSource, RowView, Session, SqlError,
    StatementId, Visit,
};
use crate::workload::TransactionEnd;
use crate::workload::random::Stream;
use std::borrow::Cow;
use std::time::Duration;

/// A value of an answer.
#[derive(Clone, Copy)]
enum Cell {
    Int(i64),
    Text(&'static str),
}

struct Answer(Vec<Cell>);

impl RowView for Answer {
    fn columns(&self) -> usize {
        self.0.len()
    }
    fn is_null(&self, _: usize) -> bool {
        false
    }
    fn int(&self, column: usize) -> Option<i64> {
        match self.0.get(column)? {
            Cell::Int(value) => Some(*value),
            Cell::Text(_) => None,
        }
    }
    fn decimal(&self, column: usize, scale: u8) -> Option<Decimal> {
        self.int(column).map(|unscaled| Decimal { unscaled, scale })
    }
    fn text(&self, column: usize) -> Option<Cow<'_, [u8]>> {
        match self.0.get(column)? {
            Cell::Int(value) => Some(Cow::Owned(value.to_string().into_bytes())),
            Cell::Text(text) => Some(Cow::Borrowed(text.as_bytes())),
        }
    }
}

/// Records and answers.
struct Recorder {
    statements: Vec<String>,
    /// Statements sent, each cut to its first words.
    sent: Vec<String>,
    /// Parameters of each, as they were sent.
    params: Vec<String>,
    /// `c_credit` of every customer.
    credit: &'static str,
    /// Orders wait in every district.
    queue: bool,
    /// Rows that DELETE finds.
    deleted: u64,
    /// Rows that every other statement changes.
    changed: u64,
    /// `o_ol_cnt` of every order; as many lines change.
    lines: i64,
}

impl Recorder {
    fn new() -> Self {
        Self {
            statements: Vec::new(),
            sent: Vec::new(),
            params: Vec::new(),
            credit: "GC",
            queue: true,
            deleted: 1,
            changed: 1,
            lines: 7,
        }
    }

    fn rows(&self, sql: &str, params: &[Param<'_>]) -> Vec<Answer> {
        let answer = |cells: &[Cell]| vec![Answer(cells.to_vec())];
        let ints =
            |values: &[i64]| vec![Answer(values.iter().map(|value| Cell::Int(*value)).collect())];
        let text = Cell::Text("text");
        if sql.starts_with("SELECT c_discount") {
            ints(&[500, 100, 100, 100])
        } else if sql.starts_with("SELECT d_next_o_id") {
            ints(&[3001, 1000])
        } else if sql.starts_with("SELECT i_price") {
            let known = matches!(params[0], Param::Int(item) if item <= 100_000);
            if known { answer(&[Cell::Int(999), text, text]) } else { Vec::new() }
        } else if sql.starts_with("SELECT s_quantity") {
            let mut cells = vec![text; 12];
            cells[0] = Cell::Int(15);
            answer(&cells)
        } else if sql.starts_with("SELECT COUNT(c_id)") {
            ints(&[3])
        } else if sql.starts_with("SELECT c_id") || sql.starts_with("SELECT c_balance") {
            (11..=13).map(|id| Answer(vec![Cell::Int(id), text, text, text])).collect()
        } else if sql.starts_with("SELECT c_credit") {
            answer(&[Cell::Text(self.credit), Cell::Int(0)])
        } else if sql.starts_with("SELECT c_first") {
            let mut cells = vec![text; 14];
            (cells[9], cells[12]) = (Cell::Text(self.credit), Cell::Int(-1000));
            answer(&cells)
        } else if sql.starts_with("SELECT c_data") {
            answer(&[Cell::Text("old")])
        } else if sql.starts_with("SELECT o_id") {
            ints(&[2999, 0, 0])
        } else if sql.starts_with("SELECT o_c_id") {
            ints(&[42, self.lines])
        } else if sql.starts_with("SELECT no_o_id") {
            if self.queue { ints(&[2101]) } else { Vec::new() }
        } else if sql.starts_with("SELECT COALESCE(MIN(no_o_id), 0)") {
            ints(&[if self.queue { 2101 } else { 0 }])
        } else if sql.starts_with("SELECT SUM") || sql.starts_with("SELECT COUNT") {
            ints(&[12_345])
        } else if sql.starts_with("SELECT DISTINCT ol_i_id") {
            (1..=150).map(|item| Answer(vec![Cell::Int(item)])).collect()
        } else {
            answer(&[text; 6])
        }
    }
}

impl Session for Recorder {
    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    fn prepare(&mut self, sql: &str) -> Result<StatementId, SqlError> {
        self.statements.push(sql.to_string());
        Ok(StatementId(self.statements.len() - 1))
    }

    fn execute(&mut self, id: StatementId, params: &[Param<'_>]) -> Result<Outcome, SqlError> {
        self.execute_visit(id, params, &mut |_| true)
    }

    fn execute_visit(
        &mut self,
        id: StatementId,
        params: &[Param<'_>],
        visit: &mut Visit<'_>,
    ) -> Result<Outcome, SqlError> {
        let sql = self.statements[id.0].clone();
        assert_eq!(sql.matches('?').count(), params.len(), "{sql}");
        let lock = if sql.ends_with("FOR UPDATE") { " locking" } else { "" };
        let words: Vec<&str> = sql.split_whitespace().take(2).collect();
        self.sent.push(format!("{}{lock}", words.join(" ").trim_end_matches(',')));
        self.params.push(format!("{params:?}"));
        if sql.starts_with("SELECT") {
            let rows = self.rows(&sql, params);
            let count = rows.len() as u64;
            let mut going = true;
            for row in &rows {
                going = going && visit(row);
            }
            return Ok(Outcome { rows: count, ..Outcome::default() });
        }
        let affected = match words[0] {
            "DELETE" => self.deleted,
            _ if words[1] == "order_line" => self.lines as u64,
            _ => self.changed,
        };
        Ok(Outcome { affected, ..Outcome::default() })
    }

    fn text(&mut self, sql: &str) -> Result<Outcome, SqlError> {
        self.sent.push(sql.to_string());
        Ok(Outcome::default())
    }

    fn text_visit(&mut self, sql: &str, _: &mut Visit<'_>) -> Result<Outcome, SqlError> {
        self.text(sql)
    }

    fn begin(&mut self, access: Access) -> Result<(), SqlError> {
        self.text(&format!("BEGIN {access:?}")).map(drop)
    }

    fn commit(&mut self) -> Result<(), SqlError> {
        self.text("COMMIT").map(drop)
    }

    fn rollback(&mut self) -> Result<(), SqlError> {
        self.text("ROLLBACK").map(drop)
    }

    fn bulk_load(
        &mut self,
        _: &BulkTable<'_>,
        _: &mut dyn RowSource,
    ) -> Result<BulkOutcome, SqlError> {
        Err(SqlError::local("nothing is loaded here"))
    }

    fn set_statement_limit(&mut self, _: Option<Duration>) -> Result<(), SqlError> {
        Ok(())
    }
}

/// Inputs of this type that pass the test.
fn input(mode: Mode, kind: usize, test: impl Fn(&Input) -> bool) -> Input {
    let stream = Stream::new(1, "recording", &[]);
    let mut terminal = Terminal::new(Scale::new(mode, 5, 100.0), 5, stream);
    let found = (0..100_000).map(|_| terminal.draw(kind)).find(test);
    found.expect("a hundred thousand draws have one")
}

fn by_name(input: &Input) -> bool {
    match input {
        Input::Payment(payment) => payment.customer.name.is_some(),
        Input::OrderStatus(customer) => customer.name.is_some(),
        _ => false,
    }
}

fn rolls_back(input: &Input) -> bool {
    let Input::NewOrder(order) = input else { return false };
    order.lines().iter().any(|line| line.item > 100_000)
}

fn lines(input: &Input) -> usize {
    let Input::NewOrder(order) = input else { return 0 };
    order.lines().len()
}

/// Attempts a transaction and gives what was sent for it.
fn attempt(
    mode: Mode,
    input: &Input,
    recorder: &mut Recorder,
) -> (Vec<String>, Result<TransactionEnd, SqlError>) {
    let mut now = Now::new();
    let end = match mode {
        Mode::Spec => {
            let mut prepared = standard::Transactions::prepare(recorder).expect("it takes all");
            assert_eq!(recorder.sent, Vec::<String>::new());
            prepared.attempt(recorder, input, &mut now)
        }
        Mode::TpccMysql => {
            let mut prepared = tool::Transactions::prepare(recorder).expect("it takes all");
            assert_eq!(recorder.sent, ["SET autocommit = 0"]);
            recorder.sent.clear();
            prepared.attempt(recorder, input, &mut now)
        }
    };
    (std::mem::take(&mut recorder.sent), end)
}

fn committed(mode: Mode, input: &Input, recorder: &mut Recorder) -> Vec<String> {
    let (sent, end) = attempt(mode, input, recorder);
    assert_eq!(end, Ok(TransactionEnd::Committed));
    sent
}

#[test]
fn new_order_of_tpcc_mysql_takes_five_statements_and_four_a_line() {
    let mode = Mode::TpccMysql;
    let order = input(mode, NEW_ORDER, |input| !rolls_back(input));
    let sent = committed(mode, &order, &mut Recorder::new());
    assert_eq!(sent.len(), 5 + 4 * lines(&order) + 1);
    let head = ["SELECT c_discount", "SELECT d_next_o_id locking", "UPDATE district"];
    assert_eq!(sent[..3], head);
    assert_eq!(sent[3..5], ["INSERT INTO", "INSERT INTO"]);
    for line in sent[5..sent.len() - 1].chunks(4) {
        let each = ["SELECT i_price", "SELECT s_quantity locking", "UPDATE stock", "INSERT INTO"];
        assert_eq!(line, each);
    }
    assert_eq!(sent.last().map(String::as_str), Some("COMMIT"));

    let local = |input: &Input| {
        let Input::NewOrder(order) = input else { return false };
        order.lines().iter().all(|line| line.supply == order.warehouse)
    };
    let order = input(mode, NEW_ORDER, |input| rolls_back(input) && local(input));
    let (sent, end) = attempt(mode, &order, &mut Recorder::new());
    assert_eq!(end, Ok(TransactionEnd::RolledBack));
    assert_eq!(sent.len(), 5 + 4 * (lines(&order) - 1) + 2);
    assert_eq!(sent[sent.len() - 2..], ["SELECT i_price", "ROLLBACK"]);
}

#[test]
fn tpcc_mysql_enters_lines_in_order_of_warehouse_and_item_and_the_standard_as_drawn() {
    let numbers = |mode| {
        let order = input(mode, NEW_ORDER, |input| !rolls_back(input) && lines(input) > 10);
        let mut recorder = Recorder::new();
        let sent = committed(mode, &order, &mut recorder);
        // BEGIN and COMMIT have no parameters.
        let sent = sent.iter().filter(|sql| !sql.starts_with("BEGIN"));
        let of_items = sent.zip(&recorder.params).filter(|(sql, _)| *sql == "SELECT i_price");
        let items: Vec<String> = of_items.map(|(_, params)| params.clone()).collect();
        let Input::NewOrder(order) = order else { panic!("a New-Order was drawn") };
        let mut drawn = order.lines().to_vec();
        if mode == Mode::TpccMysql {
            drawn.sort_by_key(|line| (line.supply, line.item));
        }
        let drawn = drawn.iter().map(|line| format!("[Int({})]", line.item));
        assert_eq!(items, drawn.collect::<Vec<_>>());
    };
    numbers(Mode::TpccMysql);
    numbers(Mode::Spec);
}

#[test]
fn payment_of_tpcc_mysql_takes_seven_statements_two_more_by_name_one_more_for_bad_credit() {
    let mode = Mode::TpccMysql;
    let by_id = input(mode, PAYMENT, |input| !by_name(input));
    let named = input(mode, PAYMENT, by_name);
    let bad = || Recorder { credit: "BC", ..Recorder::new() };
    assert_eq!(committed(mode, &by_id, &mut Recorder::new()).len(), 7 + 1);
    assert_eq!(committed(mode, &named, &mut Recorder::new()).len(), 9 + 1);
    assert_eq!(committed(mode, &by_id, &mut bad()).len(), 8 + 1);
    assert_eq!(
        committed(mode, &named, &mut bad()),
        [
            "UPDATE warehouse",
            "SELECT w_street_1",
            "UPDATE district",
            "SELECT d_street_1",
            "SELECT COUNT(c_id)",
            "SELECT c_id",
            "SELECT c_first locking",
            "SELECT c_data",
            "UPDATE customer",
            "INSERT INTO",
            "COMMIT"
        ]
    );
}

#[test]
fn the_customer_in_the_middle_pays_and_tpcc_mysql_writes_the_old_data_back() {
    for mode in [Mode::Spec, Mode::TpccMysql] {
        let mut recorder = Recorder { credit: "BC", ..Recorder::new() };
        let payment = input(mode, PAYMENT, by_name);
        committed(mode, &payment, &mut recorder);
        let update = recorder.params.iter().rev().nth(1).expect("an update before the insert");
        assert!(update.ends_with("Int(12)]"), "{mode:?}: {update}");
        let data = |text: &str| format!("Bytes({:?})", text.as_bytes());
        let old = update.contains(&data("old"));
        assert_eq!(old, mode == Mode::TpccMysql, "{update}");
    }
}

#[test]
fn reads_of_tpcc_mysql_count_a_name_first_and_ask_for_each_item() {
    let mode = Mode::TpccMysql;
    let by_id = input(mode, ORDER_STATUS, |input| !by_name(input));
    let named = input(mode, ORDER_STATUS, by_name);
    assert_eq!(
        committed(mode, &by_id, &mut Recorder::new()),
        ["SELECT c_balance", "SELECT o_id", "SELECT ol_i_id", "COMMIT"]
    );
    assert_eq!(
        committed(mode, &named, &mut Recorder::new()),
        ["SELECT COUNT(c_id)", "SELECT c_balance", "SELECT o_id", "SELECT ol_i_id", "COMMIT"]
    );
    let level = input(mode, STOCK_LEVEL, |_| true);
    let sent = committed(mode, &level, &mut Recorder::new());
    assert_eq!(sent.len(), 2 + 150 + 1);
    assert_eq!(sent[..3], ["SELECT d_next_o_id", "SELECT DISTINCT", "SELECT COUNT(*)"]);
}

#[test]
fn delivery_of_tpcc_mysql_commits_each_district_and_looks_once_at_an_empty_one() {
    let mode = Mode::TpccMysql;
    let delivery = input(mode, DELIVERY, |_| true);
    let district = [
        "SELECT COALESCE(MIN(no_o_id)",
        "DELETE FROM",
        "SELECT o_c_id",
        "UPDATE orders",
        "UPDATE order_line",
        "SELECT SUM(ol_amount)",
        "UPDATE customer",
        "COMMIT",
    ];
    let sent = committed(mode, &delivery, &mut Recorder::new());
    assert_eq!(sent, district.repeat(10));
    // It does not see that somebody else took the order.
    let mut late = Recorder { deleted: 0, ..Recorder::new() };
    assert_eq!(committed(mode, &delivery, &mut late).len(), 80);
    let mut empty = Recorder { queue: false, ..Recorder::new() };
    assert_eq!(committed(mode, &delivery, &mut empty).len(), 10);
}

#[test]
fn transactions_of_the_standard_begin_lock_and_commit() {
    let mode = Mode::Spec;
    let order = input(mode, NEW_ORDER, |input| !rolls_back(input));
    let mut recorder = Recorder::new();
    let sent = committed(mode, &order, &mut recorder);
    assert_eq!(sent.len(), 5 + 4 * lines(&order) + 2);
    assert_eq!(
        (sent[0].as_str(), sent[2].as_str()),
        ("BEGIN ReadWrite", "SELECT d_next_o_id locking")
    );
    let order = input(mode, NEW_ORDER, rolls_back);
    let (sent, end) = attempt(mode, &order, &mut recorder);
    assert_eq!(end, Ok(TransactionEnd::RolledBack));
    assert_eq!(sent.len(), 5 + 4 * (lines(&order) - 1) + 3);

    let named = input(mode, PAYMENT, by_name);
    let mut bad = Recorder { credit: "BC", ..Recorder::new() };
    let locking = committed(mode, &named, &mut bad);
    assert_eq!(locking.len(), 9 + 2);
    assert_eq!(locking.iter().filter(|sql| sql.ends_with("locking")).count(), 2);

    let level = committed(mode, &input(mode, STOCK_LEVEL, |_| true), &mut Recorder::new());
    assert_eq!(level, ["BEGIN ReadOnly", "SELECT d_next_o_id", "SELECT COUNT(DISTINCT", "COMMIT"]);

    let delivery = committed(mode, &input(mode, DELIVERY, |_| true), &mut Recorder::new());
    assert_eq!(delivery.len(), 7 * 10 + 2);
    assert_eq!(delivery[1], "SELECT no_o_id locking");
    assert_eq!(delivery[3], "SELECT o_c_id locking");
}

#[test]
fn the_standard_fails_when_a_statement_changes_another_number_of_rows() {
    let delivery = input(Mode::Spec, DELIVERY, |_| true);
    let mut taken = Recorder { deleted: 0, ..Recorder::new() };
    let (sent, end) = attempt(Mode::Spec, &delivery, &mut taken);
    let error = end.expect_err("somebody else delivered the order");
    assert_eq!(error.message, "delivery: DELETE FROM new_orders changed 0 rows, it must change 1");
    assert!(!error.can_retry() && !sent.contains(&"COMMIT".to_string()));

    let order = input(Mode::Spec, NEW_ORDER, |input| !rolls_back(input));
    let mut lost = Recorder { changed: 0, ..Recorder::new() };
    let (_, end) = attempt(Mode::Spec, &order, &mut lost);
    let error = end.expect_err("no district");
    assert_eq!(error.message, "new_order: UPDATE district changed 0 rows, it must change 1");
}
