//! Axes, points and blocks multiplied out into combinations: what will be cells, before any server
//! is known.

pub(super) mod checks;
mod combine;
mod phases;
pub(super) mod rows;

use super::overlay::Overlay;
use super::suite::{
    AxisEntry, Class, Engine, Forced, Given, GivenValue, Layer, Point, SettingName, Suite,
    WorkloadBlock,
};
use crate::diagnostic::{Diagnostic, Span};
use crate::model::{AxisValue, CellKey, Place, SettingValue};
use combine::{Base, combine};
use rows::Ordinals;
use std::collections::{BTreeMap, BTreeSet};

/// More cells than this are refused: nobody waits for them, and a range was mistyped.
pub const MAX_CELLS: usize = 100_000;

/// How near to the cell a value was stated: a higher level replaces a lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// An option file of the user's.
    OptionFile,
    /// The suite as a whole.
    Suite,
    /// The workload.
    Workload,
    /// The server.
    Server,
    /// The engine.
    Engine,
    /// A point, a variant, a value of an axis.
    Axis,
    /// `--set`.
    Set,
}

/// The value that holds for a combination, and who said so.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The value.
    pub value: GivenValue,
    /// The name as written.
    pub written: String,
    /// Set on the running server rather than at its start.
    pub by_set_global: bool,
    /// Who said so.
    pub level: Level,
    /// Where.
    pub place: Place,
    /// The statement's head.
    pub span: Span,
}

/// One future cell.
#[derive(Clone, Debug)]
pub struct Combination {
    /// Index into [`Suite::workloads`].
    pub workload: usize,
    /// Index into [`Suite::engines`].
    pub engine: usize,
    /// Index into [`Suite::servers`]; none for the found server and for in-process engines.
    pub server: Option<usize>,
    /// Index into [`Suite::points`].
    pub point: Option<usize>,
    /// What holds, but for options that repeat.
    pub resolved: Overlay<SettingName, Resolved>,
    /// Options that repeat, lowest level first.
    pub repeated: Vec<(SettingName, Resolved)>,
    /// Its axis values in the order of the suite.
    pub axes: Vec<AxisValue>,
    /// Its identity.
    pub key: CellKey,
    /// Which row it stands in: combinations of one row differ in compared axes alone.
    pub row: usize,
    /// Every name that a condition can use, with its value.
    pub settings: Overlay<String, SettingValue>,
    /// By axis, the names that its value on it states.
    pub stated: BTreeMap<String, Vec<String>>,
}

impl Combination {
    /// What holds for the setting `name`.
    pub fn setting(&self, name: &str) -> Option<&Resolved> {
        self.resolved.find(|known| {
            known.class.cmp(&Class::Setting).then_with(|| known.name.as_str().cmp(name))
        })
    }
}

/// One choice on one dimension of the matrix.
#[derive(Clone, Debug)]
struct Alternative<'s> {
    /// The axis and its value, for values that have names.
    named: Option<(&'s str, &'s AxisEntry)>,
    /// What it gives.
    gives: Vec<(&'s Given, &'s GivenValue)>,
    /// Its position among the values of its axis.
    ordinal: usize,
}

/// One dimension: an axis with what can be chosen on it.
struct Dimension<'s> {
    axis: String,
    alternatives: Vec<Alternative<'s>>,
}

/// Where the position of a combination's value on an axis comes from.
enum Ordinal {
    /// The dimension with this index.
    Chosen(usize),
    /// The frame; none where its cells are not on the axis.
    Fixed(Option<usize>),
}

/// One combination of blocks, before the axes are multiplied out.
struct Frame<'s> {
    suite: &'s Suite,
    workload: (usize, &'s WorkloadBlock),
    engine: (usize, &'s Engine),
    server: Option<usize>,
    point: Option<(usize, &'s Point)>,
}

/// Multiplies the suite out. Errors are complete: all that can be found are.
pub fn expand(suite: &Suite) -> Result<Vec<Combination>, Vec<Diagnostic>> {
    let mut wrong = Wrong::default();
    let axes = axis_names(suite);
    let mut found: Vec<(Ordinals, Combination)> = Vec::new();
    for frame in frames(suite) {
        multiply(&frame, &axes, &mut wrong, &mut found);
    }
    if wrong.list.is_empty() && found.is_empty() {
        wrong.list.push(checks::nothing_to_run(suite));
    }
    let combinations = rows::arrange(suite, &axes, found);
    let kept = checks::prune(suite, combinations, &mut wrong.list);
    if wrong.list.is_empty() { Ok(kept) } else { Err(wrong.list) }
}

/// Errors so far; each is reported once, however many combinations have it.
#[derive(Default)]
struct Wrong {
    list: Vec<Diagnostic>,
    seen: BTreeSet<(Span, Span, String)>,
}

impl Wrong {
    fn once(&mut self, first: Span, second: Span, what: &str, make: impl FnOnce() -> Diagnostic) {
        let pair = if first <= second { (first, second) } else { (second, first) };
        if self.seen.insert((pair.0, pair.1, what.to_string())) {
            self.list.push(make());
        }
    }
}

/// The axes of the suite: what is in every key, in the order in which the suite names them.
fn axis_names(suite: &Suite) -> Vec<String> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    names.insert("engine".to_string());
    if suite.servers.len() > 1 {
        names.insert("server".to_string());
    }
    if suite.workloads.len() > 1 {
        names.insert("workload".to_string());
    }
    let several = |layer: &Layer, names: &mut BTreeSet<String>| {
        names.extend(
            layer.givens.iter().filter(|given| given.values.len() > 1).map(|g| g.name.axis()),
        );
    };
    several(&suite.layer, &mut names);
    suite.workloads.iter().for_each(|workload| several(&workload.layer, &mut names));
    suite.servers.iter().for_each(|server| several(&server.layer, &mut names));
    suite.engines.iter().for_each(|engine| several(&engine.layer, &mut names));
    for axis in &suite.axes {
        names.insert(axis.name.clone());
        axis.entries.iter().for_each(|entry| several(&entry.layer, &mut names));
    }
    for point in &suite.points {
        names.extend(point.layer.givens.iter().map(|given| given.name.axis()));
    }
    names.extend(
        suite.forced.iter().filter(|f| f.given.values.len() > 1).map(|f| f.given.name.axis()),
    );
    let mut ordered: Vec<String> =
        suite.axis_order.iter().filter(|name| names.remove(*name)).cloned().collect();
    ordered.extend(names);
    ordered
}

/// Every combination of workload, point, server and engine that the suite allows.
fn frames(suite: &Suite) -> Vec<Frame<'_>> {
    let chosen = |axis: &str, value: &str, point: Option<&Point>| {
        let of_point = point.map_or(&[][..], |point| &point.choices);
        suite
            .choices
            .iter()
            .chain(of_point)
            .filter(|choice| choice.axis == axis)
            .all(|choice| choice.allows(value))
    };
    let points: Vec<Option<(usize, &Point)>> = if suite.points.is_empty() {
        vec![None]
    } else {
        suite.points.iter().enumerate().map(Some).collect()
    };
    let mut frames = Vec::new();
    for workload in suite.workloads.iter().enumerate() {
        for &point in &points {
            let row = point.map(|(_, point)| point);
            if !chosen("workload", &workload.1.name, row)
                || row.is_some_and(|point| !applies(suite, point, workload.1))
            {
                continue;
            }
            for engine in suite.engines.iter().enumerate() {
                if !chosen("engine", &engine.1.name, row) {
                    continue;
                }
                let servers: Vec<Option<usize>> =
                    if engine.1.in_process() || suite.servers.is_empty() {
                        vec![None]
                    } else {
                        (0..suite.servers.len())
                            .filter(|&index| chosen("server", &suite.servers[index].name, row))
                            .map(Some)
                            .collect()
                    };
                frames.extend(servers.into_iter().map(|server| Frame {
                    suite,
                    workload,
                    engine,
                    server,
                    point,
                }));
            }
        }
    }
    frames
}

/// Whether the workload has every parameter that the point fixes.
fn applies(suite: &Suite, point: &Point, workload: &WorkloadBlock) -> bool {
    point.layer.givens.iter().all(|given| has_parameter(suite, workload, &given.name))
}

/// Whether the workload has it, if it is a parameter at all.
fn has_parameter(suite: &Suite, workload: &WorkloadBlock, name: &SettingName) -> bool {
    let of = |block: &WorkloadBlock| {
        block.kind.parameters.iter().any(|parameter| parameter.name == name.name)
    };
    name.class != Class::Setting || of(workload) || !suite.workloads.iter().any(of)
}

/// What holds in a frame whatever is chosen, and the dimensions that are chosen on.
fn multiply(
    frame: &Frame<'_>,
    axes: &[String],
    wrong: &mut Wrong,
    found: &mut Vec<(Ordinals, Combination)>,
) {
    let suite = frame.suite;
    let layers: Vec<(Level, &Layer)> = [
        Some((Level::Suite, &suite.layer)),
        Some((Level::Workload, &frame.workload.1.layer)),
        frame.server.map(|server| (Level::Server, &suite.servers[server].layer)),
        Some((Level::Engine, &frame.engine.1.layer)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut fixed: BTreeMap<&SettingName, (Level, &Given)> = BTreeMap::new();
    let mut several: BTreeMap<&SettingName, &Given> = BTreeMap::new();
    let mut repeated = Vec::new();
    for (level, layer) in layers {
        for given in &layer.givens {
            if !has_parameter(suite, frame.workload.1, &given.name) {
                continue;
            }
            if given.name.class == Class::Repeated {
                repeated.push((level, given));
            } else if given.values.len() == 1 {
                fixed.insert(&given.name, (level, given));
            } else {
                several.insert(&given.name, given);
            }
        }
    }
    for given in frame.point.iter().flat_map(|(_, point)| &point.layer.givens) {
        if given.name.class == Class::Repeated {
            repeated.push((Level::Axis, given));
        } else {
            several.insert(&given.name, given);
        }
    }
    let mut forced: BTreeMap<&SettingName, &Given> = BTreeMap::new();
    for Forced { workload, given } in &suite.forced {
        let here = workload.as_ref().is_none_or(|name| *name == frame.workload.1.name);
        if here && has_parameter(suite, frame.workload.1, &given.name) {
            forced.insert(&given.name, given);
            several.remove(&given.name);
            fixed.remove(&given.name);
        }
    }
    let mut dimensions: Vec<Dimension> = several
        .values()
        .chain(forced.values())
        .map(|given| Dimension {
            axis: given.name.axis(),
            alternatives: given
                .values
                .iter()
                .enumerate()
                .map(|(ordinal, value)| Alternative {
                    named: None,
                    gives: vec![(*given, value)],
                    ordinal,
                })
                .collect(),
        })
        .collect();
    for axis in &suite.axes {
        let of_point = frame.point.map_or(&[][..], |(_, point)| &point.choices);
        let allowed = |name: &str| {
            suite
                .choices
                .iter()
                .chain(of_point)
                .filter(|choice| choice.axis == axis.name)
                .all(|choice| choice.allows(name))
        };
        dimensions.push(Dimension {
            axis: axis.name.clone(),
            alternatives: axis
                .entries
                .iter()
                .enumerate()
                .filter(|(_, entry)| allowed(&entry.name))
                .flat_map(|(ordinal, entry)| entry_alternatives(&axis.name, entry, ordinal))
                .collect(),
        });
    }
    if dimensions.iter().any(|dimension| dimension.alternatives.is_empty()) {
        return;
    }
    let size = dimensions
        .iter()
        .try_fold(1usize, |size, dimension| size.checked_mul(dimension.alternatives.len()))
        .filter(|size| size.saturating_add(found.len()) <= MAX_CELLS);
    if size.is_none() {
        let span = several.values().map(|given| given.span).next().unwrap_or(frame.workload.1.span);
        wrong.once(span, span, "size", || checks::too_many(span, &dimensions));
        return;
    }
    let base = Base::new(frame, &fixed, forced, repeated);
    // Where the ordinal on each axis comes from.
    let sources: Vec<Ordinal> = axes
        .iter()
        .map(|axis| match dimensions.iter().position(|dimension| dimension.axis == *axis) {
            Some(at) => Ordinal::Chosen(at),
            None => Ordinal::Fixed(match axis.as_str() {
                "engine" => Some(frame.engine.0),
                "server" => frame.server,
                "workload" => Some(frame.workload.0),
                _ => None,
            }),
        })
        .collect();
    let mut chosen: Vec<usize> = vec![0; dimensions.len()];
    loop {
        let choice: Vec<(&Dimension, &Alternative)> = dimensions
            .iter()
            .zip(&chosen)
            .map(|(dimension, &at)| (dimension, &dimension.alternatives[at]))
            .collect();
        if let Some(combination) = combine(frame, &base, &choice, axes, wrong) {
            let ordinals = sources
                .iter()
                .map(|source| match source {
                    Ordinal::Chosen(at) => Some(choice[*at].1.ordinal),
                    Ordinal::Fixed(ordinal) => *ordinal,
                })
                .collect();
            found.push((ordinals, combination));
        }
        // Counts up like an odometer.
        let mut at = chosen.len();
        loop {
            if at == 0 {
                return;
            }
            at -= 1;
            chosen[at] += 1;
            if chosen[at] < dimensions[at].alternatives.len() {
                break;
            }
            chosen[at] = 0;
        }
    }
}

/// The choices that one named value makes: one, or several if it gives several values itself.
fn entry_alternatives<'s>(
    axis: &'s str,
    entry: &'s AxisEntry,
    ordinal: usize,
) -> Vec<Alternative<'s>> {
    let mut choices: Vec<Vec<(&Given, &GivenValue)>> = vec![Vec::new()];
    for given in &entry.layer.givens {
        choices = choices
            .into_iter()
            .flat_map(|before| {
                given.values.iter().map(move |value| {
                    let mut with = before.clone();
                    with.push((given, value));
                    with
                })
            })
            .collect();
    }
    choices
        .into_iter()
        .map(|gives| Alternative { named: Some((axis, entry)), gives, ordinal })
        .collect()
}
