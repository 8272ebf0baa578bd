//! `table ROWS by COLUMNS`: the headline of a section with one axis down and one across.

use super::grid::{Column, Entry, Grid, GridPoint, Group, Place};
use super::rows::delta_entry;
use super::text::level;
use crate::compare::view::{Absent, Point, Section, Side};
use crate::journal::record::TableShape;

/// A table for each combination of the other axes; none where the section lacks an axis of the
/// shape.
pub(super) fn grids(section: &Section) -> Vec<Grid> {
    let Some(shape) = &section.shape else { return Vec::new() };
    let cells: Vec<(&Point, &Side)> = section
        .points
        .iter()
        .flat_map(|point| point.sides.iter().map(move |side| (point, side)))
        .collect();
    let on = |axis: &str| distinct(cells.iter().map(|(p, s)| value(section, p, s, axis)));
    let (Some(rows), Some(columns)) = (on(&shape.rows), on(&shape.columns)) else {
        return Vec::new();
    };
    let others: Vec<String> = section
        .axes
        .iter()
        .chain(&section.compared)
        .filter(|axis| **axis != shape.rows && **axis != shape.columns)
        .cloned()
        .collect();
    let rest = |point: &Point, side: &Side| -> Vec<String> {
        others.iter().map(|axis| value(section, point, side, axis).unwrap_or_default()).collect()
    };
    let mut combinations: Vec<Vec<String>> = Vec::new();
    for (point, side) in &cells {
        let one = rest(point, side);
        if !combinations.contains(&one) {
            combinations.push(one);
        }
    }
    combinations
        .into_iter()
        .map(|combination| {
            let here: Vec<(&Point, &Side)> =
                cells.iter().copied().filter(|(p, s)| rest(p, s) == combination).collect();
            let title: Vec<String> = others
                .iter()
                .zip(&combination)
                .filter(|(_, value)| !value.is_empty())
                .map(|(axis, value)| format!("{axis} {value}"))
                .collect();
            grid(section, shape, &here, &rows, &columns, title.join(", "))
        })
        .collect()
}

fn grid(
    section: &Section,
    shape: &TableShape,
    cells: &[(&Point, &Side)],
    rows: &[String],
    columns: &[String],
    title: String,
) -> Grid {
    let heading = section.headline.heading();
    let groups = columns
        .iter()
        .map(|column| Group {
            columns: vec![Column::right(format!("{column}\n{heading}")), Column::right("delta  ")],
            place: Place::Main,
        })
        .collect();
    let points = rows
        .iter()
        .map(|row| {
            let entries = columns
                .iter()
                .flat_map(|column| {
                    let found = cells.iter().find(|(point, side)| {
                        let is = |axis: &str, wanted: &String| {
                            value(section, point, side, axis).as_ref() == Some(wanted)
                        };
                        is(&shape.rows, row) && is(&shape.columns, column)
                    });
                    found.map_or_else(Default::default, |(_, side)| entries(side))
                })
                .collect();
            GridPoint { values: vec![row.clone()], lines: vec![(String::new(), entries)] }
        })
        .collect();
    Grid {
        title: if title.is_empty() {
            format!("{heading}, {} by {}", shape.rows, shape.columns)
        } else {
            format!("{heading}, {} by {}: {title}", shape.rows, shape.columns)
        },
        axes: vec![shape.rows.clone()],
        groups,
        points,
        ..Grid::default()
    }
    .without_empty_columns()
}

fn entries(side: &Side) -> [Entry; 2] {
    match (side.headline(), &side.absent) {
        (Some(series), None) => {
            [Entry::plain(level(series)).by(series.level), delta_entry(&series.against)]
        }
        (_, Some(Absent::NotAvailable(_))) => [Entry::plain("not available"), Entry::default()],
        (_, Some(Absent::Failed(_))) => [Entry::plain("failed"), Entry::default()],
        (_, Some(Absent::NotRun)) => [Entry::plain("not run"), Entry::default()],
        (None, None) => Default::default(),
    }
}

/// The value of a cell on an axis, as reports show it.
fn value(section: &Section, point: &Point, side: &Side, axis: &str) -> Option<String> {
    if let Some(at) = section.axes.iter().position(|one| one == axis) {
        return point.values[at].clone();
    }
    if let [one] = section.compared.as_slice()
        && one == axis
    {
        return Some(side.name.clone());
    }
    side.cell.get(axis).map(ToString::to_string)
}

/// Values in the order in which they first occur; `None` where no cell has one.
fn distinct(values: impl Iterator<Item = Option<String>>) -> Option<Vec<String>> {
    let mut known: Vec<String> = Vec::new();
    for value in values.flatten() {
        if !known.contains(&value) {
            known.push(value);
        }
    }
    (!known.is_empty()).then_some(known)
}
