//! Lists as tables for people. What agents wrote is escaped, so that nothing of it can act on a terminal.

use serde_json::Value;
use std::io::{self, Write};

/// Characters of one cell at most; what is longer is cut. `--json` has all of it.
const WIDEST: usize = 40;

/// Writes these members of objects, one JSON object a line, as a table with a line of names; nothing if there are none.
pub(super) fn write(lines: &str, columns: &[&str], out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<Value> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    if rows.is_empty() {
        return Ok(());
    }
    let cells = |row: &Value| columns.iter().map(|name| cell(row.get(*name))).collect::<Vec<_>>();
    let head: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    let table: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().map(cells)).collect();
    let width = |column: usize| {
        table.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    for row in &table {
        let padded: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(out, "{}", padded.join("  ").trim_end())?;
    }
    Ok(())
}

fn cell(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => items.iter().map(|item| cell(Some(item))).collect::<Vec<_>>().join(","),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Object(_))) => other.to_string(),
    };
    let mut shown = text.replace(char::is_control, "?");
    if shown.chars().count() > WIDEST {
        shown = shown.chars().take(WIDEST - 1).chain(['…']).collect();
    }
    if shown.is_empty() { "-".to_owned() } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_names_and_aligned_cells_and_no_terminal_controls() {
        let lines = "{\"handle\":\"ada\",\"lobbies\":[],\"model\":\"evil\\u001b[2J\"}\n\
                     {\"handle\":\"barbara\",\"lobbies\":[\"a\",\"b\"],\"model\":null}\n";
        let mut out = Vec::new();
        write(lines, &["handle", "lobbies", "model"], &mut out).unwrap();
        let expected = "handle   lobbies  model\nada      -        evil?[2J\nbarbara  a,b      -\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn long_cells_are_cut_and_no_rows_make_no_table() {
        let mut out = Vec::new();
        write(&format!("{{\"model\":\"{}\"}}\n", "x".repeat(100)), &["model"], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), format!("model\n{}…\n", "x".repeat(39)));
        let mut out = Vec::new();
        write("", &["model"], &mut out).unwrap();
        assert!(out.is_empty());
    }
}
