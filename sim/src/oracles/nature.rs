//! N1: what is rolled in a game, by nature or for a player, is what seed and beacon give.

use super::Violations;
use super::ledger::{Game, Ledger, Recorded};
use super::texts::within;
use crate::reference::GameModel;
use cozy_chess::Board;
use hall_core::rooms::{BeaconStatus, ForcedCause, Resolution, RoomChange, RoomFact, SealedAction};
use hall_games::Act;
use hall_wire::roll::RollHash;
use hall_wire::{Digest, Notation, Player, Timestamp};

/// A move with the rolls for it and by it.
pub(super) struct RolledMove<'a> {
    player: Option<Player>,
    notation: Option<Notation>,
    forced: Option<ForcedCause>,
    is_random: bool,
    rolls: &'a [RollHash],
    /// Behind those that chose the move.
    own: Recorded<'a>,
}

impl<'a> RolledMove<'a> {
    pub(super) fn of(resolution: &'a Resolution) -> Self {
        let Resolution { player, notation, forced, chosen_at_random, rolls, .. } = resolution;
        Self {
            player: *player,
            notation: *notation,
            forced: *forced,
            is_random: *chosen_at_random,
            rolls,
            own: Recorded::of(resolution),
        }
    }

    /// Of what is sealed, rolls choose the move and nothing else.
    pub(super) fn sealed(player: Player, action: &'a SealedAction) -> Self {
        let SealedAction { notation, forced, rolls, .. } = action;
        Self {
            player: Some(player),
            notation: Some(*notation),
            forced: *forced,
            is_random: !rolls.is_empty(),
            rolls,
            own: Recorded::default(),
        }
    }
}

/// A random move is the one that seed and beacon give, and so is what the game itself rolls; a move that is chosen
/// takes no roll for the choice.
pub(super) fn rolled_move(game: &Game, rolled: &RolledMove<'_>, at: Timestamp, violations: &mut Violations) {
    let RolledMove { player, notation, forced, is_random, rolls, ref own } = *rolled;
    let default = player.filter(|_| matches!(forced, Some(ForcedCause::Deadline | ForcedCause::Vacated)));
    let default = default.and_then(|player| game.position.default_action(player));
    let mut right = is_random == (forced.is_some() && default.is_none()) && are_of_seed(game, rolls);
    if is_random {
        let legal = player.map_or_else(Vec::new, |player| game.position.notations(player));
        let choice = rolls.iter().position(|roll| roll.value.is_some());
        let mut choosing = rolls.iter().take(choice.map_or(0, |place| place + 1));
        right &= choosing.clone().all(|roll| usize::try_from(roll.n) == Ok(legal.len()));
        let place = choosing.next_back().and_then(|roll| usize::try_from(roll.value?).ok());
        right &= place.is_some_and(|place| legal.get(place) == notation.as_ref());
    } else if let Some(default) = default {
        right &= notation == Some(default);
    }
    let mut chance = own.clone();
    if let (Some(player), Some(notation), false) = (player, notation, chance.is_used_up()) {
        right &= game.position.clone().play(player, &notation, &mut chance).is_ok() && chance.is_used_up();
    }
    let text = || format!("turn {} of game {} is not what its rolls {rolls:?} give", game.turn, game.id);
    violations.require(right, "G9", at, text);
}

/// Nature acts when the rules call for it and not before, its rolls give what it is said to have done, and the event
/// tells the public part of that.
pub(super) fn acted(game: &Game, fact: &RoomFact, ledger: &Ledger, violations: &mut Violations) {
    let RoomChange::NatureActed { turn_index, outcome, complete, rolls, to_move, .. } = &fact.change else {
        return;
    };
    let mut position = game.position.clone();
    let mut chance = Recorded::all(rolls);
    let act = position.act(&mut chance);
    let same = act == Ok(Act { outcome: outcome.clone(), complete: complete.clone() });
    let due = game.position.awaits_nature() && *turn_index == game.turn && game.sealed.is_empty();
    let told = ledger.texts.read(fact.event.as_ref().map_or("", |event| event.leaf.as_str()));
    let told = within(&told, &["event", "data", "outcome"]) == outcome.as_deref();
    let holds = due && same && told && chance.is_used_up() && are_of_seed(game, rolls);
    let text = || format!("in turn {turn_index} of game {} nature says {complete}, {act:?}", game.id);
    violations.require(holds && *to_move == position.to_move(), "N1", fact.at, text);
    let counted = game.tally.act(*turn_index, rolls);
    let by_hand = counted
        .as_ref()
        .is_none_or(|act| *act == Ok(Act { outcome: outcome.clone(), complete: complete.clone() }));
    let text =
        || format!("in turn {turn_index} of game {} nature says {complete}, by hand {counted:?}", game.id);
    violations.require(by_hand && starts(game, complete, &*position), "N1", fact.at, text);
}

/// Whether the pieces stand as the number of a rolled start says, by another program's table of them.
fn starts(game: &Game, number: &str, position: &dyn GameModel) -> bool {
    if game.terms.variant.game.as_str() != "chess960" {
        return true;
    }
    let Some(number) = number.parse().ok().filter(|number| *number < 960) else { return false };
    let start = Board::chess960_startpos(number).to_string();
    start.split(' ').next() == position.state_string().split(' ').next()
}

/// What is shown to all because of a move is what the rules show then.
pub(super) fn shown(game: &Game, turn_index: u32, text: &str, at: Timestamp, violations: &mut Violations) {
    let due = game.tally.shows();
    let holds = due.is_none_or(|due| due == Some(text)) && turn_index + 1 == game.turn;
    let text = || format!("after turn {turn_index} of game {} is shown {text}, by hand {due:?}", game.id);
    violations.require(holds, "N1", at, text);
}

/// Whether these numbers are those of seed and beacon, after those taken before in this turn.
fn are_of_seed(game: &Game, rolls: &[RollHash]) -> bool {
    let randomness = game.randomness.map_or_else(String::new, |digest| digest.to_hex());
    let (seed, turn) = (game.terms.seed.reveal(), game.turn);
    let is_due = |(counter, roll): (u32, &RollHash)| {
        let text = format!("svc.random.v1:{}:{turn}:{counter}:{seed}:{randomness}", game.id);
        let x = Digest::of(text.as_bytes())
            .as_bytes()
            .first_chunk()
            .map_or(0, |bytes| u64::from_be_bytes(*bytes));
        let n = roll.n.max(1);
        let limit = (u128::from(u64::MAX) + 1) / u128::from(n) * u128::from(n);
        let value = (u128::from(x) < limit).then(|| x % n);
        *roll == RollHash { counter, n, x, value }
    };
    (rolls.is_empty() || game.beacon != BeaconStatus::Waiting) && (game.hashes_taken..).zip(rolls).all(is_due)
}
