"""Othello."""

from .rules import Alternating

SIZE = 8
WAYS = [(right, down) for right in (-1, 0, 1) for down in (-1, 0, 1) if (right, down) != (0, 0)]
NAMES = {"abcdefgh"[column] + str(row + 1): (column, row) for row in range(SIZE) for column in range(SIZE)}


class Othello(Alternating):
    """Discs by place, (column from the left, row from the top)."""

    reasons = ("more_discs", "equal_discs")

    def __init__(self, variant):
        super().__init__(variant)
        self.discs = {(3, 3): "O", (4, 4): "O", (4, 3): "X", (3, 4): "X"}

    def turned(self, place, colour):
        """The discs that a new one turns; none where it may not be placed."""
        found = []
        for right, down in WAYS if place not in self.discs else ():
            line, at = [], (place[0] + right, place[1] + down)
            while self.discs.get(at, colour) != colour:
                line.append(at)
                at = (at[0] + right, at[1] + down)
            found += line if at in self.discs else []
        return found

    def placings(self, colour):
        return [name for name, place in NAMES.items() if self.turned(place, colour)]

    def colour(self):
        return "XO"[self.turns % 2]

    def legal_moves(self, _player):
        return sorted(self.placings(self.colour())) or ["pass"]

    def default(self, player):
        return "pass" if self.legal_moves(player) == ["pass"] else None

    def play(self, moves):
        (notation,) = moves.values()
        if notation != "pass":
            place, colour = NAMES[notation], self.colour()
            self.discs.update(dict.fromkeys([place, *self.turned(place, colour)], colour))
        self.turns += 1
        return []

    def state_string(self):
        cells = "".join(self.discs.get(place, "-") for place in NAMES.values())
        return f"{cells} {self.colour()}"

    def count(self):
        discs = list(self.discs.values())
        return {"p0": discs.count("X"), "p1": discs.count("O")}

    def outcome(self):
        if self.placings("X") or self.placings("O"):
            return None
        discs = self.count()
        if discs["p0"] == discs["p1"]:
            return self.drawn("equal_discs")
        return self.won_by(max(discs, key=discs.get), "more_discs")

    def points(self, result):
        """Empty cells go to the winner, halves to both, but only where the rules ended the game."""
        discs = self.count()
        if result["reason"] == "equal_discs":
            return dict.fromkeys(discs, SIZE * SIZE // 2)
        if result["reason"] == "more_discs":
            (winner,) = result["winners"]
            discs[winner] = SIZE * SIZE - discs[self.other(winner)]
        return discs
