"""Antichess, followed by python-chess and pyffish.

python-chess draws when only bishops on squares of different colours, or two knights that cannot meet, are left; the hall
plays on, so that rule is not asked.
"""

import chess.variant

from oracles import chess_variants


def ending(board, seen):
    if not board.occupied_co[board.turn]:
        return "no_pieces", board.turn
    if not any(board.legal_moves):
        return "stalemate", board.turn
    return chess_variants.fifty_moves(board) or chess_variants.repetition(seen)


def follow(game):
    return chess_variants.follow(game, "antichess", lambda _: chess.variant.AntichessBoard(), ending)
