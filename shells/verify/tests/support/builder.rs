//! Builds replays of chess from the published documents, turn by turn.

use hall_wire::json::canonical;
use hall_wire::key::PrivateKey;
use hall_wire::message::{Challenge, auth, game_move, state_hash};
use hall_wire::roll::{Rolls, Seed};
use hall_wire::{AgentId, Digest, GameId, Handle, HomologationId, Player, Timestamp, text};
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

pub(crate) const MOVE_MS: i64 = 60_000;
const SIDE_MS: i64 = 2_400_000;
const QUICKNET: &str = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";

/// A round that drand has published.
pub(crate) struct Round {
    pub(crate) number: u64,
    pub(crate) signature: &'static str,
}

pub(crate) const ROUND_1000: Round = Round {
    number: 1_000,
    signature: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
};

/// The latest formation that is bound to the round: 3 s before it is due.
pub(crate) fn formed_for(round: &Round) -> i64 {
    (1_692_803_367 + (i64::try_from(round.number).unwrap() - 1) * 3 - 3) * 1_000
}

/// An unfinished game. Time passes only on request.
#[derive(Clone)]
pub(crate) struct Game {
    id: GameId,
    seed: Seed,
    keys: [PrivateKey; 2],
    pub(super) formed: i64,
    pub(crate) now: i64,
    opened: i64,
    clocks: [i64; 2],
    strikes: [u64; 2],
    offer: Option<usize>,
    pub(super) position: Chess,
    attempts: Vec<Value>,
    challenges: u8,
    events: Vec<Value>,
    moves: Vec<Value>,
    pub(super) san: Vec<String>,
    beacon: Value,
    /// Whether the hall gives up the round as soon as a roll has waited for it.
    misses_round: bool,
    randomness: String,
}

impl Game {
    /// A game formed at this time; `beacon` is the head of the beacon's record: chain, round and status.
    pub(crate) fn formed(at: i64, round: Option<u64>) -> Self {
        let status = if round.is_some() { "waiting" } else { "off" };
        let chain = round.map(|_| QUICKNET);
        let mut game = Self {
            id: GameId::from_bytes([7; 16]),
            seed: Seed::from_bytes([9; 32]),
            keys: [PrivateKey::from_seed(&[1; 32]), PrivateKey::from_seed(&[2; 32])],
            formed: at,
            now: at,
            opened: at,
            clocks: [SIDE_MS; 2],
            strikes: [0; 2],
            offer: None,
            position: Chess::default(),
            attempts: Vec::new(),
            challenges: 0,
            events: Vec::new(),
            moves: Vec::new(),
            san: Vec::new(),
            beacon: json!({
                "chain_hash": chain, "round": round, "status": status, "randomness": null, "signature": null
            }),
            misses_round: false,
            randomness: String::new(),
        };
        let start = json!({
            "game": "chess", "variant": "standard", "division": "open", "season_id": "s1", "seats": game.seats(),
            "ruleset_version": "chess/1", "commitment": game.seed.commitment(&game.id).to_hex(),
            "beacon": { "chain_hash": chain, "round": round, "status": status },
            "move_ms": MOVE_MS, "side_ms": SIDE_MS, "turn_index": 0, "to_move": ["p0"],
            "deadline_utc": time(at + MOVE_MS),
        });
        game.event("game_started", start);
        game
    }

    pub(crate) fn settle_beacon(&mut self, round: Option<&Round>) {
        self.beacon["status"] = json!(if round.is_some() { "verified" } else { "missed" });
        if let Some(round) = round {
            let signature: [u8; 48] = text::decode_hex(round.signature).unwrap();
            self.randomness = Digest::of(&signature).to_hex();
            self.beacon["randomness"] = json!(self.randomness);
            self.beacon["signature"] = json!(round.signature);
        }
        let data = json!({
            "round": self.beacon["round"], "status": self.beacon["status"],
            "randomness": self.beacon["randomness"], "signature": self.beacon["signature"],
        });
        self.event("beacon", data);
    }

    /// The round will not come: the hall gives it up when a roll has waited for it.
    pub(crate) const fn miss_round(&mut self) {
        self.misses_round = true;
    }

    pub(crate) fn legal(&self) -> Vec<String> {
        let uci = |legal: shakmaty::Move| legal.to_uci(CastlingMode::Standard).to_string();
        let mut legal: Vec<String> = self.position.legal_moves().into_iter().map(uci).collect();
        legal.sort();
        legal
    }

    pub(crate) fn is_over(&self) -> bool {
        self.position.is_game_over()
    }

    /// The player to move signs a body with these fields; its move is played.
    pub(crate) fn act(&mut self, fields: Value) {
        let (text, signature) = self.signed(fields.clone());
        let sha256 = Digest::of(text.as_bytes()).to_hex();
        let listed =
            |wish: &Value| self.legal()[usize::try_from(wish["index"].as_u64().unwrap()).unwrap()].clone();
        let uci = fields.get("move").map(|wish| wish.as_str().map_or_else(|| listed(wish), str::to_owned));
        let turn = json!({ "forced": null, "body": text, "signature": signature, "body_sha256": sha256, "draws": [] });
        self.resolve(turn, self.now, uci, fields.get("commentary").cloned());
        if fields.get("draw_offer").is_some() && !self.is_over() {
            let (turn_index, player) = (self.moves.len() - 1, self.mover() ^ 1);
            self.event("draw_offered", json!({ "turn_index": turn_index, "player": player_name(player) }));
            self.offer = Some(player);
        }
    }

    /// The player to move tries an illegal move; the third costs a strike and causes a random move.
    pub(crate) fn illegal(&mut self, wish: Value) {
        let (text, signature) = self.signed(json!({ "move": wish }));
        self.challenges += 1;
        let challenge = Challenge::from_bytes([self.challenges; 32]);
        let request = Digest::of(text.as_bytes());
        let auth_signature = self.header(self.mover(), &challenge, &request);
        self.attempts.push(json!({
            "at": time(self.now), "body": text, "signature": signature, "challenge": challenge.to_string(),
            "auth_signature": auth_signature, "request_sha256": request.to_hex(),
        }));
        let data = json!({
            "turn_index": self.moves.len(), "player": player_name(self.mover()), "count": self.attempts.len()
        });
        self.event("illegal_attempt", data);
        if self.attempts.len() == 3 {
            self.force("illegal_moves", self.now);
        }
    }

    /// The attempt of the first player has the header of a request with another body.
    pub(crate) fn counted_for_another_request(&self, attempt: &mut Value) {
        let challenge = Challenge::parse(attempt["challenge"].as_str().unwrap()).unwrap();
        let other = Digest::of(b"another body");
        attempt["auth_signature"] = json!(self.header(0, &challenge, &other));
        attempt["request_sha256"] = json!(other.to_hex());
    }

    fn header(&self, player: usize, challenge: &Challenge, request: &Digest) -> String {
        let path = format!("/api/games/{}/moves", self.id);
        let handle = Handle::parse(["ada", "bob"][player]).unwrap();
        let message = auth(&handle, challenge, "POST", &path, Some(request));
        self.keys[player].sign(message.as_bytes()).to_string()
    }

    /// Nobody moves until the deadline has passed.
    pub(crate) fn sleep(&mut self) {
        let deadline = self.deadline();
        self.now = deadline + 1;
        self.force("deadline", deadline);
    }

    /// The hall acts at once, even if it may not.
    pub(crate) fn force_now(&mut self, cause: &str) {
        self.force(cause, self.now);
    }

    /// The game with one more turn, in which a signed body ends it, whatever the body says.
    pub(crate) fn clone_with_body(&self, fields: Value) -> Self {
        let mut game = self.clone();
        let (text, signature) = game.signed(fields);
        let sha256 = Digest::of(text.as_bytes()).to_hex();
        let turn = json!({ "forced": null, "body": text, "signature": signature, "body_sha256": sha256, "draws": [] });
        game.resolve(turn, game.now, None, None);
        game
    }

    /// Replaces the body of the last turn in a replay of this game with one more turn, and signs it.
    pub(crate) fn sign_last_anew(&self, replay: &mut Value, text: &str) {
        let turn_index = u32::try_from(self.moves.len()).unwrap();
        let hash = Digest::of(text.as_bytes());
        let message = game_move(&self.id, turn_index, &hash);
        let signature = self.keys[self.mover()].sign(message.as_bytes()).to_string();
        let last = replay["moves"].as_array_mut().unwrap().last_mut().unwrap();
        last["body"] = json!(text);
        last["body_sha256"] = json!(hash.to_hex());
        last["signature"] = json!(signature);
    }

    /// The player of the last turn.
    pub(crate) fn last_mover(&self) -> usize {
        usize::from(self.moves.last().unwrap()["player"] == "p1")
    }

    fn force(&mut self, cause: &str, used_until: i64) {
        let mover = self.mover();
        self.strikes[mover] += 1;
        if std::mem::take(&mut self.misses_round) {
            self.settle_beacon(None);
        }
        let turn_index = self.moves.len();
        let data = json!({
            "turn_index": turn_index, "player": player_name(mover), "cause": cause, "count": self.strikes[mover]
        });
        self.event("strike", data);
        let nobody =
            json!({ "forced": cause, "body": null, "signature": null, "body_sha256": null, "draws": [] });
        if self.strikes[mover] == 3 {
            return self.resolve(nobody, used_until, None, None);
        }
        let legal = self.legal();
        let index = u32::try_from(turn_index).unwrap();
        let mut rolls = Rolls::new(self.id, index, &self.seed, &self.randomness);
        let chosen = rolls.below(u64::try_from(legal.len()).unwrap());
        let mut turn = nobody;
        turn["draws"] = rolls
            .taken()
            .iter()
            .map(|roll| json!({ "counter": roll.counter, "n": roll.n, "x": format!("{:016x}", roll.x), "value": roll.value }))
            .collect();
        self.resolve(turn, used_until, Some(legal[usize::try_from(chosen).unwrap()].clone()), None);
    }

    fn resolve(&mut self, mut turn: Value, used_until: i64, uci: Option<String>, commentary: Option<Value>) {
        let (mover, turn_index) = (self.mover(), self.moves.len());
        let deadline = self.deadline();
        self.clocks[mover] -= used_until - self.opened;
        let mut san = Value::Null;
        if let Some(uci) = &uci {
            let uci: shakmaty::uci::UciMove = uci.parse().unwrap();
            let legal = uci.to_move(&self.position).unwrap();
            let text = SanPlus::from_move_and_play_unchecked(&mut self.position, legal).to_string();
            san = json!(text);
            self.san.push(text);
        }
        let fen = Fen::from_position(&self.position, EnPassantMode::Legal).to_string();
        let rest = json!({
            "turn_index": turn_index, "player": player_name(mover), "started_at": time(self.opened),
            "deadline_utc": time(deadline), "at": time(self.now), "notation": uci,
            "state_hash": state_hash(&self.id, u32::try_from(turn_index).unwrap() + 1, &fen).to_hex(),
            "clocks_ms": { "p0": self.clocks[0], "p1": self.clocks[1] },
            "attempts": std::mem::take(&mut self.attempts),
        });
        turn.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        self.moves.push(turn.clone());
        if uci.is_none() {
            return;
        }
        self.opened = self.now;
        let over = self.is_over();
        let to_move = if over { json!([]) } else { json!([player_name(self.mover())]) };
        let deadline = if over { Value::Null } else { time(self.deadline()) };
        let mut data = json!({
            "san": san, "commentary": commentary, "to_move": to_move, "deadline_utc": deadline
        });
        for name in
            ["turn_index", "player", "notation", "forced", "at", "body_sha256", "state_hash", "clocks_ms"]
        {
            data[name] = turn[name].clone();
        }
        self.event("move", data);
        if self.offer.take().is_some_and(|by| by != mover) {
            self.event("draw_declined", json!({ "turn_index": turn_index, "player": player_name(mover) }));
        }
    }

    /// The replay of the game with this end.
    pub(crate) fn ended(mut self, winner: Option<usize>, reason: &str) -> Value {
        let winners: Vec<Value> = winner.map(player_name).into_iter().collect();
        let result = json!({ "winners": winners, "draw": winner.is_none(), "reason": reason });
        let last = self.moves.last().unwrap().clone();
        let data = json!({
            "turn_index": last["turn_index"], "player": last["player"], "result": result,
            "body_sha256": last["body_sha256"], "seed": self.seed.reveal(),
        });
        self.event("game_ended", data);
        let token = winner.map_or("1/2-1/2", |winner| ["1-0", "0-1"][winner]);
        let start = &self.events[0]["event"]["data"];
        json!({
            "version": "svc.replay.v1", "game_id": self.id.to_string(), "game": "chess", "variant": "standard",
            "division": "open", "season_id": "s1", "ruleset_version": "chess/1", "seats": start["seats"],
            "commitment": start["commitment"], "seed": self.seed.reveal(), "beacon": self.beacon,
            "events": self.events, "moves": self.moves, "hidden": null, "result": result,
            "pgn": self.pgn(token), "log": null,
        })
    }

    fn seats(&self) -> Value {
        let seats = self.keys.iter().zip(["ada", "bob"]).enumerate();
        seats
            .map(|(seat, (key, handle))| {
                let key = key.public();
                json!({
                    "player": player_name(seat), "agent_id": AgentId::of_key(&key).to_string(), "handle": handle,
                    "pubkey_ed25519": key.to_string(), "homologation_id": HomologationId::from_bytes([3; 16]),
                })
            })
            .collect()
    }

    fn signed(&self, mut fields: Value) -> (String, String) {
        let turn_index = u32::try_from(self.moves.len()).unwrap();
        fields["game_id"] = json!(self.id.to_string());
        fields["turn_index"] = json!(turn_index);
        let text = canonical(&fields);
        let message = game_move(&self.id, turn_index, &Digest::of(text.as_bytes()));
        let signature = self.keys[self.mover()].sign(message.as_bytes()).to_string();
        (text, signature)
    }

    pub(super) fn mover(&self) -> usize {
        usize::from(!self.position.turn().is_white())
    }

    /// The player whose draw offer stands.
    pub(crate) const fn offer(&self) -> Option<usize> {
        self.offer
    }

    fn deadline(&self) -> i64 {
        self.opened + MOVE_MS.min(self.clocks[self.mover()])
    }

    fn event(&mut self, kind: &str, data: Value) {
        self.events.push(json!({
            "seq": self.events.len() + 1, "event": { "type": kind, "data": data }, "created_at": time(self.now),
        }));
    }
}

pub(crate) fn time(millis: i64) -> Value {
    Value::from(Timestamp::from_millis(millis).to_string())
}

fn player_name(seat: usize) -> Value {
    Value::from(Player::new(u8::try_from(seat).unwrap()).to_string())
}
