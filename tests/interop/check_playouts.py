#!/usr/bin/env python3
"""Checks the hall's chess against python-chess, an independent implementation.

Reads the lines of `cargo run -p hall-games --example playouts`, from the file named or from standard input:

    cargo run -q -p hall-games --example playouts -- 400 | python3 tests/interop/check_playouts.py

For every half-move: the complete legal moves in UCI, sorted; the FEN, whose en passant square stands only where a
legal capture exists; the SAN. For every game: that it ends on the very half-move on which a rule of the hall says
so, with that reason; the result; the PGN, read back. Repetition is counted over the whole game and never forgets,
unlike the hall. Stops at the first difference and exits with 1. Needs the package `chess`.
"""

import collections
import io
import json
import sys

import chess
import chess.pgn

from verify_replay.claims import Difference, same
from verify_replay.rules import GAMES


def check_game(game, kinds):
    rules = GAMES["chess"]("standard")
    board = rules.board
    for ply in range(len(game["moves"]) + 1):
        outcome = rules.outcome()
        same(f"FEN at half-move {ply}", game["fens"][ply], rules.state_string())
        legal = [] if outcome else rules.legal_moves(rules.mover())
        same(f"legal moves at half-move {ply}", game["legal"][ply], legal)
        if ply == len(game["moves"]):
            return check_result(game, board, outcome)
        same(f"end of the game before half-move {ply}", None, outcome)
        move = chess.Move.from_uci(game["moves"][ply])
        same(f"SAN of half-move {ply}", game["san"][ply], board.san(move))
        kinds["castling"] += board.is_castling(move)
        kinds["en passant"] += board.is_en_passant(move)
        kinds["promotion"] += move.promotion is not None
        rules.play({rules.mover(): game["moves"][ply]})


def check_result(game, board, outcome):
    expected = outcome or {"winners": [], "draw": False, "reason": "aborted"}
    same("result", game["result"], expected)
    winners = expected["winners"]
    token = {"p0": "1-0", "p1": "0-1"}[winners[0]] if winners else "1/2-1/2" if expected["draw"] else "*"
    check_pgn(game, board, token)
    return expected["reason"]


def check_pgn(game, board, token):
    text = game["pgn"]
    same("longest PGN line below 80", True, all(len(line) < 80 for line in text.splitlines()))
    read = chess.pgn.read_game(io.StringIO(text))
    same("errors in the PGN", [], read.errors)
    roster = ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    same("PGN tags", list(read.headers), roster)
    same("PGN result tag", read.headers["Result"], token)
    same("PGN result token", text.split()[-1], token)
    same("PGN round tag", read.headers["Round"], str(game["seed"]))
    same("PGN moves", [move.uci() for move in read.mainline_moves()], game["moves"])
    same("PGN final position", read.end().board().fen(), board.fen())


def main():
    source = open(sys.argv[1], encoding="utf-8") if len(sys.argv) > 1 else sys.stdin
    passed, half_moves = 0, 0
    endings, kinds = collections.Counter(), collections.Counter()
    for line in source:
        game = json.loads(line)
        try:
            endings[check_game(game, kinds)] += 1
        except Difference as difference:
            print(f"seed {game['seed']}: {difference}")
            print(f"{passed} passed, 1 failed")
            return 1
        passed += 1
        half_moves += len(game["moves"])
    print(f"{half_moves} half-moves; {dict(sorted(kinds.items()))}; endings {dict(sorted(endings.items()))}")
    if passed == 0:
        print("no games were given")
        return 1
    print(f"{passed} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
