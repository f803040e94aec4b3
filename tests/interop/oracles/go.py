"""Go by GNU Go over GTP, by sgfmill, and by a naive twin that keeps every whole board as text.

The twin answers for everything. GNU Go (`gnugo` on the path or in /usr/games, with area scoring, positional superko and suicide)
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

LETTERS = "ABCDEFGHJKLMNOPQRST"
SIZES = {"standard": 9, "13x13": 13, "19x19": 19}
KOMI = {9: "7", 13: "7.5", 19: "7.5"}
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


class Twin:
    """The board as one text, row 1 first; points are places in it."""

    def __init__(self, size):
        self.size = size
        self.board = "." * (size * size)
        self.boards = {self.board}
        self.turns = 0
        self.passes = 0
        self.near = [self.beside(*divmod(place, size)) for place in range(size * size)]
        self.names = [LETTERS[place % size] + str(place // size + 1) for place in range(size * size)]
        self.places = {name: place for place, name in enumerate(self.names)}

    def beside(self, row, column):
        around = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
        return [r * self.size + c for r, c in around if 0 <= r < self.size and 0 <= c < self.size]

    def colour(self):
        return "XO"[self.turns % 2]

    def reach(self, board, start, over):
        """All places of the kind `over` connected with `start`, and the kinds of places beside them."""
        found, borders, waiting = {start}, set(), [start]
        while waiting:
            for place in self.near[waiting.pop()]:
                if board[place] != over:
                    borders.add(board[place])
                elif place not in found:
                    found.add(place)
                    waiting.append(place)
        return found, borders

    def without_dead(self, board, start):
        colour = board[start]
        if colour == "." or any(board[place] == "." for place in self.near[start]):
            return board
        stones, borders = self.reach(board, start, colour)
        if "." in borders:
            return board
        return "".join("." if place in stones else kind for place, kind in enumerate(board))

    def after(self, place):
        colour = self.colour()
        board = self.board[:place] + colour + self.board[place + 1 :]
        for beside in self.near[place]:
            if board[beside] not in ("." + colour):
                board = self.without_dead(board, beside)
        return self.without_dead(board, place)

    def forbidden(self):
        return {place for place, kind in enumerate(self.board) if kind == "." and self.after(place) in self.boards}

    def gnu_go_allows(self, place):
        """Whether a stone on a forbidden point is suicide of several stones."""
        return self.after(place) != self.board and self.after(place)[place] == "."

    def play(self, name):
        if name == "pass":
            self.passes += 1
        else:
            self.board = self.after(self.places[name])
            self.boards.add(self.board)
            self.passes = 0
        self.turns += 1

    def area(self):
        counts = {"X": self.board.count("X"), "O": self.board.count("O")}
        left = {place for place, kind in enumerate(self.board) if kind == "."}
        while left:
            region, borders = self.reach(self.board, min(left), ".")
            left -= region
            if len(borders) == 1:
                counts[borders.pop()] += len(region)
        return counts["X"], counts["O"]

    def rows(self):
        cut = [self.board[start : start + self.size] for start in range(0, len(self.board), self.size)]
        return cut[::-1]

    def state(self):
        rows = []
        for row in self.rows():
            for run in range(self.size, 0, -1):
                row = row.replace("." * run, f"{run} ")
            rows.append(row.replace(" ", ""))
        return f"{'/'.join(rows)} {self.colour()} {self.passes}"

    def scores(self):
        black, white = self.area()
        return 2 * black, 2 * white + int(2 * float(KOMI[self.size]))

    def result(self):
        limit = self.turns >= 4 * self.size**2
        if self.passes < 2 and not limit:
            return None
        black, white = self.scores()
        winners = ["p0"] if black > white else ["p1"] if white > black else []
        reason = "move_limit" if self.passes < 2 else "score" if winners else "equal_score"
        return {"winners": winners, "draw": not winners, "reason": reason, "points": {"p0": black, "p1": white}}


def follow(game):
    global gnu_go
    gnu_go = gnu_go or GnuGo()
    size = SIZES[game["variant"]]
    twin, mill = Twin(size), boards.Board(size)
    for command in (f"boardsize {size}", "clear_board", f"komi {KOMI[size]}"):
        gnu_go.ask(command)
    for step in game["steps"]:
        at = f"turn {twin.turns}, {step['state']}"
        check(f"the state string at {at}", step["state"], twin.state())
        mover = None if twin.result() else f"p{twin.turns % 2}"
        check(f"who is to move at {at}", step["to_move"], [mover] if mover else [])
        forbidden = twin.forbidden()
        free = [name for place, name in enumerate(twin.names) if twin.board[place] == "." and place not in forbidden]
        for player in ("p0", "p1"):
            legal = sorted(free) + ["pass"] if player == mover else []
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
            twin.play(name)
    check("the result", game["result"], twin.result())
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
    black, white = twin.scores()
    margin = abs(black - white) / 2
    result = f"{'B' if black > white else 'W'}+{margin:g}" if margin else "0"
    check("the record's result", read.get_root().get("RE"), result)
