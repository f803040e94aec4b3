//! One long legal game that all games of the load follow, so that no move has to be looked up while measuring.

use crate::server::Server;
use hall_tests::{Dice, Game, Value, json};

/// How many plies it has.
const PLIES: u64 = 800;

/// The game of the usual load.
pub(crate) const CHESS: &str = "chess";

/// Finds a game by asking the hall for its legal moves. It plays at random; in chess without captures, so that the game
/// continues, and it moves a pawn before fifty moves have passed.
pub(crate) fn find(server: &Server, kind: &str) -> Vec<String> {
    let hall = server.hall();
    let mut dice = Dice::new(64);
    let [one, two] = ["script-1", "script-2"].map(|name| hall.enter(name));
    let game = Game::of_kind(kind, hall, &one, &two);
    let mut script = Vec::new();
    for turn in 0..PLIES {
        let view = game.view(hall, Game::seat_of(turn));
        let notation = |entry: &Value| entry["notation"].as_str().unwrap().to_owned();
        let legal: Vec<String> = view["legal_moves"].as_array().unwrap().iter().map(notation).collect();
        let preferred = if kind == CHESS {
            Board::read(view["state_string"].as_str().unwrap()).preferred(&legal)
        } else {
            Vec::new()
        };
        let choice = if preferred.is_empty() { &legal } else { &preferred };
        let chosen = choice[dice.index(choice.len())].clone();
        let reply = game.act(hall, Game::seat_of(turn), turn, json!({ "move": chosen }));
        let verdict = reply.data()["verdict"].take();
        script.push(chosen);
        if verdict["game_over"] == true {
            script.pop();
            break;
        }
    }
    assert!(script.len() > 30, "the scripted game ended after {} plies", script.len());
    script
}

/// The parts of a FEN that matter for avoiding captures and draws.
struct Board {
    squares: Vec<char>,
    plies_without_progress: u32,
}

impl Board {
    fn read(fen: &str) -> Self {
        let mut fields = fen.split(' ');
        let mut squares = Vec::new();
        for letter in fields.next().unwrap().chars().filter(|letter| *letter != '/') {
            match letter.to_digit(10) {
                Some(empty) => squares.extend((0..empty).map(|_| ' ')),
                None => squares.push(letter),
            }
        }
        Self { squares, plies_without_progress: fields.nth(3).unwrap().parse().unwrap() }
    }

    fn at(&self, square: &str) -> char {
        let bytes = square.as_bytes();
        let (file, rank) = (usize::from(bytes[0] - b'a'), usize::from(b'8' - bytes[1]));
        self.squares[rank * 8 + file]
    }

    /// The moves after which the game goes on for long.
    fn preferred(&self, legal: &[String]) -> Vec<String> {
        let quiet = legal.iter().filter(|chosen| !self.captures(chosen));
        let pawns: Vec<String> = quiet.clone().filter(|chosen| self.moves_pawn(chosen)).cloned().collect();
        if self.plies_without_progress > 80 && !pawns.is_empty() { pawns } else { quiet.cloned().collect() }
    }

    fn captures(&self, notation: &str) -> bool {
        self.at(&notation[2..4]) != ' '
    }

    fn moves_pawn(&self, notation: &str) -> bool {
        self.at(&notation[..2]).eq_ignore_ascii_case(&'p') && notation.len() == 4
    }
}
