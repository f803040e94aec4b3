//! What the table of planted faults adds up to. Each section is compared with what its self-test finds by that self-test.

use crate::plants;
use hall_sim::oracles::CHECKS;
use std::collections::{BTreeMap, BTreeSet};

/// Of 100 faults in observations and machines, so many are reported by specific invariants.
const OBSERVED_PERCENT: usize = 85;
/// Of 100 falsified decisions and states. The numbers of ratings and the texts of the docket are left to the reference
/// hall.
const FALSIFIED_PERCENT: usize = 65;
/// Of 100 faults of any kind, so many are reported by somebody else than the reference hall.
const NAMED_PERCENT: usize = 85;

/// Checks whose faults are planted in unit tests beside them, and are not in the table.
const ELSEWHERE: [&str; 2] = ["H4", "S3"];

/// A row of the table.
struct Planted<'a> {
    what: &'a str,
    reported: Vec<&'a str>,
}

fn table() -> String {
    std::fs::read_to_string(plants::path()).expect("the table is there")
}

fn rows(table: &str) -> impl Iterator<Item = Planted<'_>> {
    table.lines().filter_map(|line| {
        let (what, reported) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | **")?;
        let (check, others) = reported.split_once("**")?;
        let others = others.split(", ").filter(|name| !name.is_empty());
        Some(Planted { what, reported: others.chain([check]).collect() })
    })
}

/// Whether a check is more than the reference hall, the comparison of answers with decisions, or the test that
/// everything ends: each of them reports many faults, and says little about the rule that was broken.
fn is_specific(name: &str) -> bool {
    !name.starts_with(['R', 'H', 'V'])
}

#[test]
fn every_check_reports_at_least_two_planted_faults() {
    let mut reported: BTreeMap<&str, usize> = CHECKS.iter().map(|check| (check.name, 0)).collect();
    assert_eq!(reported.len(), CHECKS.len(), "names are unique");
    let table = table();
    for row in rows(&table) {
        for name in row.reported {
            *reported.get_mut(name).unwrap_or_else(|| panic!("{name} is no check")) += 1;
        }
    }
    reported.retain(|_, count| *count < 2);
    let few: BTreeSet<&str> = reported.keys().copied().collect();
    assert_eq!(few, BTreeSet::from(ELSEWHERE), "checks that report fewer than two planted faults");
}

#[test]
fn named_invariants_report_most_planted_faults() {
    let table = table();
    let is_seen = |row: &Planted<'_>| row.reported.iter().any(|name| is_specific(name));
    let (falsified, observed): (Vec<Planted<'_>>, Vec<Planted<'_>>) = rows(&table).partition(is_falsified);
    let all = falsified.len() + observed.len();
    let alone = |row: &&Planted<'_>| row.reported.iter().all(|name| name.starts_with('R'));
    let named = all - falsified.iter().chain(&observed).filter(alone).count();
    println!("invariants report {named} of {all} planted faults without the reference hall");
    assert!(named * 100 >= all * NAMED_PERCENT, "only {named} of {all}");
    for (what, rows, percent) in [
        ("faults in observations and machines", observed, OBSERVED_PERCENT),
        ("falsified decisions and states", falsified, FALSIFIED_PERCENT),
    ] {
        let unseen: Vec<&str> = rows.iter().filter(|row| !is_seen(row)).map(|row| row.what).collect();
        let seen = rows.len() - unseen.len();
        println!("named invariants report {seen} of {} {what}, and not {unseen:#?}", rows.len());
        assert!(seen * 100 >= rows.len() * percent, "only {seen} of {} {what}, not {unseen:#?}", rows.len());
    }
}

/// Whether it is a decision or a state beside the reference.
fn is_falsified(row: &Planted<'_>) -> bool {
    ["decided: ", "applied: "].iter().any(|prefix| row.what.starts_with(prefix))
}
