"""Hex with the swap."""

from .rules import Alternating, rows_with_runs

SIZES = {"standard": 11, "small": 7}
NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


class Hex(Alternating):
    """Stones by place, (column from the left, row from the top)."""

    variants = dict.fromkeys(SIZES, 2)
    reasons = ("connection",)

    def __init__(self, variant):
        super().__init__(variant)
        self.size = SIZES[variant]
        places = [(column, row) for row in range(self.size) for column in range(self.size)]
        self.names = {f"{chr(ord('a') + column)}{row + 1}": (column, row) for column, row in places}
        self.stones = {}

    def may_swap(self):
        return self.turns == 1

    def legal_moves(self, _player):
        free = [name for name, place in self.names.items() if place not in self.stones]
        return sorted(free + ["swap"] * self.may_swap())

    def play(self, moves):
        (notation,) = moves.values()
        if notation == "swap":
            ((column, row),) = self.stones
            self.stones = {(row, column): "o"}
        else:
            self.stones[self.names[notation]] = "xo"[self.turns % 2]
        self.turns += 1
        return []

    def state_string(self):
        lines = range(self.size)
        rows = ["".join(self.stones.get((column, row), ".") for column in lines) for row in lines]
        return f"{rows_with_runs(rows)} {'xo'[self.turns % 2]}{' swap' if self.may_swap() else ''}"

    def connects(self, stone, along):
        """Whether the stones of a side join the first with the last line; `along` is the axis between them."""
        waiting = [place for place, owner in self.stones.items() if owner == stone and place[along] == 0]
        found = set(waiting)
        while waiting:
            column, row = waiting.pop()
            if (column, row)[along] == self.size - 1:
                return True
            for right, down in NEIGHBOURS:
                place = (column + right, row + down)
                if self.stones.get(place) == stone and place not in found:
                    found.add(place)
                    waiting.append(place)
        return False

    def outcome(self):
        for player, stone, along in (("p0", "x", 1), ("p1", "o", 0)):
            if self.connects(stone, along):
                return self.won_by(player, "connection")
        return None
