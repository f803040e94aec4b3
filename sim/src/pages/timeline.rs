//! The timeline of one world as a page that needs nothing else: agents are rows, games are bars in the rows of their
//! players, faults are lines across, violations are marked and told below. A bar leads to the steps of its game and to
//! the board after each of them.

use super::games::{GameSpan, games};
use super::steps::steps;
use crate::direct::Recording;
use crate::plan::WorldPlan;
use hall_core::{DeskFact, Fact};
use hall_wire::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const STYLE: &str = include_str!("timeline.css");
const SCRIPT: &str = include_str!("timeline.js");

const KEY: &str = "<p><i class=\"key\" style=\"background:#59c\"></i>a game, in a colour of its own, in the rows of both \
players (striped: still live)<i class=\"key\" style=\"background:#c00\"></i>a strike<i class=\"key\" \
style=\"background:#e80\"></i>a fault<i class=\"key\" style=\"background:#0a03\"></i>no more faults: everything must come \
to rest<i class=\"key\" style=\"background:#d00\"></i>a violation, across all rows</p>";

/// Filled by the script when a bar is clicked.
const DETAIL: &str = "<section id=\"detail\" hidden><h2 id=\"title\"></h2><div id=\"rows\"></div><div><pre id=\"board\"></pre>\
<p id=\"step\"></p><p class=\"small\">With the world recorded as a command log (<code>hall-sim record --out WORLD.jsonl</code> \
and the options of this world), this command shows the game up to that step:</p><pre id=\"again\" class=\"small\"></pre></div></section>";

const DAY_IN_MILLIS: u64 = 24 * 3_600 * 1_000;

/// Faults that are too many for lines.
const TOO_MANY: usize = 200;

/// The page.
#[must_use]
pub fn timeline(recording: &Recording, plan: &WorldPlan) -> String {
    let report = &recording.report;
    let scale = Scale { begins: plan.begins, millis: report.virtual_millis.max(1) };
    let mut page = String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    let title = format!("Seed {}, profile {}", report.seed, report.profile);
    let _ = write!(page, "<title>{}</title><style>{STYLE}</style></head><body>", escaped(&title));
    let _ = write!(page, "<h1>{}</h1>{}", escaped(&title), summary(recording));
    page.push_str(KEY);
    page.push_str("<p>Width <input id=\"zoom\" type=\"range\" min=\"100\" max=\"4000\" value=\"100\">  Point at a bar to see its game; click it to see the step and the board at that point.</p>");
    page.push_str("<div id=\"scroll\"><div id=\"time\">");
    axis(&mut page, scale);
    let calm = plan.begins + plan.lasts;
    if calm < scale.ends() {
        let _ = write!(page, "<i class=\"calm\" style=\"left:{}%\"></i>", scale.place(calm));
    }
    for (agent, spans) in rows(recording) {
        let _ = write!(page, "<div class=\"row\"><b>{}</b>", escaped(&agent));
        for span in spans {
            bar(&mut page, scale, &agent, &span);
        }
        page.push_str("</div>\n");
    }
    faults(&mut page, scale, recording);
    for violation in report.violations.iter().chain(&report.unrest) {
        let text = format!("{}: {}", violation.invariant, violation.text);
        let _ = write!(
            page,
            "<i class=\"wrong\" style=\"left:{}%\" title=\"{}\"></i>",
            scale.place(violation.at),
            escaped(&text)
        );
    }
    page.push_str("<i id=\"here\" hidden></i></div></div>");
    page.push_str(DETAIL);
    let undrawn: Vec<String> =
        often(recording).iter().map(|(name, count)| format!("{name} ({count})")).collect();
    if !undrawn.is_empty() {
        let _ =
            write!(page, "<p>Not drawn, because they are too many: {}.</p>", escaped(&undrawn.join(", ")));
    }
    for violation in report.violations.iter().chain(&report.unrest) {
        let _ = write!(
            page,
            "<p class=\"bad\">{} at {}: {}</p>",
            escaped(violation.invariant),
            violation.at,
            escaped(&violation.text)
        );
    }
    let _ =
        write!(page, "<script type=\"application/json\" id=\"world\">{}</script>", data(recording, scale));
    let _ = writeln!(page, "<script>\n{SCRIPT}</script></body></html>");
    page
}

/// What the script shows of the games, as JSON: of each its handles and its steps as `[step, record, milliseconds since
/// the world began, text, state or null]`.
fn data(recording: &Recording, scale: Scale) -> String {
    let mut steps = steps(recording);
    let games: Map<String, Value> = games(recording)
        .into_iter()
        .map(|span| {
            let rows = steps.remove(&span.game).unwrap_or_default().into_iter().map(|step| {
                let millis = step.at.since(scale.begins).as_millis();
                json!([step.step, step.record, millis, step.text, step.state])
            });
            let rows: Vec<Value> = rows.collect();
            (span.game.to_string(), json!({ "handles": span.handles, "rows": rows }))
        })
        .collect();
    let world = json!({ "begins": scale.begins.as_millis(), "millis": scale.millis, "games": games });
    // No text in it can end the element that it stands in.
    world.to_string().replace('<', "\\u003c")
}

/// Virtual time as places on the page.
#[derive(Clone, Copy)]
struct Scale {
    begins: Timestamp,
    millis: u64,
}

impl Scale {
    /// Per cent of the width, with three decimals.
    fn place(self, time: Timestamp) -> String {
        let thousandths = time.since(self.begins).as_millis().min(self.millis) * 100_000 / self.millis;
        format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
    }

    fn width(self, from: Timestamp, until: Timestamp) -> String {
        let thousandths = until.since(from).as_millis() * 100_000 / self.millis;
        format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
    }

    fn ends(self) -> Timestamp {
        self.begins + hall_wire::Span::from_millis(self.millis)
    }
}

fn summary(recording: &Recording) -> String {
    let report = &recording.report;
    let faults: Vec<String> = report.faults.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let rows = [
        ("agents", report.agents.to_string()),
        (
            "games",
            format!(
                "{} begun, {} ended, {} turns, {} strikes",
                report.games_begun, report.games_ended, report.turns, report.strikes
            ),
        ),
        (
            "hall",
            format!("{} requests, {} records, {} starts", report.requests, report.records, report.starts),
        ),
        ("signatures", report.crypto.to_owned()),
        ("faults", faults.join(", ")),
        ("trace", report.trace_hash.clone()),
        ("halted", report.halted.clone().unwrap_or_default()),
    ];
    let mut table = String::from("<table>");
    for (name, text) in rows.iter().filter(|(_, text)| !text.is_empty()) {
        let _ = write!(table, "<tr><td>{name}</td><td>{}</td></tr>", escaped(text));
    }
    table.push_str("</table>");
    table
}

fn axis(page: &mut String, scale: Scale) {
    page.push_str("<div id=\"axis\">");
    for tenth in 0..10 {
        let time = scale.begins + hall_wire::Span::from_millis(scale.millis * tenth / 10);
        let text = time.to_string();
        // A world of more than a day tells the date, too.
        let from = if scale.millis > DAY_IN_MILLIS { 0 } else { "2026-01-01T".len() };
        let clock = text.get(from..text.len() - ".000Z".len()).unwrap_or_default().replace('T', " ");
        let _ = write!(page, "<span style=\"left:{}%\">{clock}</span>", scale.place(time));
    }
    page.push_str("</div>");
}

/// The games of each agent, and agents without any.
fn rows(recording: &Recording) -> BTreeMap<String, Vec<GameSpan>> {
    let mut rows: BTreeMap<String, Vec<GameSpan>> = BTreeMap::new();
    for fact in recording.decided.iter().flat_map(|observed| &observed.decision.facts) {
        if let Fact::Desk(DeskFact::AgentRegistered { handle, .. }) = fact {
            rows.entry(handle.to_string()).or_default();
        }
    }
    for span in games(recording) {
        for handle in &span.handles {
            rows.entry(handle.clone()).or_default().push(span.clone());
        }
    }
    rows
}

fn bar(page: &mut String, scale: Scale, agent: &str, span: &GameSpan) {
    let ended = span.ended.unwrap_or_else(|| scale.ends());
    let hue = span.game.as_bytes().iter().fold(0_u32, |hue, byte| (hue * 31 + u32::from(*byte)) % 360);
    let how = if span.ended.is_some() { span.reason.as_str() } else { "still live" };
    let title = format!(
        "{} {}: {} turns, {how}, from {}",
        span.game,
        span.handles.join(" against "),
        span.turns,
        span.began
    );
    let _ = write!(
        page,
        "<a class=\"game{}\" href=\"#{1}.0\" data-game=\"{1}\" style=\"left:{2}%;width:{3}%;background-color:hsl({hue} 60% 55%)\" title=\"{4}\"></a>",
        if span.ended.is_some() { "" } else { " live" },
        span.game,
        scale.place(span.began),
        scale.width(span.began, ended),
        escaped(&title)
    );
    for (at, seat) in &span.strikes {
        if span.handles.get(*seat).is_some_and(|handle| handle == agent) {
            let _ = write!(
                page,
                "<i class=\"strike\" data-game=\"{}\" style=\"left:{}%\" title=\"strike at {at}\"></i>",
                span.game,
                scale.place(*at)
            );
        }
    }
}

fn faults(page: &mut String, scale: Scale, recording: &Recording) {
    let often = often(recording);
    for (at, name) in recording.incidents.iter().filter(|(_, name)| !often.contains_key(name.as_str())) {
        let _ = write!(
            page,
            "<i class=\"fault\" style=\"left:{}%\" title=\"{} at {at}\"></i>",
            scale.place(*at),
            escaped(name)
        );
    }
}

/// The faults that are too many to be drawn, with how many there were.
#[must_use]
pub fn often(recording: &Recording) -> BTreeMap<&str, usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, name) in &recording.incidents {
        *counts.entry(name).or_default() += 1;
    }
    counts.retain(|_, count| *count > TOO_MANY);
    counts
}

/// Text that says nothing but itself in a page.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
