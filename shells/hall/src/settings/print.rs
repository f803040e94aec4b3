//! The effective settings as a settings file that says the same again.

use super::layers::Values;
use super::value::Value;
use std::fmt::Write as _;

/// Every setting with its value, its meaning above it; of a secret only whether it is set.
pub(crate) fn as_toml(values: &Values) -> String {
    let mut out = String::from(
        "# The settings of this hall, as they are in effect: built-in defaults, then hall.toml or --config FILE,\n\
         # then environment variables HALL_SECTION__KEY, then --set section.key=value.\n",
    );
    let mut open = "";
    for (key, value) in values.iter() {
        let (section, name) = key.section_and_name();
        if section != open {
            let _ = writeln!(out, "\n[{section}]");
            open = section;
        }
        let line = if let Value::Secret(secret) = value
            && secret.expose().is_some()
        {
            format!("# {name} is set. It is a secret and not shown here.")
        } else {
            format!("{name} = {}", value.to_toml())
        };
        let _ = writeln!(out, "# {}\n{line}", key.about);
    }
    out
}
