//! One combination: what holds in it, and its identity.

use super::{Alternative, Combination, Dimension, Frame, Level, Resolved, Wrong, has_parameter};
use crate::diagnostic::{Diagnostic, codes};
use crate::engine::CompressionSyntax;
use crate::model::{AxisValue, CellKey, SettingValue};
use crate::plan::defaults;
use crate::plan::suite::{Class, Given, GivenValue, SettingName};
use std::collections::BTreeMap;

/// What holds whatever is chosen on the axes.
pub(super) struct Base<'s> {
    /// Settings with one value, and their level.
    pub(super) fixed: BTreeMap<&'s SettingName, (Level, &'s Given)>,
    /// What `--set` gives.
    pub(super) forced: BTreeMap<&'s SettingName, &'s Given>,
    /// Options that repeat.
    pub(super) repeated: Vec<(Level, &'s Given)>,
}

fn resolved(given: &Given, value: &GivenValue, level: Level) -> Resolved {
    Resolved {
        value: value.clone(),
        written: given.written.clone(),
        by_set_global: given.by_set_global,
        level,
        place: given.place.clone(),
        span: given.span,
    }
}

/// Works out one combination; none when it contradicts itself, which is reported.
pub(super) fn combine(
    frame: &Frame<'_>,
    base: &Base<'_>,
    choice: &[(&Dimension<'_>, &Alternative<'_>)],
    axes: &[String],
    wrong: &mut Wrong,
) -> Option<Combination> {
    let mut held: BTreeMap<SettingName, Resolved> = base
        .fixed
        .iter()
        .map(|(name, (level, given))| ((*name).clone(), resolved(given, &given.values[0], *level)))
        .collect();
    let mut repeated: Vec<(SettingName, Resolved)> = base
        .repeated
        .iter()
        .flat_map(|(level, given)| {
            given.values.iter().map(|value| (given.name.clone(), resolved(given, value, *level)))
        })
        .collect();
    let mut sound = true;
    for (_, alternative) in choice {
        for (given, value) in &alternative.gives {
            let is_forced = base.forced.contains_key(&given.name);
            if alternative.named.is_some() {
                if is_forced || !has_parameter(frame.suite, frame.workload.1, &given.name) {
                    continue;
                }
                if given.name.class == Class::Repeated {
                    repeated.push((given.name.clone(), resolved(given, value, Level::Axis)));
                    continue;
                }
            }
            let level = if is_forced { Level::Set } else { Level::Axis };
            if let Some(other) = held.get(&given.name)
                && other.level == Level::Axis
            {
                sound = false;
                wrong.once(given.span, other.span, &given.name.name, || {
                    twice(&given.name, given.span, other)
                });
                continue;
            }
            held.insert(given.name.clone(), resolved(given, value, level));
        }
    }
    sound &= one_property(frame, &mut held, wrong);
    if !sound {
        return None;
    }
    let settings = settings(frame, &held, choice);
    let values: Vec<AxisValue> = axes
        .iter()
        .filter_map(|axis| {
            let value = settings.get(axis)?.clone();
            Some(AxisValue { axis: axis.clone(), value })
        })
        .collect();
    let stated = stated(frame, &held, choice, &values);
    Some(Combination {
        workload: frame.workload.0,
        engine: frame.engine.0,
        server: frame.server,
        point: frame.point.map(|(index, _)| index),
        resolved: held,
        repeated,
        key: CellKey::new(&values),
        axes: values,
        row: 0,
        settings,
        stated,
    })
}

fn twice(name: &SettingName, span: crate::diagnostic::Span, other: &Resolved) -> Diagnostic {
    let what = if name.class == Class::Setting { "setting" } else { "option" };
    Diagnostic::error(
        codes::LEVEL_TWICE,
        span,
        format!("{what} `{}` is set twice on one level", name.name),
    )
    .label("set here")
    .also(other.span, "and here, for the same cells")
    .help("values of axes, variants and points stand on one level: say it in one of them")
}

/// TokuDB's row format and compression are one property: the one stated nearer to the cell holds.
fn one_property(
    frame: &Frame<'_>,
    held: &mut BTreeMap<SettingName, Resolved>,
    wrong: &mut Wrong,
) -> bool {
    if frame.engine.1.spec.compression_syntax != CompressionSyntax::TokudbRowFormat {
        return true;
    }
    let (row_format, compression) =
        (SettingName::setting("row_format"), SettingName::setting("compression"));
    let (Some(format), Some(algorithm)) = (held.get(&row_format), held.get(&compression)) else {
        return true;
    };
    match format.level.cmp(&algorithm.level) {
        std::cmp::Ordering::Greater => held.remove(&compression),
        std::cmp::Ordering::Less => held.remove(&row_format),
        std::cmp::Ordering::Equal => {
            let (first, second) = (format.span, algorithm.span);
            wrong.once(first, second, "row format", || {
                Diagnostic::error(
                    codes::LEVEL_TWICE,
                    second,
                    format!(
                        "`row_format` and `compression` are one property of {}",
                        frame.engine.1.spec.storage
                    ),
                )
                .label("set here")
                .also(first, "and here")
                .help("leave one of them out")
            });
            return false;
        }
    };
    true
}

/// Every name that a condition can use.
fn settings(
    frame: &Frame<'_>,
    held: &BTreeMap<SettingName, Resolved>,
    choice: &[(&Dimension<'_>, &Alternative<'_>)],
) -> BTreeMap<String, SettingValue> {
    let mut settings: BTreeMap<String, SettingValue> = defaults::SETTINGS
        .iter()
        .map(|(name, value)| ((*name).to_string(), value.clone()))
        .collect();
    settings.extend(frame.workload.1.defaults.clone());
    settings
        .extend(held.iter().map(|(name, resolved)| (name.axis(), resolved.value.value.clone())));
    for (_, alternative) in choice {
        if let Some((axis, entry)) = alternative.named {
            settings.insert(axis.to_string(), SettingValue::Word(entry.name.clone()));
        }
    }
    let word = |text: &str| SettingValue::Word(text.to_string());
    settings.insert("engine".to_string(), word(&frame.engine.1.name));
    settings.insert("storage".to_string(), word(frame.engine.1.spec.storage));
    settings.insert("workload".to_string(), word(&frame.workload.1.name));
    if let Some(server) = frame.server {
        settings.insert("server".to_string(), word(&frame.suite.servers[server].name));
    }
    settings
}

/// By axis, what the value on it states.
fn stated(
    frame: &Frame<'_>,
    held: &BTreeMap<SettingName, Resolved>,
    choice: &[(&Dimension<'_>, &Alternative<'_>)],
    values: &[AxisValue],
) -> BTreeMap<String, Vec<String>> {
    let mut stated: BTreeMap<String, Vec<String>> =
        values.iter().map(|value| (value.axis.clone(), vec![value.axis.clone()])).collect();
    let mut add = |axis: &str, name: String| {
        if let Some(names) = stated.get_mut(axis)
            && !names.contains(&name)
        {
            names.push(name);
        }
    };
    add("engine", "storage".to_string());
    for (name, resolved) in held {
        match resolved.level {
            Level::Engine => add("engine", name.axis()),
            Level::Server => add("server", name.axis()),
            Level::Workload => add("workload", name.axis()),
            Level::OptionFile | Level::Suite | Level::Axis | Level::Set => {}
        }
    }
    if frame.engine.1.schema.changes_tables() {
        add("engine", "schema".to_string());
    }
    for (_, alternative) in choice {
        if let Some((axis, _)) = alternative.named {
            for (given, _) in &alternative.gives {
                add(axis, given.name.axis());
            }
        }
    }
    stated
}
