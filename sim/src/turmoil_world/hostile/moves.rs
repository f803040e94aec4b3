//! Races, illegal moves, and moves that are not one's own to make.

use super::super::clock::network_millis;
use super::rules::{judge_illegal, judge_race};
use super::wire::{HostileAction, Reply, Request, moves_of};
use super::{Mischief, Scene};
use hall_client::wire::GameId;
use hall_client::{Choice, SignedMove};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// A move that may be in time, or not.
const MOVE: super::rules::Allowed =
    &[(200, ""), (409, "wrong_turn"), (409, "no_draw_offer"), (409, "GAME_NOT_LIVE")];
/// A move that cannot apply.
const NO_MOVE: super::rules::Allowed = &[(409, "wrong_turn"), (409, "GAME_NOT_LIVE")];

const RACE: HostileAction = HostileAction("race", "M5", MOVE);
pub(super) const ONE_MOVE: HostileAction = HostileAction("plain_move", "M5", MOVE);
const OUT_OF_TURN: HostileAction = HostileAction("out_of_turn", "M5", NO_MOVE);
pub(super) const STALE: HostileAction = HostileAction("stale_turn", "M5", NO_MOVE);
const FUTURE: HostileAction = HostileAction("future_turn", "M5", NO_MOVE);
const OTHERS_GAME: HostileAction = HostileAction("others_game", "A7", &[(403, "NOT_SEATED")]);
const NO_GAME: HostileAction = HostileAction("no_game", "A7", &[(404, "GAME_NOT_FOUND")]);
const ILLEGAL: HostileAction = HostileAction(
    "illegal_move",
    "M6",
    &[(422, "illegal_move"), (409, "wrong_turn"), (409, "GAME_NOT_LIVE")],
);
const NO_JSON: HostileAction = HostileAction("malformed", "M5", &[(400, "INVALID_JSON")]);
const NO_BODY: HostileAction = HostileAction("malformed", "M5", &[(422, "INVALID_BODY")]);
const OTHER_GAME_ID: HostileAction = HostileAction("game_id_mismatch", "M5", &[(422, "GAME_ID_MISMATCH")]);

/// So many containers may be inside one another.
const DEEPEST: usize = 16;

/// What no chess move is, in no position: to where it comes from, in short algebraic notation, castling as letters,
/// beyond the board, other letters.
const UNPARSABLE: [&str; 8] = ["a1a1", "Nf3", "O-O", "e2e9", "e7e8k", "null", "♔", "e2-e4"];

impl Mischief {
    /// Sends its move several times at the same time, and then moves out of turn.
    pub(super) async fn race(&mut self, scene: Scene<'_>) -> Option<()> {
        let signed = self.body_of(scene);
        let path = moves_of(&signed.game);
        let mut requests = Vec::new();
        for _ in 0..self.dice.between(2, 6) {
            requests.push(self.wire.fresh(&path, &signed.body).await?);
        }
        let asked = network_millis();
        let replies = self.at_once(RACE, requests).await;
        replies.iter().for_each(|reply| self.wire.accepted(&signed, reply, asked));
        let codes: Vec<String> = replies.into_iter().map(|reply| reply.code).collect();
        if let Some((invariant, text)) = judge_race(&codes) {
            self.wire.chronicle.violation(invariant, format!("{}: {text}", signed.game));
        }
        if codes.iter().any(String::is_empty) && self.hostility.alternates {
            self.move_in(OUT_OF_TURN, &signed.game, signed.turn_index + 1).await?;
        }
        Some(())
    }

    /// Sends requests at the same time; returns the answers that came.
    pub(super) async fn at_once(&self, action: HostileAction, requests: Vec<Request>) -> Vec<Reply> {
        let mut runners = JoinSet::new();
        for request in requests {
            let wire = self.wire.clone();
            runners.spawn(async move { wire.dare(action, &request).await });
        }
        let mut replies = Vec::new();
        while let Some(ran) = runners.join_next().await {
            replies.extend(ran.ok().flatten());
        }
        replies
    }

    /// Makes illegal moves, and sometimes legal ones in the wrong turn or game.
    pub(super) async fn move_illegally(&mut self, scene: Scene<'_>) -> Option<()> {
        let (game, turn_index) = (scene.view.game_id, scene.view.turn_index);
        match self.dice.below(6) {
            0 => self.move_in(STALE, &game, turn_index.checked_sub(1)?).await,
            1 => self.move_in(FUTURE, &game, turn_index + 2).await,
            2 => self.move_elsewhere(scene).await,
            3 => self.write_nonsense(scene).await,
            _ => self.persist(scene).await,
        }
    }

    /// Moves for a turn in which that must not count.
    pub(super) async fn move_in(&self, action: HostileAction, game: &GameId, turn_index: u32) -> Option<()> {
        // With a distinct text: the same move may well be made when its turn has come.
        let choice = Choice::index(0).saying(action.0);
        let signed = SignedMove::new(&self.wire.key, game, turn_index, &choice);
        self.wire.must_not_apply(action, &signed);
        let request = self.wire.fresh(&moves_of(game), &signed.body).await?;
        self.wire.dare(action, &request).await.map(|_| ())
    }

    /// Moves in a game of others, and in one that there is not.
    async fn move_elsewhere(&mut self, scene: Scene<'_>) -> Option<()> {
        let nowhere = GameId::from_bytes(self.dice.bytes());
        self.move_in(NO_GAME, &nowhere, 0).await?;
        let listed = self.wire.read("/api/games?status=live&limit=20".to_owned()).await?;
        let own = self.wire.key.agent_id().to_string();
        let is_own = |game: &Value| {
            let seats = game.get("seats").and_then(Value::as_array).into_iter().flatten();
            seats.into_iter().any(|seat| seat.get("agent_id").and_then(Value::as_str) == Some(&own))
        };
        let games: Vec<&Value> =
            listed.get("games")?.as_array()?.iter().filter(|game| !is_own(game)).collect();
        let chosen = self.dice.pick(&games)?;
        let game = GameId::parse(chosen.get("id")?.as_str()?)?;
        let turn_index = u32::try_from(chosen.get("turn_index")?.as_u64()?).ok()?;
        // With a distinct text, too: the player there may make the same move.
        let choice = scene.choice.clone().saying(OTHERS_GAME.0);
        let signed = SignedMove::new(&self.wire.key, &game, turn_index, &choice);
        self.wire.must_not_apply(OTHERS_GAME, &signed);
        let request = self.wire.fresh(&moves_of(&game), &signed.body).await?;
        self.wire.dare(OTHERS_GAME, &request).await.map(|_| ())
    }

    /// Sends bodies that are not moves. None of them counts, as the next illegal move shows.
    async fn write_nonsense(&mut self, scene: Scene<'_>) -> Option<()> {
        let (game, turn_index) = (scene.view.game_id, scene.view.turn_index);
        let path = moves_of(&game);
        let signature = "0".repeat(128);
        let body = |index: Value, chosen: Value| {
            let body =
                json!({ "game_id": game, "turn_index": index, "move": chosen, "signature": signature });
            body.to_string()
        };
        let whole = body(turn_index.into(), "e2e4".into());
        let twice = whole.replacen('{', "{\"move\":\"e2e4\",", 1);
        let more = whole.replacen('{', "{\"board\":1,", 1);
        // So many containers inside one another, the body being the first.
        let nested = |depth: usize| {
            let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
            whole.replacen('{', &format!("{{\"board\":{open}{close},"), 1)
        };
        let nonsense = [
            (NO_JSON, String::new()),
            (NO_JSON, "{".to_owned()),
            (NO_JSON, format!("{whole} true")),
            (NO_JSON, format!("\u{feff}{whole}")),
            (NO_JSON, twice),
            (NO_BODY, "[]".to_owned()),
            (NO_BODY, more),
            (NO_BODY, body(turn_index.into(), 7.into())),
            (NO_BODY, body(turn_index.into(), "".into())),
            (NO_BODY, body(turn_index.into(), "a".repeat(65).into())),
            (NO_BODY, body(turn_index.into(), json!({ "index": 0, "notation": "e2e4" }))),
            (NO_BODY, body(json!(1.5), "e2e4".into())),
            (NO_BODY, body(json!(-1), "e2e4".into())),
            (NO_BODY, body("0".into(), "e2e4".into())),
        ];
        let deep = [(NO_JSON, nested(DEEPEST + 1)), (NO_BODY, nested(DEEPEST))];
        let picked = [self.dice.pick(&nonsense)?, self.dice.pick(&nonsense)?];
        for (action, text) in picked.into_iter().chain(&deep) {
            let request = self.wire.fresh(&path, text.as_bytes()).await?;
            self.wire.dare(*action, &request).await?;
        }
        let signed = SignedMove::new(&self.wire.key, &GameId::from_bytes([7; 16]), turn_index, scene.choice);
        let request = self.wire.fresh(&path, &signed.body).await?;
        self.wire.dare(OTHER_GAME_ID, &request).await?;
        self.move_wrongly(scene).await.map(|_| ())
    }

    /// Moves illegally once, twice, or until that costs a strike.
    async fn persist(&mut self, scene: Scene<'_>) -> Option<()> {
        for _ in 0..self.dice.between(1, 3) {
            let reply = self.move_wrongly(scene).await?;
            if reply.code != "illegal_move" || !reply.data.get("applied").is_none_or(Value::is_null) {
                break;
            }
        }
        Some(())
    }

    /// Makes one illegal move.
    async fn move_wrongly(&mut self, scene: Scene<'_>) -> Option<Reply> {
        let (game, turn_index) = (scene.view.game_id, scene.view.turn_index);
        let turn = (game, turn_index, scene.view.you.player);
        let choice = match self.dice.below(4) {
            0 => Choice::index(u32::try_from(scene.view.legal_moves.len()).ok()?),
            1 => Choice::index(i32::MAX.unsigned_abs()),
            _ => Choice::play(*self.dice.pick(&UNPARSABLE)?),
        };
        let choice = choice.saying(self.wire.chronicle.open().outside.words.invent());
        let signed = SignedMove::new(&self.wire.key, &game, turn_index, &choice);
        self.wire.must_not_apply(ILLEGAL, &signed);
        let request = self.wire.fresh(&moves_of(&game), &signed.body).await?;
        self.wire.chronicle.open().illegal.entry(turn).or_default().sent += 1;
        let reply = self.wire.dare(ILLEGAL, &request).await?;
        if reply.code != "illegal_move" {
            return Some(reply);
        }
        let numbers = {
            let mut chronicle = self.wire.chronicle.open();
            let count = chronicle.illegal.entry(turn).or_default();
            count.told += 1;
            (count.told, count.sent)
        };
        if let Some((invariant, text)) = judge_illegal(&reply.data, scene.view.you.player, numbers) {
            let text = format!("{game}, turn {turn_index}: {text}");
            self.wire.chronicle.violation(invariant, text);
        }
        if numbers.0 == 3 {
            self.wire.mark("third_illegal");
        }
        Some(reply)
    }

    /// The body of the move that it will make.
    pub(super) fn body_of(&self, scene: Scene<'_>) -> SignedMove {
        SignedMove::new(&self.wire.key, &scene.view.game_id, scene.view.turn_index, scene.choice)
    }
}
