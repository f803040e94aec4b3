//! The claims and their results.

use serde_json::json;
use std::fmt::Write as _;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The result of a check: `Ok`, or a description of the problem.
pub(super) type CheckResult = Result<(), String>;

/// The result of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Holds,
    Fails(String),
    Skipped(String),
}

/// The claims so far.
#[derive(Debug)]
pub(super) struct ConformanceReport {
    json: bool,
    group: &'static str,
    holds: usize,
    fails: usize,
    skipped: usize,
}

impl ConformanceReport {
    pub(super) const fn new(json: bool) -> Self {
        Self { json, group: "", holds: 0, fails: 0, skipped: 0 }
    }

    /// Begins a group of claims.
    pub(super) fn group(&mut self, name: &'static str) {
        self.group = name;
        if !self.json {
            println!("{name}");
        }
    }

    /// Notes a claim with what was found, and says whether it holds.
    pub(super) fn claim(&mut self, claim: &str, found: CheckResult) -> bool {
        let verdict = match found {
            Ok(()) => Verdict::Holds,
            Err(why) => Verdict::Fails(why),
        };
        let holds = verdict == Verdict::Holds;
        self.note(claim, verdict);
        holds
    }

    /// Notes that a claim could not be tried.
    pub(super) fn skip(&mut self, claim: &str, why: &str) {
        self.note(claim, Verdict::Skipped(why.to_owned()));
    }

    /// Notes that nothing more can be tried.
    pub(super) fn skip_rest(&mut self, why: &str) {
        self.skip("Everything after this.", why);
    }

    /// Whether no claim fails, and some hold.
    pub(super) const fn holds(&self) -> bool {
        self.fails == 0 && self.holds > 0
    }

    /// How many claims hold, fail and were not tried.
    #[cfg(test)]
    pub(super) const fn counts(&self) -> [usize; 3] {
        [self.holds, self.fails, self.skipped]
    }

    /// Prints the totals.
    pub(super) fn finish(&self) {
        let Self { holds, fails, skipped, .. } = self;
        if self.json {
            println!("{}", json!({ "holds": holds, "fails": fails, "skipped": skipped }));
        } else {
            println!("{holds} claims hold, {fails} fail, {skipped} could not be tried.");
        }
    }

    fn note(&mut self, claim: &str, verdict: Verdict) {
        let (count, word, why) = match verdict {
            Verdict::Holds => (&mut self.holds, "holds", None),
            Verdict::Fails(why) => (&mut self.fails, "FAILS", Some(why)),
            Verdict::Skipped(why) => (&mut self.skipped, "not tried", Some(why)),
        };
        *count += 1;
        if self.json {
            println!(
                "{}",
                json!({ "group": self.group, "claim": claim, "verdict": word.to_lowercase(), "why": why })
            );
            return;
        }
        println!("{}", line(claim, word, why.as_deref()));
    }
}

/// A claim and its result for people.
fn line(claim: &str, word: &str, why: Option<&str>) -> String {
    let mut line = format!("  {word:<10} {}", printable(claim));
    if let Some(why) = why {
        let _ = write!(line, "\n             {}", printable(why));
    }
    line
}

/// A text for a line of its own. What a hall answers may contain anything; what does not print is escaped.
fn printable(text: &str) -> String {
    let escaped = |letter: char| match letter {
        '\'' | '"' => letter.to_string(),
        _ => letter.escape_debug().to_string(),
    };
    text.chars().map(escaped).collect()
}

/// Nothing wrong if `holds`.
pub(super) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> CheckResult {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// How long what the hall does by itself may take, and the way to it: decision 8.2 says that a checkpoint takes one second.
pub(super) const SOON: Duration = Duration::from_secs(5);
/// How long a public read may show what was before a write. A hall on several machines may answer it at another one, which
/// shows the write some milliseconds later (decision 14.2); signed reads show it at once.
const ELSEWHERE: Duration = Duration::from_secs(2);
/// The pause between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Looks at what is public until a check succeeds, for a bounded time. An error is that of the last look.
pub(super) async fn soon<T>(mut look: impl AsyncFnMut() -> Result<T, String>) -> Result<T, String> {
    let until = Instant::now() + ELSEWHERE;
    loop {
        let found = look().await;
        if found.is_ok() || Instant::now() >= until {
            return found;
        }
        sleep(POLL_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hall_says_stays_on_its_line() {
        assert_eq!(line("The hall's \"word\".", "holds", None), "  holds      The hall's \"word\".");
        let escaped = line("go\n  holds", "FAILS", Some("\u{1b}[2J \u{202e}\n"));
        assert_eq!(escaped, "  FAILS      go\\n  holds\n             \\u{1b}[2J \\u{202e}\\n");
    }
}
