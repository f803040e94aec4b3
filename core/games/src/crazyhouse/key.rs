//! What repetition compares: board, promoted pieces, pockets, castling rights, a legal en passant and the side to move.
//!
//! Almost nothing in crazyhouse is undoable, so a long game remembers hundreds of positions. They are kept as hashes of
//! 64 bits: among 1,000 positions two share one by chance once in some 10^13 games.

use shakmaty::variant::Crazyhouse as Board;
use shakmaty::{Color, Position as _, Role};

/// How many bytes a key has.
pub(super) const BYTES: usize = 8;

/// The key of a position. Saved games hold keys, so the function may not change.
pub(super) fn key(now: &Board) -> [u8; BYTES] {
    let board = now.board();
    let roles = Role::ALL.into_iter().map(|role| u64::from(board.by_role(role)));
    let pockets = now.pockets().copied().unwrap_or_default();
    // A pocket holds at most 16 pieces of a kind, so a byte for each of its five kinds is enough.
    let pocket = Color::ALL.map(|colour| {
        pockets.get(colour).into_iter().fold(0_u64, |packed, count| (packed << 8) | u64::from(*count))
    });
    let en_passant = now.legal_ep_square().map_or(64, u64::from);
    let others = [
        u64::from(board.by_color(Color::White)),
        u64::from(now.promoted()),
        u64::from(now.castles().castling_rights()),
        (en_passant << 1) | now.turn().fold_wb(0, 1),
    ];
    roles.chain(pocket).chain(others).fold(0, |hash, word| mixed(hash ^ word)).to_be_bytes()
}

/// Mixes as SplitMix64 does (Steele, Lea and Flood, 2014): every bit of the result depends on every bit of `word`.
const fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
