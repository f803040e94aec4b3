//! Plays a game again, turn by turn, by its rules and the published documents: what nature did, who was to move, what was
//! legal, what the hall did in a player's place, and how it ended (specification 2.12 and 3, decisions 5, 6.2 and 13).

mod alone;
mod expected_events;
mod nature;
mod resolving;
mod shared;
mod table;

use super::bodies::Bodies;
use crate::replay::document::{Event, Replay, Turn};
use crate::replay::report::{ClaimId, Ledger};
use crate::replay::rules::Rules;
use expected_events::Queues;
use hall_games::{GameResult, PlayerSet, Position};
use hall_wire::json::Value;
use hall_wire::{Player, Timestamp, message};
use serde_json::json;
use std::collections::BTreeMap;
use table::Table;

pub(super) use resolving::ILLEGAL_MOVES;

/// What happened, as it follows from the turns.
pub(super) struct Playthrough {
    /// The events after the first one, without those of deadlines and the beacon.
    pub(in crate::replay) expected: Vec<Expected>,
    /// Who was to move when the game began.
    pub(in crate::replay) opening: PlayerSet,
    /// Whose clocks ran, turn by turn.
    pub(in crate::replay) turns: Vec<OpenedTurn>,
    /// By entry of `moves`: until when the clock of its player ran; `None` if the entry is charged to nobody.
    pub(in crate::replay) charged_until: Vec<Option<Timestamp>>,
    /// Who were out together and are charged like the last entry.
    pub(in crate::replay) out_together: PlayerSet,
    /// The moves applied, as people write them.
    pub(in crate::replay) san: Vec<String>,
    /// What was hidden in the game.
    pub(in crate::replay) hidden: Value,
    /// Whether the game was played to its end; if not, why.
    pub(in crate::replay) end: Result<(), String>,
}

/// Who is to move in a turn.
#[derive(Clone, Copy, Default)]
pub(super) struct OpenedTurn {
    /// The players whose clocks run.
    pub(in crate::replay) running: PlayerSet,
    /// The vacant seats, for which the hall acts first.
    pub(in crate::replay) vacant: PlayerSet,
}

/// An event that must be there. `deadline_utc` is not part of it.
pub(super) struct Expected {
    pub(super) kind: &'static str,
    pub(super) turn_index: u32,
    pub(super) data: Value,
    pub(super) needs: Needs,
}

/// What must have been settled before an event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    /// The beacon, because a random number was taken for the event.
    Beacon,
}

impl Needs {
    /// Of an event for which a random number was taken or not.
    const fn of(is_random: bool) -> Self {
        if is_random { Self::Beacon } else { Self::Nothing }
    }
}

/// The claim that fails, and how.
type Fault = (ClaimId, String);

impl Playthrough {
    /// Plays the turns of `replay` on `position`, the beginning of the game.
    pub(super) fn of(
        replay: &Replay<'_>,
        rules: Rules,
        position: Box<dyn Position>,
        bodies: &Bodies,
        ledger: &mut Ledger,
    ) -> Self {
        let mut told = BTreeMap::<u64, Vec<&Event<'_>>>::new();
        for event in &replay.events {
            event.turn_index().into_iter().for_each(|turn| told.entry(turn).or_default().push(event));
        }
        let mut replayer = Replayer {
            replay,
            bodies,
            ledger,
            table: Table::new(replay.seats.len(), rules.plays_on(replay)),
            shares_turns: rules.shares_turns(),
            offer: None,
            result: None,
            turn_index: 0,
            acts: 0,
            hashes_taken: 0,
            queues: Queues::default(),
            told,
            playthrough: Self {
                expected: Vec::new(),
                opening: position.to_move(),
                turns: Vec::new(),
                charged_until: vec![None; replay.moves.len()],
                out_together: PlayerSet::EMPTY,
                san: Vec::new(),
                hidden: Value::Null,
                end: Ok(()),
            },
            position,
        };
        if let Err((claim, reason)) = replayer.replay_turns() {
            replayer.ledger.fail(claim, reason.as_str());
            let why = format!("the game is not known to its end, because {claim} fails");
            for claim in [
                ClaimId::TurnOrder,
                ClaimId::Legality,
                ClaimId::Forced,
                ClaimId::Rolls,
                ClaimId::DrawOffers,
                ClaimId::StateHashes,
                ClaimId::Result,
                ClaimId::Times,
                ClaimId::Clocks,
                ClaimId::Hidden,
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
    position: Box<dyn Position>,
    table: Table,
    shares_turns: bool,
    offer: Option<Player>,
    result: Option<GameResult>,
    turn_index: u32,
    /// How many acts of nature have been played.
    acts: usize,
    /// How many hashes were taken in the current turn.
    hashes_taken: u32,
    queues: Queues,
    /// The events by the turn that they name.
    told: BTreeMap<u64, Vec<&'a Event<'v>>>,
    playthrough: Playthrough,
}

impl Replayer<'_, '_> {
    /// Plays all turns. The fault is one behind which the position is not known.
    fn replay_turns(&mut self) -> Result<(), Fault> {
        let replay = self.replay;
        let mut place = 0;
        let result = loop {
            let next = replay.moves.get(place);
            self.begin_turn(next)?;
            if let Some(result) = self.result.clone() {
                break result;
            }
            let Some(turn) = next else {
                return Err((ClaimId::Result, "no turn ends the game".to_owned()));
            };
            if turn.turn_index != self.turn_index {
                let reason = format!("turn {} is numbered {}", self.turn_index, turn.turn_index);
                return Err((ClaimId::TurnOrder, reason));
            }
            place = if self.shares_turns { self.shared_turn(place)? } else { self.turn_of_one(place, turn)? };
            self.turn_index += 1;
            self.hashes_taken = 0;
        };
        if let Some(turn) = replay.moves.get(place) {
            let reason = format!("turn {} comes after the end of the game", turn.turn_index);
            return Err((ClaimId::TurnOrder, reason));
        }
        if let Some(act) = replay.chance.iter().flatten().nth(self.acts) {
            let reason =
                format!("the rules know no act of nature {:?} in turn {}", act.outcome, act.turn_index);
            return Err((ClaimId::Rolls, reason));
        }
        self.end(&result);
        Ok(())
    }

    fn end(&mut self, result: &GameResult) {
        if *result != self.replay.result {
            let reason =
                format!("it says {}, but the game ends with {}", worded(&self.replay.result), worded(result));
            self.ledger.fail(ClaimId::Result, reason);
        }
        self.playthrough.hidden = self.position.hidden();
        let Some(last) = self.replay.moves.last() else { return };
        let void = self.replay.unresolved.iter().flatten().next();
        if let Some(action) = void.filter(|_| !self.shares_turns || last.notation.is_some()) {
            let reason =
                format!("an action of {} is listed as void, but none was sealed at the end", action.player);
            self.ledger.fail(ClaimId::Events, reason);
        }
        let data = json!({
            "player": last.player,
            "body_sha256": last.body_sha256.map(|hash| hash.to_hex()),
            "result": result,
            "seed": self.replay.seed.reveal(),
        });
        self.expect("game_ended", last.turn_index, data, Needs::Nothing);
    }

    /// How the game ended, if its rules have decided it or one player is left.
    fn decided(&self) -> Option<GameResult> {
        self.table.decided(&*self.position)
    }

    /// Who is to move, as events say it.
    fn to_move(&self) -> PlayerSet {
        if self.decided().is_some() { PlayerSet::EMPTY } else { self.position.to_move() }
    }

    /// The hash of the position that the current turn has led to.
    fn state_hash(&mut self, turn: &Turn<'_>) {
        let next = self.turn_index.saturating_add(1);
        let expected = message::state_hash(&self.replay.game_id, next, &self.position.state_string());
        if turn.state_hash != expected {
            let reason =
                format!("turn {} has {}, but must have {expected}", turn.turn_index, turn.state_hash);
            self.ledger.fail(ClaimId::StateHashes, reason);
        }
    }
}

/// A result in words.
fn worded(result: &GameResult) -> String {
    let GameResult { winners, draw, reason, points, places } = result;
    let names: Vec<String> = winners.iter().map(ToString::to_string).collect();
    let mut text = match (names.as_slice(), draw) {
        ([], true) => "a draw".to_owned(),
        ([], false) => "no winner".to_owned(),
        (names, draw) => format!("{} winning{}", names.join(", "), if *draw { " a draw" } else { "" }),
    };
    text.push_str(&format!(" by {:?}", reason.as_str()));
    if let Some(points) = points {
        text.push_str(&format!(" with the points {:?}", points.0));
    }
    if let Some(places) = places {
        text.push_str(&format!(" in the places {:?}", places.0));
    }
    text
}

fn shown(player: Option<Player>) -> String {
    player.map_or_else(|| "nobody".to_owned(), |player| player.to_string())
}
