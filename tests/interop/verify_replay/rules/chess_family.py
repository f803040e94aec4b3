"""Chess and its variants as python-chess knows them, with the hall's words for their ends.

When a game ends is written here: repetition is counted over the whole game by the first four fields of the FEN, and is
never forgotten.
"""

import collections

import chess
import chess.variant

from .rules import Rules

FIFTY_MOVES_IN_HALF_MOVES = 100
CRAZYHOUSE_TURN_LIMIT = 1000


class Chess(Rules):
    """A game from the opening position on."""

    reasons = ("checkmate", "stalemate", "fifty_moves", "threefold_repetition", "insufficient_material")

    def __init__(self, variant):
        super().__init__(variant)
        self.board, self.seen = None, collections.Counter()
        if not self.has_chance:
            self.begin(self.first_board())

    def first_board(self):
        return chess.Board()

    def begin(self, board):
        self.board = board
        self.note_position()

    def position(self):
        """Pieces, side to move, castling rights and legal en passant square, without the counters."""
        return tuple(self.state_string().split()[:4])

    def note_position(self):
        self.seen[self.position()] += 1

    def waits(self):
        return self.board is None

    def movers(self):
        return [] if self.waits() or self.outcome() else [self.mover()]

    def mover(self):
        return self.player_of(self.board.turn)

    def player_of(self, colour):
        return "p0" if colour == chess.WHITE else "p1"

    def legal_moves(self, _player):
        return sorted(move.uci() for move in self.board.legal_moves)

    def state_string(self):
        return "unset" if self.waits() else self.board.fen(en_passant="legal")

    def san(self, _player, notation):
        return self.board.san(self.board.parse_uci(notation))

    def play(self, moves):
        (notation,) = moves.values()
        self.board.push(self.board.parse_uci(notation))
        self.note_position()
        return []

    def outcome(self):
        """By the documented order of the reasons."""
        return self.ended_by_variant() or self.mate() or self.fifty_moves() or self.repetition() or self.material()

    def ended_by_variant(self):
        return None

    def mate(self):
        if any(self.board.legal_moves):
            return None
        if self.board.is_check():
            return self.won_by(self.player_of(not self.board.turn), "checkmate")
        return self.drawn("stalemate")

    def fifty_moves(self):
        return self.drawn("fifty_moves") if self.board.halfmove_clock >= FIFTY_MOVES_IN_HALF_MOVES else None

    def repetition(self):
        return self.drawn("threefold_repetition") if self.seen[self.position()] >= 3 else None

    def material(self):
        return self.drawn("insufficient_material") if self.board.is_insufficient_material() else None


class Chess960(Chess):
    has_chance = True

    def act(self, draw):
        number = draw(960)
        self.begin(chess.Board.from_chess960_pos(number))
        return str(number), str(number)


class Crazyhouse(Chess):
    reasons = ("checkmate", "stalemate", "threefold_repetition", "move_limit")

    def first_board(self):
        return chess.variant.CrazyhouseBoard()

    def outcome(self):
        return self.mate() or self.repetition() or self.limit()

    def limit(self):
        return self.drawn("move_limit") if len(self.board.move_stack) >= CRAZYHOUSE_TURN_LIMIT else None


class Atomic(Chess):
    reasons = (*Chess.reasons, "explosion")

    def first_board(self):
        return chess.variant.AtomicBoard()

    def state_string(self):
        """The en passant square stands where the capture is legal; python-chess has it elsewhere at times.

        It names the square where the capture would explode the king of the side that makes it, and leaves it out where
        the capture explodes the other king out of check.
        """
        fields = self.board.fen(en_passant="fen").split(" ")
        if not any(self.board.is_en_passant(move) for move in self.board.legal_moves):
            fields[3] = "-"
        return " ".join(fields)

    def ended_by_variant(self):
        if self.board.is_variant_end():
            return self.won_by(self.player_of(not self.board.turn), "explosion")
        return None


class Antichess(Chess):
    reasons = ("no_pieces", "stalemate", "fifty_moves", "threefold_repetition")

    def first_board(self):
        return chess.variant.AntichessBoard()

    def mate(self):
        mover = self.board.turn
        if not self.board.occupied_co[mover]:
            return self.won_by(self.player_of(mover), "no_pieces")
        return None if any(self.board.legal_moves) else self.won_by(self.player_of(mover), "stalemate")

    def material(self):
        """None: python-chess would draw where only bishops on squares of different colours are left."""
        return None
