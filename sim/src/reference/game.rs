//! What the reference must know of a game, and which model it has of each.
//!
//! Chess is modelled on cozy-chess and the sealed bids on plain values; neither shares code with the hall's rules. Any
//! other game of the catalog is followed with the hall's own rules ([`OfCatalog`]): legality and outcome are then the
//! game's word, while turns, clocks, strikes, draws, events and everything else that a room decides is still computed
//! here.

use super::bids::Bids;
use super::chess::Chess;
use hall_core::GameVariant;
use hall_games::{
    Act, CATALOG, Catalog, Chance, Game, GameResult, LegalMove, Played, PlayerSet, Position, Refused,
    Variant, Viewer,
};
use hall_wire::{Notation, Player, Span};
use serde_json::Value;
use std::fmt::Debug;

/// A position of a game in play, as a checker needs it.
pub trait GameModel: Debug + Send + Sync {
    /// Who must move now; empty once the game is over by its own rules.
    fn to_move(&self) -> PlayerSet;

    /// The legal moves of `player` as they are served; none if it need not move.
    fn legal_moves(&self, player: Player) -> Vec<LegalMove>;

    /// Their notations, in the same order.
    fn notations(&self, player: Player) -> Vec<Notation> {
        self.legal_moves(player).into_iter().map(|legal| legal.notation).collect()
    }

    /// The legal move that a notation which names none was probably meant to be.
    fn did_you_mean(&self, _player: Player, _notation: &Notation) -> Option<Notation> {
        None
    }

    /// The move that a missed deadline plays, where the rules name one.
    fn default_action(&self, _player: Player) -> Option<Notation> {
        None
    }

    /// Plays a move; says how people write it and what is shown to all because of it.
    ///
    /// # Errors
    ///
    /// If the move is not legal, or needs a roll that is not available. The position is unchanged.
    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        chance: &mut dyn Chance,
    ) -> Result<Played, Refused>;

    /// Whether nature must act before anybody can move.
    fn awaits_nature(&self) -> bool {
        false
    }

    /// Lets nature act once.
    ///
    /// # Errors
    ///
    /// If nature is not to act, or needs a roll that is not available. The position is unchanged.
    fn act(&mut self, _chance: &mut dyn Chance) -> Result<Act, Refused> {
        Err(Refused::Illegal)
    }

    /// Whether several players to move share one turn, in which what each does is sealed.
    fn is_simultaneous(&self) -> bool {
        false
    }

    /// Whether the others play on when a player leaves a table of more than two.
    fn plays_on(&self) -> bool {
        true
    }

    /// The players that are out by the rules, in the order in which they went out.
    fn eliminated(&self) -> Vec<Player> {
        Vec::new()
    }

    /// The points of each seat in a game that ended here with `result`; `None` in games without points.
    fn points(&self, _result: &GameResult) -> Option<Vec<i64>> {
        None
    }

    /// The end by the game's own rules, if it has come.
    fn outcome(&self) -> Option<GameResult>;

    /// The public state in the game's standard text form.
    fn state_string(&self) -> String;

    /// The board as `viewer` may see it.
    fn board_text(&self, viewer: &Viewer<'_>) -> String;

    /// The game's part of `view.public`.
    fn public(&self) -> Value;

    /// What everybody may know of a move while the game is live.
    fn disclosed(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    /// The private state of `player`.
    fn private(&self, _player: Player) -> Value {
        Value::Object(serde_json::Map::new())
    }

    /// What was hidden during the game.
    fn hidden(&self) -> Value {
        Value::Null
    }

    /// A copy.
    fn clone_box(&self) -> Box<dyn GameModel>;
}

impl Clone for Box<dyn GameModel> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// What holds for every new game of a kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameTerms {
    pub(super) ruleset_version: &'static str,
    pub(super) seats: u8,
    /// Variants besides `standard`.
    pub(super) variants: &'static [Variant],
    /// Time for one move, and for all moves of one side, unless the settings say otherwise.
    pub(super) move_time: Span,
    pub(super) side_time: Option<Span>,
}

/// The games that a hall offers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offered(pub(crate) Catalog);

impl Default for Offered {
    fn default() -> Self {
        Self(CATALOG)
    }
}

impl Offered {
    /// The game with this id.
    pub(crate) fn find(self, game: &str) -> Option<&'static dyn Game> {
        self.0.find(game)
    }

    /// The terms of new games, if the hall offers this one. Those of a modelled game are written down here.
    pub(super) fn terms(self, game: &str) -> Option<GameTerms> {
        let described = self.find(game)?.describe();
        let (seats, variants) = (described.players.min, described.variants);
        let terms = match game {
            "chess" => GameTerms {
                ruleset_version: "chess/1",
                seats: 2,
                variants: &[],
                move_time: Span::from_secs(60),
                side_time: Some(Span::from_secs(2_400)),
            },
            _ => GameTerms {
                ruleset_version: described.ruleset_version,
                seats,
                variants,
                move_time: described.move_time,
                side_time: (described.side_time > Span::ZERO).then_some(described.side_time),
            },
        };
        Some(terms)
    }

    /// The seats of a table of this variant; of one that is not offered, as of most.
    pub(crate) fn seats(self, played: GameVariant) -> usize {
        let terms = self.terms(played.game.as_str());
        terms.map_or(2, |terms| {
            let variant = terms.variants.iter().find(|known| known.id == played.variant.as_str());
            usize::from(variant.map_or(terms.seats, |variant| variant.players.min))
        })
    }

    /// A new game by these rules. A fact may name what does not exist; then the first game offered is set up, which is
    /// no worse than any other answer to a hall that errs.
    pub(crate) fn open(self, game: &str, version: &str, variant: &str, seats: u8) -> Box<dyn GameModel> {
        match version {
            "chess/1" => Box::new(Chess::opening()),
            "sealed_bids/1" => Box::new(Bids::default()),
            _ => {
                let rules = self.0.find_version(game, version);
                match rules.and_then(|rules| Some((rules, rules.open(variant, seats).ok()?))) {
                    Some((rules, position)) => Box::new(OfCatalog { rules, position }),
                    None => Box::new(Chess::opening()),
                }
            }
        }
    }
}

/// A game without a separate model, by the hall's own rules.
#[derive(Clone, Debug)]
struct OfCatalog {
    rules: &'static dyn Game,
    position: Box<dyn Position>,
}

impl GameModel for OfCatalog {
    fn to_move(&self) -> PlayerSet {
        if self.position.outcome().is_some() { PlayerSet::EMPTY } else { self.position.to_move() }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        self.position.legal_moves(player)
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        self.position.notations(player)
    }

    fn did_you_mean(&self, player: Player, notation: &Notation) -> Option<Notation> {
        self.position.did_you_mean(player, notation)
    }

    fn default_action(&self, player: Player) -> Option<Notation> {
        self.position.default_action(player)
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        self.position.play(player, notation, chance)
    }

    fn awaits_nature(&self) -> bool {
        self.position.awaits_nature()
    }

    fn act(&mut self, chance: &mut dyn Chance) -> Result<Act, Refused> {
        self.position.act(chance)
    }

    fn is_simultaneous(&self) -> bool {
        self.rules.describe().simultaneous
    }

    fn plays_on(&self) -> bool {
        self.rules.plays_on()
    }

    fn eliminated(&self) -> Vec<Player> {
        self.position.eliminated()
    }

    fn points(&self, result: &GameResult) -> Option<Vec<i64>> {
        self.position.points(result)
    }

    fn outcome(&self) -> Option<GameResult> {
        self.position.outcome().map(GameResult::from)
    }

    fn state_string(&self) -> String {
        self.position.state_string()
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        self.position.board_text(viewer)
    }

    fn public(&self) -> Value {
        Value::Object(self.position.public())
    }

    fn disclosed(&self, player: Player, notation: &Notation) -> Option<Notation> {
        self.position.disclosed(player, notation)
    }

    fn private(&self, player: Player) -> Value {
        self.position.private(player)
    }

    fn hidden(&self) -> Value {
        self.position.hidden()
    }

    fn clone_box(&self) -> Box<dyn GameModel> {
        Box::new(self.clone())
    }
}
