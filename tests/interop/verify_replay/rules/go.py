"""Go by Tromp and Taylor, naively: every whole board is kept as text."""

from .rules import Alternating, rows_with_runs

LETTERS = "ABCDEFGHJKLMNOPQRST"
SIZES = {"standard": 9, "13x13": 13, "19x19": 19}
# In points; the hall counts in halves.
KOMI = {9: "7", 13: "7.5", 19: "7.5"}


class Go(Alternating):
    """The board as one text, row 1 first; points are places in it."""

    variants = dict.fromkeys(SIZES, 2)
    reasons = ("score", "equal_score", "move_limit")

    def __init__(self, variant):
        super().__init__(variant)
        self.size = size = SIZES[variant]
        self.board = "." * (size * size)
        self.boards = {self.board}
        self.passes, self.known_forbidden = 0, None
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
        """The empty points where superko forbids a stone, worked out once a turn."""
        if self.known_forbidden is None:
            empty = [place for place, kind in enumerate(self.board) if kind == "."]
            self.known_forbidden = {place for place in empty if self.after(place) in self.boards}
        return self.known_forbidden

    def legal_moves(self, _player):
        forbidden = self.forbidden()
        free = [name for place, name in enumerate(self.names) if self.board[place] == "." and place not in forbidden]
        return sorted(free) + ["pass"]

    def is_legal(self, _player, notation):
        place = self.places.get(notation)
        if place is None:
            return notation == "pass"
        return self.board[place] == "." and self.after(place) not in self.boards

    def default(self, _player):
        return "pass"

    def play(self, moves):
        (notation,) = moves.values()
        if notation == "pass":
            self.passes += 1
        else:
            self.board = self.after(self.places[notation])
            self.boards.add(self.board)
            self.passes = 0
        self.turns, self.known_forbidden = self.turns + 1, None
        return []

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

    def state_string(self):
        return f"{rows_with_runs(self.rows())} {self.colour()} {self.passes}"

    def points(self, _result):
        black, white = self.area()
        return {"p0": 2 * black, "p1": 2 * white + int(2 * float(KOMI[self.size]))}

    def outcome(self):
        if self.passes < 2 and self.turns < 4 * self.size**2:
            return None
        points = self.points(None)
        reason = "move_limit" if self.passes < 2 else "score" if points["p0"] != points["p1"] else "equal_score"
        if points["p0"] == points["p1"]:
            return self.drawn(reason)
        return self.won_by(max(points, key=points.get), reason)
