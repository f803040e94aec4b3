"""Atomic chess, followed by python-chess and pyffish."""

import chess.variant

from oracles import chess_variants


def ending(board, seen):
    if board.is_variant_end():
        return "explosion", not board.turn
    return chess_variants.chess_ending(board, seen)


def follow(game):
    return chess_variants.follow(game, "atomic", lambda _: chess.variant.AtomicBoard(), ending)
