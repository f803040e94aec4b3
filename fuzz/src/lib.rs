//! Properties that hold for any bytes, as plain functions: a fuzzer runs [`TARGETS`] (see `fuzz/README.md`), and so do
//! the property tests of this crate. A function returns if its property holds, and panics with what it found otherwise.

mod http;
mod json;
mod moves;
mod record;
mod replay;
mod signature;

pub use http::pipeline;
pub use json::documents;
pub use moves::moves;
pub use record::{exported_lines, records, snapshots};
pub use replay::replays;
pub use signature::signatures;

/// The body of a fuzz target.
pub type Target = fn(&[u8]);

/// Every target by its name, which is also that of its folder in `fuzz/corpus`.
pub const TARGETS: [(&str, Target); 9] = [
    ("http", pipeline),
    ("json", documents),
    ("moves", moves),
    ("journal", hall_sim::storage::fuzz::open_bytes),
    ("record", records),
    ("snapshot", snapshots),
    ("export", exported_lines),
    ("replay", replays),
    ("signature", signatures),
];

/// Runs the target of this name.
///
/// # Panics
/// If there is none, or with what the target found.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    let Some((_, target)) = target else { panic!("there is no target {name}") };
    target(bytes);
}
