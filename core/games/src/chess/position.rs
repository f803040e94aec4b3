//! A game of chess in play.

use super::board_text;
use super::draws::Repetitions;
use super::end::End;
use super::meant::meant;
use super::seats::{colour_of, player_of};
use super::summary::summary;
use super::wire_move::WireMove;
use crate::{Chance, LegalMove, Outcome, Played, PlayerSet, Position, Refused, Viewer};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};
use shakmaty::fen::Fen;
use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::{Chess, EnPassantMode, Move, Position as _};

/// Room for most positions, so that writing one allocates once.
const USUAL_FEN_BYTES: usize = 80;

/// Room for every move as people write it.
const USUAL_SAN_BYTES: usize = 16;

/// A position with what the automatic draws must remember.
#[derive(Clone, Debug)]
pub(super) struct ChessPosition {
    pub(super) now: Chess,
    pub(super) seen: Repetitions,
    /// Computed once per move, because everything else asks for it again and again.
    end: Option<End>,
}

impl ChessPosition {
    /// The opening position.
    pub(super) fn initial() -> Self {
        let now = Chess::default();
        let seen = Repetitions::from(&now);
        Self::with(now, seen)
    }

    /// `now`, with the positions that `seen` remembers.
    pub(super) fn with(now: Chess, seen: Repetitions) -> Self {
        let end = End::of(&now, &seen);
        Self { now, seen, end }
    }

    /// Whether it is the turn of `player` in a game that is not over.
    fn waits_for(&self, player: Player) -> bool {
        self.end.is_none() && colour_of(player) == Some(self.now.turn())
    }

    /// Plays a legal move and returns its SAN; `legal` are all legal moves.
    fn advance(&mut self, chosen: Move, legal: &shakmaty::MoveList) -> SanPlus {
        let san = San::disambiguate(chosen, legal);
        let forgets = self.now.is_irreversible(chosen);
        self.now.play_unchecked(chosen);
        if forgets {
            self.seen.forget();
        }
        self.seen.push(&self.now);
        self.end = End::of(&self.now, &self.seen);
        let suffix = match self.end {
            Some(End::Checkmate { .. }) => Some(Suffix::Checkmate),
            Some(_) | None => self.now.is_check().then_some(Suffix::Check),
        };
        SanPlus { san, suffix }
    }
}

impl Position for ChessPosition {
    fn to_move(&self) -> PlayerSet {
        match self.end {
            Some(_) => PlayerSet::EMPTY,
            None => PlayerSet::only(player_of(self.now.turn())),
        }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        if !self.waits_for(player) {
            return Vec::new();
        }
        let mut moves: Vec<(WireMove, Move)> =
            self.now.legal_moves().into_iter().map(|legal| (WireMove::of(legal), legal)).collect();
        moves.sort_unstable_by_key(|(wire, _)| *wire);
        moves
            .into_iter()
            .map(|(wire, legal)| LegalMove { notation: wire.notation(), summary: summary(legal) })
            .collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        if !self.waits_for(player) {
            return Vec::new();
        }
        let mut moves: Vec<WireMove> = self.now.legal_moves().into_iter().map(WireMove::of).collect();
        moves.sort_unstable();
        moves.into_iter().map(WireMove::notation).collect()
    }

    fn meant(&self, player: Player, notation: &Notation) -> Option<Notation> {
        if !self.waits_for(player) {
            return None;
        }
        let found = meant(&self.now, notation.as_str()).map(WireMove::notation);
        found.filter(|found| found != notation)
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        if !self.waits_for(player) {
            return Err(Refused::Illegal);
        }
        let wish = WireMove::parse(notation).ok_or(Refused::Illegal)?;
        let legal = self.now.legal_moves();
        let chosen =
            legal.iter().copied().find(|legal| WireMove::of(*legal) == wish).ok_or(Refused::Illegal)?;
        let san = self.advance(chosen, &legal);
        let mut text = String::with_capacity(USUAL_SAN_BYTES);
        san.append_to_string(&mut text);
        Ok(Played { san: Notation::parse(&text), shown: None })
    }

    fn outcome(&self) -> Option<Outcome> {
        self.end.map(End::outcome)
    }

    /// The position in FEN, with an en passant square only where a legal capture exists.
    fn state_string(&self) -> String {
        let mut text = String::with_capacity(USUAL_FEN_BYTES);
        Fen::from_position(&self.now, EnPassantMode::Legal).append_to_string(&mut text);
        text
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        board_text::board_text(&self.now, self.end, viewer)
    }

    /// `{ fen, check }`; the room adds what it knows (last move, draw offer, strikes, clocks).
    fn public(&self) -> Map<String, Value> {
        let mut public = Map::new();
        public.insert("fen".to_string(), Value::from(self.state_string()));
        public.insert("check".to_string(), Value::from(self.now.is_check()));
        public
    }

    /// A move of chess is public.
    fn told(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn private(&self, _player: Player) -> Value {
        Value::Object(Map::new())
    }

    fn hidden(&self) -> Value {
        Value::Null
    }

    fn save(&self) -> String {
        Self::save(self)
    }

    fn clone_box(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}
