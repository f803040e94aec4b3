"""Chess as python-chess knows it, with the hall's words for its ends (decision 5.8)."""

import collections

import chess

FIFTY_MOVES_IN_HALF_MOVES = 100
OPPONENT = {"p0": "p1", "p1": "p0"}


def ending(board, seen):
    """The hall's word for why the game is over, by its documented order; None if it goes on."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.halfmove_clock >= FIFTY_MOVES_IN_HALF_MOVES:
        return "fifty_moves"
    if seen[position_of(board)] >= 3:
        return "threefold_repetition"
    if board.is_insufficient_material():
        return "insufficient_material"
    return None


def position_of(board):
    """Pieces, side to move, castling rights and legal en passant square, without the counters."""
    return " ".join(board.fen(en_passant="legal").split()[:4])


class Game:
    """A game from the opening position on. Repetition is counted over all of it and never forgotten."""

    def __init__(self):
        self.board = chess.Board()
        self.seen = collections.Counter([position_of(self.board)])

    def mover(self):
        return "p0" if self.board.turn == chess.WHITE else "p1"

    def legal_moves(self):
        return sorted(move.uci() for move in self.board.legal_moves)

    def state_string(self):
        return self.board.fen(en_passant="legal")

    def play(self, notation):
        """Plays a legal move; returns its SAN and the result, None while the game goes on."""
        move, mover = chess.Move.from_uci(notation), self.mover()
        san = self.board.san(move)
        self.board.push(move)
        self.seen[position_of(self.board)] += 1
        reason = ending(self.board, self.seen)
        if reason is None:
            return san, None
        winners = [mover] if reason == "checkmate" else []
        return san, {"winners": winners, "draw": not winners, "reason": reason}


def lost_by(player, reason):
    return {"winners": [OPPONENT[player]], "draw": False, "reason": reason}
