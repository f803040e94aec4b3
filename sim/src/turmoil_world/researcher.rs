//! A researcher: reads public data in a running world, and verifies all of it.
//!
//! It pages through games, searches live ones for data that must still be secret, and verifies replays of ended ones
//! immediately.

use super::agent::Site;
use super::host::{HALL, PORT};
use super::library::{Finding, Library, id_of, judge_asked};
use super::plan::NetworkPlan;
use crate::dice::Dice;
use hall_client::wire::GameId;
use hall_client::{Asked, Link, send};
use hall_verify::replay::Trust;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(14);
/// The longest answer that is read.
const LONGEST: usize = 4 << 20;
/// Pages of one walk at most.
const PAGES: usize = 60;

/// A researcher.
pub(super) struct Researcher {
    site: Site,
    dice: Dice,
    link: Link,
    library: Library,
    /// Whether anything breaks in its world, so that the hall may say that it can do nothing now.
    is_faulty: bool,
}

/// An answer: its status, its code, which is empty where the hall agreed, and all of it.
struct Answer {
    status: u16,
    code: String,
    data: Value,
    bytes: Vec<u8>,
}

impl Researcher {
    /// The researcher with this number, who trusts them.
    pub(super) fn new(plan: &NetworkPlan, number: usize, site: Site, trust: Arc<Trust>) -> Self {
        let dice = Dice::of(plan.seed, "researcher", u64::try_from(number).unwrap_or(u64::MAX));
        let link = Link::over(site.dialer.clone());
        Self { site, dice, link, library: Library::new(trust), is_faulty: !plan.faults.is_none() }
    }

    /// Reads until the last games are called.
    pub(super) async fn read(mut self) {
        while !self.site.last_call.is_made() {
            sleep(Duration::from_millis(self.dice.between(1_000, 6_000))).await;
            // An answer that was lost ends what was begun: nothing follows from it.
            let _ = match self.dice.below(4) {
                0 => self.walk().await,
                1 => self.look_at_live().await,
                _ => self.read_replay().await,
            };
        }
    }

    /// Reads the list of games, page by page.
    async fn walk(&mut self) -> Option<()> {
        let only = *self.dice.pick(&["", "&status=live", "&status=ended"])?;
        let limit = self.dice.between(2, 25);
        let known = if only == "&status=live" { Vec::new() } else { self.library.ended() };
        let (mut listed, mut cursor) = (Vec::new(), String::new());
        for page in 1..=PAGES {
            let answer = self.document(&format!("/api/games?limit={limit}{only}{cursor}")).await?;
            listed.extend(answer.get("games").and_then(Value::as_array).cloned().unwrap_or_default());
            let Some(next) = answer.get("next_cursor").and_then(Value::as_str) else {
                self.mark(if page > 1 { "turned pages to the end" } else { "saw one page" });
                let found = self.library.judge_walk(&listed, &known);
                self.report(found);
                break;
            };
            cursor = format!("&cursor={next}");
        }
        for record in &listed {
            self.take_record(record);
        }
        Some(())
    }

    /// Reads all that can be had of a live game, its replay included, which must not be among it.
    async fn look_at_live(&mut self) -> Option<()> {
        let answer = self.document("/api/games?status=live&limit=200").await?;
        let games: Vec<GameId> = answer.get("games")?.as_array()?.iter().filter_map(id_of).collect();
        let game = *self.dice.pick(&games)?;
        let events = self.document(&format!("/api/games/{game}/events?limit=1000")).await?;
        if events.get("live").and_then(Value::as_bool) == Some(true) {
            self.library.take_live(game, &events);
            self.mark("read a live game");
        }
        self.ask_for_replay(game).await
    }

    /// Reads the replay of a game that has ended, half of the time of one that it has read before.
    async fn read_replay(&mut self) -> Option<()> {
        let games = self.library.ended();
        let Some(game) = self.dice.pick(&games).copied() else { return self.walk().await };
        self.ask_for_replay(game).await
    }

    /// Asks for a replay, and then what the game is now.
    async fn ask_for_replay(&mut self, game: GameId) -> Option<()> {
        let before = self.library.has_ended(&game);
        let replay = self.get(&format!("/api/games/{game}/replay")).await?;
        let record = self.document(&format!("/api/games/{game}")).await?;
        let record = record.get("game").cloned().unwrap_or_default();
        self.take_record(&record);
        let found = judge_asked(game, before, (replay.status, &replay.code), self.library.has_ended(&game));
        self.report(found);
        if replay.status != 200 {
            self.mark("was refused a replay");
            return Some(());
        }
        match self.library.take_replay(game, &replay.bytes) {
            Ok(reading) => self.mark(reading.word()),
            Err(found) => self.report(Some(found)),
        }
        Some(())
    }

    /// Takes a game's record in, whose current turn must be durable.
    fn take_record(&mut self, record: &Value) {
        let found = self.library.take_record(record);
        self.report(found);
        let is_live = record.get("status").and_then(Value::as_str) == Some("live");
        let turn_index = record.get("turn_index").and_then(Value::as_u64).filter(|_| is_live);
        let turn_index = turn_index.and_then(|turn_index| u32::try_from(turn_index).ok());
        if let Some((game, turn_index)) = id_of(record).zip(turn_index) {
            self.site.chronicle.shown(game, turn_index);
        }
    }

    /// The data of a document that everybody can read.
    async fn document(&self, path: &str) -> Option<Value> {
        let Answer { status, code, data, .. } = self.get(path).await?;
        if status == 200 && code.is_empty() {
            return Some(data);
        }
        self.report(Some(("V2", format!("{path} was answered {status} {code:?}"))));
        None
    }

    /// What the hall answers; none if nothing came, or if it can answer nothing now because of a fault.
    async fn get(&self, path: &str) -> Option<Answer> {
        let address = format!("http://{HALL}:{PORT}{path}");
        let asked = Asked { method: "GET", address: &address, headers: &[], body: None };
        let fetched = send(&self.link, asked, LONGEST, PATIENCE).await.ok()?;
        let mut envelope: Value = serde_json::from_slice(&fetched.body).unwrap_or_default();
        let code = match envelope.get("ok").and_then(Value::as_bool) {
            Some(true) => "",
            Some(false) => envelope.pointer("/error/code").and_then(Value::as_str).unwrap_or("no code"),
            None => "no envelope",
        };
        let code = code.to_owned();
        if self.is_faulty
            && matches!((fetched.status, code.as_str()), (503, "UNAVAILABLE") | (500, "INTERNAL"))
        {
            return None;
        }
        let data = envelope.get_mut("data").map(Value::take).unwrap_or_default();
        Some(Answer { status: fetched.status, code, data, bytes: fetched.body.to_vec() })
    }

    fn mark(&self, name: &str) {
        self.site.chronicle.mark("researcher", name);
    }

    fn report(&self, found: Option<Finding>) {
        if let Some((invariant, text)) = found {
            self.site.chronicle.violation(invariant, text);
        }
    }
}
