"""Four in a row."""

from .rules import Alternating, rows_with_runs

COLUMNS, ROWS = 7, 6
LINES = [
    [(column + step * right, row + step * up) for step in range(4)]
    for column in range(COLUMNS)
    for row in range(ROWS)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    if column + 3 * right < COLUMNS and 0 <= row + 3 * up < ROWS
]


class ConnectFour(Alternating):
    """Columns as texts of discs from the bottom."""

    reasons = ("four_in_line", "board_full")

    def __init__(self, variant):
        super().__init__(variant)
        self.columns = [""] * COLUMNS

    def cell(self, column, row):
        return self.columns[column][row : row + 1] or "."

    def legal_moves(self, _player):
        return [str(column + 1) for column in range(COLUMNS) if len(self.columns[column]) < ROWS]

    def play(self, moves):
        (notation,) = moves.values()
        self.columns[int(notation) - 1] += "xo"[self.turns % 2]
        self.turns += 1
        return []

    def state_string(self):
        rows = ["".join(self.cell(column, row) for column in range(COLUMNS)) for row in reversed(range(ROWS))]
        return f"{rows_with_runs(rows)} {'xo'[self.turns % 2]}"

    def outcome(self):
        for line in LINES:
            discs = {self.cell(*place) for place in line}
            if len(discs) == 1 and discs != {"."}:
                return self.won_by(self.players["xo".index(discs.pop())], "four_in_line")
        return self.drawn("board_full") if self.turns == COLUMNS * ROWS else None
