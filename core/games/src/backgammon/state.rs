//! A position as text and as JSON: the public state, and the text that a position is restored from.

use super::board::{BAR, Board, CHECKERS, Half, OFF};
use super::dice::Dice;
use super::end::{End, MOST_TURNS};
use super::position::BackgammonPosition;
use super::side::Side;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use hall_wire::json::{Map, Value};
use serde_json::json;

/// Room for every state string.
const CAPACITY: usize = 128;

/// `0,0,… bar 0,0 off 0,0 dice 63 to p0`: the points 1 to 24 of `p0`, its own checkers positive, then both bars, all that
/// has been borne off, and the dice with the player who has them.
pub(super) fn state_string(position: &BackgammonPosition) -> String {
    let mut out = String::with_capacity(CAPACITY);
    write_state(&mut out, position).expect("writing to a string does not fail");
    out
}

fn write_state(out: &mut String, position: &BackgammonPosition) -> fmt::Result {
    let Board { mine, theirs } = position.board;
    for (place, checkers) in points(position.board).enumerate() {
        let comma = if place > 0 { "," } else { "" };
        write!(out, "{comma}{checkers}")?;
    }
    for (word, place) in [("bar", BAR), ("off", OFF)] {
        write!(out, " {word} {},{}", mine.count(place), theirs.count(place))?;
    }
    match position.mover() {
        Some((side, dice)) => write!(out, " dice {dice} to {}", side.player()),
        None => out.write_str(" dice - to -"),
    }
}

/// The points 1 to 24 of `p0`; checkers of `p1` count below zero.
fn points(board: Board) -> impl Iterator<Item = i8> {
    (1..BAR).map(move |point| {
        let (of_p0, of_p1) = (board.mine.count(point), board.theirs.count(BAR - point));
        0_i8.saturating_add_unsigned(of_p0).saturating_sub_unsigned(of_p1)
    })
}

/// `{ points, bar, off, dice }`.
pub(super) fn public(position: &BackgammonPosition) -> Map<String, Value> {
    let Board { mine, theirs } = position.board;
    let by_player = |place: u8| json!({ "p0": mine.count(place), "p1": theirs.count(place) });
    let mut public = Map::new();
    public.insert("points".to_string(), points(position.board).collect());
    public.insert("bar".to_string(), by_player(BAR));
    public.insert("off".to_string(), by_player(OFF));
    public.insert("dice".to_string(), json!(position.dice.map(|dice| [dice.high, dice.low])));
    public
}

/// The state string, then ` turn p0 after 12 touched 6,8`: whose turn it is or will be, the number of turns played, and
/// the places that the last move touched, as `p0` counts them, 0 being the bar.
pub(super) fn save(position: &BackgammonPosition) -> String {
    let mut out = state_string(position);
    write_rest(&mut out, position).expect("writing to a string does not fail");
    out
}

fn write_rest(out: &mut String, position: &BackgammonPosition) -> fmt::Result {
    match position.turn {
        Some(side) => write!(out, " turn {}", side.player())?,
        None => out.write_str(" turn -")?,
    }
    write!(out, " after {} touched ", position.turns)?;
    let mut comma = "";
    for point in touched(position.touched) {
        write!(out, "{comma}{point}")?;
        comma = ",";
    }
    if comma.is_empty() { out.write_char('-') } else { Ok(()) }
}

/// The places of a set of bits.
pub(super) fn touched(bits: u32) -> impl Iterator<Item = u8> {
    (0..BAR).filter(move |place| bits >> place & 1 == 1)
}

/// Reads what [`save`] wrote, to the letter; `None` for anything else, among it boards without fifteen checkers a side
/// and positions that no game can come to.
pub(super) fn restore(saved: &str) -> Option<BackgammonPosition> {
    let words: Vec<&str> = saved.split(' ').collect();
    let [
        points,
        "bar",
        bar,
        "off",
        off,
        "dice",
        dice,
        "to",
        _,
        "turn",
        turn,
        "after",
        turns,
        "touched",
        touched,
    ] = *words
    else {
        return None;
    };
    let position = BackgammonPosition {
        board: board(points, bar, off)?,
        turn: if turn == "-" { None } else { Some(side(turn)?) },
        dice: if dice == "-" { None } else { Some(Dice::parse(dice)?) },
        turns: turns.parse().ok()?,
        touched: if touched == "-" { 0 } else { bits(touched)? },
    };
    (can_arise(&position) && save(&position) == saved).then_some(position)
}

fn can_arise(position: &BackgammonPosition) -> bool {
    let BackgammonPosition { board, turn, dice, turns, touched } = *position;
    let halves = [board.mine, board.theirs];
    let is_whole = halves.iter().all(|half| half.total() == CHECKERS)
        && halves.iter().any(|half| half.count(OFF) < CHECKERS);
    let is_due = match position.end() {
        // It is the winner who has moved last.
        Some(End::Won { winner, .. }) => turn == Some(winner.other()) && dice.is_none(),
        Some(End::MoveLimit) => turn.is_some() && dice.is_none(),
        // The opening roll names a player with its dice, which differ.
        None if turns == 0 => {
            let is_opening = turn.is_some() == dice.is_some() && !dice.is_some_and(Dice::is_double);
            board == Board::start() && touched == 0 && is_opening
        }
        None => turn.is_some(),
    };
    is_whole && is_due && turns <= MOST_TURNS
}

fn board(points: &str, bar: &str, off: &str) -> Option<Board> {
    let mut board = Board { mine: Half::NONE, theirs: Half::NONE };
    let mut put = |side: Side, place: u8, checkers: u8| {
        let half = if side == Side::P0 { &mut board.mine } else { &mut board.theirs };
        *half = half.with(place, checkers)?;
        Some(())
    };
    for (point, number) in (1..BAR).zip(points.split(',')) {
        let checkers: i8 = number.parse().ok()?;
        let side = if checkers > 0 { Side::P0 } else { Side::P1 };
        put(side, side.seen_by_p0(point), checkers.unsigned_abs())?;
    }
    for (pair, place) in [(bar, BAR), (off, OFF)] {
        let (p0, p1) = pair.split_once(',')?;
        put(Side::P0, place, p0.parse().ok()?)?;
        put(Side::P1, place, p1.parse().ok()?)?;
    }
    Some(board)
}

fn side(word: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| side.player().to_string() == word)
}

fn bits(places: &str) -> Option<u32> {
    places.split(',').try_fold(0, |bits, place| Some(bits | 1_u32.checked_shl(place.parse().ok()?)?))
}
