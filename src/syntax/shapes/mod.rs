//! The shape of every statement as a row of data: its words, where it may stand, what it holds,
//! what it means. Checking, completion, suggestions, the language's documentation and the editor
//! grammar are made from these rows; a new statement is one row in one of the tables below.

mod data;
mod declarations;
mod kind;
mod machine;
mod parent;
mod results;
mod settings;
mod workloads;

pub use kind::Kind;
pub use parent::Parent;

/// A part of a statement behind its first word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// This very word or mark.
    Keyword(&'static str),
    /// One value; the name is how [`super::Reading`] gives it.
    One(&'static str, Kind),
    /// Values separated by commas, with ranges.
    List(&'static str, Kind),
    /// `metric` or `metric(of)`.
    Metric(&'static str),
    /// A comparison: `=`, `!=`, `<`, `<=`, `>`, `>=`.
    Operator(&'static str),
    /// A condition, to the end of the statement.
    Condition(&'static str),
    /// All of these parts, or none.
    Maybe(&'static [Part]),
}

/// Whether a statement has a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockRule {
    /// It has none.
    None,
    /// It may have one.
    Optional(Parent),
    /// It must have one.
    Required(Parent),
}

impl BlockRule {
    /// What stands inside the block.
    pub const fn inside(self) -> Option<Parent> {
        match self {
            Self::None => None,
            Self::Optional(parent) | Self::Required(parent) => Some(parent),
        }
    }
}

/// How often a statement may stand in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Once.
    Once,
    /// Once with the same values of these parts, such as the name.
    OncePer(&'static [&'static str]),
    /// As often as wanted.
    Many,
}

/// A statement of the language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Its first word. Several rows may share it when their next words tell them apart.
    pub name: &'static str,
    /// What follows.
    pub parts: &'static [Part],
    /// Its block.
    pub block: BlockRule,
    /// Where it may stand.
    pub parents: &'static [Parent],
    /// How often.
    pub repeat: Repeat,
    /// Several values make an axis. A list that makes none has `List` parts and no axis.
    pub axis: bool,
    /// What holds without it, in words or as a value.
    pub default: Option<&'static str>,
    /// One line: what it means.
    pub doc: &'static str,
    /// A whole statement that shows it; stands in the first of `parents`.
    pub example: &'static str,
    /// This release acts on it. Otherwise it parses, and `run` refuses it by name.
    pub executed: bool,
}

impl Shape {
    /// What a row leaves out: no words, no block, once, no axis, executed.
    const BASE: Self = Self {
        name: "",
        parts: &[],
        block: BlockRule::None,
        parents: &[],
        repeat: Repeat::Once,
        axis: false,
        default: None,
        doc: "",
        example: "",
        executed: true,
    };

    /// How it is written: `compare AXIS, ... against BASELINE, ...`.
    pub fn synopsis(&self) -> String {
        fn write(parts: &[Part], out: &mut String) {
            for part in parts {
                out.push(' ');
                match part {
                    Part::Keyword(word) => out.push_str(word),
                    Part::One(name, kind) => out.push_str(&kind.placeholder(name)),
                    Part::List(name, kind) => {
                        out.push_str(&kind.placeholder(name));
                        out.push_str(", ...");
                    }
                    Part::Metric(_) => out.push_str("METRIC"),
                    Part::Operator(_) => out.push_str("OP"),
                    Part::Condition(_) => out.push_str("CONDITION"),
                    Part::Maybe(parts) => {
                        let mut inner = String::new();
                        write(parts, &mut inner);
                        out.push('[');
                        out.push_str(inner.trim_start());
                        out.push(']');
                    }
                }
            }
        }
        let mut out = self.name.to_string();
        write(self.parts, &mut out);
        match self.block {
            BlockRule::None => {}
            BlockRule::Optional(_) => out.push_str(" [{ ... }]"),
            BlockRule::Required(_) => out.push_str(" { ... }"),
        }
        out
    }

    /// Whether it may stand in `parent`.
    pub fn fits(&self, parent: Parent) -> bool {
        self.parents.contains(&parent)
    }

    /// The kind of the part with this name.
    pub fn kind_of(&self, part: &str) -> Option<Kind> {
        fn find(parts: &[Part], wanted: &str) -> Option<Kind> {
            parts.iter().find_map(|part| match part {
                Part::One(name, kind) | Part::List(name, kind) if *name == wanted => Some(*kind),
                Part::Maybe(parts) => find(parts, wanted),
                _ => None,
            })
        }
        find(self.parts, part)
    }
}

/// A word that no row knows, where [`Parent::takes_parameters`]: a workload's parameter.
pub static PARAMETER: Shape = Shape {
    name: "NAME",
    parts: &[Part::List("value", Kind::Any)],
    parents: &[
        Parent::Workload,
        Parent::ExternalWorkload,
        Parent::Point,
        Parent::AxisValue,
        Parent::Variant,
        Parent::Profile,
    ],
    axis: true,
    doc: "A parameter of the workload.",
    example: "order_ranges 2",
    ..Shape::BASE
};

/// A value inside an `axis` block.
pub static AXIS_VALUE: Shape = Shape {
    name: "NAME",
    block: BlockRule::Required(Parent::AxisValue),
    parents: &[Parent::Axis],
    doc: "A value of the axis: its name and the settings that it moves.",
    example: "small { redo 2x48MB }",
    ..Shape::BASE
};

/// The tables and their headings.
pub const TABLES: &[(&str, &[Shape])] = &[
    ("What is compared", declarations::ROWS),
    ("Options and settings", settings::ROWS),
    ("Schema and data", data::ROWS),
    ("Workloads", workloads::ROWS),
    ("What is asked of the results", results::ROWS),
    ("The machine", machine::ROWS),
];

/// Every row, table after table.
pub fn all() -> impl Iterator<Item = &'static Shape> {
    TABLES.iter().flat_map(|(_, rows)| *rows)
}

/// The rows with this first word, wherever they may stand.
pub fn named(name: &str) -> impl Iterator<Item = &'static Shape> {
    all().filter(move |shape| shape.name == name)
}

/// The first words that are known in `parent`, sorted.
pub fn names_in(parent: Parent) -> Vec<&'static str> {
    let mut names: Vec<_> =
        all().filter(|shape| shape.fits(parent)).map(|shape| shape.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The kind of the values of the setting `name`, such as `cache`: what conditions and `--set`
/// read its values by. None for what is no setting of the table.
pub fn setting_kind(name: &str) -> Option<Kind> {
    named(name)
        .find(|shape| shape.fits(Parent::Suite) || shape.fits(Parent::Workload))
        .and_then(|shape| shape.kind_of("value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole() {
        for shape in all() {
            let name = shape.name;
            assert!(!shape.parents.is_empty(), "{name} may stand nowhere");
            assert!(shape.doc.ends_with('.') && !shape.doc.contains('\n'), "{name}: {}", shape.doc);
            assert!(shape.example.starts_with(name), "{name}: {}", shape.example);
            let list = |parts: &[Part]| parts.iter().any(|part| matches!(part, Part::List(..)));
            let inside = |part: &Part| matches!(part, Part::Maybe(parts) if list(parts));
            let has_list = list(shape.parts) || shape.parts.iter().any(inside);
            assert!(!shape.axis || has_list, "{name}: an axis has a list");
        }
    }

    #[test]
    fn rows_of_one_name_in_one_place_are_told_apart_by_their_next_word() {
        for parent in Parent::ALL {
            for name in names_in(*parent) {
                let rows: Vec<_> = named(name).filter(|shape| shape.fits(*parent)).collect();
                let plain =
                    rows.iter().filter(|r| !matches!(r.parts.first(), Some(Part::Keyword(_))));
                assert!(rows.len() == 1 || plain.count() <= 1, "{name} in {parent:?}");
            }
        }
    }

    #[test]
    fn a_synopsis_reads_like_the_statement() {
        let of = |name| named(name).next().map(Shape::synopsis).unwrap_or_default();
        assert_eq!(of("compare"), "compare AXIS, ... against VALUE, ...");
        assert_eq!(of("probe"), "probe NAME \"SQL\" [cold]");
        assert_eq!(of("os_cache"), "os_cache keep|drop, ...");
        assert_eq!(of("option"), "option NAME [= VALUE, ...] [by set_global]");
    }
}
