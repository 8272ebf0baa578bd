//! `--set NAME=VALUE[,VALUE]`, `--profile` and `--only`.

use super::draft::{Draft, ProfileDraft};
use super::givens::parameter_kind;
use super::resolver::{Known, Resolver, settable};
use crate::diagnostic::{Diagnostic, FileId, Span, codes, did_you_mean};
use crate::model::SettingValue;
use crate::plan::options::canonical;
use crate::plan::suite::{Choice, Class, Forced, Given, GivenValue, NamedAt, SettingName};
use crate::plan::{Average, SettlePolicy};
use crate::syntax::shapes;
use crate::syntax::tree::{Word, WordKind};
use crate::syntax::{parse_words, values};
use crate::target::families::Defaults;

/// Overrides that are no values of the draft itself.
#[derive(Debug, Default)]
pub(super) struct Overrides {
    pub(super) choices: Vec<Choice>,
    pub(super) forced: Vec<Forced>,
}

fn whole(resolver: &Resolver<'_>, file: FileId) -> Span {
    Span { file, start: 0, end: resolver.sources.text(file).len() }
}

impl Resolver<'_> {
    /// The words of an argument; what is wrong with them is reported.
    fn argument(&mut self, file: FileId) -> Option<Vec<Word>> {
        let (words, wrong) = parse_words(self.sources, file);
        let good = wrong.is_empty();
        self.wrong.extend(wrong);
        good.then_some(words)
    }

    /// Works the named profiles in, left to right.
    pub(super) fn profiles(&mut self, names: &[FileId], draft: &mut Draft, all: &[ProfileDraft]) {
        for &file in names {
            let name = self.sources.text(file).trim().to_string();
            if let Some(profile) = all.iter().find(|profile| profile.head.name == name) {
                draft.apply(&profile.draft);
            } else {
                let at = NamedAt { name, span: whole(self, file) };
                self.unknown("profile", &at, all.iter().map(|known| known.head.name.as_str()));
            }
        }
    }

    /// `--only COND`
    pub(super) fn only(&mut self, file: FileId, draft: &mut Draft) {
        let Some(words) = self.argument(file) else { return };
        if words.is_empty() {
            self.bad_set(whole(self, file), "an empty condition");
            return;
        }
        let known = Known::default().with(draft);
        self.asking(|resolver| draft.conditions.extend(resolver.condition(&words, &known)));
    }

    fn bad_set(&mut self, span: Span, message: &str) {
        self.wrong.push(
            Diagnostic::error(codes::BAD_SET, span, message)
                .help("write `--set NAME=VALUE` or `--set NAME=VALUE,VALUE`"),
        );
    }

    /// One `--set`.
    pub(super) fn set(&mut self, file: FileId, draft: &mut Draft, overrides: &mut Overrides) {
        let Some(words) = self.argument(file) else { return };
        let (name, rest) = match words.as_slice() {
            [name, equals, rest @ ..]
                if matches!(name.kind, WordKind::Bare(_)) && equals.is("=") && !rest.is_empty() =>
            {
                (name, rest)
            }
            _ => {
                self.bad_set(whole(self, file), "expected NAME=VALUE");
                return;
            }
        };
        let text = name.text().replace('-', "_");
        let known = self.set_scalar(&text, rest, draft)
            || self.set_axis(name, &text, rest, draft, overrides)
            || self.set_option(name, &text, rest, draft, overrides)
            || self.set_setting(name, &text, rest, draft, overrides);
        if !known {
            self.unknown_set(name, &text, draft);
        }
    }

    fn unknown_set(&mut self, name: &Word, text: &str, draft: &Draft) {
        let mut names = self.names(&Known::default().with(draft));
        names.extend(["repeat", "seed", "average", "settle"].map(str::to_string));
        self.wrong.push(
            Diagnostic::error(
                codes::BAD_SET,
                name.span,
                format!("`{}` is no setting of this suite", name.text()),
            )
            .maybe_help(did_you_mean(text, names.iter().map(String::as_str)))
            .help(format!("an option that the suite does not name: `--set option.{text}=VALUE`")),
        );
    }

    /// `repeat`, `seed`, `average`, `settle`, `dataset`: values of the suite alone.
    fn set_scalar(&mut self, name: &str, words: &[Word], draft: &mut Draft) -> bool {
        if !matches!(name, "repeat" | "seed" | "average" | "settle" | "dataset" | "defaults") {
            return false;
        }
        let kind = super::results::plain_kind(name).expect("the table has these rows");
        let value = match values(words, &kind) {
            Ok(values) if values.len() == 1 => values[0].value.clone(),
            Ok(values) => {
                let message = format!("`{name}` takes one value");
                self.wrong.push(Diagnostic::error(codes::ONE_VALUE, values[1].span, message));
                return true;
            }
            Err(diagnostic) => {
                self.wrong.push(diagnostic);
                return true;
            }
        };
        match (name, value) {
            ("repeat", SettingValue::Count(count)) => draft.repeat = u32::try_from(count).ok(),
            ("seed", SettingValue::Count(count)) => draft.seed = Some(count),
            ("average", SettingValue::Word(word)) => {
                draft.average = Some(if word == "mean" { Average::Mean } else { Average::Median });
            }
            ("settle", SettingValue::Duration(time)) => {
                draft.settle = Some(SettlePolicy::For(time));
            }
            ("settle", SettingValue::Word(word)) => {
                draft.settle =
                    Some(if word == "none" { SettlePolicy::None } else { SettlePolicy::Full });
            }
            ("defaults", SettingValue::Word(word)) => draft.defaults = Defaults::find(&word),
            ("dataset", SettingValue::Word(word)) => draft.dataset_each = Some(word == "each"),
            _ => {}
        }
        true
    }

    /// An axis whose values have names: some of them stay.
    fn set_axis(
        &mut self,
        name: &Word,
        axis: &str,
        words: &[Word],
        draft: &Draft,
        overrides: &mut Overrides,
    ) -> bool {
        let known: Vec<&str> = match axis {
            "engine" => draft.engines.iter().map(|engine| engine.head.name.as_str()).collect(),
            "server" => draft.servers.iter().map(|server| server.head.name.as_str()).collect(),
            "workload" => draft.workloads.iter().map(|w| w.head.name.as_str()).collect(),
            _ => match draft.axes.iter().find(|known| known.name == axis) {
                Some(found) => found.entries.iter().map(|entry| entry.head.name.as_str()).collect(),
                None => return false,
            },
        };
        let fits = |word: &Word| known.iter().any(|value| value.eq_ignore_ascii_case(word.text()));
        let asked: Vec<&Word> = words.iter().filter(|word| !word.is(",")).collect();
        // `redo` may be both an axis with named values and a setting.
        let also_setting = shapes::setting_kind(axis).is_some() || self.parameter(axis).is_some();
        if also_setting && !asked.iter().any(|word| fits(word)) {
            return false;
        }
        let mut choice = Choice { axis: axis.to_string(), values: Vec::new() };
        for word in asked {
            let at = NamedAt { name: word.text().to_string(), span: word.span };
            if fits(word) {
                choice.values.push(at);
            } else {
                self.unknown(&format!("value of `{}`", name.text()), &at, known.iter().copied());
            }
        }
        if !choice.values.is_empty() {
            overrides.choices.push(choice);
        }
        true
    }

    /// A server option: `option.NAME`, or the name of one that the suite sets.
    fn set_option(
        &mut self,
        name: &Word,
        text: &str,
        words: &[Word],
        draft: &mut Draft,
        overrides: &mut Overrides,
    ) -> bool {
        let (class, option) = match text.split_once('.') {
            Some(("option", option)) => (Class::Option, canonical(option)),
            Some(("session", option)) => (Class::Session, canonical(option)),
            Some(_) => return false,
            None => (Class::Option, canonical(text)),
        };
        let wanted = SettingName { class, name: option };
        let stated = draft.layers().flat_map(|layer| &layer.givens).find(|g| g.name == wanted);
        if stated.is_none() && !text.contains('.') {
            return false;
        }
        let by_set_global = stated.is_some_and(|given| given.by_set_global);
        let kind = shapes::Kind::OptionValue;
        let read = match values(words, &kind) {
            Ok(read) => read,
            Err(diagnostic) => {
                self.wrong.push(diagnostic);
                return true;
            }
        };
        let given = Given {
            values: read.iter().map(|v| super::givens::option_value(&wanted.name, v)).collect(),
            written: wanted.name.clone(),
            name: wanted,
            by_set_global,
            span: name.span,
            place: self.sources.place(name.span),
        };
        draft.mention(&given.name.axis());
        overrides.forced.push(Forced { workload: None, given });
        true
    }

    /// A setting, a parameter, or a parameter of one workload.
    fn set_setting(
        &mut self,
        name: &Word,
        text: &str,
        words: &[Word],
        draft: &mut Draft,
        overrides: &mut Overrides,
    ) -> bool {
        let (workload, setting) = match text.split_once('.') {
            Some((workload, setting)) => (Some(workload), setting),
            None => (None, text),
        };
        let kind = match self.parameter(setting) {
            Some(kind) => parameter_kind(kind),
            None => match shapes::named(setting).find(|shape| settable(shape)) {
                Some(shape) => match shape.kind_of("value") {
                    Some(kind) => kind,
                    None => return false,
                },
                None => return false,
            },
        };
        let read = match values(words, &kind) {
            Ok(read) => read,
            Err(diagnostic) => {
                self.wrong.push(diagnostic);
                return true;
            }
        };
        let given = Given {
            name: SettingName::setting(setting),
            written: setting.to_string(),
            by_set_global: false,
            values: read
                .into_iter()
                .map(|value| GivenValue { value: value.value, text: None, span: value.span })
                .collect(),
            span: name.span,
            place: self.sources.place(name.span),
        };
        draft.mention(setting);
        match workload {
            None => draft.override_with(&given),
            Some(workload) => {
                let at = NamedAt { name: workload.to_string(), span: name.span };
                self.force(&at, given, draft, &mut overrides.forced);
            }
        }
        true
    }

    /// A setting for one workload, whatever else says.
    pub(super) fn force(
        &mut self,
        workload: &NamedAt,
        given: Given,
        draft: &Draft,
        forced: &mut Vec<Forced>,
    ) {
        if !draft.workloads.iter().any(|known| known.head.name == workload.name) {
            let known: Vec<&str> =
                draft.workloads.iter().map(|known| known.head.name.as_str()).collect();
            self.unknown("workload", workload, known);
            return;
        }
        forced.retain(|known| {
            known.workload.as_ref() != Some(&workload.name) || known.given.name != given.name
        });
        forced.push(Forced { workload: Some(workload.name.clone()), given });
    }
}
