//! A chessboard as the rules of `chess/1` see it (specification 2.12, decision 5.8): legal moves in UCI, the state
//! string, and when the game is over.

use hall_wire::Player;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position as _};
use std::collections::BTreeMap;

/// The fifty-move rule, in half-moves.
const FIFTY_MOVES: u32 = 100;

/// A position draws when it stands for this time.
const THREEFOLD: u32 = 3;

/// A game in play.
pub(super) struct Board {
    position: Chess,
    /// Every legal move with its UCI, sorted by it: the list that indices point into.
    legal: Vec<(String, Move)>,
    /// How often each position has stood: pieces, side to move, castling rights, usable en passant square.
    seen: BTreeMap<String, u32>,
    ending: Option<Ending>,
}

/// How the board ends a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) winner: Option<Player>,
    pub(super) reason: &'static str,
}

impl Board {
    /// The opening position.
    pub(super) fn new() -> Self {
        let mut board =
            Self { position: Chess::default(), legal: Vec::new(), seen: BTreeMap::new(), ending: None };
        board.look();
        board
    }

    /// Whose turn it is: p0 is White. It stays so when the game is over.
    pub(super) fn to_move(&self) -> Player {
        player(self.position.turn())
    }

    /// The legal moves in UCI, sorted; none when the game is over.
    pub(super) fn legal(&self) -> impl ExactSizeIterator<Item = &str> {
        let moves = if self.ending.is_none() { self.legal.as_slice() } else { &[] };
        moves.iter().map(|(uci, _)| uci.as_str())
    }

    /// Plays a legal move and answers its SAN; `None` if it is not among the legal ones, letter by letter.
    pub(super) fn play(&mut self, uci: &str) -> Option<String> {
        let place = self.legal.binary_search_by(|(known, _)| known.as_str().cmp(uci)).ok()?;
        let (_, chosen) = self.legal.get(place).filter(|_| self.ending.is_none())?;
        let san = SanPlus::from_move_and_play_unchecked(&mut self.position, *chosen);
        self.look();
        Some(san.to_string())
    }

    /// The position in FEN, with an en passant square only where a capture there is legal.
    pub(super) fn state_string(&self) -> String {
        Fen::from_position(&self.position, EnPassantMode::Legal).to_string()
    }

    /// Whether the game is over by its own rules.
    pub(super) const fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Takes in the position that has arisen.
    fn look(&mut self) {
        let uci = |legal: Move| legal.to_uci(CastlingMode::Standard).to_string();
        self.legal = self.position.legal_moves().into_iter().map(|legal| (uci(legal), legal)).collect();
        self.legal.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        let mut key = self.state_string();
        // The two counters at the end do not make another position.
        for _ in 0..2 {
            key.truncate(key.rfind(' ').unwrap_or(0));
        }
        let times = self.seen.entry(key).or_insert(0);
        *times += 1;
        let threefold = *times >= THREEFOLD;
        self.ending = self.judge(threefold);
    }

    /// Where several rules end the game at once, the first in the published list of reasons is named.
    fn judge(&self, threefold: bool) -> Option<Ending> {
        let draw = |reason| Some(Ending { winner: None, reason });
        if self.legal.is_empty() {
            if !self.position.is_check() {
                return draw("stalemate");
            }
            return Some(Ending { winner: Some(player(self.position.turn().other())), reason: "checkmate" });
        }
        if self.position.halfmoves() >= FIFTY_MOVES {
            return draw("fifty_moves");
        }
        if threefold {
            return draw("threefold_repetition");
        }
        if self.position.is_insufficient_material() {
            return draw("insufficient_material");
        }
        None
    }
}

fn player(colour: Color) -> Player {
    Player::new(colour.fold_wb(0, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> Board {
        let mut board = Board::new();
        for uci in moves.split_whitespace() {
            board.play(uci).unwrap_or_else(|| panic!("{uci} is illegal"));
        }
        board
    }

    fn reason(moves: &str) -> Option<&'static str> {
        after(moves).ending().map(|ending| ending.reason)
    }

    #[test]
    fn the_opening_has_twenty_moves_in_order() {
        let board = Board::new();
        let legal: Vec<&str> = board.legal().collect();
        assert_eq!((legal.len(), legal[0], legal[19]), (20, "a2a3", "h2h4"));
        assert_eq!(board.state_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    }

    #[test]
    fn castling_is_written_as_the_kings_move_only() {
        let castle = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5";
        assert_eq!(after(castle).play("e1g1").as_deref(), Some("O-O"));
        for wrong in ["e1h1", "O-O", "E1G1", "e1g1 ", ""] {
            assert_eq!(after(castle).play(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_promotion_needs_its_letter() {
        let moves = "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6";
        assert_eq!(after(moves).play("b7a8"), None);
        assert_eq!(after(moves).play("b7a8k"), None);
        assert_eq!(after(moves).play("b7a8n").as_deref(), Some("bxa8=N"));
    }

    #[test]
    fn mate_ends_the_game_for_the_one_who_gave_it() {
        let board = after("f2f3 e7e5 g2g4 d8h4");
        assert_eq!(board.ending(), Some(Ending { winner: Some(Player::new(1)), reason: "checkmate" }));
        assert_eq!(board.legal().len(), 0);
    }

    #[test]
    fn the_third_occurrence_draws_and_counts_the_opening_position() {
        let around = "g1f3 g8f6 f3g1 f6g8 ";
        assert_eq!(reason(around), None);
        assert_eq!(reason(&around.repeat(2)), Some("threefold_repetition"));
    }

    #[test]
    fn an_en_passant_square_that_nobody_can_use_is_none() {
        assert!(after("e2e4").state_string().ends_with("b KQkq - 0 1"));
        assert!(after("e2e4 a7a6 e4e5 d7d5").state_string().ends_with("w KQkq d6 0 3"));
        // With e2e4 the position after it is another only if the capture were legal; it is not.
        let moves = "e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
        assert_eq!(reason(moves), Some("threefold_repetition"));
    }

    #[test]
    fn bare_kings_cannot_mate_and_ten_known_moves_stalemate() {
        let stalemate =
            "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6";
        assert_eq!(reason(stalemate), Some("stalemate"));
    }
}
