//! A table before it has a form: columns in groups, points with a line for each side.

use crate::compare::view::{Point, Side};

/// How a cell is emphasised where colours are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// Better than the baseline.
    Good,
    /// Worse, or broken.
    Bad,
    /// Says little: undecided, not available.
    Quiet,
}

/// One entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entry {
    pub(super) text: String,
    pub(super) tone: Tone,
    /// What it sorts by where its text is a quantity in words.
    pub(super) value: Option<f64>,
    /// It says why its line has no figures.
    pub(super) absent: bool,
}

impl Entry {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(super) fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone, ..Self::default() }
    }

    /// An entry that says why its line has no figures.
    pub(super) fn absent(text: impl Into<String>, tone: Tone) -> Self {
        Self { absent: true, ..Self::toned(text, tone) }
    }

    /// The same, sorted by `value`.
    pub(super) fn by(mut self, value: f64) -> Self {
        self.value = Some(value);
        self
    }
}

/// A column's heading and side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) heading: String,
    pub(super) right: bool,
}

impl Column {
    pub(super) fn left(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), right: false }
    }

    pub(super) fn right(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), right: true }
    }
}

/// Columns that stay together when a table is too wide for its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) columns: Vec<Column>,
    /// Where it goes when not everything fits into one table.
    pub(super) place: Place,
}

/// Where columns go when not everything fits into one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The first table.
    Main,
    /// The first table if it has room, else with the details.
    Beside,
    /// A table below.
    Details,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Grid {
    /// What stands above it.
    pub(super) title: String,
    /// Names of the axes that tell points apart.
    pub(super) axes: Vec<String>,
    /// Heading of the column of sides; empty when there is one side a point.
    pub(super) sides: String,
    /// The other columns, in order.
    pub(super) groups: Vec<Group>,
    /// Its points.
    pub(super) points: Vec<GridPoint>,
    /// Lines below its first part: what sums up all points.
    pub(super) totals: Vec<String>,
    /// Lines below it.
    pub(super) notes: Vec<String>,
}

/// A point: what tells it apart, and a line for each side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GridPoint {
    /// A value for each axis; empty where it lacks the axis.
    pub(super) values: Vec<String>,
    /// A name for each side, and an entry for each column of all groups.
    pub(super) lines: Vec<(String, Vec<Entry>)>,
}

/// A point's values as entries; empty where it lacks the axis.
pub(super) fn axis_values(values: &[Option<String>]) -> Vec<String> {
    values.iter().map(|value| value.clone().unwrap_or_default()).collect()
}

impl GridPoint {
    /// A point of a section with a line for each of its sides.
    pub(super) fn of(point: &Point, line: impl Fn(&Side) -> Vec<Entry>) -> Self {
        Self {
            values: axis_values(&point.values),
            lines: point.sides.iter().map(|side| (side.name.clone(), line(side))).collect(),
        }
    }
}

impl Grid {
    /// All columns of all groups, in order.
    pub(super) fn columns(&self) -> impl Iterator<Item = &Column> {
        self.groups.iter().flat_map(|group| &group.columns)
    }

    /// Leaves out columns in which no line has anything.
    pub(super) fn without_empty_columns(mut self) -> Self {
        let count = self.columns().count();
        let filled: Vec<bool> = (0..count)
            .map(|index| {
                self.points
                    .iter()
                    .flat_map(|point| &point.lines)
                    .any(|(_, entries)| !entries[index].text.trim().is_empty())
            })
            .collect();
        let mut index = 0;
        for group in &mut self.groups {
            group.columns.retain(|_| {
                index += 1;
                filled[index - 1]
            });
        }
        self.groups.retain(|group| !group.columns.is_empty());
        for (_, entries) in self.points.iter_mut().flat_map(|point| &mut point.lines) {
            let mut index = 0;
            entries.retain(|_| {
                index += 1;
                filled[index - 1]
            });
        }
        self
    }

    /// The same points with only the groups that `keep` wants. A line without figures says why in
    /// whatever part of the table it stands.
    pub(super) fn only(&self, keep: impl Fn(usize, &Group) -> bool) -> Self {
        let kept: Vec<bool> =
            self.groups.iter().enumerate().map(|(index, group)| keep(index, group)).collect();
        let of_column: Vec<bool> = self
            .groups
            .iter()
            .zip(&kept)
            .flat_map(|(group, kept)| std::iter::repeat_n(*kept, group.columns.len()))
            .collect();
        let mut other = self.clone();
        let mut index = 0;
        other.groups.retain(|_| {
            index += 1;
            kept[index - 1]
        });
        for (_, entries) in other.points.iter_mut().flat_map(|point| &mut point.lines) {
            let absent = entries.iter().find(|entry| entry.absent).cloned();
            let mut index = 0;
            entries.retain(|_| {
                index += 1;
                of_column[index - 1]
            });
            let blank = entries.iter().all(|entry| entry.text.trim().is_empty());
            if let (Some(absent), Some(first)) = (absent.filter(|_| blank), entries.first_mut()) {
                *first = absent;
            }
        }
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid {
            groups: vec![
                Group { columns: vec![Column::right("a"), Column::right("b")], place: Place::Main },
                Group { columns: vec![Column::right("c")], place: Place::Details },
            ],
            points: vec![GridPoint {
                values: Vec::new(),
                lines: vec![(
                    "x".to_string(),
                    vec![Entry::plain("1"), Entry::plain(" "), Entry::plain("3")],
                )],
            }],
            ..Grid::default()
        }
    }

    #[test]
    fn empty_columns_and_unwanted_groups_take_their_entries_along() {
        let lean = grid().without_empty_columns();
        assert_eq!(lean.columns().map(|c| c.heading.as_str()).collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(lean.points[0].lines[0].1, [Entry::plain("1"), Entry::plain("3")]);
        let details = grid().only(|_, group| group.place == Place::Details);
        assert_eq!(details.points[0].lines[0].1, [Entry::plain("3")]);
    }

    #[test]
    fn every_part_says_why_a_line_has_no_figures() {
        let mut grid = grid();
        let absent = Entry::absent("not available", Tone::Quiet);
        grid.points[0].lines[0].1 = vec![absent.clone(), Entry::default(), Entry::default()];
        let details = grid.only(|_, group| group.place == Place::Details);
        assert_eq!(details.points[0].lines[0].1, std::slice::from_ref(&absent));
        let main = grid.only(|_, group| group.place == Place::Main);
        assert_eq!(main.points[0].lines[0].1, [absent, Entry::default()]);
    }
}
