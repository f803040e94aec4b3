//! JSON Schema, as much of it as the hall's own schemas use, judged without the hall's code.

use serde_json::{Map, Value};

/// Keywords of a schema that are not checked here.
const NOTES: [&str; 7] = ["$defs", "$schema", "description", "default", "format", "pattern", "x-untrusted"];

/// Checks that `value` fits `schema`.
///
/// # Errors
/// The first place that does not fit and why, or a keyword of the schema that is not supported here.
pub fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    place(schema, schema, value, "")
}

/// The same for a schema that is a part of `root` and may refer to other parts of it.
///
/// # Errors
/// As [`fits`].
pub fn fits_within(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    place(root, schema, value, "")
}

fn place(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Value::Object(words) = schema else {
        return if *schema == false { Err(format!("{at}: nothing may stand here")) } else { Ok(()) };
    };
    for (word, rule) in words {
        let fits = match word.as_str() {
            "$ref" => {
                let pointer = rule.as_str().unwrap().trim_start_matches('#');
                let target = root.pointer(pointer).ok_or_else(|| format!("{rule} leads nowhere"))?;
                place(root, target, value, at)?;
                true
            }
            "properties" | "patternProperties" | "additionalProperties" => {
                members(root, (words, word), value, at)?;
                true
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    place(root, rule, item, &format!("{at}[{number}]"))?;
                }
                true
            }
            "allOf" => {
                for part in rule.as_array().unwrap() {
                    place(root, part, value, at)?;
                }
                true
            }
            "oneOf" | "anyOf" => {
                let branches = rule.as_array().unwrap();
                let faults: Vec<String> =
                    branches.iter().filter_map(|branch| place(root, branch, value, at).err()).collect();
                let fitting = branches.len() - faults.len();
                if fitting == 0 {
                    return Err(faults.join("; or "));
                }
                word == "anyOf" || fitting == 1
            }
            note if NOTES.contains(&note) => true,
            simple => value_fits(simple, rule, value).ok_or_else(|| format!("the schema uses {simple}"))?,
        };
        if !fits {
            return Err(format!("{at}: {value} against {word} {rule}"));
        }
    }
    Ok(())
}

/// Checks the members that a keyword of an object's schema (`words`) is about.
fn members(
    root: &Value,
    (words, word): (&Map<String, Value>, &str),
    value: &Value,
    at: &str,
) -> Result<(), String> {
    let known = words.get("properties").and_then(Value::as_object);
    let patterns = words.get("patternProperties").and_then(Value::as_object);
    for (name, member) in value.as_object().into_iter().flatten() {
        let named = known.and_then(|known| known.get(name));
        let fitting = patterns.into_iter().flatten().filter(|(pattern, _)| names(pattern, name));
        let fitting: Vec<&Value> = fitting.map(|(_, inner)| inner).collect();
        let inner: Vec<&Value> = match word {
            "properties" => named.into_iter().collect(),
            "patternProperties" => fitting,
            _ if named.is_none() && fitting.is_empty() => words.get(word).into_iter().collect(),
            _ => Vec::new(),
        };
        for inner in inner {
            place(root, inner, member, &format!("{at}.{name}"))?;
        }
    }
    Ok(())
}

/// Whether a value fits a keyword that needs no other part of the schema; `None` for one that is not known.
fn value_fits(word: &str, rule: &Value, value: &Value) -> Option<bool> {
    let fits = match word {
        "type" => match rule.as_array() {
            Some(kinds) => kinds.iter().any(|kind| is_of(kind, value)),
            None => is_of(rule, value),
        },
        "const" => rule == value,
        "enum" => rule.as_array().unwrap().contains(value),
        "required" => value.as_object().is_none_or(|members| {
            rule.as_array().unwrap().iter().all(|name| members.contains_key(name.as_str().unwrap()))
        }),
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
        "minLength" => value.as_str().is_none_or(|text| length(text) >= rule.as_u64().unwrap()),
        "maxLength" => value.as_str().is_none_or(|text| length(text) <= rule.as_u64().unwrap()),
        _ => return None,
    };
    Some(fits)
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        unknown => panic!("no type of JSON: {unknown}"),
    }
}

/// Whether a pattern of member names fits a name. There is one such pattern: that of players.
fn names(pattern: &str, name: &str) -> bool {
    assert_eq!(pattern, "^p[0-9]+$", "the only pattern of names that is known here");
    hall_wire::Player::parse(name).is_some()
}

fn length(text: &str) -> u64 {
    u64::try_from(text.chars().count()).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fitting_and_non_fitting_values_are_distinguished() {
        let schema = json!({
            "type": "object",
            "properties": {
                "ok": { "const": true },
                "list": { "type": "array", "items": { "$ref": "#/$defs/Entry" } },
                "text": { "type": ["string", "null"], "maxLength": 2 },
                "either": { "oneOf": [{ "type": "integer", "minimum": 1 }, { "enum": ["a", "b"] }] },
            },
            "required": ["ok"],
            "additionalProperties": false,
            "$defs": { "Entry": { "type": "object", "required": ["id"] } },
        });
        for (value, expected) in [
            (json!({ "ok": true }), true),
            (json!({ "ok": true, "list": [{ "id": 1 }], "text": null, "either": "b" }), true),
            (json!({ "ok": true, "either": 2, "text": "éé" }), true),
            (json!({}), false),
            (json!({ "ok": false }), false),
            (json!({ "ok": true, "list": [{}] }), false),
            (json!({ "ok": true, "text": "abc" }), false),
            (json!({ "ok": true, "either": 0 }), false),
            (json!({ "ok": true, "other": 0 }), false),
            (json!([]), false),
        ] {
            assert_eq!(fits(&schema, &value).is_ok(), expected, "{value}");
        }
        assert!(fits(&json!({ "surprise": 1 }), &json!(1)).is_err());
    }
}
