"""Chess960, followed by python-chess and pyffish."""

import chess

from oracles import chess_variants


def begin(number):
    return chess.Board.from_chess960_pos(int(number))


def follow(game):
    return chess_variants.follow(game, "chess", begin, chess_variants.chess_ending)
