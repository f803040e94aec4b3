"""Go by GNU Go over GTP, by sgfmill, and by a naive twin that keeps every whole board as text.

The twin, which the verifier of replays uses too, answers for everything. GNU Go (`gnugo` on the path or in /usr/games, with area scoring, positional superko and suicide)
answers for the stones and the legal points. Its superko differs in one thing: suicide of several stones may recreate an earlier
board, so exactly these points it must allow besides. It forgets its oldest boards after 500 moves, so it is asked only up to there;
and its score is an estimate of a living game, so it is not asked for it. sgfmill answers for the stones, for the area with all
stones alive, and reads the record back.
"""

import atexit
import os
import shutil
import subprocess

from sgfmill import boards, sgf

from oracles import check
from verify_replay.rules.go import KOMI, SIZES, Go

GNU_GO_REMEMBERS = 500


class GnuGo:
    """A running GNU Go."""

    def __init__(self):
        program = shutil.which("gnugo", path=os.environ.get("PATH", "") + ":/usr/games")
        options = ["--mode", "gtp", "--chinese-rules", "--positional-superko", "--allow-suicide"]
        self.pipe = subprocess.Popen([program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.pipe.kill)

    def ask(self, command):
        self.pipe.stdin.write(command + "\n")
        self.pipe.stdin.flush()
        lines = []
        while line := self.pipe.stdout.readline().strip():
            lines.append(line)
        answer = " ".join(lines)
        if not answer.startswith("="):
            raise RuntimeError(f"GNU Go answers {answer!r} to {command!r}")
        return answer[1:].split()


gnu_go = None


class Twin(Go):
    """The verifier's rules, and where GNU Go's differ."""

    def gnu_go_allows(self, place):
        """Whether a stone on a forbidden point is suicide of several stones."""
        return self.after(place) != self.board and self.after(place)[place] == "."


def follow(game):
    global gnu_go
    gnu_go = gnu_go or GnuGo()
    size = SIZES[game["variant"]]
    twin, mill = Twin(game["variant"]), boards.Board(size)
    for command in (f"boardsize {size}", "clear_board", f"komi {KOMI[size]}"):
        gnu_go.ask(command)
    for step in game["steps"]:
        at = f"turn {twin.turns}, {step['state']}"
        check(f"the state string at {at}", step["state"], twin.state_string())
        mover = None if twin.outcome() else twin.mover()
        check(f"who is to move at {at}", step["to_move"], [mover] if mover else [])
        forbidden = twin.forbidden()
        for player in ("p0", "p1"):
            legal = twin.legal_moves(player) if player == mover else []
            check(f"legal moves of {player} at {at}", step["legal"][player], legal)
            check(f"what {player} knows alone at {at}", step["private"][player], {})
        black, white = twin.area()
        public = {
            "size": size,
            "komi": KOMI[size],
            "board": twin.rows(),
            "area": {"p0": black, "p1": white},
            "passes": twin.passes,
            "turns": twin.turns,
            "turn_limit": 4 * size * size,
            "forbidden": sorted(twin.names[place] for place in forbidden),
        }
        check(f"public values at {at}", step["public"], public)
        check(f"sgfmill's board at {at}", step["public"]["board"], rows_of(mill))
        check(f"sgfmill's area at {at}", black - white, mill.area_score())
        if twin.turns < GNU_GO_REMEMBERS:
            ask_gnu_go(step, twin, mover, at)
        if "moves" in step:
            [[player, name]] = step["moves"]
            check("who moved", player, mover)
            check("what was shown", step["shown"], [])
            if name != "pass":
                place = twin.places[name]
                mill.play(place // size, place % size, "bw"[twin.turns % 2])
            if twin.turns < GNU_GO_REMEMBERS:
                gnu_go.ask(f"play {('black', 'white')[twin.turns % 2]} {name}")
            twin.play({player: name})
    outcome = twin.outcome()
    check("the result", game["result"], {**outcome, "points": twin.points(outcome)})
    check_sgf(game, twin)
    return len(game["steps"])


def rows_of(mill):
    kinds = {None: ".", "b": "X", "w": "O"}
    return ["".join(kinds[mill.get(row, column)] for column in range(mill.side)) for row in reversed(range(mill.side))]


def ask_gnu_go(step, twin, mover, at):
    for colour, kind in (("black", "X"), ("white", "O")):
        mine = {name for place, name in enumerate(twin.names) if twin.board[place] == kind}
        check(f"GNU Go's {colour} stones at {at}", mine, set(gnu_go.ask(f"list_stones {colour}")))
    if mover:
        theirs = set(gnu_go.ask(f"all_legal {('black', 'white')[twin.turns % 2]}"))
        mine = set(step["legal"][mover]) - {"pass"}
        mine |= {name for name in step["public"]["forbidden"] if twin.gnu_go_allows(twin.places[name])}
        check(f"GNU Go's legal points at {at}", mine, theirs)


def check_sgf(game, twin):
    """sgfmill reads the record back."""
    read = sgf.Sgf_game.from_bytes(game["records"]["sgf"].encode())
    check("the record's board and komi", (read.get_size(), read.get_komi()), (twin.size, float(KOMI[twin.size])))
    moves = [node.get_move() for node in read.get_main_sequence()[1:]]
    played = [("bw"[player == "p1"], name) for step in game["steps"] for player, name in step.get("moves", [])]
    named = [(colour, "pass" if at is None else twin.names[at[0] * twin.size + at[1]]) for colour, at in moves]
    check("the record's moves", played, named)
    black, white = twin.points(None).values()
    margin = abs(black - white) / 2
    result = f"{'B' if black > white else 'W'}+{margin:g}" if margin else "0"
    check("the record's result", read.get_root().get("RE"), result)
