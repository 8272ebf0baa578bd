//! Which statements a transaction has, and how their values are drawn.

use super::rows::{OLD_C, OLD_PAD};
use super::settings::{Data, Settings, Test};
use super::statements::{Query, Step};
use crate::workload::distribution::Draw;
use crate::workload::random::Stream;

/// Statements of one kind that follow each other on one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// In this order, on the same row.
    pub(super) queries: &'static [Query],
    /// How often.
    pub(super) times: u32,
    /// Ids in a range.
    pub(super) range: u64,
}

impl Settings {
    /// The statements of a transaction, in order.
    pub(super) fn groups(&self) -> Vec<Group> {
        use Query::{
            Delete, Distinct, Insert, Order, Point, RandomPoints, RandomRanges, Simple, Sum,
            UpdateIndex, UpdateNonIndex,
        };
        let group = |queries: &'static [Query], times: u32| Group {
            queries,
            times,
            range: self.range_size,
        };
        let ranges = |times: u32| if self.range_selects { times } else { 0 };
        // Of 0.4's ranges this one takes both ends in.
        let wider = u64::from(self.test == Test::Complex);
        let reads = || {
            vec![
                group(&[Point], self.point_selects),
                group(&[Simple], ranges(self.simple_ranges)),
                group(&[Sum], ranges(self.sum_ranges)),
                group(&[Order], ranges(self.order_ranges)),
                Group {
                    range: self.range_size + wider,
                    ..group(&[Distinct], ranges(self.distinct_ranges))
                },
            ]
        };
        let replace: &[Query] = match self.test {
            Test::Complex => &[UpdateIndex, Delete, Insert],
            _ => &[Delete, Insert],
        };
        let writes = || {
            vec![
                group(&[UpdateIndex], self.index_updates),
                group(&[UpdateNonIndex], self.non_index_updates),
                group(replace, self.delete_inserts),
            ]
        };
        let mut groups = match self.test {
            Test::ReadWrite | Test::Legacy | Test::Complex => [reads(), writes()].concat(),
            Test::ReadOnly => reads(),
            Test::WriteOnly => writes(),
            Test::PointSelect => vec![group(&[Point], 1)],
            Test::UpdateIndex => vec![group(&[UpdateIndex], 1)],
            Test::UpdateNonIndex => vec![group(&[UpdateNonIndex], 1)],
            Test::Insert => vec![group(&[Insert], 1)],
            Test::Delete => vec![group(&[Delete], 1)],
            Test::RandomPoints => vec![group(&[RandomPoints], 1)],
            Test::RandomRanges => vec![group(&[RandomRanges], 1)],
            Test::BulkInsert => Vec::new(),
        };
        groups.retain(|group| group.times > 0);
        groups
    }

    /// Whether BEGIN and COMMIT stand around the statements.
    pub(super) fn in_transaction(&self) -> bool {
        matches!(
            self.test,
            Test::ReadWrite | Test::ReadOnly | Test::WriteOnly | Test::Legacy | Test::Complex
        ) && !self.skip_trx
    }

    /// Statements are sent as text, not prepared.
    pub(super) fn as_text(&self) -> bool {
        matches!(self.test, Test::Legacy | Test::Insert | Test::BulkInsert)
    }

    /// Statements of a transaction: those that read, those that write, and BEGIN and COMMIT.
    pub(super) fn requests(&self) -> Requests {
        if self.test == Test::BulkInsert {
            return Requests { reads: 0, writes: 1, other: 0 };
        }
        let mut requests =
            Requests { reads: 0, writes: 0, other: if self.in_transaction() { 2 } else { 0 } };
        for group in self.groups() {
            for query in group.queries {
                let of = if query.writes() { &mut requests.writes } else { &mut requests.reads };
                *of += u64::from(group.times);
            }
        }
        requests
    }
}

/// Statements of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Requests {
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) other: u64,
}

/// Draws the transactions of one client.
pub(super) struct Drawer {
    settings: Settings,
    groups: Vec<Group>,
    keys: Draw,
    /// Values of column k that this client looks up: its own share of them.
    own: Draw,
    stream: Stream,
    client: u64,
    clients: u64,
    /// Rows inserted so far, where this client numbers them.
    numbered: u64,
    numbers_rows: bool,
}

impl Drawer {
    pub(super) fn new(settings: &Settings, client: usize, clients: usize, stream: Stream) -> Self {
        let (client, clients) = (client as u64, clients.max(1) as u64);
        let share = (settings.rows / clients).max(1);
        let first = (client * share).min(settings.rows - 1) + 1;
        let keys = settings.draw();
        Self {
            own: keys.over(first, (first + share - 1).min(settings.rows)),
            keys,
            groups: settings.groups(),
            stream: stream.compressible(settings.compressible),
            client,
            clients,
            numbered: 0,
            numbers_rows: settings.test == Test::Insert && !settings.auto_inc,
            settings: settings.clone(),
        }
    }

    fn table(&mut self) -> u32 {
        self.stream.below(u64::from(self.settings.tables)) as u32 + 1
    }

    /// Draws the next transaction into `steps`.
    pub(super) fn draw(&mut self, steps: &mut Vec<Step>) {
        steps.clear();
        let one_table = matches!(self.settings.test, Test::Legacy | Test::Complex);
        let mut table = self.table();
        for index in 0..self.groups.len() {
            let group = self.groups[index];
            if index > 0 && !one_table {
                table = self.table();
            }
            for _ in 0..group.times {
                let id = self.keys.draw(&mut self.stream);
                for query in group.queries {
                    let mut step = Step::new(*query, table);
                    self.fill(&mut step, id, group.range);
                    steps.push(step);
                }
            }
        }
    }

    fn fill(&mut self, step: &mut Step, id: u64, range: u64) {
        step.id = Some(id as i64);
        match step.query {
            Query::Simple | Query::Sum | Query::Order | Query::Distinct => {
                step.last = (id + range - 1) as i64;
            }
            Query::UpdateNonIndex => self.stream.fill_groups(step.c.whole()),
            Query::Insert => {
                if self.settings.test == Test::Insert {
                    step.id = self.number();
                }
                match self.settings.data {
                    Data::V1 => {
                        step.k = self.keys.draw(&mut self.stream) as i64;
                        self.stream.fill_groups(step.c.whole());
                        self.stream.fill_groups(step.pad.whole());
                    }
                    Data::V04 => {
                        step.c.set(OLD_C);
                        step.pad.set(OLD_PAD);
                    }
                }
            }
            Query::RandomPoints => {
                for _ in 0..self.settings.random_points {
                    step.values.push(self.own.draw(&mut self.stream) as i64);
                }
            }
            Query::RandomRanges => {
                for _ in 0..self.settings.number_of_ranges {
                    let first = self.own.draw(&mut self.stream) as i64;
                    step.values.extend([first, first + self.settings.delta as i64]);
                }
            }
            Query::Point | Query::UpdateIndex | Query::Delete => {}
        }
    }

    /// The id of the next row that this client inserts: none where the server numbers it, else
    /// one that no client has used, scattered over the whole range of INTEGER.
    fn number(&mut self) -> Option<i64> {
        if !self.numbers_rows {
            return None;
        }
        let next = self.numbered * self.clients + self.client;
        self.numbered += 1;
        // An odd factor maps the numbers below 2^32 onto each other.
        let scattered = (next as u32).wrapping_mul(0x9e37_79b1);
        Some(i64::from(scattered) + i64::from(i32::MIN))
    }
}
