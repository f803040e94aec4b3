//! How a turn was resolved: by what its player signed, or by the hall in the player's place.

use super::{Fault, Replayer, Resolved};
use crate::replay::document::{BeaconStatus, Choice, DrawText, ForcedBy, GameResult, Turn};
use crate::replay::report::ClaimId;
use hall_wire::Player;
use hall_wire::draw::{RandomDraw, RandomDraws};
use serde_json::json;

/// So many illegal moves in a turn cost a strike.
const ILLEGAL_MOVES: usize = 3;

/// So many strikes lose the game.
const STRIKES: u32 = 3;

impl Replayer<'_, '_> {
    /// The illegal moves counted before the turn was resolved.
    pub(super) fn attempts(&mut self, place: usize, turn: &Turn<'_>, mover: Player) {
        for (count, body) in self.bodies.of_attempts.get(place).into_iter().flatten().enumerate() {
            let data = json!({ "player": mover, "count": count + 1 });
            self.expect(turn, "illegal_attempt", data, false);
            let Some(body) = body else { continue };
            let offered = self.offer.is_some_and(|by| by != mover);
            let legal = body.choice.as_ref().and_then(|choice| self.named(choice));
            let problem = match (legal, &body.choice) {
                _ if body.resign => "resigns".to_owned(),
                _ if offered && (body.draw_accept || body.draw_offer) => "accepts a draw".to_owned(),
                _ if body.draw_accept => {
                    "accepts a draw that nobody offered, which is not counted".to_owned()
                }
                (_, None) => "names no move at all, which is not counted".to_owned(),
                (Some(legal), _) => format!("names the legal move {legal}"),
                (None, Some(_)) => continue,
            };
            let reason = format!("illegal move {} of turn {place} {problem}", count + 1);
            self.ledger.fail(ClaimId::Legality, reason);
        }
        let counted = turn.attempts.len();
        let right = match (turn.player, turn.forced) {
            (Some(_), Some(ForcedBy::IllegalMoves)) => counted == ILLEGAL_MOVES,
            // While the third one waits for the beacon, the operator may end the game.
            (None, _) => counted <= ILLEGAL_MOVES,
            (Some(_), None | Some(ForcedBy::Deadline)) => counted < ILLEGAL_MOVES,
        };
        if !right {
            let reason = format!("turn {place} counts {counted} illegal moves, and the third forces a move");
            self.ledger.fail(ClaimId::Forced, reason);
        }
    }

    /// The operator ended the game; that it did so is all that can be checked here, and the docket tells why.
    pub(super) fn settled(&mut self, turn: &Turn<'_>) -> Result<Resolved, Fault> {
        let result = &self.replay.result;
        let one_winner = matches!(result.winners.as_slice(), [winner] if self.replay.seat(*winner).is_some());
        let sound = match result.reason.as_str() {
            "adjudicated" => one_winner != result.draw && (one_winner || result.winners.is_empty()),
            "aborted" => result.winners.is_empty() && !result.draw,
            _ => false,
        };
        if !sound || turn.forced.is_some() {
            let reason = format!("turn {} is nobody's, and {result} is no verdict", turn.turn_index);
            return Err((ClaimId::Result, reason));
        }
        self.ledger.say(
            ClaimId::Result,
            format!("The hall's operator ended the game: {result}. The public docket says why."),
        );
        Ok(Resolved::End(result.clone()))
    }

    pub(super) fn signed(&mut self, place: usize, turn: &Turn<'_>, mover: Player) -> Result<Resolved, Fault> {
        let Some(body) = self.bodies.of_turns.get(place).and_then(Option::as_ref) else {
            return self.unread(turn, mover);
        };
        if body.resign {
            return Ok(Resolved::End(lost_by(mover, "resignation")));
        }
        let offered = self.offer.is_some_and(|by| by != mover);
        if offered && (body.draw_accept || body.draw_offer) {
            return Ok(Resolved::End(agreement()));
        }
        if body.draw_accept {
            return Err((ClaimId::DrawOffers, format!("turn {place} accepts a draw that nobody offered")));
        }
        let named = body.choice.as_ref().and_then(|choice| self.named(choice));
        let Some(notation) = named else {
            return Err((ClaimId::Legality, format!("the body of turn {place} names no legal move")));
        };
        self.applied(turn, &notation, "its body names")?;
        Ok(Resolved::Move { notation, offers: body.draw_offer, drawn: false })
    }

    /// A turn whose body is withheld, or could not be read: what it did is taken from the turn and the result.
    fn unread(&self, turn: &Turn<'_>, mover: Player) -> Result<Resolved, Fault> {
        let turn_index = u64::from(turn.turn_index);
        let reason = self.replay.result.reason.as_str();
        if turn.body.is_none() && !turn.is_withheld() {
            return Err((
                ClaimId::BodySignatures,
                format!("nobody signed turn {turn_index}, and nothing forced it"),
            ));
        }
        match (turn.notation, reason) {
            (Some(applied), _) => Ok(Resolved::Move {
                notation: applied.to_owned(),
                offers: self.is_told(turn, "draw_offered"),
                drawn: false,
            }),
            (None, "resignation") => Ok(Resolved::End(lost_by(mover, reason))),
            (None, "agreement") if self.offer.is_some_and(|by| by != mover) => Ok(Resolved::End(agreement())),
            (None, _) => Err((
                ClaimId::Result,
                format!("turn {turn_index} applies no move, and {reason} does not explain it"),
            )),
        }
    }

    /// Whether an event of this kind is told of a turn.
    pub(super) fn is_told(&self, turn: &Turn<'_>, kind: &str) -> bool {
        let turn_index = u64::from(turn.turn_index);
        let mut events = self.replay.events.iter();
        events.any(|event| event.kind == kind && event.turn_index() == Some(turn_index))
    }

    /// The hall acted in the player's place.
    pub(super) fn forced(
        &mut self,
        turn: &Turn<'_>,
        mover: Player,
        forced: ForcedBy,
    ) -> Result<Resolved, Fault> {
        if turn.body.is_some() || turn.signature.is_some() || turn.body_sha256.is_some() {
            let reason = format!("turn {} was forced, but somebody signed it", turn.turn_index);
            self.ledger.fail(ClaimId::Forced, reason);
        }
        let left = turn.clocks.as_ref().and_then(|clocks| clocks.get(mover.index()));
        if forced == ForcedBy::Deadline && left == Some(&0) {
            return Ok(Resolved::End(lost_by(mover, "clock")));
        }
        let strikes = self.strikes.get_mut(mover.index()).map_or(STRIKES, |strikes| {
            *strikes += 1;
            *strikes
        });
        let data = json!({
            "player": mover, "cause": forced.as_str(), "count": strikes
        });
        let forfeits = strikes >= STRIKES;
        // A missed deadline plays a pass where the rules have one; three illegal moves always play at random.
        let pass = if forced == ForcedBy::Deadline { self.board.pass() } else { None };
        let drawn = pass.is_none();
        self.expect(turn, "strike", data, drawn && !forfeits);
        if forfeits {
            return Ok(Resolved::End(lost_by(mover, "strikes")));
        }
        let notation = match pass {
            Some(pass) => pass.to_string(),
            None => self.drawn(turn)?,
        };
        let because = if drawn { "the random number chooses" } else { "the rules let the hall play" };
        self.applied(turn, &notation, because)?;
        Ok(Resolved::Move { notation, offers: false, drawn })
    }

    /// The random move of a turn, found again.
    fn drawn(&mut self, turn: &Turn<'_>) -> Result<String, Fault> {
        let fault = |reason: &str| (ClaimId::Draws, format!("turn {}: {reason}", turn.turn_index));
        let beacon = &self.replay.beacon;
        let randomness = match (beacon.status, beacon.randomness) {
            (BeaconStatus::Verified, Some(randomness)) => randomness.to_hex(),
            (BeaconStatus::Verified, None) => {
                return Err(fault("the beacon is verified, but without randomness"));
            }
            (BeaconStatus::Waiting, _) => {
                return Err(fault("a number was drawn before the beacon was known"));
            }
            (BeaconStatus::Off | BeaconStatus::Missed, _) => String::new(),
        };
        let mut draws =
            RandomDraws::new(self.replay.game_id, turn.turn_index, &self.replay.seed, &randomness);
        let legal = self.board.legal();
        let below = u64::try_from(legal.len()).unwrap_or(u64::MAX);
        let value = draws.below(below);
        if !is_written(&draws.taken(), &turn.draws) {
            return Err(fault("the numbers listed are not those that follow from the seed"));
        }
        let chosen = usize::try_from(value).ok().and_then(|value| legal.get(value));
        chosen.map(ToString::to_string).ok_or_else(|| fault("there is no legal move to choose"))
    }

    /// The turn applies this move and no other.
    fn applied(&self, turn: &Turn<'_>, notation: &str, because: &str) -> Result<(), Fault> {
        if turn.notation == Some(notation) {
            return Ok(());
        }
        let found = turn.notation.unwrap_or("no move");
        Err((
            ClaimId::Legality,
            format!("turn {} applies {found}, but {because} {notation}", turn.turn_index),
        ))
    }

    /// The legal move that a body names, if it names one.
    fn named(&self, choice: &Choice) -> Option<String> {
        let legal = self.board.legal();
        let found = match choice {
            Choice::Notation(text) => legal.iter().find(|legal| legal.as_str() == text),
            Choice::Index(index) => usize::try_from(*index).ok().and_then(|index| legal.get(index)),
        };
        found.map(ToString::to_string)
    }
}

/// Whether the hashes taken are listed exactly so.
fn is_written(taken: &[RandomDraw], listed: &[DrawText<'_>]) -> bool {
    taken.len() == listed.len()
        && taken.iter().zip(listed).all(|(draw, listed)| {
            let x = format!("{:016x}", draw.x);
            *listed == DrawText { counter: u64::from(draw.counter), n: draw.n, x: &x, value: draw.value }
        })
}

fn lost_by(loser: Player, reason: &str) -> GameResult {
    let winner = Player::new(if loser == Player::new(0) { 1 } else { 0 });
    GameResult { winners: vec![winner], draw: false, reason: reason.to_owned(), points: None }
}

fn agreement() -> GameResult {
    GameResult { winners: Vec::new(), draw: true, reason: "agreement".to_owned(), points: None }
}
