//! Plays a game again, turn by turn, by its rules and the published documents: who was to move, what was
//! legal, what the hall did in a player's place, and how it ended (specification 2.12 and 3, decisions 5 and 6.2).

mod resolving;

use super::bodies::Bodies;
use crate::replay::document::{GameResult, Replay, Turn};
use crate::replay::report::{ClaimId, Ledger};
use crate::replay::rules::{Board, SEATS};
use hall_wire::json::Value;
use hall_wire::{Player, message};
use serde_json::json;

/// What happened, as it follows from the turns.
pub(super) struct Playthrough {
    /// The events after the first one, without those of deadlines and the beacon.
    pub(in crate::replay) expected: Vec<Expected>,
    /// The moves applied, as people write them.
    pub(in crate::replay) san: Vec<String>,
    /// Whether the game was played to its end; if not, why.
    pub(in crate::replay) end: Result<(), String>,
}

/// An event that must be there. `deadline_utc` is not part of it.
pub(super) struct Expected {
    pub(super) kind: &'static str,
    pub(super) turn_index: u32,
    pub(super) data: Value,
    /// Whether the beacon must have been settled before it, because a random number was drawn.
    pub(super) draws: bool,
}

/// The claim that fails, and how.
type Fault = (ClaimId, String);

impl Playthrough {
    /// Plays the turns of `replay` on `board`, which stands at the beginning of the game.
    pub(super) fn of(replay: &Replay<'_>, board: Board, bodies: &Bodies, ledger: &mut Ledger) -> Self {
        let mut replayer = Replayer {
            replay,
            bodies,
            ledger,
            board,
            strikes: [0; SEATS],
            offer: None,
            result: None,
            playthrough: Self { expected: Vec::new(), san: Vec::new(), end: Ok(()) },
        };
        if let Err((claim, reason)) = replayer.replay_turns() {
            replayer.ledger.fail(claim, reason.as_str());
            let why = format!("the game is not known to its end, because {claim} fails");
            for claim in [
                ClaimId::TurnOrder,
                ClaimId::Legality,
                ClaimId::Forced,
                ClaimId::Draws,
                ClaimId::DrawOffers,
                ClaimId::StateHashes,
                ClaimId::Result,
            ] {
                replayer.ledger.leave(claim, why.as_str());
            }
            replayer.playthrough.end = Err(why);
        }
        replayer.playthrough
    }
}

/// What is known while the game is played again.
struct Replayer<'a, 'v> {
    replay: &'a Replay<'v>,
    bodies: &'a Bodies,
    ledger: &'a mut Ledger,
    board: Board,
    strikes: [u32; SEATS],
    offer: Option<Player>,
    result: Option<GameResult>,
    playthrough: Playthrough,
}

/// How a turn was resolved.
enum Resolved {
    Move { notation: String, offers: bool, drawn: bool },
    End(GameResult),
}

impl Replayer<'_, '_> {
    /// Plays all turns. The fault is one behind which the board is not known.
    fn replay_turns(&mut self) -> Result<(), Fault> {
        for (place, turn) in self.replay.moves.iter().enumerate() {
            if usize::try_from(turn.turn_index) != Ok(place) {
                return Err((ClaimId::TurnOrder, format!("turn {place} is numbered {}", turn.turn_index)));
            }
            if self.result.is_some() {
                return Err((ClaimId::TurnOrder, format!("turn {place} comes after the end of the game")));
            }
            self.turn(place, turn)?;
        }
        match self.result.clone() {
            None => Err((ClaimId::Result, "no turn ends the game".to_owned())),
            Some(result) => {
                if result != self.replay.result {
                    let reason = format!("it says {}, but the game ends with {result}", self.replay.result);
                    self.ledger.fail(ClaimId::Result, reason);
                }
                self.expect_end(&result);
                Ok(())
            }
        }
    }

    fn turn(&mut self, place: usize, turn: &Turn<'_>) -> Result<(), Fault> {
        let Some(mover) = self.board.to_move() else {
            return Err((ClaimId::TurnOrder, format!("nobody is to move in turn {place}")));
        };
        if turn.player.is_some_and(|player| player != mover) {
            let reason = format!("turn {place} names {}, but {mover} is to move", shown(turn.player));
            return Err((ClaimId::TurnOrder, reason));
        }
        self.attempts(place, turn, mover);
        let resolved = match (turn.player, turn.forced) {
            (None, _) => self.settled(turn)?,
            (Some(_), None) => self.signed(place, turn, mover)?,
            (Some(_), Some(forced)) => self.forced(turn, mover, forced)?,
        };
        match resolved {
            Resolved::Move { notation, offers, drawn } => self.apply(turn, mover, &notation, offers, drawn),
            Resolved::End(result) => {
                if turn.notation.is_some() {
                    let reason = format!("turn {place} applies a move, but ends the game without one");
                    return Err((ClaimId::Legality, reason));
                }
                self.no_draws(turn);
                self.state_hash(turn);
                // Who gives up, or is out, declines a standing offer. Replays from before that was told have no event.
                let is_out = !result.draw && turn.player.is_some();
                if is_out && self.offer.is_some_and(|by| by != mover) && self.is_told(turn, "draw_declined") {
                    self.expect(turn, "draw_declined", json!({ "player": mover }), false);
                }
                self.result = Some(self.board.counted(result));
                Ok(())
            }
        }
    }

    fn apply(
        &mut self,
        turn: &Turn<'_>,
        mover: Player,
        notation: &str,
        offers: bool,
        drawn: bool,
    ) -> Result<(), Fault> {
        let Some(played) = self.board.play(mover, notation) else {
            return Err((ClaimId::Legality, format!("{notation} is not legal in turn {}", turn.turn_index)));
        };
        if !drawn {
            self.no_draws(turn);
        }
        self.state_hash(turn);
        let to_move: Vec<Player> = self.board.to_move().into_iter().collect();
        let body = usize::try_from(turn.turn_index).ok().and_then(|place| self.bodies.of_turns.get(place));
        let commentary = body.and_then(Option::as_ref).and_then(|body| body.commentary.clone());
        let told = |name: &str| turn.value.get(name).cloned().unwrap_or_default();
        let data = json!({
            "player": mover, "notation": notation, "san": played.san,
            "forced": told("forced"), "commentary": commentary, "at": told("at"),
            "body_sha256": told("body_sha256"), "state_hash": told("state_hash"),
            "clocks_ms": told("clocks_ms"), "to_move": to_move,
        });
        self.expect(turn, "move", data, false);
        self.playthrough.san.push(played.san.map_or_else(|| notation.to_owned(), |san| san.to_string()));
        if self.offer.is_some_and(|by| by != mover) {
            self.expect(turn, "draw_declined", json!({ "player": mover }), false);
        }
        self.offer = None;
        self.result = self.board.result();
        if self.result.is_none() && offers {
            self.expect(turn, "draw_offered", json!({ "player": mover }), false);
            self.offer = Some(mover);
        }
        Ok(())
    }

    fn expect_end(&mut self, result: &GameResult) {
        let Some(last) = self.replay.moves.last() else { return };
        let data = json!({
            "player": last.player,
            "body_sha256": last.body_sha256.map(|hash| hash.to_hex()),
            "result": told(result),
            "seed": self.replay.seed.reveal(),
        });
        self.expect(last, "game_ended", data, false);
    }

    fn no_draws(&mut self, turn: &Turn<'_>) {
        if !turn.draws.is_empty() {
            let reason =
                format!("turn {} lists random numbers, but nothing was drawn in it", turn.turn_index);
            self.ledger.fail(ClaimId::Draws, reason);
        }
    }

    fn state_hash(&mut self, turn: &Turn<'_>) {
        let next = turn.turn_index.saturating_add(1);
        let expected = message::state_hash(&self.replay.game_id, next, &self.board.state_string());
        if turn.state_hash != expected {
            let reason =
                format!("turn {} has {}, but must have {expected}", turn.turn_index, turn.state_hash);
            self.ledger.fail(ClaimId::StateHashes, reason);
        }
    }

    /// An event of this turn must follow; `draws` if a random number was drawn for it.
    fn expect(&mut self, turn: &Turn<'_>, kind: &'static str, mut data: Value, draws: bool) {
        if let Some(members) = data.as_object_mut() {
            members.insert("turn_index".to_owned(), turn.turn_index.into());
        }
        self.playthrough.expected.push(Expected { kind, turn_index: turn.turn_index, data, draws });
    }
}

/// A result as events have it.
fn told(result: &GameResult) -> Value {
    let GameResult { winners, draw, reason, points } = result;
    let mut told = json!({ "winners": winners, "draw": draw, "reason": reason });
    if let (Some(points), Some(members)) = (points, told.as_object_mut()) {
        members.insert("points".to_owned(), json!(points));
    }
    told
}

fn shown(player: Option<Player>) -> String {
    player.map_or_else(|| "nobody".to_owned(), |player| player.to_string())
}
