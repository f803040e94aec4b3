//! An agent that plays, and sometimes does something unusual, until its hall is gone.

use crate::ledger::{Ledger, Told};
use hall_tests::{Agent, Dice, Reply, Request, Value, Wire, json};
use std::net::SocketAddr;

/// How many games an agent plays at the same time.
const GAMES: usize = 2;

/// How many answered requests are kept for replaying.
const MOST_KEPT: usize = 8;

/// The role of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Registers, and then plays.
    NewPlayer,
    /// Plays.
    Player,
    /// Registers, and reads.
    Newcomer,
}

/// The hall is gone: the connection ended or stalled.
pub(crate) struct Gone;

/// A player in its loop.
pub(crate) struct Player {
    ledger: Ledger,
    dice: Dice,
    wire: Wire,
    next_challenge: Option<String>,
    posts: u64,
    idle: bool,
}

impl Player {
    /// Acts as `agent` until the hall is gone.
    pub(crate) fn play(hall: SocketAddr, agent: Agent, role: Role, seed: u64) -> Ledger {
        let Ok(wire) = Wire::try_connect(hall) else { return Ledger::new(agent) };
        let mut player = Self {
            ledger: Ledger::new(agent),
            dice: Dice::new(seed),
            wire,
            next_challenge: None,
            posts: 0,
            idle: false,
        };
        let entered = if role == Role::Player { Ok(()) } else { player.enter() };
        if entered.is_ok() {
            while player.step(role != Role::Newcomer).is_ok() {}
        }
        player.ledger
    }

    fn enter(&mut self) -> Result<(), Gone> {
        let agent = self.ledger.agent.clone();
        let reply = self.post("/api/agents", &agent.registration())?;
        // An earlier attempt whose answer was lost may have succeeded.
        assert!(["200", "409 HANDLE_TAKEN"].contains(&reply.verdict().as_str()), "{}", reply.text());
        self.tell(Told::Registered);
        let reply = self.post(&agent.homologate_path(), &agent.filing("open"))?;
        let id = reply.data()["homologation_id"].as_str().unwrap().to_owned();
        self.tell(Told::Filed(id));
        Ok(())
    }

    /// One round of the loop: looks for turns, plays them, and joins lobbies for more games.
    fn step(&mut self, joins: bool) -> Result<(), Gone> {
        let target = if self.idle { "/api/my/games?wait=1" } else { "/api/my/games" };
        let data = self.get(target)?.data();
        let games = data["games"].as_array().unwrap();
        self.idle = games.iter().all(|game| game["your_turn"] == false);
        if joins && games.len() < GAMES {
            let reply = self.post("/api/lobby/join", &json!({ "game": "chess", "division": "open" }))?;
            let known = ["201", "409 ALREADY_IN_LOBBY", "403 NOT_HOMOLOGATED"];
            assert!(known.contains(&reply.verdict().as_str()), "{}", reply.text());
            if reply.status == 403 {
                return self.enter();
            }
            self.idle &= reply.status != 201 || reply.data()["paired"] == false;
        }
        for game in games.iter().filter(|game| game["your_turn"] == true) {
            self.take_turn(game["id"].as_str().unwrap())?;
        }
        match self.dice.below(12) {
            0 => self.post_feedback()?,
            1 => {
                let size = self.get("/api/pulse")?.data()["log_size"].as_u64().unwrap();
                self.tell(Told::LogSize(size));
            }
            2 => {
                let reply = self.read("/api/checkpoint")?;
                if reply.status == 200 {
                    self.tell(Told::Checkpoint(
                        reply.data()["checkpoint"]["note"].as_str().unwrap().to_owned(),
                    ));
                }
            }
            3 => {
                if let Some(game) = games.first() {
                    let id = game["id"].as_str().unwrap();
                    let data = self.read(&format!("/api/games/{id}/events?limit=1000"))?.data();
                    let events = data["events"].as_array().unwrap().clone();
                    self.tell(Told::Events(id.to_owned(), events));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn take_turn(&mut self, game: &str) -> Result<(), Gone> {
        let view = self.get(&format!("/api/games/{game}/view"))?.data()["view"].take();
        let legal = view["legal_moves"].as_array().unwrap().len();
        if legal == 0 {
            return Ok(());
        }
        let turn = view["turn_index"].as_u64().unwrap();
        let deadline = hall_wire::Timestamp::parse(view["deadline_utc"].as_str().unwrap()).unwrap();
        self.tell(Told::Deadline(game.to_owned(), turn, deadline.as_millis()));
        let offered = !view["public"]["draw_offer"].is_null();
        let chosen = json!({ "index": self.dice.index(legal) });
        let members = match self.dice.below(40) {
            0 => json!({ "resign": true }),
            1..4 if offered => json!({ "draw_accept": true }),
            4..6 => json!({ "move": chosen, "draw_offer": true }),
            6..8 => json!({ "move": "a1a1" }),
            8..14 => json!({ "move": chosen, "commentary": "quill and ink" }),
            _ => json!({ "move": chosen }),
        };
        let mut body = members;
        body["game_id"] = game.into();
        body["turn_index"] = turn.into();
        let body = self.ledger.agent.sign_move(body, game, turn);
        let reply = self.post(&format!("/api/games/{game}/moves"), &body)?;
        match reply.verdict().as_str() {
            "200" => {
                let verdict = reply.data()["verdict"].take();
                self.tell(Told::Moved(game.to_owned(), verdict));
            }
            "422 illegal_move" => self.tell_illegal(game, turn, &reply.detail()),
            verdict => panic!("{verdict}: {}", reply.text()),
        }
        Ok(())
    }

    fn tell_illegal(&mut self, game: &str, turn: u64, detail: &Value) {
        let count =
            if detail["applied"].is_null() { detail["illegal_attempts"].as_u64().unwrap() } else { 3 };
        self.tell(Told::Illegal(game.to_owned(), turn, count));
    }

    fn post_feedback(&mut self) -> Result<(), Gone> {
        self.posts += 1;
        let subject = format!("{} {} {}", self.ledger.agent.handle, self.dice.number(), self.posts);
        let reply =
            self.post("/api/feedback", &json!({ "kind": "other", "subject": subject, "body": "b" }))?;
        assert_eq!(reply.status, 200, "{}", reply.text());
        self.tell(Told::Posted(subject));
        Ok(())
    }

    fn tell(&mut self, told: Told) {
        self.ledger.told.push(told);
    }

    fn get(&mut self, target: &str) -> Result<Reply, Gone> {
        self.call("GET", target, None)
    }

    fn post(&mut self, target: &str, body: &Value) -> Result<Reply, Gone> {
        self.call("POST", target, Some(body.to_string().as_bytes()))
    }

    fn call(&mut self, method: &str, target: &str, body: Option<&[u8]>) -> Result<Reply, Gone> {
        let challenge = match self.next_challenge.take() {
            Some(challenge) => challenge,
            None => self.challenge()?,
        };
        let request = self.ledger.agent.draft(&challenge, method, target, body).request();
        self.ledger.lost = Some(request.clone());
        let reply = self.wire.ask(&request).map_err(|_| Gone)?;
        self.ledger.lost = None;
        if self.ledger.answered.len() == MOST_KEPT {
            self.ledger.answered.remove(0);
        }
        self.ledger.answered.push(request);
        self.next_challenge = reply.header("X-Svc-Next-Challenge").map(str::to_owned);
        Ok(reply)
    }

    fn challenge(&mut self) -> Result<String, Gone> {
        let target = format!("/api/auth/challenge?agent={}", self.ledger.agent.handle);
        Ok(self.read(&target)?.data()["challenge"].as_str().unwrap().to_owned())
    }

    /// A public document.
    fn read(&mut self, target: &str) -> Result<Reply, Gone> {
        self.wire.ask(&Request::get(target)).map_err(|_| Gone)
    }
}
