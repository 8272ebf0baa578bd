//! The fairness ledger: in what the sides of a comparison are alike and differ.

use super::grid::{Column, Entry, Grid, GridPoint, Group, Place, Tone};
use crate::compare::view::{LedgerRow, Section, Standing};

/// The fairness ledger: a line for each property in which sides differ; those that are alike on
/// all sides in a note.
pub(super) fn ledger(section: &Section) -> Option<(Grid, String)> {
    if section.compared.is_empty() {
        return None;
    }
    let (alike, unlike): (Vec<&LedgerRow>, Vec<&LedgerRow>) =
        section.ledger.iter().partition(|row| row.common().is_some());
    let names: Vec<&str> =
        section.ledger.first()?.values.iter().map(|(side, _)| side.as_str()).collect();
    let mut groups: Vec<Group> = names
        .iter()
        .map(|name| Group { columns: vec![Column::left(*name)], place: Place::Main })
        .collect();
    groups.push(Group { columns: vec![Column::left("")], place: Place::Main });
    let points = unlike
        .iter()
        .map(|row| {
            let mut entries: Vec<Entry> =
                row.values.iter().map(|(_, value)| Entry::plain(known(value))).collect();
            entries.push(standing(section, &row.property));
            GridPoint { values: vec![row.property.clone()], lines: vec![(String::new(), entries)] }
        })
        .collect();
    let brief = ledger_in_brief(section, alike.len(), &unlike);
    let alike: Vec<String> = alike
        .iter()
        .filter_map(|row| {
            let value = row.common().filter(|value| *value != "by row")?;
            Some(format!("{} {value}", row.property))
        })
        .collect();
    let notes = if alike.is_empty() {
        Vec::new()
    } else {
        vec![format!("the same on all sides: {}", alike.join("; "))]
    };
    let grid = Grid {
        title: "Fairness".to_string(),
        axes: vec!["property".to_string()],
        sides: String::new(),
        groups,
        points,
        totals: Vec::new(),
        notes,
    };
    Some((grid, brief))
}

/// `fairness: the sides differ in page size (declared); 9 properties are the same`.
fn ledger_in_brief(section: &Section, alike: usize, unlike: &[&LedgerRow]) -> String {
    let differ: Vec<String> = unlike
        .iter()
        .map(|row| match standing(section, &row.property).text.as_str() {
            "" => row.property.clone(),
            standing => format!("{} ({standing})", row.property),
        })
        .collect();
    let same = match alike {
        1 => "1 property is the same".to_string(),
        _ => format!("{alike} properties are the same"),
    };
    if differ.is_empty() {
        format!("fairness: {same}, none differs")
    } else {
        format!("fairness: the sides differ in {}; {same}", differ.join(", "))
    }
}

/// A value of the ledger; a dash where the engine has no such thing or nothing tells.
fn known(value: &str) -> &str {
    if value.is_empty() { "-" } else { value }
}

/// What a difference in `property` means, at its worst.
fn standing(section: &Section, property: &str) -> Entry {
    let differences = section
        .points
        .iter()
        .flat_map(|point| &point.sides)
        .flat_map(|side| &side.differences)
        .filter(|difference| difference.property == property);
    let mut entry = Entry::default();
    for difference in differences {
        match &difference.standing {
            Standing::Unequal => return Entry::toned("≠ no delta", Tone::Bad),
            Standing::Allowed(_) => entry = Entry::plain("allowed"),
            Standing::Declared if entry.text.is_empty() => {
                entry = Entry::toned("declared", Tone::Quiet);
            }
            Standing::Declared | Standing::Told => {}
        }
    }
    entry
}
