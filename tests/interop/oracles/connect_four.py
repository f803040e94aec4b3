"""Four in a row by OpenSpiel's `connect_four`.

OpenSpiel counts columns from 0 and goes on asking nobody once the game is over; there is no difference in the rules.
"""

import pyspiel

from oracles import check

GAME = pyspiel.load_game("connect_four")


def follow(game):
    state = GAME.new_initial_state()
    for step in game["steps"]:
        ended = state.is_terminal()
        rows = str(state).split()
        mover = len(state.history()) % 2
        check("the board", step["public"]["board"], rows)
        check("the state string", step["state"], f"{runs(rows)} {'xo'[mover]}")
        check("who is to move", step["to_move"], [] if ended else [f"p{state.current_player()}"])
        legal = [] if ended else [str(action + 1) for action in state.legal_actions()]
        check("legal moves", step["legal"], {f"p{seat}": legal if seat == mover else [] for seat in (0, 1)})
        for player, notation in step.get("moves", []):
            check("the mover", player, f"p{state.current_player()}")
            state.apply_action(int(notation) - 1)
    check("the end", state.is_terminal(), True)
    returns = state.returns()
    winners = [f"p{seat}" for seat in (0, 1) if returns[seat] > 0]
    reason = "four_in_line" if winners else "board_full"
    check("the result", game["result"], {"winners": winners, "draw": not winners, "reason": reason})
    return len(game["steps"])


def runs(rows):
    """Rows with numbers for runs of empty cells."""
    text = "/".join(rows)
    for length in range(7, 0, -1):
        text = text.replace("." * length, str(length))
    return text
