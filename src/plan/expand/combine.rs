//! One combination: what holds in it, and its identity.

use super::{Alternative, Combination, Dimension, Frame, Level, Resolved, Wrong, has_parameter};
use crate::diagnostic::{Diagnostic, codes};
use crate::engine::CompressionSyntax;
use crate::model::{AxisValue, CellKey, SettingValue};
use crate::plan::defaults;
use crate::plan::overlay::{self, Overlay};
use crate::plan::suite::{Class, Given, GivenValue, SettingName};
use std::collections::BTreeMap;

/// What holds whatever is chosen on the axes.
pub(super) struct Base<'s> {
    /// Settings with one value, shared by all cells of the frame.
    held: overlay::Base<SettingName, Resolved>,
    /// Every name that a condition can use, as it is where nothing is chosen.
    settings: overlay::Base<String, SettingValue>,
    /// What `--set` gives.
    forced: BTreeMap<&'s SettingName, &'s Given>,
    /// Options that repeat.
    repeated: Vec<(SettingName, Resolved)>,
}

impl<'s> Base<'s> {
    /// `fixed` are settings with one value, and their level.
    pub(super) fn new(
        frame: &Frame<'_>,
        fixed: &BTreeMap<&SettingName, (Level, &Given)>,
        forced: BTreeMap<&'s SettingName, &'s Given>,
        repeated: Vec<(Level, &Given)>,
    ) -> Self {
        let held = overlay::base(fixed.iter().map(|(name, (level, given))| {
            ((*name).clone(), resolved(given, &given.values[0], *level))
        }));
        let repeated = repeated.into_iter().flat_map(|(level, given)| {
            given
                .values
                .iter()
                .map(move |value| (given.name.clone(), resolved(given, value, level)))
        });
        let mut settings: BTreeMap<String, SettingValue> = defaults::SETTINGS
            .iter()
            .map(|(name, value)| ((*name).to_string(), value.clone()))
            .collect();
        settings.extend(frame.workload.1.defaults.clone());
        settings.extend(
            held.iter().map(|(name, resolved)| (name.axis(), resolved.value.value.clone())),
        );
        let word = |text: &str| SettingValue::Word(text.to_string());
        settings.insert("engine".to_string(), word(&frame.engine.1.name));
        settings.insert("storage".to_string(), word(frame.engine.1.spec.storage));
        settings.insert("workload".to_string(), word(&frame.workload.1.name));
        if let Some(server) = frame.server {
            settings.insert("server".to_string(), word(&frame.suite.servers[server].name));
        }
        Self { held, settings: overlay::base(settings), forced, repeated: repeated.collect() }
    }
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
    let mut held = Overlay::over(&base.held);
    let mut repeated = base.repeated.clone();
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
    let settings = settings(frame, base, &held, choice);
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
    held: &mut Overlay<SettingName, Resolved>,
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
        std::cmp::Ordering::Greater => held.remove(compression),
        std::cmp::Ordering::Less => held.remove(row_format),
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
    }
    true
}

/// Every name that a condition can use.
fn settings(
    frame: &Frame<'_>,
    base: &Base<'_>,
    held: &Overlay<SettingName, Resolved>,
    choice: &[(&Dimension<'_>, &Alternative<'_>)],
) -> Overlay<String, SettingValue> {
    // What the blocks of the frame are called, no axis says otherwise.
    let of_frame = |name: &str| {
        matches!(name, "engine" | "storage" | "workload")
            || (name == "server" && frame.server.is_some())
    };
    let mut settings = Overlay::over(&base.settings);
    for (name, resolved) in held.own() {
        let axis = name.axis();
        let option = |known: &SettingName| {
            known.class.cmp(&Class::Option).then_with(|| known.name.cmp(&name.name))
        };
        if of_frame(&axis) || (name.class == Class::Setting && held.find(option).is_some()) {
            continue;
        }
        match resolved {
            Some(resolved) => settings.insert(axis, resolved.value.value.clone()),
            None => match unsaid(frame, &axis) {
                Some(value) => settings.insert(axis, value),
                None => settings.remove(axis),
            },
        }
    }
    for (_, alternative) in choice {
        if let Some((axis, entry)) = alternative.named
            && !of_frame(axis)
        {
            settings.insert(axis.to_string(), SettingValue::Word(entry.name.clone()));
        }
    }
    settings
}

/// What a setting is where nobody states it.
fn unsaid(frame: &Frame<'_>, name: &str) -> Option<SettingValue> {
    let of_all = || defaults::SETTINGS.iter().find(|(known, _)| *known == name).map(|(_, v)| v);
    frame.workload.1.defaults.get(name).or_else(of_all).cloned()
}

/// By axis, what the value on it states.
fn stated(
    frame: &Frame<'_>,
    held: &Overlay<SettingName, Resolved>,
    choice: &[(&Dimension<'_>, &Alternative<'_>)],
    values: &[AxisValue],
) -> BTreeMap<String, Vec<String>> {
    let mut stated: BTreeMap<String, Vec<String>> =
        values.iter().map(|value| (value.axis.clone(), vec![value.axis.clone()])).collect();
    let mut add = |axis: &str, name: &dyn Fn() -> String| {
        let Some(names) = stated.get_mut(axis) else { return };
        let name = name();
        if !names.contains(&name) {
            names.push(name);
        }
    };
    add("engine", &|| "storage".to_string());
    for (name, resolved) in held.iter() {
        match resolved.level {
            Level::Engine => add("engine", &|| name.axis()),
            Level::Server => add("server", &|| name.axis()),
            Level::Workload => add("workload", &|| name.axis()),
            Level::OptionFile | Level::Suite | Level::Axis | Level::Set => {}
        }
    }
    if frame.engine.1.schema.changes_tables() {
        add("engine", &|| "schema".to_string());
    }
    for (_, alternative) in choice {
        if let Some((axis, _)) = alternative.named {
            for (given, _) in &alternative.gives {
                add(axis, &|| given.name.axis());
            }
        }
    }
    stated
}
