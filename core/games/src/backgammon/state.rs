//! A position as text and as JSON: the public state, and the text that a position is restored from.

use super::board::{BAR, Board, CHECKERS, Half, OFF, change, count};
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
    let Board { mine, theirs } = &position.board;
    for (place, checkers) in points(&position.board).enumerate() {
        let comma = if place > 0 { "," } else { "" };
        write!(out, "{comma}{checkers}")?;
    }
    for (word, place) in [("bar", BAR), ("off", OFF)] {
        write!(out, " {word} {},{}", count(mine, place), count(theirs, place))?;
    }
    match position.mover() {
        Some((side, dice)) => write!(out, " dice {dice} to {}", side.player()),
        None => out.write_str(" dice - to -"),
    }
}

/// The points 1 to 24 of `p0`; checkers of `p1` count below zero.
fn points(board: &Board) -> impl Iterator<Item = i8> {
    (1..BAR).map(|point| {
        let of_p1 = count(&board.theirs, BAR - point);
        0_i8.saturating_add_unsigned(count(&board.mine, point)).saturating_sub_unsigned(of_p1)
    })
}

/// `{ points, bar, off, dice }`.
pub(super) fn public(position: &BackgammonPosition) -> Map<String, Value> {
    let Board { mine, theirs } = &position.board;
    let by_player = |place: u8| json!({ "p0": count(mine, place), "p1": count(theirs, place) });
    let mut public = Map::new();
    public.insert("points".to_string(), points(&position.board).collect());
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
    let BackgammonPosition { board, turn, dice, turns, .. } = *position;
    let half_is_whole =
        |half: &Half| half.iter().map(|checkers| u16::from(*checkers)).sum::<u16>() == u16::from(CHECKERS);
    let winner_has_just_moved = match position.end() {
        Some(End::Won { winner, .. }) => turn == Some(winner.other()) && dice.is_none(),
        Some(End::MoveLimit) => dice.is_none(),
        None => true,
    };
    let opening = turns > 0
        || board == Board::start()
            && position.touched == 0
            && turn.is_some() == dice.is_some()
            && !double(dice);
    half_is_whole(&board.mine)
        && half_is_whole(&board.theirs)
        && winner_has_just_moved
        && count(&board.mine, OFF).min(count(&board.theirs, OFF)) < CHECKERS
        && opening
        && (turns == 0 || turn.is_some())
        && turns <= MOST_TURNS
}

fn double(dice: Option<Dice>) -> bool {
    dice.is_some_and(Dice::is_double)
}

fn board(points: &str, bar: &str, off: &str) -> Option<Board> {
    let mut board = Board { mine: [0; 26], theirs: [0; 26] };
    let mut put = |side: Side, point: u8, checkers: u8| {
        let half = if side == Side::P0 { &mut board.mine } else { &mut board.theirs };
        change(half, point, |_| checkers);
    };
    let mut numbers = points.split(',');
    for (point, number) in (1..BAR).zip(&mut numbers) {
        let checkers: i8 = number.parse().ok()?;
        let side = if checkers > 0 { Side::P0 } else { Side::P1 };
        put(side, side.seen_by_p0(point), checkers.unsigned_abs());
    }
    for (pair, place) in [(bar, BAR), (off, OFF)] {
        let (p0, p1) = pair.split_once(',')?;
        put(Side::P0, place, p0.parse().ok()?);
        put(Side::P1, place, p1.parse().ok()?);
    }
    Some(board)
}

fn side(word: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| side.player().to_string() == word)
}

fn bits(places: &str) -> Option<u32> {
    places.split(',').try_fold(0, |bits, place| Some(bits | 1_u32.checked_shl(place.parse().ok()?)?))
}
