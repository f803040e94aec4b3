//! A visitor: reads what is public, and how a node is, again and again on one connection.

use super::caller::Caller;
use super::exchange::{Line, public_text};
use super::judge::{ShownBefore, shown_too_early};
use crate::cluster_world::plan::Weakness;
use crate::cluster_world::world::World;
use crate::dice::Dice;
use hall_core::Hall;
use hall_driver::Engine;
use hall_wire::Span;
use serde_json::Value;
use std::io;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::sleep;

/// How many requests it makes on one connection, at most.
const MOST_REQUESTS: u64 = 40;
/// The newest games, and those that ended last.
const LISTS: [&str; 2] = ["/api/games?limit=5", "/api/games?limit=5&ended_since=1970-01-01T00:00:00.000Z"];

/// A visitor.
pub(in super::super) struct Visitor {
    world: Rc<World>,
    caller: Caller,
    dice: Dice,
    /// The paths of games that it has seen.
    games: Vec<String>,
}

/// A visit to a node, on one connection.
struct Visit {
    machine: usize,
    line: Line,
    /// The hall in the process that was connected to.
    engine: Option<Engine>,
    before: ShownBefore,
}

impl Visitor {
    /// A visitor, calling as that client.
    pub(in super::super) fn new(caller: Caller, dice: Dice) -> Self {
        Self { world: Rc::clone(caller.world()), caller, dice, games: Vec::new() }
    }

    /// Reads until the world is over.
    pub(in super::super) async fn live(mut self) {
        while !self.world.is_over.get() {
            // It begins anew, whatever the connection ended with.
            let _ = self.visit().await;
            sleep(Duration::from_millis(self.dice.between(100, 2_000))).await;
        }
    }

    /// Reads on one connection.
    async fn visit(&mut self) -> io::Result<()> {
        let (machine, line) = self.caller.connect(&mut self.dice).await?;
        let engine = self.world.node(machine).map(|node| node.engine);
        let mut visit = Visit { machine, line, engine, before: ShownBefore::default() };
        for _ in 0..self.dice.between(1, MOST_REQUESTS) {
            if self.world.is_over.get() {
                return Ok(());
            }
            if self.world.hall.weakness == Some(Weakness::OtherNodes) {
                (visit.machine, visit.line) = self.caller.connect(&mut self.dice).await?;
                visit.engine = self.world.node(visit.machine).map(|node| node.engine);
            }
            match self.dice.below(3) {
                0 => self.look_at_node(&mut visit).await?,
                1 => self.look_at_games(&mut visit).await?,
                _ => self.look_at_game(&mut visit).await?,
            }
            sleep(Duration::from_millis(self.dice.between(5, 600))).await;
        }
        Ok(())
    }

    async fn look_at_node(&self, visit: &mut Visit) -> io::Result<()> {
        let answer = self.caller.ask_on(&mut visit.line, &public_text("/readyz", "")).await?;
        let at = self.world.now();
        let records = self.world.hall.database.head().seq;
        let mut judge = self.world.judge();
        let words = ["/status", "/node/role"].map(|place| {
            answer
                .json
                .as_ref()
                .and_then(|json| json.pointer(place))
                .and_then(Value::as_str)
                .unwrap_or_default()
        });
        words.into_iter().for_each(|word| judge.report.mark("readyz", word));
        let found = judge.http.hears_readiness(&answer, visit.machine, &mut visit.before, records);
        judge.found(at, found);
        Ok(())
    }

    async fn look_at_games(&mut self, visit: &mut Visit) -> io::Result<()> {
        let list = self.dice.pick(&LISTS).copied().unwrap_or_default();
        let answer = self.caller.ask_on(&mut visit.line, &public_text(list, "")).await?;
        if ![200, 503].contains(&answer.head.status) {
            let at = self.world.now();
            self.world.judge().violation("K9", at, format!("{list} was answered {}", answer.head.status));
        }
        let games = answer.json.as_ref().and_then(|json| json.pointer("/data/games"));
        let games = games.and_then(Value::as_array).cloned().unwrap_or_default();
        let ids = games.iter().filter_map(|game| game.get("id")?.as_str());
        self.games = ids.map(|id| format!("/api/games/{id}")).collect();
        games.iter().for_each(|game| self.sees(game, visit));
        Ok(())
    }

    async fn look_at_game(&mut self, visit: &mut Visit) -> io::Result<()> {
        let Some(path) = self.dice.pick(&self.games) else { return Ok(()) };
        let answer = self.caller.ask_on(&mut visit.line, &public_text(path, "")).await?;
        if let Some(game) = answer.json.as_ref().and_then(|json| json.pointer("/data/game")) {
            self.sees(game, visit);
        }
        Ok(())
    }

    /// The node shows a game.
    fn sees(&self, game: &Value, visit: &mut Visit) {
        // How far it is by now, which is no less than when it answered.
        let mut applied = visit.engine.as_ref().map(|engine| engine.peek(Hall::clock));
        if self.world.hall.weakness == Some(Weakness::EarlyEnds) {
            applied = applied.map(|applied| applied - Span::from_secs(60));
        }
        let early = applied.and_then(|applied| shown_too_early(game, applied));
        let found = visit.before.shows_game(game).into_iter().chain(early);
        let at = self.world.now();
        self.world.judge().found(at, found);
    }
}
