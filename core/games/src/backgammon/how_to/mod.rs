//! The how-to-play guide: grammar, phases, traps, and examples that the rules engine plays when the guide is requested.
//!
//! No legal move, position or verdict in the examples is written down here: all of them are answers of the code that
//! runs the games, so the guide cannot disagree with it.

use super::RULESET_VERSION;
use super::dice::Roll;
use super::mat;
use super::position::BackgammonPosition;
use super::rules_card::rules_card;
use crate::guide::{OpenGame, board_of, in_full, open};
use crate::{GameRecord, Position as _};
use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use hall_wire::Player;
use hall_wire::json::Value;
use serde_json::json;

mod examples;

pub(super) use examples::{ALL as EXAMPLES, Example, SHORT_GAME};

pub(super) fn how_to() -> Value {
    json!({
        "game": "backgammon",
        "ruleset_version": RULESET_VERSION,
        "rules_card": rules_card(),
        "grammar": grammar(),
        "board": board(),
        "turn": turn(),
        "phases": phases(),
        "playing_the_dice": playing_the_dice(),
        "ending": ending(),
        "traps": traps(),
        "penalties": penalties(),
        "draw_offers": open::draw_offers(),
        "examples": examples::ALL.iter().filter_map(Example::play).collect::<Vec<_>>(),
        "worked_example": worked_example(),
    })
}

fn grammar() -> Value {
    let point = "([1-9]|1[0-9]|2[0-4])";
    let part = format!(r"(bar|{point})(/{point}\*)*/(off|{point}\*?)(\([2-4]\))?");
    json!({
        "pattern": format!("^(pass|{part}( {part}){{0,3}})$"),
        "rules": [
            "One part for each checker that moves: where it begins, a slash, where it ends, by the mover's own points \
             24 to 1. bar is where hit checkers wait, off is where borne off checkers go.",
            "A point between is written only if the checker hits there: 8/5*/4. Otherwise one checker that plays \
             several dice is from and to alone: 24/20.",
            "* stands behind a point at the step that hits a checker there. Only the first checker that comes to a \
             point hits: 13/11* 13/11.",
            "Parts are ordered by where they begin, then by where they end, the higher point first, with one space \
             between. Of two that begin and end alike, the checker that moves first stands first.",
            "There is one entry for each position that can result. Where several descriptions lead to it, the one with \
             the fewest parts counts, and of these the smallest by ASCII bytes.",
            "At last equal parts are written once, with their number behind: 6/off(2).",
            "pass is the move, and the only one, where nothing can be played.",
            "There is one way to write each move: copy it from legal_moves.",
            "Instead of a string, { \"index\": n } names an entry of the legal_moves of this very turn.",
        ],
        "legal_moves": "Complete, sorted by notation (as ASCII text), index counting from 0; empty unless it is your \
                        turn. move equals notation.",
    })
}

fn board() -> Value {
    json!({
        "points": "Each player counts the 24 points from its own side. It moves from high numbers to low ones, its home \
                   is 1 to 6. Your point n is your opponent's point 25-n.",
        "state_string": "Points 1 to 24 as p0 counts them, p0's checkers positive and p1's negative; bar and off of p0 \
                         and p1; the dice, the higher first; who is to move. `dice - to -` until the dice are rolled.",
        "public": "points (index 0 is p0's point 1), bar, off, dice ([higher, lower] or null).",
        "board_text": "Both numberings of the points, and for each player a list by its own points.",
    })
}

fn turn() -> Value {
    let look = format!("{} The dice have been rolled already: public.dice.", open::LOOK);
    json!([open::WAIT, look, "Choose one entry of legal_moves.", open::SEND, open::LOST_ANSWER])
}

fn phases() -> Value {
    json!([
        {
            "phase": "awaiting_beacon",
            "means": "The hall waits, some seconds at most, for public randomness to roll the dice. Nobody is to move, \
                      legal_moves is empty, clocks stand still. Afterwards an event chance tells the dice: p0 4 p1 2 \
                      at the opening, where the higher die starts and plays both, and 63 later.",
            "next": [{ "on": "the dice are rolled", "phase": "playing" }],
        },
        {
            "phase": "playing",
            "means": "The player to move plays the dice until deadline_utc.",
            "next": [
                { "on": "legal move, default move or forced move; the next dice can be rolled at once", "phase": "playing" },
                { "on": "the round of the beacon is not known yet", "phase": "awaiting_beacon" },
                { "on": "all checkers of a player borne off, 2000 turns, agreed draw, resignation, side clock used up, \
                         third strike, decision of the hall's operator", "phase": "ended" },
            ],
        },
        {
            "phase": "ended",
            "means": "result says who won, why, and the points; to_move and legal_moves are empty, moves are refused as \
                      GAME_NOT_LIVE, the replay can be read.",
            "next": [],
        },
    ])
}

fn playing_the_dice() -> Value {
    json!([
        "Each die moves one checker by its number; one checker may play both, if it can stand on the point between.",
        "A double is played four times.",
        "A point with two or more checkers of the opponent is blocked. A single one is hit and goes to the bar.",
        "While you have a checker on the bar, only it may move: it comes in on 25 minus the die.",
        "When all your checkers are on 1 to 6, a die bears off a checker from its point; a higher die than needed bears \
             off only from your highest point.",
        "You must play as many dice as possible. If only one of two can be played, it must be the higher if possible.",
    ])
}

fn ending() -> Value {
    json!({
        "single": "A player has borne off all 15 checkers and wins 1 point.",
        "gammon": "The same, and the loser has borne off none: 2 points.",
        "backgammon": "A gammon in which the loser still has a checker on the bar or in the winner's home board, its own \
                       points 19 to 24: 3 points.",
        "move_limit": "After 2000 turns, passes among them, without a winner: a draw, 0 points. A win in that very turn \
                       counts.",
        "points": "What the winner gets, the loser gets below zero.",
        "by_the_room": "resignation, clock, strikes, adjudicated: 1 point; agreement and aborted: 0 points.",
    })
}

fn traps() -> Value {
    json!([
        "legal_moves counts points from the mover's side, state_string and public.points from p0's.",
        "The mark of a hit may stand at another part than you would write it (8/5 6/5*).",
        "One checker that plays both dice is one part, also where two checkers could do the same.",
        "A pass must be sent: nothing passes for you before the deadline.",
        "The same dice may have only one legal move, or a single die of the two.",
    ])
}

fn penalties() -> Value {
    json!({
        "illegal_moves": open::ILLEGAL_MOVES,
        "deadline": "When deadline_utc passes, a random legal move, or the pass, is played for you and you get a \
                     strike.",
        "strikes": "At most one per turn. The third in one game forfeits it at once, for one point.",
        "resign": "resign: true on your own turn; it costs one point, whatever the position.",
    })
}

/// A short game from the opening roll to the last checker, every turn as the engine sees it.
fn worked_example() -> Option<Value> {
    let mut position = BackgammonPosition::initial();
    let (mut game, mut chance) = (OpenGame::default(), Vec::new());
    let (mut first_legal_moves, mut first_board_text) = (None, None);
    for (roll, text) in SHORT_GAME {
        let before_roll = position.state_string();
        position.take(Roll::parse(roll)?)?;
        let player = position.to_move().iter().next()?;
        first_legal_moves.get_or_insert_with(|| in_full(&position.legal_moves(player)));
        first_board_text.get_or_insert_with(|| board_of(&position));
        chance.push((game.moves.len(), roll.to_string()));
        game.play(&mut position, text, |_, _| {
            [("before_the_roll", before_roll.into()), ("chance", roll.into())]
        })?;
    }
    let ending = game.ending(&position, Player::new(0), "mat", |result| {
        mat::write(&GameRecord { chance: &chance, ..GameRecord::of(&game.moves, result) }).into()
    })?;
    Some(json!({
        "about": "A whole game. Each turn lists what legal_moves held; the first one is also shown in full.",
        "first_legal_moves": first_legal_moves,
        "first_board_text": first_board_text,
        "turns": game.turns,
        "final": ending,
    }))
}
