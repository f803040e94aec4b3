"""Plays backgammon with GNU Backgammon's neural networks, as `hall agent --exec` asks: a view a line, an index a line.

Each legal move is played on the board of the view, and the one is chosen that leaves the opponent the least.
"""

import json
import sys

import gnubg_nn

POINTS, BAR, OFF = 24, 25, 0


def halves(public, you):
    """The checkers of the mover and of the other, by point as each counts, 25 for the bar."""
    mine, theirs = [0] * 26, [0] * 26
    for index, count in enumerate(public["points"]):
        for own, side in ((count > 0, "p0"), (count < 0, "p1")):
            if own:
                point = index + 1 if side == "p0" else POINTS - index
                (mine if side == you else theirs)[point] = abs(count)
    other = "p1" if you == "p0" else "p0"
    mine[BAR], theirs[BAR] = public["bar"][you], public["bar"][other]
    return mine, theirs


def played(mine, theirs, notation):
    """The two halves after a move as it is written."""
    mine, theirs = mine[:], theirs[:]
    for part in [] if notation == "pass" else notation.split():
        part, _, times = part.partition("(")
        steps = part.split("/")
        for _ in range(int(times.rstrip(")") or 1)):
            mine[point(steps[0])] -= 1
            mine[point(steps[-1])] += 1
        for step in steps[1:]:
            if step.endswith("*"):
                theirs[25 - point(step)] -= 1
                theirs[BAR] += 1
    return mine, theirs


def point(text):
    named = text.rstrip("*")
    return {"bar": BAR, "off": OFF}[named] if named in ("bar", "off") else int(named)


def left_to_the_other(mine, theirs):
    """What the position is worth to the other, who is on roll."""
    board = [mine[1:], theirs[1:]]
    win, gammon, backgammon, lost_gammon, lost_backgammon = gnubg_nn.probabilities(board, 0)
    return 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon


def choose(view):
    sides = halves(view["public"], view["you"]["player"])
    worth = [left_to_the_other(*played(*sides, legal["move"])) for legal in view["legal_moves"]]
    return worth.index(min(worth))


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps({"index": choose(json.loads(line))}), flush=True)
