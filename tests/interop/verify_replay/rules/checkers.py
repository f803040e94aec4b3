"""English draughts, naively, on a board of rows and columns; the whole game is remembered."""

from .rules import Rules

BLACK, WHITE = 0, 1
FORWARD = {BLACK: 1, WHITE: -1}
QUIET_TURNS = 80


def number(cell):
    """The PDN number of a dark cell (row from Black's side, column from White's left)."""
    row, column = cell
    return row * 4 + column // 2 + 1


CELLS = sorted(((row, column) for row in range(8) for column in range(8) if (row + column) % 2), key=number)
OF_NUMBER = {number(cell): cell for cell in CELLS}


class Checkers(Rules):
    """Pieces as (side, is_king) by cell."""

    reasons = ("no_moves", "forty_moves", "threefold_repetition")

    def __init__(self, variant):
        super().__init__(variant)
        self.pieces = {cell: (BLACK if cell[0] < 3 else WHITE, False) for cell in CELLS if not 3 <= cell[0] <= 4}
        self.side = BLACK
        self.quiet = 0
        self.past = [self.state_string()]

    def state_string(self):
        def squares(side):
            own = [cell for cell in CELLS if self.pieces.get(cell, (None,))[0] == side]
            return ",".join("K" * self.pieces[cell][1] + str(number(cell)) for cell in own)

        return f"{'BW'[self.side]}:W{squares(WHITE)}:B{squares(BLACK)}"

    def ways(self, cell):
        side, king = self.pieces[cell]
        return [(rows, columns) for rows in (1, -1) for columns in (1, -1) if king or rows == FORWARD[side]]

    def own(self):
        return [cell for cell in CELLS if self.pieces.get(cell, (None,))[0] == self.side]

    def jumps(self, cell, ways, jumped, path):
        """Complete captures of the piece that began on path[0] and stands on `cell` now."""
        longer = []
        for rows, columns in ways:
            over = (cell[0] + rows, cell[1] + columns)
            to = (over[0] + rows, over[1] + columns)
            victim = self.pieces.get(over)
            is_free = OF_NUMBER.get(number(to)) == to and (to == path[0] or to not in self.pieces)
            if is_free and victim and victim[0] != self.side and over not in jumped:
                longer += self.jumps(to, ways, jumped + [over], path + [to])
        return longer or ([path] if jumped else [])

    def paths(self):
        """The legal moves as paths of cells."""
        captures = [path for cell in self.own() for path in self.jumps(cell, self.ways(cell), [], [cell])]
        if captures:
            return captures
        ways = [(cell, way) for cell in self.own() for way in self.ways(cell)]
        steps = [[cell, (cell[0] + rows, cell[1] + columns)] for cell, (rows, columns) in ways]
        return [step for step in steps if step[1] in CELLS and step[1] not in self.pieces]

    def movers(self):
        return [] if self.outcome() else [self.players[self.side]]

    def legal_moves(self, _player):
        return sorted(map(notation, self.paths()))

    def play(self, moves):
        (text,) = moves.values()
        self.go([OF_NUMBER[int(part)] for part in text.replace("x", "-").split("-")])
        return []

    def go(self, path):
        side, king = self.pieces.pop(path[0])
        captured = False
        for start, end in zip(path, path[1:]):
            if abs(start[0] - end[0]) == 2:
                del self.pieces[((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)]
                captured = True
        self.quiet = self.quiet + 1 if king and not captured else 0
        self.pieces[path[-1]] = (side, king or path[-1][0] == (7 if side == BLACK else 0))
        self.side = 1 - self.side
        self.past.append(self.state_string())

    def outcome(self):
        if not self.paths():
            return self.won_by(self.players[1 - self.side], "no_moves")
        if self.quiet >= QUIET_TURNS:
            return self.drawn("forty_moves")
        if self.past.count(self.past[-1]) >= 3:
            return self.drawn("threefold_repetition")
        return None


def notation(path):
    between = "x" if abs(path[0][0] - path[1][0]) == 2 else "-"
    return between.join(str(number(cell)) for cell in path)
