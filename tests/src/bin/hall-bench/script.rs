//! One long legal game that all games of the load follow, so that no move has to be looked up while measuring.

use crate::server::Server;
use hall_tests::{Dice, Game, Value, json};

/// How many plies it has.
const PLIES: u64 = 800;

/// Finds a game by asking the hall for its legal moves. It plays at random without captures, so that the game
/// continues, and moves a pawn before fifty moves have passed.
pub(crate) fn find(server: &Server) -> Vec<String> {
    let hall = server.hall();
    let mut dice = Dice::new(64);
    let game = Game::new(hall, "script");
    let mut script = Vec::new();
    for turn in 0..PLIES {
        let view = game.view(hall, Game::seat_of(turn));
        let legal = view["legal_moves"].as_array().unwrap();
        let board = Board::read(view["state_string"].as_str().unwrap());
        let notation = |entry: &Value| entry["notation"].as_str().unwrap().to_owned();
        let quiet: Vec<String> =
            legal.iter().map(notation).filter(|chosen| !board.captures(chosen)).collect();
        let pawns: Vec<String> = quiet.iter().filter(|chosen| board.moves_pawn(chosen)).cloned().collect();
        let choice = if board.plies_without_progress > 80 && !pawns.is_empty() { &pawns } else { &quiet };
        let chosen =
            if choice.is_empty() { notation(&legal[0]) } else { choice[dice.index(choice.len())].clone() };
        let reply = game.act(hall, Game::seat_of(turn), turn, json!({ "move": chosen }));
        let verdict = reply.data()["verdict"].take();
        script.push(chosen);
        if verdict["game_over"] == true {
            script.pop();
            break;
        }
    }
    assert!(script.len() > 60, "the scripted game ended after {} plies", script.len());
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

    fn captures(&self, notation: &str) -> bool {
        self.at(&notation[2..4]) != ' '
    }

    fn moves_pawn(&self, notation: &str) -> bool {
        self.at(&notation[..2]).eq_ignore_ascii_case(&'p') && notation.len() == 4
    }
}
