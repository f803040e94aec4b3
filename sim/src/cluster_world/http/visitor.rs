//! A visitor: reads what is public, and how a node is, again and again on one connection.

use super::caller::Caller;
use super::exchange::{Line, public_text};
use super::judge::ShownBefore;
use crate::cluster_world::plan::Weakness;
use crate::cluster_world::world::World;
use crate::dice::Dice;
use serde_json::Value;
use std::io;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::sleep;

/// How many requests it makes on one connection, at most.
const MOST: u64 = 40;

/// A visitor.
pub(in super::super) struct Visitor {
    world: Rc<World>,
    caller: Caller,
    dice: Dice,
    /// The paths of games that it has seen.
    games: Vec<String>,
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
        let (mut machine, mut line) = self.caller.connect(&mut self.dice).await?;
        let mut before = ShownBefore::default();
        for _ in 0..self.dice.between(1, MOST) {
            if self.world.is_over.get() {
                return Ok(());
            }
            if self.world.hall.weakness == Some(Weakness::OtherNodes) {
                (machine, line) = self.caller.connect(&mut self.dice).await?;
            }
            match self.dice.below(3) {
                0 => self.look_at_node((machine, &mut line), &mut before).await?,
                1 => self.look_at_games(&mut line, &mut before).await?,
                _ => self.look_at_game(&mut line, &mut before).await?,
            }
            sleep(Duration::from_millis(self.dice.between(20, 1_500))).await;
        }
        Ok(())
    }

    async fn look_at_node(
        &self,
        (machine, line): (usize, &mut Line),
        before: &mut ShownBefore,
    ) -> io::Result<()> {
        let answer = self.caller.ask_on(line, &public_text("/readyz", "")).await?;
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
        let found = judge.http.hears_readiness(&answer, machine, before, records);
        judge.found(at, found);
        Ok(())
    }

    async fn look_at_games(&mut self, line: &mut Line, before: &mut ShownBefore) -> io::Result<()> {
        let answer = self.caller.ask_on(line, &public_text("/api/games?limit=5", "")).await?;
        let games = answer.json.as_ref().and_then(|json| json.pointer("/data/games"));
        let games = games.and_then(Value::as_array).cloned().unwrap_or_default();
        let ids = games.iter().filter_map(|game| game.get("id")?.as_str());
        self.games = ids.map(|id| format!("/api/games/{id}")).collect();
        games.iter().for_each(|game| self.sees(game, before));
        Ok(())
    }

    async fn look_at_game(&mut self, line: &mut Line, before: &mut ShownBefore) -> io::Result<()> {
        let Some(path) = self.dice.pick(&self.games) else { return Ok(()) };
        let answer = self.caller.ask_on(line, &public_text(path, "")).await?;
        if let Some(game) = answer.json.as_ref().and_then(|json| json.pointer("/data/game")) {
            self.sees(game, before);
        }
        Ok(())
    }

    fn sees(&self, game: &Value, before: &mut ShownBefore) {
        let found = before.shows_game(game);
        let at = self.world.now();
        self.world.judge().found(at, found);
    }
}
