"""Crazyhouse, followed by python-chess and pyffish.

Both play on without a limit; that the 1,000th turn ends the game is checked here. python-chess knows a draw for lack of
material, which no game reaches.
"""

import chess
import chess.variant

from oracles import chess_variants

NAMES = {piece: chess.piece_name(piece) for piece in reversed(chess.PIECE_TYPES)}


def ending(board, seen):
    limit = ("move_limit", None) if len(board.move_stack) >= 1000 else None
    return chess_variants.mate(board) or chess_variants.repetition(seen) or limit


def public(board):
    pocket = lambda colour: [name for piece, name in NAMES.items() for _ in range(board.pockets[colour].count(piece))]
    return {
        "pockets": {"p0": pocket(chess.WHITE), "p1": pocket(chess.BLACK)},
        "promoted": [chess.square_name(square) for square in chess.SquareSet(board.promoted)],
    }


def follow(game):
    return chess_variants.follow(game, "crazyhouse", lambda _: chess.variant.CrazyhouseBoard(), ending, public)
