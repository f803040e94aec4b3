"""Othello by OpenSpiel's `othello`; and at every eighth position, since it is slow, and at every pass and end by
Fairy-Stockfish's `flipello`, which pyffish brings.

OpenSpiel writes cells as the hall does. Its returns say only who won, so points are counted here from its last board.
Fairy-Stockfish counts rows from the bottom, the hall from the top. It writes a disc as a drop and a pass as a move of a
piece that stays where it is. Where neither side can place a disc it still lets both pass; the game is over here.
"""

import pyffish
import pyspiel

from oracles import check

GAME = pyspiel.load_game("othello")
VARIANT = "flipello"
FEN = pyffish.start_fen(VARIANT)
FAIRY_EVERY = 8


def follow(game):
    state = GAME.new_initial_state()
    played = []
    for position, step in enumerate(game["steps"]):
        ended = state.is_terminal()
        rows = board(state)
        check("the board", step["public"]["board"], rows)
        mover = None if ended else f"p{state.current_player()}"
        cells = "".join(rows).replace(".", "-")
        check("the cells of the state string", step["state"][:65], cells + " ")
        legal = [] if ended else sorted(state.action_to_string(action) for action in state.legal_actions())
        check("who is to move", step["to_move"], [] if ended else [mover])
        check("legal moves", step["legal"], {seat: legal if seat == mover else [] for seat in ("p0", "p1")})
        if not ended:
            check("the side of the state string", step["state"][65:], "XO"[state.current_player()])
            check("must_pass", step["public"]["must_pass"], legal == ["pass"])
        check("discs", step["public"]["discs"], {"p0": cells.count("X"), "p1": cells.count("O")})
        if ended or legal == ["pass"] or position % FAIRY_EVERY == game["seed"] % FAIRY_EVERY:
            fairy = pyffish.legal_moves(VARIANT, FEN, played)
            named = sorted(map(hall_move, fairy))
            named = [move for move in named if not (ended and move == "pass")]
            check("legal moves by Fairy-Stockfish", legal, named)
        for player, notation in step.get("moves", []):
            check("the mover", player, mover)
            played.append(fairy[0] if notation == "pass" else "P@" + flipped(notation))
            state.apply_action(state.string_to_action(notation))
    check("the end", state.is_terminal(), True)
    check("the result", game["result"], result(state))
    return len(game["steps"])


def board(state):
    """The rows of OpenSpiel's drawing."""
    drawn = [line.split()[1:9] for line in str(state).splitlines() if line[:1].isdigit()]
    return ["".join(row).upper().replace("-", ".") for row in drawn]


def result(state):
    cells = "".join(board(state))
    discs = [cells.count(letter) for letter in "XO"]
    returns = state.returns()
    if returns[0] == 0:
        return {"winners": [], "draw": True, "reason": "equal_discs", "points": {"p0": 32, "p1": 32}}
    winner = 0 if returns[0] > 0 else 1
    points = {f"p{seat}": 64 - discs[1 - seat] if seat == winner else discs[seat] for seat in (0, 1)}
    return {"winners": [f"p{winner}"], "draw": False, "reason": "more_discs", "points": points}


def hall_move(move):
    """`P@d6` is a disc on d3."""
    return flipped(move[2:]) if "@" in move else "pass"


def flipped(cell):
    """The same cell with its row counted from the other end."""
    return cell[0] + str(9 - int(cell[1]))
