"""Hex by OpenSpiel's `hex` with the swap.

OpenSpiel numbers its actions along the rows and calls the swap by the number behind the last cell; there is no difference
in the rules.
"""

import pyspiel

from oracles import check

SIZES = {"standard": 11, "small": 7}
GAMES = {name: pyspiel.load_game(f"hex(board_size={size},swap=true)") for name, size in SIZES.items()}


def follow(game):
    size = SIZES[game["variant"]]
    state = GAMES[game["variant"]].new_initial_state()
    for step in game["steps"]:
        ended = state.is_terminal()
        rows = board(state, size)
        check("the size", step["public"]["size"], size)
        check("the board", step["public"]["board"], rows)
        names = [] if ended else sorted(name(action, size) for action in state.legal_actions())
        mover = None if ended else f"p{state.current_player()}"
        check("who is to move", step["to_move"], [] if ended else [mover])
        check("legal moves", step["legal"], {seat: names if seat == mover else [] for seat in ("p0", "p1")})
        check("the swap", step["public"]["swap"], "swap" in names)
        side = step["state"].split(" ")[1] if ended else "xo"[state.current_player()]
        swap = " swap" if "swap" in names else ""
        check("the state string", step["state"], f"{'/'.join(map(runs, rows))} {side}{swap}")
        for player, notation in step.get("moves", []):
            check("the mover", player, mover)
            actions = {name(action, size): action for action in state.legal_actions()}
            state.apply_action(actions[notation])
    check("the end", state.is_terminal(), True)
    winner = "p0" if state.returns()[0] > 0 else "p1"
    check("the result", game["result"], {"winners": [winner], "draw": False, "reason": "connection"})
    return len(game["steps"])


def name(action, size):
    row, column = divmod(action, size)
    return "swap" if row == size else f"{chr(ord('a') + column)}{row + 1}"


def board(state, size):
    """The rows of OpenSpiel's drawing without its slant."""
    cells = "".join(str(state).split())
    return [cells[place : place + size] for place in range(0, size * size, size)]


def runs(row):
    """A row with numbers for runs of empty cells."""
    for length in range(len(row), 0, -1):
        row = row.replace("." * length, str(length))
    return row
