//! What the tests of several games share: games are asked only what the room asks them, through the traits, by saved
//! positions and by moves on the wire.

mod guides;

pub(crate) use guides::{assert_ended, checked_verdicts, replay, replay_turn, verdicts};

use crate::{Game, NoChance, Played, Position, Refused, Viewer};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

pub(crate) const P0: Player = Player::new(0);
pub(crate) const P1: Player = Player::new(1);

/// The position of a saved text.
pub(crate) fn restored(game: &dyn Game, saved: &str) -> Box<dyn Position> {
    game.restore(saved).unwrap_or_else(|_| panic!("{saved} cannot be read"))
}

/// Who is to move, in a game in which that is one player at most; a game that is over has nobody.
pub(crate) fn mover(position: &dyn Position) -> Option<Player> {
    let set = position.to_move();
    assert!(set.iter().count() <= 1);
    set.iter().next()
}

/// Sends `text` for the player to move.
pub(crate) fn send(position: &mut dyn Position, text: &str) -> Result<Played, Refused> {
    let player = mover(position).unwrap_or(P0);
    position.play(player, &Notation::parse(text).unwrap(), &mut NoChance)
}

/// Plays legal moves, separated by spaces.
pub(crate) fn play(position: &mut dyn Position, moves: &str) {
    for text in moves.split(' ').filter(|text| !text.is_empty()) {
        assert!(send(position, text).is_ok(), "{text} in {}", position.state_string());
    }
}

/// The notations of the player to move.
pub(crate) fn notations(position: &dyn Position) -> Vec<String> {
    let legal = mover(position).map(|player| position.notations(player)).unwrap_or_default();
    legal.iter().map(Notation::to_string).collect()
}

/// The notations of the player to move, separated by spaces.
pub(crate) fn listed(position: &dyn Position) -> String {
    notations(position).join(" ")
}

/// The moves of a record, separated by spaces, of players who move in turn.
pub(crate) fn moves(text: &str) -> Vec<(Player, Notation)> {
    let notations =
        text.split(' ').filter(|word| !word.is_empty()).map(|word| Notation::parse(word).unwrap());
    [P0, P1].into_iter().cycle().zip(notations).collect()
}

/// The reason why the game is over, or `-`.
pub(crate) fn reason(position: &dyn Position) -> String {
    position.outcome().map_or_else(|| "-".to_string(), |outcome| outcome.reason.as_str().to_string())
}

/// How many sequences of `depth` legal moves begin at `from`.
pub(crate) fn count(from: &dyn Position, depth: usize) -> usize {
    let Some(player) = mover(from) else { return 0 };
    let legal = from.notations(player);
    if depth == 1 {
        return legal.len();
    }
    let after = |notation| {
        let mut next = from.clone_box();
        next.play(player, notation, &mut NoChance).unwrap();
        count(&*next, depth - 1)
    };
    legal.iter().map(after).sum()
}

/// Everything that `player` may see of a live game after the move `last`; for a seat that the game does not have, what
/// the public sees.
pub(crate) fn seen(position: &dyn Position, player: Player, last: Option<(Player, &str)>) -> String {
    let last_move = last.map(|(player, text)| (player, Notation::parse(text).unwrap()));
    let of_all = (
        position.state_string(),
        position.board_text(&Viewer { player, result: None, to_move: position.to_move(), last_move }),
        position.picture(false),
        position.public(),
        (position.to_move(), position.awaits_nature(), position.outcome(), position.eliminated()),
    );
    let own = (position.private(player), position.legal_moves(player), position.default_action(player));
    format!("{of_all:?} {own:?}")
}
