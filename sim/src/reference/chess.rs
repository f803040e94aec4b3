//! A chess position on top of cozy-chess, with everything that the hall shows of it: FEN, legal moves in UCI with
//! their summaries, SAN, the automatic draws and the board as text.

use super::game::GameModel;
use super::spelled::Spelled;
use cozy_chess::util::display_san_move;
use cozy_chess::{BitBoard, Board, Color, File, Move, Piece, Rank, Square};
use hall_games::{Chance, GameResult, LegalMove, Played, PlayerSet, Reason, Refused, Viewer};
use hall_wire::{Notation, Player};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A position with the necessary history of the moves that led to it.
#[derive(Clone, Debug)]
pub struct Chess {
    board: Board,
    /// Half-moves since the last capture or pawn move.
    halfmoves: u32,
    /// The number of the move, from 1.
    number: u32,
    /// How often each position occurred since the last capture or pawn move; none before that can come back.
    seen: BTreeMap<String, u32>,
    /// The legal moves sorted by UCI, whether or not a draw has ended the game.
    legal: Vec<(Notation, Move)>,
    /// The first four fields of the FEN.
    placement: String,
    /// The end by the rules of chess, if it has come.
    outcome: Option<GameResult>,
}

impl Chess {
    /// The opening position.
    #[must_use]
    pub fn opening() -> Self {
        Self::from_board(Board::startpos(), 0, 1)
    }

    /// A position without a past; none if it is impossible.
    #[must_use]
    pub fn from_fen(fen: &str) -> Option<Self> {
        let board = Board::from_fen(fen, false).ok()?;
        let (halfmoves, number) = (u32::from(board.halfmove_clock()), u32::from(board.fullmove_number()));
        Some(Self::from_board(board, halfmoves, number))
    }

    fn from_board(board: Board, halfmoves: u32, number: u32) -> Self {
        let (seen, legal) = (BTreeMap::new(), Vec::new());
        let mut chess =
            Self { board, halfmoves, number, seen, legal, placement: String::new(), outcome: None };
        chess.arrive();
        chess
    }

    /// Computes the legal moves, counts the position and checks whether it ends the game.
    fn arrive(&mut self) {
        let mut legal = Vec::with_capacity(self.legal.len() + 8);
        self.board.generate_moves(|moves| {
            for played in moves {
                legal.extend(self.notation(played).map(|text| (text, played)));
            }
            false
        });
        legal.sort_by_key(|(text, _)| *text);
        self.legal = legal;
        if self.halfmoves == 0 {
            self.seen.clear();
        }
        self.placement = self.place();
        let times = self.seen.entry(self.placement.clone()).or_insert(0);
        *times += 1;
        let thrice = *times >= 3;
        self.outcome = self.end(thrice);
    }

    fn notation(&self, played: Move) -> Option<Notation> {
        let to = if self.is_castling(played) {
            let file = if played.from.file() < played.to.file() { File::G } else { File::C };
            Square::new(file, played.from.rank())
        } else {
            played.to
        };
        // Every legal move of every position is written, so nothing is allocated for it.
        let [from_file, from_rank] = characters(played.from);
        let [to_file, to_rank] = characters(to);
        let promotion = played.promotion.map_or(0, |piece| ascii(char::from(piece)));
        let text = [from_file, from_rank, to_file, to_rank, promotion];
        let text = if promotion == 0 { text.get(..4)? } else { &text };
        Notation::parse(std::str::from_utf8(text).ok()?)
    }

    /// cozy-chess writes castling as the king taking its own rook.
    fn is_castling(&self, played: Move) -> bool {
        self.board.colors(self.board.side_to_move()).has(played.to)
    }

    fn is_en_passant(&self, played: Move) -> bool {
        self.board.piece_on(played.from) == Some(Piece::Pawn)
            && played.from.file() != played.to.file()
            && self.board.piece_on(played.to).is_none()
    }

    /// Plays a legal move and writes it in SAN.
    fn make(&mut self, played: Move) -> Option<Notation> {
        let san = Notation::parse(&display_san_move(&self.board, played).to_string());
        let takes = self.board.piece_on(played.to).is_some() && !self.is_castling(played);
        let resets = takes || self.board.piece_on(played.from) == Some(Piece::Pawn);
        self.halfmoves = if resets { 0 } else { self.halfmoves + 1 };
        self.number += u32::from(self.board.side_to_move() == Color::Black);
        self.board.play_unchecked(played);
        self.arrive();
        san
    }

    /// The legal moves of a player; none once the game is over.
    fn legal_of(&self, player: Player) -> &[(Notation, Move)] {
        if self.to_move().contains(player) { self.legal.as_slice() } else { &[] }
    }

    /// The legal moves with what their spellings are made of; none once the game is over.
    pub(super) fn spelled(&self) -> Vec<Spelled> {
        let legal = if self.outcome.is_some() { &[][..] } else { self.legal.as_slice() };
        let spelled = |(notation, played): &(Notation, Move)| {
            let piece = self.board.piece_on(played.from)?;
            Some(Spelled {
                notation: *notation,
                piece: char::from(piece).to_ascii_uppercase(),
                from: played.from.to_string(),
                to: notation.as_str().get(2..4)?.to_owned(),
                rook: self.is_castling(*played).then(|| played.to.to_string()),
                promotion: played.promotion.map(char::from),
            })
        };
        legal.iter().filter_map(spelled).collect()
    }

    /// The player to move.
    #[must_use]
    pub fn mover(&self) -> Player {
        Player::new(u8::from(self.board.side_to_move() == Color::Black))
    }

    fn summary(&self, played: Move) -> String {
        let mut out = String::with_capacity(48);
        let piece = self.board.piece_on(played.from).map_or("", name);
        let castling = self.is_castling(played);
        let short = played.from.file() < played.to.file();
        let to = match (castling, short) {
            (false, _) => played.to,
            (true, true) => Square::new(File::G, played.from.rank()),
            (true, false) => Square::new(File::C, played.from.rank()),
        };
        out.push_str(piece);
        for (between, square) in [(" ", played.from), (" to ", to)] {
            out.push_str(between);
            out.extend(characters(square).map(char::from));
        }
        if castling {
            out.push_str(if short { ", castles kingside" } else { ", castles queenside" });
        } else if self.is_en_passant(played) {
            out.push_str(", captures pawn en passant");
        } else if let Some(victim) = self.board.piece_on(played.to) {
            out.extend([", captures ", name(victim)]);
        }
        if let Some(promotion) = played.promotion {
            out.extend([", promotes to ", name(promotion)]);
        }
        out
    }

    /// Whether the king of the player to move is attacked.
    fn is_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    /// The first of several reasons in the published order counts.
    fn end(&self, thrice: bool) -> Option<GameResult> {
        let drawn = |word| Some(GameResult::drawn(Reason::of_game(word)));
        if self.legal.is_empty() && self.is_check() {
            let winner = Player::new(1 - self.mover().seat());
            let reason = Reason::of_game("checkmate");
            return Some(GameResult::won_by(winner, reason));
        }
        if self.legal.is_empty() {
            return drawn("stalemate");
        }
        if self.halfmoves >= 100 {
            return drawn("fifty_moves");
        }
        if thrice {
            return drawn("threefold_repetition");
        }
        if self.is_insufficient() {
            return drawn("insufficient_material");
        }
        None
    }

    /// King against king, one minor piece more, or only bishops, all on squares of one colour.
    fn is_insufficient(&self) -> bool {
        if [Piece::Pawn, Piece::Rook, Piece::Queen].iter().any(|piece| !self.board.pieces(*piece).is_empty())
        {
            return false;
        }
        let others: Vec<(Piece, Square)> = Square::ALL
            .iter()
            .filter_map(|&square| Some((self.board.piece_on(square)?, square)))
            .filter(|(piece, _)| *piece != Piece::King)
            .collect();
        let light = BitBoard::LIGHT_SQUARES;
        match others.as_slice() {
            [] | [(Piece::Knight | Piece::Bishop, _)] => true,
            [(_, first), ..] => others
                .iter()
                .all(|(piece, square)| *piece == Piece::Bishop && light.has(*square) == light.has(*first)),
        }
    }

    /// The first four fields of the FEN, which tell positions apart for the draw by repetition.
    fn place(&self) -> String {
        let mut out = String::with_capacity(80);
        for rank in Rank::ALL.iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                match self.letter(Square::new(file, *rank)) {
                    None => empty += 1,
                    Some(letter) => {
                        out.extend(char::from_digit(empty, 10).filter(|_| empty > 0));
                        empty = 0;
                        out.push(letter);
                    }
                }
            }
            out.extend(char::from_digit(empty, 10).filter(|_| empty > 0));
            if *rank != Rank::First {
                out.push('/');
            }
        }
        out.push_str(if self.board.side_to_move() == Color::White { " w " } else { " b " });
        out.push_str(&self.castling());
        out.push(' ');
        out.push_str(&self.en_passant());
        out
    }

    fn letter(&self, square: Square) -> Option<char> {
        let letter = char::from(self.board.piece_on(square)?);
        Some(if self.board.color_on(square)? == Color::White { letter.to_ascii_uppercase() } else { letter })
    }

    fn castling(&self) -> String {
        let [white, black] = [Color::White, Color::Black].map(|color| *self.board.castle_rights(color));
        let rights = [(white.short, 'K'), (white.long, 'Q'), (black.short, 'k'), (black.long, 'q')];
        let text: String = rights.iter().filter_map(|(right, letter)| right.map(|_| *letter)).collect();
        if text.is_empty() { "-".to_owned() } else { text }
    }

    /// The square behind a pawn that has just made a double step, where it may legally be taken.
    fn en_passant(&self) -> String {
        let taken = self.legal.iter().find(|(_, played)| self.is_en_passant(*played));
        taken.map_or_else(|| "-".to_owned(), |(_, played)| played.to.to_string())
    }

    /// The block of lines of specification 2.12 but for the last, which tells whose it is.
    fn board(&self, last: Option<(Player, Notation)>, result: Option<&GameResult>) -> String {
        let mut lines = vec!["    a b c d e f g h".to_owned(), "  +-----------------+".to_owned()];
        for (number, rank) in (1..=8).rev().zip(Rank::ALL.into_iter().rev()) {
            let letter = |file| self.letter(Square::new(file, rank)).unwrap_or('.');
            let row: String = File::ALL.into_iter().flat_map(|file| [letter(file), ' ']).collect();
            lines.push(format!("{number} | {row}| {number}"));
        }
        lines.push("  +-----------------+".to_owned());
        lines.push("Legend: uppercase = White, lowercase = Black, . = empty".to_owned());
        lines.push(match last {
            Some((player, notation)) => format!("Last move: {notation} by {}", side(player)),
            None => "Last move: none".to_owned(),
        });
        lines.push(format!(
            "Turn: {}{} | Castling: {} | En passant: {} | Halfmove clock: {} | Move number: {}",
            if self.board.side_to_move() == Color::White { "White" } else { "Black" },
            if self.is_check() { " (in check)" } else { "" },
            self.castling(),
            self.en_passant(),
            self.halfmoves,
            self.number
        ));
        lines.push(match result {
            None => "Result: none, the game is live".to_owned(),
            Some(result) => {
                let reason = result.reason.as_str().replace('_', " ");
                match (result.winners.first(), result.draw) {
                    (Some(winner), _) if winner.seat() == 0 => {
                        format!("Result: 1-0, {} wins by {reason}", side(*winner))
                    }
                    (Some(winner), _) => format!("Result: 0-1, {} wins by {reason}", side(*winner)),
                    (None, true) => format!("Result: 1/2-1/2, draw by {reason}"),
                    (None, false) => format!("Result: *, no result, {reason}"),
                }
            }
        });
        lines.join("\n")
    }
}

impl GameModel for Chess {
    fn to_move(&self) -> PlayerSet {
        if self.outcome.is_some() { PlayerSet::EMPTY } else { PlayerSet::only(self.mover()) }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let entry = |(notation, played): &(Notation, Move)| LegalMove {
            notation: *notation,
            summary: self.summary(*played),
        };
        self.legal_of(player).iter().map(entry).collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        self.legal_of(player).iter().map(|(text, _)| *text).collect()
    }

    fn did_you_mean(&self, player: Player, notation: &Notation) -> Option<Notation> {
        self.spelled_like(notation).filter(|_| self.to_move().contains(player))
    }

    fn play(&mut self, player: Player, notation: &Notation, _: &mut dyn Chance) -> Result<Played, Refused> {
        let named = self.legal_of(player).iter().find(|(text, _)| text == notation);
        let (_, played) = *named.ok_or(Refused::Illegal)?;
        Ok(Played { san: self.make(played), shown: None })
    }

    fn outcome(&self) -> Option<GameResult> {
        self.outcome.clone()
    }

    /// The position as FEN.
    fn state_string(&self) -> String {
        format!("{} {} {}", self.placement, self.halfmoves, self.number)
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        format!("{}\nYou: {}", self.board(viewer.last_move, viewer.result), side(viewer.player))
    }

    fn public(&self) -> Value {
        json!({ "fen": self.state_string(), "check": self.is_check() })
    }

    fn clone_box(&self) -> Box<dyn GameModel> {
        Box::new(self.clone())
    }
}

fn side(player: Player) -> String {
    match player.seat() {
        0 => "White (p0)".to_owned(),
        1 => "Black (p1)".to_owned(),
        seat => format!("no seat (p{seat})"),
    }
}

/// The file letter and rank digit of a square.
fn characters(square: Square) -> [u8; 2] {
    [ascii(char::from(square.file())), ascii(char::from(square.rank()))]
}

fn ascii(letter: char) -> u8 {
    u8::try_from(letter).unwrap_or(b'?')
}

fn name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}
