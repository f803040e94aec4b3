//! A researcher: reads public data in a running world, and verifies all of it.
//!
//! It pages through games, searches live ones for data that must still be secret, and verifies replays of ended ones
//! immediately. It keeps a copy of the log, to which everything that it reads of it must belong.

use super::agent::{SeededRandomness, Site};
use super::authored;
use super::host::{HALL, PORT};
use super::library::{Finding, Library, id_of, judge_asked};
use super::log_copy::LogCopy;
use super::outside::{HallMoment, WordsPlace};
use super::plan::NetworkPlan;
use super::proxy::KINDS;
use super::tokens;
use crate::dice::Dice;
use hall_client::wire::{GameId, Handle};
use hall_client::{Asked, Client, Key, Link, Origin, RetryPolicy, send};
use hall_verify::replay::Trust;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(14);
/// Their operators begin at this number.
const RESEARCHERS: u64 = 1_000_000;
/// The longest answer that is read.
const MOST_ANSWER_BYTES: usize = 4 << 20;
/// Pages of one walk at most.
const PAGES: usize = 60;
/// How often a researcher with a limit asks for too much, in 1,000 rounds, and for how much more than it may.
const FLOODS: u32 = 60;
const BEYOND: u32 = 20;
/// The clients in whose places that is done begin at this number.
const FLOODERS: usize = 4_000;

/// A researcher.
pub(super) struct Researcher {
    site: Site,
    dice: Dice,
    link: Link,
    pub(super) library: Library,
    pub(super) log: LogCopy,
    /// To ask for what is not public.
    pub(super) client: Client,
    /// A separate stream, so that the rest is read the same with and without the log.
    pub(super) log_dice: Dice,
    /// Whether anything breaks in its world, so that the hall may say that it can do nothing now.
    is_faulty: bool,
    /// Requests that it may make in a minute; 0 for no limit.
    per_minute: u32,
    /// A separate stream for what it does because of that.
    limit_dice: Dice,
    /// Numbers of words that are withheld, as far as it knows.
    withheld: BTreeSet<u64>,
    /// Where it has not looked for them yet.
    to_visit: Vec<WordsPlace>,
}

/// An answer: its status, its code, which is empty where the hall agreed, and all of it.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) code: String,
    data: Value,
    pub(super) bytes: Vec<u8>,
}

impl Researcher {
    /// The researcher with this number, who trusts them.
    ///
    /// # Panics
    /// Never: handle, token and address are well-formed.
    pub(super) fn new(plan: &NetworkPlan, number: usize, site: Site, trust: Arc<Trust>) -> Self {
        let dice = Dice::of(plan.seed, "researcher", u64::try_from(number).unwrap_or(u64::MAX));
        let link = Link::over(site.dialer.of_client(plan.agents + plan.spectators + number));
        let client = client(plan, number, link.clone());
        let log = LogCopy::new(trust.log_keys.clone());
        let log_dice = Dice::of(plan.seed, "reader of the log", u64::try_from(number).unwrap_or(u64::MAX));
        let (library, is_faulty) = (Library::new(trust), !plan.faults.is_none());
        let limit_dice =
            Dice::of(plan.seed, "reader with a limit", u64::try_from(number).unwrap_or(u64::MAX));
        Self {
            site,
            dice,
            link,
            library,
            log,
            client,
            log_dice,
            is_faulty,
            per_minute: plan.traffic.per_minute,
            limit_dice,
            withheld: BTreeSet::new(),
            to_visit: Vec::new(),
        }
    }

    /// Reads until the last games are called.
    pub(super) async fn read(mut self) {
        while !self.site.last_call.is_made() {
            sleep(Duration::from_millis(self.dice.between(1_000, 6_000))).await;
            let _ = self.look_for_withheld().await;
            let _ = self.try_low_disk().await;
            if self.per_minute > 0 && self.limit_dice.permille(FLOODS) {
                let _ = self.ask_too_much().await;
            }
            if self.log_dice.permille(250) {
                let _ = self.study_log().await;
            }
            // An answer that was lost ends what was begun: nothing follows from it.
            let _ = match self.dice.below(4) {
                0 => self.walk().await,
                1 => self.look_at_live().await,
                _ => self.read_replay().await,
            };
        }
    }

    /// Asks more often than a client may, in the place of a client of any kind that there is behind proxies. Whether the
    /// hall counts that for one client is judged by all of its requests, see `outside`.
    async fn ask_too_much(&mut self) -> Option<()> {
        let kind = usize::try_from(self.limit_dice.below(u64::try_from(KINDS).ok()?)).ok()?;
        let link = Link::over(self.site.dialer.of_client(FLOODERS + kind));
        for _ in 0..self.per_minute + BEYOND {
            self.ask_over(&link, "/api/nothing").await?;
        }
        self.mark("asked too much behind a proxy");
        Some(())
    }

    /// The hall as it is now.
    pub(super) fn moment(&self) -> Option<HallMoment> {
        self.site.chronicle.open().outside.moment()
    }

    /// Reads every public document that held words which are withheld since. They are looked for in all that is read.
    async fn look_for_withheld(&mut self) -> Option<()> {
        self.hear_of_withheld();
        while let Some(place) = self.to_visit.pop() {
            match place {
                WordsPlace::Turn(game, ..) | WordsPlace::Attempt(game, _) => {
                    self.get(&format!("/api/games/{game}/events?limit=1000")).await?;
                    for part in ["", "/replay", "/pgn"] {
                        self.get(&format!("/api/games/{game}{part}")).await?;
                    }
                    self.mark("looked for withheld commentary");
                }
                WordsPlace::Post(_) => {
                    self.get("/api/feedback?limit=200").await?;
                    self.mark("looked for a withheld post");
                }
                WordsPlace::Agent(agent) => {
                    self.get("/api/leaderboards?limit=200").await?;
                    if let Some(game) = self.library.game_of(&agent) {
                        self.get(&format!("/api/games/{game}/pgn")).await?;
                    }
                    self.mark("looked for a withheld model");
                }
            }
        }
        Some(())
    }

    /// Hears what was withheld since the last time. Replays change with it.
    fn hear_of_withheld(&mut self) {
        let chronicle = self.site.chronicle.open();
        for (number, place) in chronicle.outside.words.withheld() {
            if self.withheld.insert(number) {
                self.to_visit.push(place);
                if let WordsPlace::Turn(game, ..) | WordsPlace::Attempt(game, _) = place {
                    self.library.forget_replay(&game);
                }
            }
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
        self.hear_of_withheld();
        let (before, withheld) = (self.library.has_ended(&game), self.withheld.len());
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
        self.hear_of_withheld();
        if self.withheld.len() > withheld {
            // It may be the replay of before or of after that.
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
    pub(super) async fn document(&self, path: &str) -> Option<Value> {
        let Answer { status, code, data, .. } = self.get(path).await?;
        if status == 200 && code.is_empty() {
            return Some(data);
        }
        self.report(Some(("V2", format!("{path} was answered {status} {code:?}"))));
        None
    }

    /// What the hall answers; none if nothing came, or if it can answer nothing now because of a fault.
    pub(super) async fn get(&self, path: &str) -> Option<Answer> {
        let answer = self.ask(path).await?;
        let told = (answer.status, answer.code.as_str());
        let excused = self.is_faulty && matches!(told, (503, "UNAVAILABLE") | (500, "INTERNAL"))
            // Whether that is right is judged by all of its requests.
            || self.per_minute > 0 && told == (429, "RATE_LIMITED");
        (!excused).then_some(answer)
    }

    /// What the hall answers, whatever that is; none if nothing came.
    pub(super) async fn ask(&self, path: &str) -> Option<Answer> {
        self.ask_over(&self.link, path).await
    }

    async fn ask_over(&self, link: &Link, path: &str) -> Option<Answer> {
        let address = format!("http://{HALL}:{PORT}{path}");
        let asked = Asked { method: "GET", address: &address, headers: &[], body: None };
        let fetched = send(link, asked, MOST_ANSWER_BYTES, ANSWER_TIMEOUT).await.ok()?;
        let mut envelope: Value = serde_json::from_slice(&fetched.body).unwrap_or_default();
        self.report(authored::judge(&envelope).map(|text| ("S3", format!("{path}: {text}"))));
        let code = match envelope.get("ok").and_then(Value::as_bool) {
            Some(true) => "",
            Some(false) => envelope.pointer("/error/code").and_then(Value::as_str).unwrap_or("no code"),
            None => "no envelope",
        };
        let code = code.to_owned();
        let data = envelope.get_mut("data").map(Value::take).unwrap_or_default();
        Some(Answer { status: fetched.status, code, data, bytes: fetched.body.to_vec() })
    }

    pub(super) fn mark(&self, name: &str) {
        self.site.chronicle.mark("researcher", name);
    }

    pub(super) fn report(&self, found: Option<Finding>) {
        if let Some((invariant, text)) = found {
            self.site.chronicle.violation(invariant, text);
        }
    }
}

/// A client that tries everything once.
fn client(plan: &NetworkPlan, number: usize, link: Link) -> Client {
    let stream = u64::try_from(number).unwrap_or(u64::MAX);
    let hall = Origin::parse(&format!("http://{HALL}:{PORT}")).expect("an address");
    let seed = Dice::of(plan.seed, "key of a researcher", stream).bytes();
    let key = Key::from_seed(&hall, &seed, &tokens::token(RESEARCHERS + stream)).expect("a token");
    let handle = Handle::parse(&format!("researcher-{number}")).expect("a handle");
    let randomness = Arc::new(SeededRandomness::new(plan.seed, "researcher's client", stream));
    Client::over(link, handle, key, RetryPolicy { attempts: 1, ..RetryPolicy::default() }, randomness)
}
