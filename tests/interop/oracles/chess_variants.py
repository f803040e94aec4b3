"""What the oracles of the chess family share: python-chess and pyffish follow a game side by side.

python-chess says state, legal moves, check and what a position is. pyffish (Fairy-Stockfish) says the legal moves once more,
at every eighth position since it is slow, and who has won where the rules of movement end the game. When a game ends otherwise is written here: repetition is counted
over the whole game by the first four fields of the FEN and never forgets, unlike the hall.
"""

import collections

import chess
import pyffish

from oracles import check

PYFFISH_EVERY = 8


def mate(board):
    """Checkmate and stalemate."""
    if any(board.legal_moves):
        return None
    return ("checkmate", not board.turn) if board.is_check() else ("stalemate", None)


def fifty_moves(board):
    return ("fifty_moves", None) if board.halfmove_clock >= 100 else None


def repetition(seen):
    return ("threefold_repetition", None) if seen >= 3 else None


def material(board):
    return ("insufficient_material", None) if board.is_insufficient_material() else None


def chess_ending(board, seen):
    """The ends of chess, in the order in which the hall names them."""
    return mate(board) or fifty_moves(board) or repetition(seen) or material(board)


def follow(game, variant, begin, ending, public=lambda board: {}, state=lambda board: board.fen()):
    """Follows a game of pyffish's `variant`; `begin(act)` is the board, `ending(board, occurrences)` why it is over."""
    steps = iter(game["steps"])
    step = next(steps)
    act = None
    if "act" in step:
        check("unset state", step["state"], "unset")
        check("unset public", step["public"], {"fen": "unset", "check": False})
        check("nobody to move", (step["to_move"], step["legal"]), ([], {"p0": [], "p1": []}))
        act = step["act"]
        check("outcome", step["outcome"], act)
        step = next(steps)
    board = begin(act)
    seen = collections.Counter()
    positions = 0
    while True:
        fen = state(board)
        check("state", step["state"], fen)
        check("public", step["public"], {"fen": fen, "check": board.is_check()} | public(board))
        seen[tuple(fen.split(" ")[:4])] += 1
        end = ending(board, seen[tuple(fen.split(" ")[:4])])
        mover = "p0" if board.turn == chess.WHITE else "p1"
        legal = sorted(move.uci() for move in board.legal_moves) if end is None else []
        check("to move", step["to_move"], [mover] if end is None else [])
        check("legal moves", step["legal"], {"p0": [], "p1": []} | ({mover: legal} if legal else {}))
        check("private", step["private"], {"p0": {}, "p1": {}})
        if end is not None or positions % PYFFISH_EVERY == game["seed"] % PYFFISH_EVERY:
            follow_pyffish(variant, board, fen, legal, end)
        positions += 1
        if "moves" not in step:
            break
        [(player, notation)] = step["moves"]
        check("player", player, mover)
        board.push(chess.Move.from_uci(notation))
        step = next(steps, None)
        check("a step after a move", step is not None, True)
    check("no step after the end", next(steps, None), None)
    check("over", end is not None, True)
    reason, winner = end
    winners = [] if winner is None else ["p0" if winner == chess.WHITE else "p1"]
    check("result", game["result"], {"winners": winners, "draw": not winners, "reason": reason})
    return positions


def follow_pyffish(variant, board, fen, legal, end):
    """The second opinion: on the legal moves, and on the winner where nobody can move."""
    chess960 = board.chess960
    if end is None:
        theirs = pyffish.legal_moves(variant, fen, [], chess960)
        check("legal moves of pyffish", legal, sorted(theirs))
    elif end[1] is not None:
        value = pyffish.game_result(variant, fen, [], chess960)
        check("winner of pyffish", end[1], board.turn if value > 0 else not board.turn)
