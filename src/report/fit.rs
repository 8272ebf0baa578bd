//! Fits a grid to a width: the widest of several layouts that has room.

use super::grid::{Entry, Grid, GridPoint, Place, Tone};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle};
use comfy_table::{Table, TableStyle, Width};
use unicode_width::UnicodeWidthStr;

/// One rule, below the heading. Points need none between them: the values that tell them apart stand
/// on the first line of each.
const RULES: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// Narrowest column that several axis values may be folded into.
const FOLDED: usize = 16;

/// Marks of zero width that stand for colours until the layout is done: begin good, bad, quiet; end.
/// The layout measures by width, so text may not hold escape sequences before.
const MARKS: [(char, &str); 4] = [
    ('\u{2061}', "\u{1b}[32m"),
    ('\u{2062}', "\u{1b}[31m"),
    ('\u{2063}', "\u{1b}[2m"),
    ('\u{2064}', "\u{1b}[0m"),
];

/// Columns between columns.
const GAP: usize = 2;

/// A space that does not break.
const HARD: char = '\u{a0}';

/// Draws `grid` within `width` columns, in several tables if it must.
pub(super) fn draw(grid: &Grid, width: usize, color: bool) -> Vec<String> {
    if grid.points.is_empty() {
        return Vec::new();
    }
    layouts(grid, width).iter().map(|part| paint(part, color)).collect()
}

/// The tables of the first layout that fits; of the narrowest when none does.
fn layouts(grid: &Grid, width: usize) -> Vec<String> {
    if let Some(fits) = either(grid, width) {
        return vec![fits];
    }
    let main = grid.only(|_, group| group.place == Place::Main);
    let with_beside = grid.only(|_, group| group.place != Place::Details);
    let mut parts = Vec::new();
    let rest = if let Some(fits) = either(&with_beside, width) {
        parts.push(fits);
        grid.only(|_, group| group.place == Place::Details)
    } else {
        parts.extend(packed(&main, width));
        grid.only(|_, group| group.place != Place::Main)
    };
    parts.extend(packed(&rest, width));
    parts
}

/// The grid as one table, axes folded only if they must be; `None` when it does not fit.
fn either(grid: &Grid, width: usize) -> Option<String> {
    table(grid, false, width).or_else(|| table(grid, true, width))
}

/// As many tables as it takes, each with as many groups as fit.
fn packed(grid: &Grid, width: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut first = 0;
    while first < grid.groups.len() {
        let mut last = first + 1;
        let mut best = None;
        while last <= grid.groups.len() {
            let candidate = grid.only(|index, _| (first..last).contains(&index));
            match either(&candidate, width) {
                Some(fits) => best = Some((last, fits)),
                None => break,
            }
            last += 1;
        }
        if let Some((end, fits)) = best {
            parts.push(fits);
            first = end;
        } else {
            // A single group that is too wide even so: columns wrap as they can.
            let alone = grid.only(|index, _| index == first);
            parts.push(squeezed(&alone, width));
            first += 1;
        }
    }
    parts
}

/// The grid as one table; `None` when it does not fit. `folded` puts all axis values into one
/// column that wraps between them.
fn table(grid: &Grid, folded: bool, width: usize) -> Option<String> {
    let folded = folded && grid.axes.len() > 1;
    let mut table = filled(grid, folded);
    if folded {
        let others: usize = table
            .column_max_content_widths()
            .iter()
            .skip(1)
            .map(|column| usize::from(*column) + GAP)
            .sum();
        let room = width.checked_sub(others).filter(|room| *room >= FOLDED)?;
        let natural = widest_folded(grid).max(FOLDED) + 1;
        if let Some(column) = table.column_mut(0) {
            let fixed = room.min(natural) as u16;
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(fixed)));
        }
    }
    let drawn = table.trim_fmt();
    let widest = drawn.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
    (widest <= width).then_some(drawn)
}

/// The widest entry of the folded column below its heading, which may wrap.
fn widest_folded(grid: &Grid) -> usize {
    grid.points.iter().map(|point| folded_values(point).width()).max().unwrap_or(0)
}

fn squeezed(grid: &Grid, width: usize) -> String {
    let mut table = filled(grid, true);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    table.trim_fmt()
}

fn filled(grid: &Grid, folded: bool) -> Table {
    let mut table = Table::new();
    table.load_style(RULES);
    table.set_content_arrangement(ContentArrangement::Disabled);
    let fold = folded && grid.axes.len() > 1;
    let mut headings: Vec<String> = if fold {
        vec![grid.axes.iter().map(|axis| hard(axis.clone())).collect::<Vec<_>>().join(", ")]
    } else {
        grid.axes.iter().cloned().map(hard).collect()
    };
    if !grid.sides.is_empty() {
        headings.push(hard(grid.sides.clone()));
    }
    let leading = headings.len();
    headings.extend(grid.columns().map(|column| hard(column.heading.clone())));
    table.set_header(headings);
    for point in &grid.points {
        table.add_row(row(grid, point, fold));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(index > 0), 1));
    }
    for (index, column) in grid.columns().enumerate() {
        if column.right
            && let Some(drawn) = table.column_mut(leading + index)
        {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn row(grid: &Grid, point: &GridPoint, fold: bool) -> Vec<String> {
    let mut cells = Vec::new();
    if fold {
        cells.push(folded_values(point));
    } else {
        cells.extend(point.values.iter().cloned().map(hard));
    }
    if !grid.sides.is_empty() {
        cells.push(stacked(point.lines.iter().map(|(side, _)| hard(side.clone()))));
    }
    for index in 0..grid.columns().count() {
        cells.push(stacked(point.lines.iter().map(|(_, entries)| marked(&entries[index]))));
    }
    cells
}

/// Values in the order of the axes, which stand in the heading: `200, 100, 10GB, drop, 64`.
fn folded_values(point: &GridPoint) -> String {
    let value = |value: &String| {
        if value.is_empty() { "-".to_string() } else { hard(value.clone()) }
    };
    point.values.iter().map(value).collect::<Vec<_>>().join(", ")
}

fn stacked(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

/// Text whose spaces do not break.
fn hard(text: String) -> String {
    text.replace(' ', &HARD.to_string())
}

fn marked(entry: &Entry) -> String {
    let text = hard(entry.text.clone());
    let begin = match entry.tone {
        Tone::Plain => return text,
        Tone::Good => 0,
        Tone::Bad => 1,
        Tone::Quiet => 2,
    };
    format!("{}{text}{}", MARKS[begin].0, MARKS[3].0)
}

/// Turns marks into colours, or takes them away.
fn paint(drawn: &str, color: bool) -> String {
    let mut out = String::with_capacity(drawn.len());
    for line in drawn.lines() {
        let mut painted = String::with_capacity(line.len());
        for c in line.chars() {
            match MARKS.iter().find(|(mark, _)| *mark == c) {
                Some((_, escape)) if color => painted.push_str(escape),
                Some(_) => {}
                None if c == HARD => painted.push(' '),
                None => painted.push(c),
            }
        }
        out.push_str(painted.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::grid::{Column, Group};
    use super::*;

    fn grid(values: usize) -> Grid {
        let line =
            |side: &str| (side.to_string(), vec![Entry::toned("+12.30%  ", Tone::Good); values]);
        Grid {
            axes: vec!["warehouses".to_string(), "os_cache".to_string()],
            sides: "engine".to_string(),
            groups: (0..values)
                .map(|index| Group {
                    columns: vec![Column::right(format!("value {index}"))],
                    place: Place::Main,
                })
                .collect(),
            points: vec![GridPoint {
                values: vec!["100".to_string(), "drop".to_string()],
                lines: vec![line("innodb"), line("toku")],
            }],
            ..Grid::default()
        }
    }

    #[test]
    fn nothing_is_wider_than_its_place() {
        for width in [40, 60, 80, 100, 200] {
            for values in [1, 3, 8] {
                let drawn = draw(&grid(values), width, false).concat();
                for line in drawn.lines() {
                    assert!(line.width() <= width, "{width}: {line}");
                }
                for index in 0..values {
                    assert!(drawn.contains(&format!("value {index}")), "{drawn}");
                }
            }
        }
    }

    #[test]
    fn several_axes_fold_into_one_column() {
        let drawn = draw(&grid(3), 58, false).concat();
        assert!(drawn.contains("warehouses,"), "{drawn}");
        assert!(drawn.contains("100, drop"), "{drawn}");
    }

    #[test]
    fn colours_do_not_move_anything() {
        let plain = draw(&grid(3), 100, false).concat();
        let colored = draw(&grid(3), 100, true).concat();
        assert!(colored.contains("\u{1b}[32m"));
        let mut stripped = colored;
        for (_, escape) in MARKS {
            stripped = stripped.replace(escape, "");
        }
        let trimmed: Vec<&str> = stripped.lines().map(str::trim_end).collect();
        assert_eq!(trimmed, plain.lines().map(str::trim_end).collect::<Vec<_>>());
    }
}
