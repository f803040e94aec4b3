//! A game of two agents whose keys the test holds.

use crate::agent::{Agent, Draft};
use crate::hall::Hall;
use crate::http::Reply;
use serde_json::{Value, json};
use std::time::Duration;

/// A game, seen from outside.
#[derive(Clone, Debug)]
pub struct Game {
    /// Its identifier, `g_…`.
    pub id: String,
    /// White, then Black.
    pub players: [Agent; 2],
}

impl Game {
    /// Pairs two homologated agents that are not in a lobby.
    ///
    /// # Panics
    /// If the second join does not pair them with each other.
    #[must_use]
    pub fn of(hall: &Hall, one: &Agent, two: &Agent) -> Self {
        Self::of_kind("chess", hall, one, two)
    }

    /// The same in another game.
    ///
    /// # Panics
    /// As [`Game::of`].
    #[must_use]
    pub fn of_kind(game: &str, hall: &Hall, one: &Agent, two: &Agent) -> Self {
        let first = hall.join_game(one, game, "open");
        assert_eq!(first.status, 201, "{}", first.text());
        assert_eq!(first.data()["paired"], false);
        let second = hall.join_game(two, game, "open");
        assert_eq!(second.status, 201, "{}", second.text());
        let data = second.data();
        assert_eq!(data["paired"], true);
        let id = data["game_id"].as_str().unwrap().to_owned();
        let game = hall.get(&format!("/api/games/{id}")).data()["game"].take();
        let white_is_one = game["seats"][0]["handle"] == one.handle;
        let players = if white_is_one { [one.clone(), two.clone()] } else { [two.clone(), one.clone()] };
        Self { id, players }
    }

    /// Starts a game of two new agents named after the test.
    #[must_use]
    pub fn new(hall: &Hall, name: &str) -> Self {
        let (one, two) = (hall.enter(&format!("{name}-1")), hall.enter(&format!("{name}-2")));
        Self::of(hall, &one, &two)
    }

    /// The path of one of its endpoints; the record itself for an empty `what`.
    #[must_use]
    pub fn path(&self, what: &str) -> String {
        if what.is_empty() {
            format!("/api/games/{}", self.id)
        } else {
            format!("/api/games/{}/{what}", self.id)
        }
    }

    /// White.
    #[must_use]
    pub const fn white(&self) -> &Agent {
        &self.players[0]
    }

    /// Black.
    #[must_use]
    pub const fn black(&self) -> &Agent {
        &self.players[1]
    }

    /// The public record.
    #[must_use]
    pub fn record(&self, hall: &Hall) -> Value {
        hall.get(&self.path("")).data()["game"].take()
    }

    /// The complete replay of the ended game, once a checkpoint covers its last event. It never changes again, except
    /// that its note gains cosignatures of witnesses, if there are any.
    ///
    /// # Panics
    /// If no checkpoint covers it within ten seconds.
    #[must_use]
    pub fn complete_replay(&self, hall: &Hall) -> Value {
        crate::eventually("a checkpoint over the game", Duration::from_secs(10), || {
            let replay = hall.get(&self.path("replay")).data()["replay"].take();
            replay["log"].is_object().then_some(replay)
        })
    }

    /// The view of the player in a seat.
    #[must_use]
    pub fn view(&self, hall: &Hall, seat: usize) -> Value {
        hall.ask(&self.players[seat], &self.path("view")).data()["view"].take()
    }

    /// The spectators' events, from the first one.
    #[must_use]
    pub fn events(&self, hall: &Hall) -> Vec<Value> {
        hall.get(&self.path("events?limit=1000")).data()["events"].as_array().unwrap().clone()
    }

    /// A signed body: `game_id`, `turn_index` and the other members.
    #[must_use]
    pub fn body(&self, seat: usize, turn_index: u64, members: Value) -> Value {
        let mut body = members;
        body["game_id"] = self.id.as_str().into();
        body["turn_index"] = turn_index.into();
        self.players[seat].sign_move(body, &self.id, turn_index)
    }

    /// The request that sends such a body.
    #[must_use]
    pub fn draft(&self, hall: &Hall, seat: usize, turn_index: u64, members: Value) -> Draft {
        let body = self.body(seat, turn_index, members).to_string();
        hall.draft(&self.players[seat], "POST", &self.path("moves"), Some(body.as_bytes()))
    }

    /// Sends such a body.
    #[must_use]
    pub fn act(&self, hall: &Hall, seat: usize, turn_index: u64, members: Value) -> Reply {
        hall.send(&self.draft(hall, seat, turn_index, members).request())
    }

    /// Sends a move by its notation.
    #[must_use]
    pub fn try_move(&self, hall: &Hall, turn_index: u64, notation: &str) -> Reply {
        self.act(hall, Self::seat_of(turn_index), turn_index, json!({ "move": notation }))
    }

    /// Plays moves in turn, starting with `turn_index`, and returns the last verdict.
    ///
    /// # Panics
    /// If one is refused.
    pub fn play(&self, hall: &Hall, turn_index: u64, moves: &str) -> Value {
        let mut verdict = Value::Null;
        for (turn, notation) in (turn_index..).zip(moves.split_whitespace()) {
            let reply = self.try_move(hall, turn, notation);
            assert_eq!(reply.status, 200, "{notation} in turn {turn}: {}", reply.text());
            verdict = reply.data()["verdict"].take();
            assert_eq!(verdict["notation"], notation);
        }
        verdict
    }

    /// The seat that moves in a turn, if every turn before applied a move.
    #[must_use]
    pub fn seat_of(turn_index: u64) -> usize {
        usize::from(turn_index % 2 == 1)
    }
}
