"""Atomic chess, followed by python-chess and pyffish.

The en passant square in the FEN of python-chess disagrees with its own legal moves, and with those of pyffish: it is named
where the capture would explode the king of the side that makes it, and left out where the capture explodes the other king
out of check. The hall names the square exactly where the capture is legal, so here it follows from the legal moves.
"""

import chess.variant

from oracles import chess_variants


def state(board):
    fields = board.fen(en_passant="fen").split(" ")
    if not any(board.is_en_passant(move) for move in board.legal_moves):
        fields[3] = "-"
    return " ".join(fields)


def ending(board, seen):
    if board.is_variant_end():
        return "explosion", not board.turn
    return chess_variants.chess_ending(board, seen)


def follow(game):
    return chess_variants.follow(game, "atomic", lambda _: chess.variant.AtomicBoard(), ending, state=state)
