//! A spectator: follows live games as event streams, and goes to another node with what it has when a stream breaks.

use super::caller::Caller;
use super::exchange::{Line, public_text, read_piece};
use crate::cluster_world::plan::Weakness;
use crate::cluster_world::world::World;
use crate::dice::Dice;
use hall_wire::GameId;
use std::io;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// The longest time that it stays with one node, in milliseconds.
const STAYS: u64 = 20_000;

/// A spectator.
pub(in super::super) struct Spectator {
    world: Rc<World>,
    number: usize,
    caller: Caller,
    dice: Dice,
    /// The machine of the node that it read from last.
    machine: Option<usize>,
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Close {
    /// All events were received.
    Over,
    /// It broke, or the node has nothing yet.
    Broken,
}

impl Spectator {
    /// The spectator with this number, calling as that client.
    pub(in super::super) fn new(number: usize, caller: Caller, dice: Dice) -> Self {
        Self { world: Rc::clone(caller.world()), number, caller, dice, machine: None }
    }

    /// Follows one game after the other.
    pub(in super::super) async fn live(mut self) {
        while !self.world.is_over.get() {
            match self.choose().await {
                Some(game) => self.follow(game).await,
                None => sleep(Duration::from_secs(2)).await,
            }
        }
    }

    /// A live game that it has not followed yet.
    async fn choose(&mut self) -> Option<GameId> {
        let text = public_text("/api/games?status=live", "Connection: close\r\n");
        let answer = self.caller.ask(&text, &mut self.dice).await.ok()?;
        let games = answer.json?.pointer("/data/games")?.as_array()?.clone();
        let games = games.iter().filter_map(|game| GameId::parse(game.get("id")?.as_str()?));
        let games: Vec<GameId> =
            games.filter(|game| !self.world.judge().http.knows((self.number, *game))).collect();
        self.dice.pick(&games).copied()
    }

    /// Follows a game to its end, over as many nodes as that takes.
    async fn follow(&mut self, game: GameId) {
        self.world.judge().http.begins((self.number, game));
        while !self.world.is_over.get() {
            match self.read_stream(game).await {
                Ok(Close::Over) => {
                    let mut judge = self.world.judge();
                    judge.http.is_over((self.number, game));
                    judge.report.mark("stream", "to the end");
                    return;
                }
                Ok(Close::Broken) => self.world.judge().report.mark("stream", "ended by the node"),
                Err(_) => self.world.judge().report.mark("stream", "broken"),
            }
            sleep(Duration::from_millis(self.dice.between(100, 900))).await;
        }
    }

    /// One stream, from where the last one ended, for as long as it stays with this node.
    async fn read_stream(&mut self, game: GameId) -> io::Result<Close> {
        let weakness = self.world.hall.weakness;
        let mut last = self.world.judge().http.count((self.number, game));
        if weakness == Some(Weakness::ForgetfulReaders) {
            last = 0;
        }
        let more = format!("Accept: text/event-stream\r\nLast-Event-ID: {last}\r\nConnection: close\r\n");
        let text = public_text(&format!("/api/games/{game}/events"), &more);
        let (machine, mut line) = self.caller.connect(&mut self.dice).await?;
        let answer = self.caller.open_on(&mut line, &text).await?;
        match answer.head.status {
            200 => {}
            204 => return Ok(Close::Over),
            // A node that has not heard of the game yet, or that stops.
            404 | 503 => return Ok(Close::Broken),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
        let before = self.machine.replace(machine);
        if last > 0 && before != Some(machine) {
            self.world.judge().report.mark("stream", "resumed at another node");
        }
        let until = Instant::now() + Duration::from_millis(self.dice.between(500, STAYS));
        timeout_at(until, self.read_events(game, &mut line)).await?
    }

    /// Reads events until there are no more.
    async fn read_events(&self, game: GameId, line: &mut Line) -> io::Result<Close> {
        let mut number = 0;
        while let Some(piece) = read_piece(line).await? {
            for text in piece.lines() {
                if let Some(id) = text.strip_prefix("id: ").and_then(|id| id.parse().ok()) {
                    number = id;
                } else if let Some(event) = text.strip_prefix("data: ") {
                    self.read(game, number, event);
                }
            }
        }
        Ok(Close::Broken)
    }

    fn read(&self, game: GameId, number: usize, event: &str) {
        let mut event = event.to_owned();
        match self.world.hall.weakness {
            Some(Weakness::SwallowedEvents) if number % 7 == 3 => return,
            Some(Weakness::ChangedEvents) if number == 3 => event = event.replace("\"p", "\"q"),
            _ => {}
        }
        let at = self.world.now();
        let mut judge = self.world.judge();
        judge.trace.take(&(self.number, number, event.as_str()));
        let found = judge.http.reads((self.number, game), number, &event);
        judge.found(at, found);
    }
}
