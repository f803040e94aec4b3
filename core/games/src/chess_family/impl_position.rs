//! Implements [`Position`] for chess and its variants.

use super::Rules;
use super::board_text;
use super::did_you_mean::did_you_mean;
use super::end::End;
use super::picture::{picture, place};
use super::pockets::{letters, pocket};
use super::position::{FamilyPosition, Phase, UNSET, USUAL_FEN_BYTES, USUAL_SAN_BYTES};
use super::seats::player_of;
use super::summary::summary;
use super::wire_move::{WireMove, piece_name};
use crate::{Act, Chance, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Refused, Viewer};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};
use shakmaty::fen::Fen;
use shakmaty::{Color, EnPassantMode, Move, Position as _};

impl<R: Rules> Position for FamilyPosition<R> {
    fn to_move(&self) -> PlayerSet {
        match self.phase {
            Phase::Unset | Phase::Over(_) => PlayerSet::EMPTY,
            Phase::Playing => PlayerSet::only(player_of(self.now.turn())),
        }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        if !self.waits_for(player) {
            return Vec::new();
        }
        let mut moves: Vec<(WireMove, Move)> = self
            .now
            .legal_moves()
            .into_iter()
            .map(|legal| (WireMove::of(legal, R::CASTLING), legal))
            .collect();
        moves.sort_unstable_by_key(|(wire, _)| *wire);
        moves
            .into_iter()
            .map(|(wire, legal)| LegalMove { notation: wire.notation(), summary: summary::<R>(legal) })
            .collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        if !self.waits_for(player) {
            return Vec::new();
        }
        let mut moves: Vec<WireMove> =
            self.now.legal_moves().into_iter().map(|legal| WireMove::of(legal, R::CASTLING)).collect();
        moves.sort_unstable();
        moves.into_iter().map(WireMove::notation).collect()
    }

    fn did_you_mean(&self, player: Player, notation: &Notation) -> Option<Notation> {
        if !self.waits_for(player) {
            return None;
        }
        let found = did_you_mean(&self.now, R::CASTLING, notation.as_str()).map(WireMove::notation);
        found.filter(|found| found != notation)
    }

    fn awaits_nature(&self) -> bool {
        self.is_unset()
    }

    /// Draws the start position; its outcome is the number of that position.
    fn act(&mut self, chance: &mut dyn Chance) -> Result<Act, Refused> {
        let positions = R::START_POSITIONS.filter(|_| self.is_unset()).ok_or(Refused::Illegal)?;
        let number = chance.below(positions).ok_or(Refused::NeedsChance)?;
        self.set_up(number).ok_or(Refused::Illegal)?;
        Ok(Act { outcome: Some(number.to_string()), complete: number.to_string() })
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
        let is_meant = |legal: &Move| WireMove::of(*legal, R::CASTLING) == wish;
        let chosen = legal.iter().copied().find(is_meant).ok_or(Refused::Illegal)?;
        let san = self.advance(chosen, &legal);
        let mut text = String::with_capacity(USUAL_SAN_BYTES);
        san.append_to_string(&mut text);
        Ok(Played { san: Notation::parse(&text), shown: None })
    }

    fn outcome(&self) -> Option<Outcome> {
        self.end().map(End::outcome)
    }

    /// The position in FEN, with an en passant square only where a legal capture exists.
    fn state_string(&self) -> String {
        if self.is_unset() {
            return UNSET.to_string();
        }
        let mut text = String::with_capacity(USUAL_FEN_BYTES);
        Fen::from_position(&self.now, EnPassantMode::Legal).append_to_string(&mut text);
        if let (Some(begin), Some(end)) = (text.find('['), text.find(']')) {
            // Shakmaty writes a pocket from the pawns on. Most programs follow python-chess, which begins with the queens.
            let [white, black] = Color::ALL.map(|colour| letters(&self.now, colour));
            text.replace_range(begin + 1..end, &(white + &black));
        }
        text
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        board_text::board_text(self, viewer)
    }

    fn picture(&self, _revealed: bool) -> Picture {
        picture(self)
    }

    fn places(&self, notation: &Notation) -> Vec<(u8, u8)> {
        WireMove::parse(notation).map_or_else(Vec::new, |played| played.squares().map(place).collect())
    }

    /// `{ fen, check }`, and where pieces are dropped `pockets` and `promoted`; the room adds what it knows (last move,
    /// draw offer, strikes, clocks).
    fn public(&self) -> Map<String, Value> {
        let mut public = Map::new();
        public.insert("fen".to_string(), Value::from(self.state_string()));
        public.insert("check".to_string(), Value::from(!self.is_unset() && self.now.is_check()));
        if self.now.pockets().is_some() {
            let held = |colour| pocket(&self.now, colour).map(|role| Value::from(piece_name(role))).collect();
            let pockets = Color::ALL.map(|colour| (player_of(colour).to_string(), held(colour)));
            public.insert("pockets".to_string(), Value::Object(Map::from_iter(pockets)));
            let promoted = self.now.promoted().into_iter().map(|square| Value::from(square.to_string()));
            public.insert("promoted".to_string(), promoted.collect());
        }
        public
    }

    /// A move of chess is public.
    fn disclosed(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn save(&self) -> String {
        Self::save(self)
    }
}
