//! One move ahead: a move that wins, else the one whose position is worth most.

use super::outlook::{Outlook, for_player, result};
use super::playout::{nature_acts, play_on};
use super::rebuilt::Rebuilt;
use crate::agent::dice::{Dice, Rolls};
use hall_client::answer::{LegalMove, View};
use hall_games::Position;
use hall_wire::{Notation, Player};

/// How many games are played out for each move where positions cannot be measured.
const PLAYOUTS: u32 = 3;

/// The move after which the position is worth most, a tie decided by dice; any move where the position is not known,
/// `None` if there is no legal move.
pub(in crate::agent) fn choose(view: &View, dice: Dice) -> Option<&LegalMove> {
    let Some(Rebuilt { game, position }) = Rebuilt::of(view) else { return dice.any(view) };
    let (outlook, player) = (Outlook::of(game, view.legal_moves.len()), view.you.player);
    let mut rolls = dice.rolls(view);
    let mut scored = Vec::new();
    for legal in &view.legal_moves {
        let Some(after) = after(&*position, player, &legal.notation, &mut rolls) else { continue };
        scored.push((for_player(worth(&*after, outlook, &mut rolls), player), legal));
    }
    let best = scored.iter().map(|(value, _)| *value).fold(f64::NEG_INFINITY, f64::max);
    let moves: Vec<&LegalMove> =
        scored.into_iter().filter(|(value, _)| *value >= best).map(|(_, legal)| legal).collect();
    dice.pick(view, &moves).or_else(|| dice.any(view))
}

/// The position after a move; `None` if the move is not legal.
pub(super) fn after(
    position: &dyn Position,
    player: Player,
    notation: &str,
    rolls: &mut Rolls,
) -> Option<Box<dyn Position>> {
    let mut after = position.clone_box();
    after.play(player, &Notation::parse(notation)?, rolls).ok()?;
    Some(after)
}

/// What a position is worth to `p0`: measured, or the mean of some games from there on.
fn worth(position: &dyn Position, outlook: Outlook, rolls: &mut Rolls) -> f64 {
    if let Some(value) = result(position) {
        return value;
    }
    if outlook.measures() {
        return outlook.value(position);
    }
    let once = |rolls: &mut Rolls| {
        let mut position = position.clone_box();
        nature_acts(&mut *position, rolls);
        play_on(&mut *position, outlook, rolls, &mut Vec::new(), &mut 0)
    };
    // Less than a certain win or loss.
    (0..PLAYOUTS).map(|_| once(rolls)).sum::<f64>() / f64::from(PLAYOUTS + 1)
}
