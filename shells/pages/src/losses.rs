//! The pieces that players have lost: what a person sees beside a board of chess or checkers.

use hall_games::{Pattern, Picture, Piece};
use hall_wire::Player;
use std::collections::BTreeMap;

/// The pieces of a player that have left the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Whose they were.
    pub(crate) player: Player,
    /// The shapes with their numbers, the rarest first.
    pub(crate) pieces: Vec<(String, u32)>,
}

/// What each player has lost between two pictures of a game, the first of which shows its beginning. Empty where pieces
/// come back from hands or are put on the board, as stones are.
pub(crate) fn losses(beginning: &Picture, now: &Picture) -> Vec<Losses> {
    if beginning.pattern != Pattern::Checkered || !now.hands.is_empty() {
        return Vec::new();
    }
    let (before, after) = (counted(&beginning.pieces), counted(&now.pieces));
    before.into_iter().filter_map(|(player, own)| lost(player, &own, after.get(&player))).collect()
}

type Counts<'a> = BTreeMap<&'a str, u32>;

fn counted(pieces: &[Piece]) -> BTreeMap<Player, Counts<'_>> {
    let mut counts: BTreeMap<Player, Counts<'_>> = BTreeMap::new();
    for piece in pieces {
        let Some(player) = piece.player else { continue };
        *counts.entry(player).or_default().entry(&piece.shape).or_default() += u32::from(piece.count);
    }
    counts
}

fn lost(player: Player, before: &Counts<'_>, after: Option<&Counts<'_>>) -> Option<Losses> {
    let left = |shape: &str| after.and_then(|after| after.get(shape)).copied().unwrap_or(0);
    let had = |shape: &str| before.get(shape).copied().unwrap_or(0);
    // Pieces that became others, as pawns do, are not lost: those of which there were most.
    let mut promoted: u32 =
        after.into_iter().flatten().map(|(shape, count)| count.saturating_sub(had(shape))).sum();
    let mut shapes: Vec<(&str, u32)> = before.iter().map(|(shape, count)| (*shape, *count)).collect();
    shapes.sort_by_key(|(_, count)| core::cmp::Reverse(*count));
    let mut pieces = Vec::new();
    for (shape, count) in shapes {
        let gone = count.saturating_sub(left(shape));
        let lost = gone.saturating_sub(promoted);
        promoted -= gone - lost;
        if lost > 0 {
            pieces.push((shape.to_owned(), lost));
        }
    }
    pieces.reverse();
    (!pieces.is_empty()).then_some(Losses { player, pieces })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_games::{CHESS, CRAZYHOUSE, Game, OTHELLO, STANDARD};

    fn chess(fen: &str) -> Picture {
        CHESS.restore(fen).unwrap().picture(false)
    }

    fn told(now: &str) -> Vec<(u8, String)> {
        let beginning = CHESS.open(STANDARD, 2).unwrap().picture(false);
        let own = |losses: &Losses| {
            let pieces: Vec<String> =
                losses.pieces.iter().map(|(shape, count)| format!("{count} {shape}")).collect();
            (u8::try_from(losses.player.index()).unwrap(), pieces.join(", "))
        };
        losses(&beginning, &chess(now)).iter().map(own).collect()
    }

    #[test]
    fn pieces_that_are_gone_are_told_by_player_and_a_promoted_pawn_is_not_one_of_them() {
        assert_eq!(told("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), []);
        assert_eq!(
            told("r1bqkb1r/pppp1ppp/8/8/8/8/PPPP1PPP/R1BQKBNR w KQkq - 0 1"),
            [(0, "1 knight, 1 pawn".to_owned()), (1, "2 knight, 1 pawn".to_owned())]
        );
        // White has promoted to a second queen.
        assert_eq!(
            told("1nbqkbn1/ppppppp1/8/r7/8/8/PPPPPPP1/RNBQKBNQ w - - 0 1"),
            [(0, "1 rook".to_owned()), (1, "1 rook, 1 pawn".to_owned())]
        );
    }

    #[test]
    fn nothing_is_lost_where_pieces_come_from_hands_or_are_put_on_the_board() {
        let games: [&dyn Game; 2] = [&CRAZYHOUSE, &OTHELLO];
        for game in games {
            let beginning = game.open(STANDARD, 2).unwrap().picture(false);
            let now = Picture { pieces: Vec::new(), ..beginning.clone() };
            assert_eq!(losses(&beginning, &now), []);
        }
    }
}
