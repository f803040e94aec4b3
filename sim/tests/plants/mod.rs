//! The table of planted faults (`sim/PLANTS.md`): what each self-test of the oracles has planted, and which checks
//! reported it. Every self-test owns a section, and fails if that is not what it found.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Rewrites the sections of the self-tests that run, if it is set.
const WRITE: &str = "WRITE_PLANTS";

/// Sections are rewritten one after the other.
static FILE: Mutex<()> = Mutex::new(());

/// A planted fault, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// What was planted.
    pub(crate) what: String,
    /// The check that must report it.
    pub(crate) check: &'static str,
    /// All that reported it at the first place at which one did: there a world would have ended.
    pub(crate) reported: BTreeSet<&'static str>,
}

impl Row {
    fn write(&self, out: &mut String) {
        let others = self.reported.iter().filter(|name| **name != self.check);
        let others = others.fold(String::new(), |text, name| text + ", " + name);
        let _ = writeln!(out, "| {} | **{}**{others} |", self.what, self.check);
    }
}

/// The file.
pub(crate) fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/PLANTS.md"))
}

/// Compares the section with this heading with what its self-test found.
pub(crate) fn compare(heading: &str, found: &[Row]) {
    let _one = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut section = "\n| planted fault | reported by |\n|---|---|\n".to_owned();
    found.iter().for_each(|row| row.write(&mut section));
    let text = fs::read_to_string(path()).expect("the table is there");
    let title = format!("## {heading}\n");
    let (before, rest) = text.split_once(&title).unwrap_or_else(|| panic!("the table has no {heading:?}"));
    let (present, after) = match rest.find("\n## ") {
        Some(next) => rest.split_at(next),
        None => (rest, ""),
    };
    if std::env::var_os(WRITE).is_some() {
        fs::write(path(), format!("{before}{title}{section}{after}")).expect("the table can be written");
    } else if present != section {
        let (present, found): (BTreeSet<_>, BTreeSet<_>) =
            (present.lines().collect(), section.lines().collect());
        panic!(
            "{heading}: the table is not current; write it with {WRITE}=1 cargo test -p hall-sim planted\nin the table: \
             {:#?}\nfound: {:#?}",
            present.difference(&found).collect::<Vec<_>>(),
            found.difference(&present).collect::<Vec<_>>()
        );
    }
}
