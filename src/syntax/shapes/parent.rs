//! Where statements stand.

/// A place where statements stand: the suite itself or the inside of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parent {
    /// The suite's top level.
    Suite,
    /// `server NAME { ... }`
    Server,
    /// `engine NAME { ... }`
    Engine,
    /// `variant NAME { ... }`
    Variant,
    /// `axis NAME { ... }`: names of values.
    Axis,
    /// A named value inside `axis`.
    AxisValue,
    /// `workload KIND [NAME] { ... }`
    Workload,
    /// `workload sql [NAME] { ... }`
    SqlWorkload,
    /// `workload external NAME { ... }`
    ExternalWorkload,
    /// `point { ... }`
    Point,
    /// `profile NAME { ... }`
    Profile,
    /// `schema { ... }`
    Schema,
    /// `load { ... }`
    Load,
    /// `machine { ... }`
    Machine,
    /// `disk { ... }`
    Disk,
}

impl Parent {
    /// Every parent.
    pub const ALL: &'static [Self] = &[
        Self::Suite,
        Self::Server,
        Self::Engine,
        Self::Variant,
        Self::Axis,
        Self::AxisValue,
        Self::Workload,
        Self::SqlWorkload,
        Self::ExternalWorkload,
        Self::Point,
        Self::Profile,
        Self::Schema,
        Self::Load,
        Self::Machine,
        Self::Disk,
    ];

    /// How messages call it: "an `engine` block".
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Suite => "the top level of a suite",
            Self::Server => "a `server` block",
            Self::Engine => "an `engine` block",
            Self::Variant => "a `variant` block",
            Self::Axis => "an `axis` block",
            Self::AxisValue => "a value of an `axis` block",
            Self::Workload => "a `workload` block",
            Self::SqlWorkload => "a `workload sql` block",
            Self::ExternalWorkload => "a `workload external` block",
            Self::Point => "a `point` block",
            Self::Profile => "a `profile` block",
            Self::Schema => "a `schema` block",
            Self::Load => "a `load` block",
            Self::Machine => "a `machine` block",
            Self::Disk => "a `disk` block",
        }
    }

    /// The word that begins its block; none for the suite and the values of an axis.
    const fn word(self) -> Option<&'static str> {
        Some(match self {
            Self::Suite | Self::AxisValue => return None,
            Self::Server => "server",
            Self::Engine => "engine",
            Self::Variant => "variant",
            Self::Axis => "axis",
            Self::Workload => "workload",
            Self::SqlWorkload => "workload sql",
            Self::ExternalWorkload => "workload external",
            Self::Point => "point",
            Self::Profile => "profile",
            Self::Schema => "schema",
            Self::Load => "load",
            Self::Machine => "machine",
            Self::Disk => "disk",
        })
    }

    /// Several places in words: "at the top level or inside `engine`, `point`".
    pub fn list(places: &[Self]) -> String {
        let mut sorted = places.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let all_workloads = sorted.contains(&Self::Workload);
        sorted.retain(|place| {
            !(all_workloads && matches!(place, Self::SqlWorkload | Self::ExternalWorkload))
        });
        let mut blocks: Vec<_> =
            sorted.iter().filter_map(|place| Some(format!("`{}`", place.word()?))).collect();
        if sorted.contains(&Self::AxisValue) {
            blocks.push("the values of an `axis`".to_string());
        }
        match (sorted.contains(&Self::Suite), blocks.is_empty()) {
            (true, true) => "at the top level".to_string(),
            (true, false) => format!("at the top level or inside {}", blocks.join(", ")),
            (false, _) => format!("inside {}", blocks.join(", ")),
        }
    }

    /// Whether words that no shape knows are taken as parameters of a workload here; whoever knows
    /// the workload checks them.
    pub const fn takes_parameters(self) -> bool {
        matches!(
            self,
            Self::Variant
                | Self::AxisValue
                | Self::Workload
                | Self::ExternalWorkload
                | Self::Point
                | Self::Profile
        )
    }

    /// A suite text in which `statement` stands in this place.
    pub fn around(self, statement: &str) -> String {
        match self {
            Self::Suite => format!("{statement}\n"),
            Self::Server => format!("server s {{\n{statement}\n}}\n"),
            Self::Engine => format!("engine e {{\n{statement}\n}}\n"),
            Self::Variant => format!("variant v {{\n{statement}\n}}\n"),
            Self::Axis => format!("axis a {{\n{statement}\n}}\n"),
            Self::AxisValue => format!("axis a {{ v {{\n{statement}\n}} }}\n"),
            Self::Workload => format!("workload tpcc {{\n{statement}\n}}\n"),
            Self::SqlWorkload => format!("workload sql {{\n{statement}\n}}\n"),
            Self::ExternalWorkload => format!("workload external x {{\n{statement}\n}}\n"),
            Self::Point => format!("point {{\n{statement}\n}}\n"),
            Self::Profile => format!("profile p {{\n{statement}\n}}\n"),
            Self::Schema => format!("schema {{\n{statement}\n}}\n"),
            Self::Load => format!("load {{\n{statement}\n}}\n"),
            Self::Machine => format!("machine {{\n{statement}\n}}\n"),
            Self::Disk => format!("disk {{\n{statement}\n}}\n"),
        }
    }
}
