//! Fits a grid to a width: the widest of several layouts that has room.

use super::grid::{Entry, Grid, GridPoint, Tone};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle};
use comfy_table::{Table, TableStyle, Width};
use unicode_width::UnicodeWidthStr;

/// Lines of the tables: a rule below the heading and around; light rules between points.
const RULES: TableStyle = TableStyle::new()
    .top_border(LineStyle::none().fill('─').junction('─'))
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .bottom_border(LineStyle::none().fill('─').junction('─'));

/// Narrowest column that several axis values may be folded into.
const FOLDED: usize = 20;

/// Marks of zero width that stand for colours until the layout is done: begin good, bad, quiet; end.
/// The layout measures by width, so text may not hold escape sequences before.
const MARKS: [(char, &str); 4] = [
    ('\u{2061}', "\u{1b}[32m"),
    ('\u{2062}', "\u{1b}[31m"),
    ('\u{2063}', "\u{1b}[2m"),
    ('\u{2064}', "\u{1b}[0m"),
];

/// A space that does not break.
const HARD: char = '\u{a0}';

/// Draws `grid` within `width` columns, in several tables if it must.
pub(super) fn draw(grid: &Grid, width: usize, color: bool) -> String {
    let mut out = String::new();
    for part in layouts(grid, width) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&paint(&part, color));
    }
    out
}

/// The tables of the first layout that fits; of the narrowest when none does.
fn layouts(grid: &Grid, width: usize) -> Vec<String> {
    let whole = [table(grid, false, width), table(grid, true, width)];
    if let Some(fits) = whole.into_iter().flatten().next() {
        return vec![fits];
    }
    let main = grid.only(|_, group| !group.apart);
    let apart = grid.only(|_, group| group.apart);
    let mut parts = Vec::new();
    for half in [main, apart] {
        if half.groups.is_empty() {
            continue;
        }
        match table(&half, false, width).or_else(|| table(&half, true, width)) {
            Some(fits) => parts.push(fits),
            None => parts.extend(packed(&half, width)),
        }
    }
    parts
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
            match table(&candidate, true, width) {
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
            .map(|column| usize::from(*column) + 2)
            .sum();
        let room = width.checked_sub(others + 1).filter(|room| *room >= FOLDED)?;
        let natural = usize::from(table.column_max_content_widths()[0]) + 2;
        if let Some(column) = table.column_mut(0) {
            let fixed = room.min(natural) as u16;
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(fixed)));
        }
    }
    let drawn = table.trim_fmt();
    let widest = drawn.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
    (widest <= width).then_some(drawn)
}

fn squeezed(grid: &Grid, width: usize) -> String {
    let mut table = filled(grid, true);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    table.trim_fmt()
}

fn filled(grid: &Grid, folded: bool) -> Table {
    let mut table = Table::new();
    let rules = grid.points.iter().any(|point| point.lines.len() > 1) && grid.points.len() > 1;
    table.load_style(if rules {
        RULES.row_separator(LineStyle::none().fill('┈').junction('┈'))
    } else {
        RULES
    });
    table.set_content_arrangement(ContentArrangement::Disabled);
    let fold = folded && grid.axes.len() > 1;
    let mut headings: Vec<String> = if fold {
        vec!["point".to_string()]
    } else {
        grid.axes.clone()
    };
    if !grid.sides.is_empty() {
        headings.push(grid.sides.clone());
    }
    let leading = headings.len();
    headings.extend(grid.columns().map(|column| column.heading.clone()));
    table.set_header(headings.into_iter().map(hard));
    for point in &grid.points {
        table.add_row(row(grid, point, fold));
    }
    let mut index = 0;
    for column in table.column_iter_mut() {
        column.set_padding((if index == 0 { 0 } else { 1 }, 1));
        index += 1;
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
        let named: Vec<String> = grid
            .axes
            .iter()
            .zip(&point.values)
            .filter(|(_, value)| !value.is_empty())
            .map(|(axis, value)| hard(format!("{axis} {value}")))
            .collect();
        cells.push(named.join(", "));
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
        let line = |side: &str| {
            (side.to_string(), vec![Entry::toned("+12.30%  ", Tone::Good); values])
        };
        Grid {
            axes: vec!["warehouses".to_string(), "os_cache".to_string()],
            sides: "engine".to_string(),
            groups: (0..values)
                .map(|index| Group {
                    columns: vec![Column::right(format!("value {index}"))],
                    apart: false,
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
                let drawn = draw(&grid(values), width, false);
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
    fn values_of_an_axis_stay_with_its_name() {
        let drawn = draw(&grid(3), 70, false);
        assert!(drawn.contains("warehouses 100,"), "{drawn}");
    }

    #[test]
    fn colours_do_not_move_anything() {
        let plain = draw(&grid(3), 100, false);
        let colored = draw(&grid(3), 100, true);
        assert!(colored.contains("\u{1b}[32m"));
        let mut stripped = colored;
        for (_, escape) in MARKS {
            stripped = stripped.replace(escape, "");
        }
        let trimmed: Vec<&str> = stripped.lines().map(str::trim_end).collect();
        assert_eq!(trimmed, plain.lines().map(str::trim_end).collect::<Vec<_>>());
    }
}
