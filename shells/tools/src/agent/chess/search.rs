//! Looks a few moves ahead: alpha-beta over material and the centre, captures followed to their end.

use super::lookahead::best_move;
use crate::agent::dice::Dice;
use hall_client::answer::{LegalMove, View};
use shakmaty::{Chess, Color, Move, Position, Role, Square};

/// Half-moves that are searched in full, the agent's own included.
const DEPTH: u32 = 3;
/// The most positions that one choice examines, which bounds its time.
const POSITIONS: u32 = 60_000;
/// More than all pieces together, in centipawns.
const MATE: i32 = 1_000_000;

/// The best of the legal moves as far as it can see, a tie decided by dice; any move if the state is no chess
/// position, `None` if there is no legal move.
pub(in crate::agent) fn choose(view: &View, dice: Dice) -> Option<&LegalMove> {
    let mut search = Search { left: POSITIONS };
    best_move(view, dice, |_, after| -search.value(after, DEPTH - 1, -2 * MATE, 2 * MATE))
}

struct Search {
    left: u32,
}

impl Search {
    /// What a position is worth to the side to move; mates that are nearer count for more.
    fn value(&mut self, position: &Chess, depth: u32, mut least: i32, most: i32) -> i32 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            let nearer = i32::try_from(depth).unwrap_or(0);
            return if position.is_check() { -MATE - nearer } else { 0 };
        }
        if position.is_insufficient_material() {
            return 0;
        }
        self.left = self.left.saturating_sub(1);
        if depth == 0 || self.left == 0 {
            return self.quiet(position, least, most);
        }
        let mut moves: Vec<Move> = moves.into_iter().collect();
        moves.sort_by_key(|tried| std::cmp::Reverse(prize(*tried)));
        let mut best = -2 * MATE;
        for tried in moves {
            let mut after = position.clone();
            after.play_unchecked(tried);
            best = best.max(-self.value(&after, depth - 1, -most, -least));
            least = least.max(best);
            if least >= most {
                break;
            }
        }
        best
    }

    /// The same when only captures and promotions are considered, which no player is forced to make.
    fn quiet(&mut self, position: &Chess, mut least: i32, most: i32) -> i32 {
        let standing = standing(position);
        if standing >= most || self.left == 0 {
            return standing;
        }
        self.left = self.left.saturating_sub(1);
        least = least.max(standing);
        let mut best = standing;
        let mut moves: Vec<Move> =
            position.legal_moves().into_iter().filter(|tried| prize(*tried) > 0).collect();
        moves.sort_by_key(|tried| std::cmp::Reverse(prize(*tried)));
        for tried in moves {
            let mut after = position.clone();
            after.play_unchecked(tried);
            best = best.max(-self.quiet(&after, -most, -least));
            least = least.max(best);
            if least >= most {
                break;
            }
        }
        best
    }
}

/// What a move takes or becomes, more if a lesser piece does it.
fn prize(tried: Move) -> i32 {
    let taken = tried.capture().map_or(0, |role| 10 * worth(role) - worth(tried.role()) / 100);
    taken + tried.promotion().map_or(0, |role| 10 * worth(role))
}

const fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 0,
    }
}

/// Material and place, seen by the side to move.
fn standing(position: &Chess) -> i32 {
    let us = position.turn();
    position.board().iter().fold(0, |sum, (square, piece)| {
        let value = worth(piece.role) + place(square, piece.role, piece.color);
        if piece.color == us { sum + value } else { sum - value }
    })
}

/// Knights, bishops and queens like the centre, pawns go forward, kings stay at home.
fn place(square: Square, role: Role, color: Color) -> i32 {
    let distance = |line: u32| i32::try_from(line.min(7_u32.saturating_sub(line))).unwrap_or(0);
    let (file, rank) = (u32::from(square.file()), u32::from(square.rank()));
    let central = distance(file) + distance(rank);
    let forward =
        i32::try_from(if color == Color::White { rank } else { 7_u32.saturating_sub(rank) }).unwrap_or(0);
    match role {
        Role::Pawn => 3 * forward + distance(file) * 2,
        Role::Knight | Role::Bishop => 6 * central,
        Role::Queen => central,
        Role::Rook => {
            if forward == 6 {
                15
            } else {
                0
            }
        }
        Role::King => -8 * forward - 3 * central,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lookahead::{played, position};
    use super::*;
    use crate::agent::strategy::tests::view;

    fn chosen(fen: &str) -> String {
        let position = position(fen).unwrap();
        let moves: Vec<String> = position
            .legal_moves()
            .iter()
            .map(|legal| legal.to_uci(shakmaty::CastlingMode::Standard).to_string())
            .collect();
        let names: Vec<&str> = moves.iter().map(String::as_str).collect();
        choose(&view(fen, &names), Dice::new(1)).unwrap().notation.clone()
    }

    #[test]
    fn a_mate_in_two_is_found() {
        // The rooks drive the king to the edge: Rb7 leaves it no way but the last rank, where Ra8 mates.
        let first = chosen("6k1/8/8/8/8/8/R7/1R5K w - - 0 1");
        assert!(["a2a7", "b1b7"].contains(&first.as_str()), "{first}");
    }

    #[test]
    fn a_defended_pawn_is_not_taken_with_the_queen() {
        assert_ne!(chosen("4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1"), "d2d6");
    }

    #[test]
    fn a_hanging_piece_is_taken() {
        assert_eq!(chosen("4k3/8/8/3r4/8/8/3Q4/4K3 w - - 0 1"), "d2d5");
    }

    #[test]
    fn an_attacked_queen_moves_away_or_captures() {
        let after = played(
            &position("4k3/8/2n5/8/3Q4/8/8/4K3 w - - 0 1").unwrap(),
            &chosen("4k3/8/2n5/8/3Q4/8/8/4K3 w - - 0 1"),
        )
        .unwrap();
        let captures = after.legal_moves().into_iter().filter(|reply| reply.capture() == Some(Role::Queen));
        assert_eq!(captures.count(), 0);
    }
}
