//! The agents and games of the load: each connection has two agents, who play only with each other.

use crate::Plan;
use crate::connection::Connection;
use crate::script::CHESS;
use crate::server::Server;
use hall_tests::{Agent, Game, Hall, json};
use hall_wire::Digest;
use std::collections::VecDeque;

/// Connections of the usual load, each with one request in flight at a time.
pub(crate) const CONNECTIONS: usize = 64;

/// All connections.
pub(crate) struct Fleet {
    /// The pairs of agents.
    pub(crate) pairs: Vec<Pair>,
    /// Moves accepted so far, in all games.
    pub(crate) moves_made: usize,
    /// What is played.
    kind: String,
    script: Vec<String>,
}

/// A connection with its two agents and their games.
pub(crate) struct Pair {
    /// The connection.
    pub(crate) connection: Connection,
    /// The agents.
    pub(crate) agents: [Agent; 2],
    /// The next challenge of each.
    pub(crate) challenges: [String; 2],
    /// Their games; the first one is the next to move in.
    pub(crate) games: VecDeque<LiveGame>,
    /// Moves accepted from the first agent since counting began.
    pub(crate) made_by_first: usize,
}

/// A game and its prepared moves.
pub(crate) struct LiveGame {
    /// Its identifier.
    pub(crate) id: String,
    /// Which agent of the pair is White.
    pub(crate) white: usize,
    /// The next turn.
    pub(crate) turn: usize,
    /// Bodies of the next turns, signed.
    pub(crate) bodies: VecDeque<String>,
}

impl Fleet {
    /// Registers and homologates the agents of so many pairs, and opens a connection for each.
    pub(crate) async fn enter(server: &Server, script: &[String], count: usize) -> Self {
        Self::enter_as("bench", server, script, count).await
    }

    /// The same for a script of another game than chess.
    pub(crate) async fn enter_for(kind: &str, server: &Server, script: &[String], count: usize) -> Self {
        Self { kind: kind.to_owned(), ..Self::enter(server, script, count).await }
    }

    /// The same with names that begin with `prefix`.
    pub(crate) async fn enter_as(prefix: &str, server: &Server, script: &[String], count: usize) -> Self {
        let mut pairs = Vec::new();
        for number in 0..count {
            let agents = ["a", "b"].map(|side| server.hall().enter(&format!("{prefix}-{number}-{side}")));
            let challenges = agents.each_ref().map(|agent| server.hall().challenge(&agent.handle));
            let connection = Connection::open(server.address()).await;
            pairs.push(Pair { connection, agents, challenges, games: VecDeque::new(), made_by_first: 0 });
        }
        Self { pairs, moves_made: 0, kind: CHESS.to_owned(), script: script.to_vec() }
    }

    /// Makes sure that there are `games` live games with enough of the script left for a round, and that their
    /// next moves are signed.
    pub(crate) async fn provide(&mut self, server: &Server, games: usize, plan: &Plan) {
        // A round at any speed that one core could reach must not run out of moves.
        let plies = (plan.round.as_secs_f64() * 16_000.0 / games as f64).ceil() as usize + 4;
        self.provide_to(server, games, plies.min(self.script.len())).await;
    }

    /// Makes sure that there are `games` live games, each with `plies` signed moves ready.
    pub(crate) async fn provide_to(&mut self, server: &Server, games: usize, plies: usize) {
        let hall = server.hall();
        let count = self.pairs.len();
        let share = |number: usize| games / count + usize::from(number < games % count);
        for (number, pair) in self.pairs.iter_mut().enumerate() {
            while let Some(place) = pair.games.iter().position(|game| game.turn + plies > self.script.len()) {
                let game = pair.games.remove(place).unwrap();
                resign(hall, pair, &game);
            }
            while pair.games.len() < share(number) {
                let game = form(hall, pair, &self.kind);
                pair.games.push_back(game);
            }
            for game in &mut pair.games {
                sign(&pair.agents, game, &self.script, plies);
            }
        }
        // Only now, because forming very many games takes longer than connections and challenges live.
        for pair in &mut self.pairs {
            pair.connection = Connection::open(server.address()).await;
            pair.challenges = pair.agents.each_ref().map(|agent| hall.challenge(&agent.handle));
        }
    }
}

fn form(hall: &Hall, pair: &Pair, kind: &str) -> LiveGame {
    let [one, two] = &pair.agents;
    let Game { id, players } = Game::of_kind(kind, hall, one, two);
    let white = usize::from(players[0].handle != one.handle);
    LiveGame { id, white, turn: 0, bodies: VecDeque::new() }
}

fn resign(hall: &Hall, pair: &Pair, game: &LiveGame) {
    let [one, two] = &pair.agents;
    let players = if game.white == 0 { [one.clone(), two.clone()] } else { [two.clone(), one.clone()] };
    let handle = Game { id: game.id.clone(), players };
    let turn = u64::try_from(game.turn).unwrap();
    assert_eq!(handle.act(hall, Game::seat_of(turn), turn, json!({ "resign": true })).status, 200);
}

/// Signs the bodies of the next `plies` turns.
fn sign(agents: &[Agent; 2], game: &mut LiveGame, script: &[String], plies: usize) {
    let from = game.turn + game.bodies.len();
    let to = (game.turn + plies).min(script.len());
    for (turn, notation) in script.iter().enumerate().take(to).skip(from) {
        let unsigned = format!(r#"{{"game_id":"{}","move":"{notation}","turn_index":{turn}}}"#, game.id);
        let digest = Digest::of(unsigned.as_bytes());
        let message = format!("svc.move.v1:{}:{turn}:{digest}", game.id);
        let signature = agents[game.mover(turn)].key.sign(message.as_bytes());
        game.bodies.push_back(format!(r#"{},"signature":"{signature}"}}"#, unsigned.trim_end_matches('}')));
    }
}

impl LiveGame {
    /// Which agent of the pair moves in a turn.
    pub(crate) const fn mover(&self, turn: usize) -> usize {
        (turn + self.white) % 2
    }
}

impl Pair {
    /// Signs the headers of a request of one of the agents, with its next challenge.
    pub(crate) fn request(&self, agent: usize, method: &str, path: &str, body: Option<&str>) -> String {
        let Agent { handle, key, .. } = &self.agents[agent];
        let challenge = &self.challenges[agent];
        let mut message = format!("svc.auth.v1:{handle}:{challenge}:{method}:{path}");
        if let Some(body) = body {
            message.push_str(&format!(":{}", Digest::of(body.as_bytes())));
        }
        let signature = key.sign(message.as_bytes());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: hall\r\nX-Svc-Agent: {handle}\r\nX-Svc-Challenge: {challenge}\r\n\
             X-Svc-Signature: {signature}\r\n"
        );
        match body {
            Some(body) => format!(
                "{head}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ),
            None => format!("{head}\r\n"),
        }
    }
}
