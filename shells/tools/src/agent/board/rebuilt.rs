//! The position behind a view, made from what the view shows to everybody.

use hall_client::answer::View;
use hall_games::{CATALOG, Game, NoChance, Position};
use hall_wire::{Notation, Player};

/// The game of a view by the rules that it is played by, and its position.
pub(super) struct Rebuilt {
    /// The id of the game.
    pub(super) game: &'static str,
    pub(super) position: Box<dyn Position>,
}

impl Rebuilt {
    /// The position of a view; `None` in a game that this program does not know, and where the view does not tell the
    /// position.
    pub(super) fn of(view: &View) -> Option<Self> {
        let game = game(view)?;
        let described = game.describe();
        let position = described
            .variant_ids()
            .find_map(|variant| replayed(game, variant, view))
            .or_else(|| restored(game, view))?;
        let legal = view.legal_moves.iter().map(|legal| legal.notation.as_str());
        if !position.notations(view.you.player).iter().map(Notation::as_str).eq(legal) {
            return None;
        }
        Some(Self { game: described.id, position })
    }
}

/// Whether the moves of the history lead from the beginning of the game to the view's state.
pub(in crate::agent) fn is_where_history_leads(view: &View) -> bool {
    game(view).is_some_and(|game| {
        game.describe().variant_ids().any(|variant| replayed(game, variant, view).is_some())
    })
}

/// The id of a view's game, as its rules card names it; empty if it names none.
pub(in crate::agent) fn game_id(view: &View) -> &str {
    card(view, "game").unwrap_or_default()
}

/// The game of a view, by the rules that it is played by.
fn game(view: &View) -> Option<&'static dyn Game> {
    CATALOG.find_version(card(view, "game")?, card(view, "ruleset_version")?)
}

fn card<'a>(view: &'a View, key: &str) -> Option<&'a str> {
    view.rules_card.get(key)?.as_str()
}

/// The moves of the history, played from the beginning, if they lead to the view's state. So all is known that the
/// state string leaves out: earlier positions, which repetition and superko need.
fn replayed(game: &dyn Game, variant: &str, view: &View) -> Option<Box<dyn Position>> {
    let mut position = game.open(variant, game.describe().players_of(variant)?.min).ok()?;
    for turn in &view.history {
        if position.awaits_nature() {
            return None;
        }
        let notation = Notation::parse(turn.notation.as_deref()?)?;
        position.play(turn.player?, &notation, &mut NoChance).ok()?;
    }
    (position.state_string() == view.state_string).then_some(position)
}

/// The position that the game restores from its public state, where nature had a part in it: its saved text is then
/// the state itself or begins with it.
fn restored(game: &dyn Game, view: &View) -> Option<Box<dyn Position>> {
    let state = &view.state_string;
    // A start position that nature drew: earlier positions are forgotten, so a repetition of them is not foreseen.
    let alone = game.restore(state).ok();
    // Dice: the turn belongs to who has them, and every resolved turn was one of the game's own.
    let with_turns = || {
        let player = view.to_move.first()?;
        let turns = view.history.len();
        game.restore(&format!("{state} turn {player} after {turns} touched -")).ok()
    };
    is_the_view(alone.or_else(with_turns)?, view)
}

/// The position, if its state and its legal moves are those of the view.
fn is_the_view(position: Box<dyn Position>, view: &View) -> Option<Box<dyn Position>> {
    let legal = || view.legal_moves.iter().map(|legal| legal.notation.as_str());
    let notations = position.notations(view.you.player);
    let is_same =
        position.state_string() == view.state_string && notations.iter().map(Notation::as_str).eq(legal());
    is_same.then_some(position)
}

/// The player whom a position waits for; in these games never more than one.
pub(super) fn mover(position: &dyn Position) -> Option<Player> {
    position.to_move().iter().next()
}
