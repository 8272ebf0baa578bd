//! Connects the clients in waves, starts them together, collects what they report and makes one
//! result of it.

use super::arrivals::{Arrivals, Arrived};
use super::client::ClientLoop;
use super::message::{ClientFailure, Command, Report, Totals};
use super::observer::{Event, Observer};
use super::pacer::{Closed, Limited, Open, Pacer, Thinking};
use super::plans::Executed;
use super::quota::Quota;
use super::recorder::{Recorder, SpanResult};
use super::schedule::{Schedule, Span};
use super::steady::Rule;
use super::stuck::{Barren, given_up, longest_end};
use super::watch::{interrupted, sql_failure};
use crate::host::interrupt::Interrupt;
use crate::host::limits::wake_on_time;
use crate::model::{Failure, FailureKind, Phase};
use crate::plan::{Arrival, CONNECT_WAVE};
use crate::target::Running;
use crate::target::session::{Session, SqlError};
use crate::workload::random::Stream;
use crate::workload::{ClientFactory, ThinkTimes};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

/// Clients that connect at once; servers queue few connections (back_log is 50 to 150).
const WAVE: usize = CONNECT_WAVE as usize;

/// Stack of a client thread. Two thousand of them stay within a gigabyte of address space.
const STACK: usize = 512 << 10;

/// How often the driver looks up from waiting.
const LOOK: Duration = Duration::from_millis(200);

/// The connection of enginecmp itself, beside those of clients.
pub(super) const CONTROL: usize = usize::MAX;

/// What the clients of one repetition shall do.
pub(super) struct PoolSpec<'a> {
    pub(super) running: &'a dyn Running,
    pub(super) factory: &'a dyn ClientFactory,
    /// Names of the transaction types.
    pub(super) types: &'static [&'static str],
    pub(super) clients: usize,
    /// Whether the engine has transactions.
    pub(super) transactional: bool,
    pub(super) beat: &'a Beat,
    /// Statements of a fresh session, in order.
    pub(super) session_setup: &'a [String],
    pub(super) schedule: &'a Schedule,
    /// When the last phase ends early.
    pub(super) steady: Option<Rule>,
    /// Ends the measured phase after so many transactions.
    pub(super) requests: Option<u64>,
    pub(super) seed: u64,
    pub(super) interrupt: &'a Interrupt,
    /// How long a server may be silent.
    pub(super) patience: Duration,
    pub(super) observer: &'a dyn Observer,
    /// Takes the statements that the first client executes.
    pub(super) seen: &'a Executed,
}

/// When clients begin their transactions, with every figure known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Beat {
    Closed,
    Think(ThinkTimes),
    Open {
        /// A second.
        rate: f64,
        arrival: Arrival,
    },
}

/// What they did.
pub(super) struct PoolResult {
    /// By phase of the schedule.
    pub(super) spans: Vec<SpanResult>,
    /// By transaction type, warm-up included.
    pub(super) committed: Vec<u64>,
    /// By transaction type, at the end of the last phase.
    pub(super) unfinished: Vec<u64>,
    /// By phase of the schedule, of an open loop.
    pub(super) arrived: Option<Vec<Arrived>>,
    /// When the last transaction ended, where `requests` ended the measured phase.
    pub(super) ended: Option<Duration>,
}

impl PoolResult {
    /// Leaves out all windows that a schedule, as it came, does not have.
    fn cut(&mut self, schedule: &Schedule) {
        for (index, span) in schedule.spans().iter().enumerate() {
            let windows = span.windows();
            if let Some(result) = self.spans.get_mut(index) {
                result.cut(windows);
            }
            if let Some(arrived) = self.arrived.as_mut().and_then(|all| all.get_mut(index)) {
                arrived.offered.truncate(windows as usize);
                arrived.backlog.truncate(windows as usize);
            }
        }
    }

    /// Whether the last phase ended before its time.
    pub(super) fn ended_early(&self) -> bool {
        let at_rest = || self.spans.last()?.part.map(|part| part.at_rest);
        self.ended.is_some() || at_rest().unwrap_or(false)
    }
}

/// Says what is sampled from outside when a phase begins or ends.
pub(super) trait Boundary {
    /// Phase `span` of the schedule begins; as many as there are phases means that the last has
    /// ended.
    fn reached(&mut self, span: usize);
}

type Numbered = (usize, Report);

/// Drives the clients from connecting to the end of the schedule.
pub(super) fn drive(
    spec: &PoolSpec<'_>,
    boundary: &mut dyn Boundary,
) -> Result<PoolResult, Failure> {
    let (reports, inbox) = channel::<Numbered>();
    let paced = Paced::of(spec);
    thread::scope(|scope| {
        let mut crew = Crew { commands: Vec::with_capacity(spec.clients) };
        let outcome = crew
            .connect(scope, spec, &paced, &reports, &inbox)
            .and_then(|epoch| collect(spec, &paced, &crew, &inbox, epoch, boundary));
        // Those that still work stop after the transaction in hand; the scope waits for them.
        crew.tell(Command::Quit);
        outcome
    })
    .map(|mut result| {
        result.arrived = paced.arrivals.as_ref().map(|arrivals| arrivals.totals());
        if let Some(ended) = result.ended {
            result.cut(&spec.schedule.ended_at(ended));
        }
        result
    })
}

/// What the pacers of all clients are made from.
struct Paced<'a> {
    beat: &'a Beat,
    seed: u64,
    /// One stream for all, in an open loop.
    arrivals: Option<Arc<Arrivals>>,
    quota: Quota,
}

impl<'a> Paced<'a> {
    fn of(spec: &PoolSpec<'a>) -> Self {
        let arrivals = match spec.beat {
            Beat::Open { rate, arrival } => {
                Some(Arc::new(Arrivals::new(*rate, *arrival, spec.seed, spec.schedule)))
            }
            Beat::Closed | Beat::Think(_) => None,
        };
        let quota = Quota::new(spec.requests, spec.schedule);
        Self { beat: spec.beat, seed: spec.seed, arrivals, quota }
    }

    /// The pacer of a client, which its workload may hold to a rate.
    fn pacer(&self, client: usize, rate: Option<f64>) -> Box<dyn Pacer> {
        if let Some(rate) = rate {
            return Box::new(Limited::new(rate));
        }
        match (self.beat, &self.arrivals) {
            (_, Some(arrivals)) => Box::new(Open::new(Arc::clone(arrivals))),
            (Beat::Think(times), None) => {
                let draw = Stream::new(self.seed, "think", &[client as u64]);
                Box::new(Thinking::new(times.clone(), draw))
            }
            (Beat::Closed | Beat::Open { .. }, None) => Box::new(Closed),
        }
    }
}

/// The way to every client that was started.
struct Crew {
    commands: Vec<Sender<Command>>,
}

impl Crew {
    /// A client that is gone needs no telling.
    fn tell(&self, command: Command) {
        for commands in &self.commands {
            let _ = commands.send(command);
        }
    }

    /// Starts and connects all clients; gives the moment at which they start together.
    fn connect<'scope, 'env>(
        &mut self,
        scope: &'scope Scope<'scope, 'env>,
        spec: &'env PoolSpec<'env>,
        paced: &'env Paced<'env>,
        reports: &Sender<Numbered>,
        inbox: &Receiver<Numbered>,
    ) -> Result<Duration, Failure> {
        let mut epoch = spec.running.clock(CONTROL).now();
        while self.commands.len() < spec.clients {
            let wave = WAVE.min(spec.clients - self.commands.len());
            for _ in 0..wave {
                let number = self.commands.len();
                let (commands, orders) = channel();
                let reports = reports.clone();
                thread::Builder::new()
                    .name(format!("client {number}"))
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || live(number, spec, paced, orders, &reports))
                    .map_err(|error| {
                        Failure::new(
                            Phase::WarmUp,
                            FailureKind::Io,
                            format!("cannot start a thread for client {number}: {error}"),
                        )
                        .next_step(
                            "raise the limit of processes (`ulimit -u`) or use fewer clients",
                        )
                    })?;
                self.commands.push(commands);
            }
            let mut ready = 0;
            while ready < wave {
                if spec.interrupt.is_raised() {
                    return Err(interrupted(Phase::WarmUp));
                }
                match inbox.recv_timeout(LOOK) {
                    Ok((_, Report::Ready { now })) => {
                        epoch = epoch.max(now);
                        ready += 1;
                    }
                    Ok((client, Report::Failed(failure))) => {
                        return Err(client_failure(spec, Phase::WarmUp, client, &failure));
                    }
                    Ok(_) | Err(RecvTimeoutError::Disconnected) => {}
                    Err(RecvTimeoutError::Timeout) => alive(spec, Phase::WarmUp)?,
                }
            }
        }
        Ok(epoch)
    }
}

fn alive(spec: &PoolSpec<'_>, phase: Phase) -> Result<(), Failure> {
    spec.running.alive().map_err(|mut death| {
        death.phase = phase;
        death
    })
}

fn client_failure(
    spec: &PoolSpec<'_>,
    phase: Phase,
    client: usize,
    failure: &ClientFailure,
) -> Failure {
    let doing = format!("client {}, {}", client + 1, failure.doing);
    sql_failure(phase, spec.running, spec.interrupt, &doing, &failure.error)
}

/// Starts the clients and takes their reports until all are done or one cannot go on.
fn collect(
    spec: &PoolSpec<'_>,
    paced: &Paced<'_>,
    crew: &Crew,
    inbox: &Receiver<Numbered>,
    epoch: Duration,
    boundary: &mut dyn Boundary,
) -> Result<PoolResult, Failure> {
    let spans = spec.schedule.spans();
    let clock = spec.running.clock(CONTROL);
    let mut recorder = Recorder::new(spec.schedule, spec.types, spec.clients, spec.steady);
    let mut result = PoolResult {
        spans: Vec::new(),
        committed: vec![0; spec.types.len()],
        unfinished: vec![0; spec.types.len()],
        arrived: None,
        ended: None,
    };
    let mut ended = Duration::ZERO;
    let mut at_span = 0;
    let mut announced = None;
    begin(spec, at_span, boundary);
    crew.tell(Command::Start { epoch });
    let mut working = spec.clients;
    let mut barren = Barren::default();
    let mut after_the_end: Option<Instant> = None;
    while working > 0 {
        if spec.interrupt.is_raised() {
            return Err(interrupted(spans[at_span.min(spans.len() - 1)].phase));
        }
        let now = clock.now().saturating_sub(epoch);
        while at_span < spans.len() && now >= spans[at_span].end {
            at_span += 1;
            begin(spec, at_span, boundary);
        }
        if at_span == spans.len() {
            let waited = after_the_end.get_or_insert_with(Instant::now).elapsed();
            if waited > longest_end(spec.patience) {
                return Err(given_up(spec, working, waited));
            }
        }
        let until_next = spans.get(at_span).map_or(LOOK, |span| span.end.saturating_sub(now));
        match inbox.recv_timeout(until_next.min(LOOK)) {
            Ok((client, Report::Batch(batch))) => {
                barren.take(&batch, spans[batch.slot.span].start);
                recorder.take(client, batch);
                if let Some(failure) = barren.failure(spans[at_span.min(spans.len() - 1)].phase) {
                    spec.running.kill();
                    return Err(failure);
                }
            }
            Ok((client, Report::Done(totals))) => {
                recorder.finished(client);
                add(&mut result, &totals);
                ended = ended.max(totals.ended);
                working -= 1;
            }
            Ok((client, Report::Failed(failure))) => {
                let phase = failure
                    .at
                    .and_then(|at| spec.schedule.slot(at))
                    .map_or(Phase::Measure, |slot| spans[slot.span].phase);
                return Err(client_failure(spec, phase, client, &failure));
            }
            Ok((_, Report::Ready { .. })) | Err(RecvTimeoutError::Disconnected) => {}
            Err(RecvTimeoutError::Timeout) => {
                alive(spec, spans[at_span.min(spans.len() - 1)].phase)?;
            }
        }
        if recorder.has_come_to_rest() && at_span < spans.len() {
            at_span = spans.len();
            begin(spec, at_span, boundary);
            crew.tell(Command::Quit);
        }
        if let Some((slot, completed)) = recorder.last_closed()
            && announced != Some(slot)
        {
            announced = Some(slot);
            spec.observer.event(&Event::Window { completed });
        }
    }
    // The last client may report its end before the clock was looked at again.
    let early = paced.quota.is_used_up();
    while at_span < spans.len()
        && (early || clock.now().saturating_sub(epoch) >= spans[at_span].end)
    {
        at_span += 1;
        begin(spec, at_span, boundary);
    }
    result.ended = early.then_some(ended);
    result.spans = recorder.into_results();
    Ok(result)
}

/// A phase begins, or the last has ended.
fn begin(spec: &PoolSpec<'_>, at_span: usize, boundary: &mut dyn Boundary) {
    boundary.reached(at_span);
    let spans = spec.schedule.spans();
    let Some(span) = spans.get(at_span) else { return };
    let (phase, round) = (span.phase, span.round);
    let of_phase = |other: &&Span| (other.phase, other.round) == (phase, round);
    // The part of a phase that counts goes on with it.
    if at_span == 0 || !of_phase(&&spans[at_span - 1]) {
        let length = || spans.iter().filter(of_phase).map(Span::length).sum();
        let length = spec.requests.is_none().then(length);
        spec.observer.event(&Event::Phase { phase, round, length });
    }
}

fn add(result: &mut PoolResult, totals: &Totals) {
    for (into, from) in result.committed.iter_mut().zip(&totals.committed) {
        *into += from;
    }
    for (into, from) in result.unfinished.iter_mut().zip(&totals.unfinished) {
        *into += from;
    }
}

/// The life of one client thread.
fn live(
    number: usize,
    spec: &PoolSpec<'_>,
    paced: &Paced<'_>,
    commands: Receiver<Command>,
    reports: &Sender<Numbered>,
) {
    // A driver that has given up does not listen any more.
    let report = |report| {
        let _ = reports.send((number, report));
    };
    let failed = |doing: &str, error| {
        report(Report::Failed(ClientFailure { doing: doing.to_string(), error, at: None }));
    };
    let seed = client_seed(spec.seed, number);
    let mut client = spec.factory.client(number, spec.clients, seed);
    let mut session = match connect(spec.running, number) {
        Ok(session) if number == 0 => spec.seen.noting(session),
        Ok(session) => session,
        Err(error) => return failed("connecting", error),
    };
    if let Err((statement, error)) = set_up(&mut *session, spec.session_setup) {
        return failed(&format!("`{statement}`"), error);
    }
    if let Err(error) = client.prepare(&mut *session) {
        return failed("preparing its statements", error);
    }
    wake_on_time();
    let clock = spec.running.clock(number);
    report(Report::Ready { now: clock.now() });
    ClientLoop {
        client,
        session,
        clock,
        pacer: paced.pacer(number, spec.factory.rate(number, spec.clients)),
        quota: &paced.quota,
        transactional: spec.transactional,
        schedule: spec.schedule,
        types: spec.types,
        seed,
        commands,
        report: &report,
    }
    .run();
}

/// Pauses between attempts to connect.
const CONNECT_PAUSES_MS: [u64; 5] = [50, 100, 200, 400, 800];

/// Connects a client. A server whose queue of connections is full for a moment (1040, 2002, 2003)
/// is asked again, five times at most.
fn connect(running: &dyn Running, client: usize) -> Result<Box<dyn Session>, SqlError> {
    let clock = running.clock(client);
    for pause in CONNECT_PAUSES_MS {
        match running.connect(client) {
            Err(error) if matches!(error.errno, 1040 | 2002 | 2003) && running.alive().is_ok() => {
                clock.sleep(Duration::from_millis(pause));
            }
            outcome => return outcome,
        }
    }
    running.connect(client)
}

/// Sends the statements that every fresh session gets.
pub(super) fn set_up<'s>(
    session: &mut dyn Session,
    statements: &'s [String],
) -> Result<(), (&'s str, SqlError)> {
    for statement in statements {
        session.text(statement).map_err(|error| (statement.as_str(), error))?;
    }
    Ok(())
}

/// A seed of its own for each client of a repetition (SplitMix64's mixing, Steele et al. 2014).
fn client_seed(seed: u64, client: usize) -> u64 {
    let mut mixed = seed.wrapping_add((client as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
