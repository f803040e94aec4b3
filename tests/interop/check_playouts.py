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

from verify_replay.chess_rules import ending, position_of
from verify_replay.claims import Difference, same


def check_game(game, kinds):
    board = chess.Board()
    seen = collections.Counter()
    for ply in range(len(game["moves"]) + 1):
        seen[position_of(board)] += 1
        reason = ending(board, seen)
        same(f"FEN at half-move {ply}", game["fens"][ply], board.fen(en_passant="legal"))
        legal = [] if reason else sorted(move.uci() for move in board.legal_moves)
        same(f"legal moves at half-move {ply}", game["legal"][ply], legal)
        if ply == len(game["moves"]):
            return check_result(game, board, reason)
        same(f"end of the game before half-move {ply}", None, reason)
        move = chess.Move.from_uci(game["moves"][ply])
        same(f"SAN of half-move {ply}", game["san"][ply], board.san(move))
        kinds["castling"] += board.is_castling(move)
        kinds["en passant"] += board.is_en_passant(move)
        kinds["promotion"] += move.promotion is not None
        board.push(move)


def check_result(game, board, reason):
    winners = []
    if reason == "checkmate":
        winners = ["p1" if board.turn == chess.WHITE else "p0"]
    if reason is None:
        expected = {"winners": [], "draw": False, "reason": "aborted"}
    else:
        expected = {"winners": winners, "draw": not winners, "reason": reason}
    same("result", game["result"], expected)
    token = {"p0": "1-0", "p1": "0-1"}[winners[0]] if winners else "1/2-1/2" if reason else "*"
    check_pgn(game, board, token)
    return reason or "aborted"


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
