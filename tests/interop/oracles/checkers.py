"""English draughts by two other sets of rules: pydraughts (variant `english`), and a naive twin on a board of rows and columns.

pydraughts answers for the legal moves, the position, who is to move and the end. Its own draw rules are the same as the hall's; its
FEN lists squares in another order, so FENs are compared as sets. The twin remembers the whole game and answers for everything,
the texts and the public values too.
"""

import draughts
from draughts.PDN import PDNReader

from oracles import check

BLACK, WHITE = 0, 1
FORWARD = {BLACK: 1, WHITE: -1}
QUIET_TURNS = 80


def number(cell):
    """The PDN number of a dark cell (row from Black's side, column from White's left)."""
    row, column = cell
    return row * 4 + column // 2 + 1


CELLS = sorted(((row, column) for row in range(8) for column in range(8) if (row + column) % 2), key=number)
OF_NUMBER = {number(cell): cell for cell in CELLS}


class Twin:
    """Pieces as (side, is_king) by cell."""

    def __init__(self):
        self.pieces = {cell: (BLACK if cell[0] < 3 else WHITE, False) for cell in CELLS if not 3 <= cell[0] <= 4}
        self.side = BLACK
        self.quiet = 0
        self.past = [self.fen()]

    def fen(self):
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
            is_free = number(to) in OF_NUMBER and OF_NUMBER[number(to)] == to and (to == path[0] or to not in self.pieces)
            if is_free and victim and victim[0] != self.side and over not in jumped:
                longer += self.jumps(to, ways, jumped + [over], path + [to])
        return longer or ([path] if jumped else [])

    def legal(self):
        """Paths of cells."""
        captures = [path for cell in self.own() for path in self.jumps(cell, self.ways(cell), [], [cell])]
        if captures:
            return captures
        steps = [[cell, (cell[0] + rows, cell[1] + columns)] for cell in self.own() for rows, columns in self.ways(cell)]
        return [step for step in steps if step[1] in CELLS and step[1] not in self.pieces]

    def play(self, path):
        side, king = self.pieces.pop(path[0])
        captured = False
        for start, end in zip(path, path[1:]):
            if abs(start[0] - end[0]) == 2:
                del self.pieces[((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)]
                captured = True
        self.quiet = self.quiet + 1 if king and not captured else 0
        self.pieces[path[-1]] = (side, king or path[-1][0] == (7 if side == BLACK else 0))
        self.side = 1 - self.side
        self.past.append(self.fen())

    def result(self):
        """The winner, whether it is a draw, and why; None while the game goes on."""
        if not self.legal():
            return [f"p{1 - self.side}"], False, "no_moves"
        if self.quiet >= QUIET_TURNS:
            return [], True, "forty_moves"
        if self.past.count(self.past[-1]) >= 3:
            return [], True, "threefold_repetition"
        return None

    def public(self):
        def squares(side, king):
            return [number(cell) for cell in CELLS if self.pieces.get(cell) == (side, king)]

        return {
            "fen": self.fen(),
            "men": {"p0": squares(BLACK, False), "p1": squares(WHITE, False)},
            "kings": {"p0": squares(BLACK, True), "p1": squares(WHITE, True)},
            "must_capture": any(abs(path[0][0] - path[1][0]) == 2 for path in self.legal()),
            "quiet_turns": self.quiet,
            "occurrences": self.past.count(self.past[-1]),
        }


def notation(path):
    between = "x" if abs(path[0][0] - path[1][0]) == 2 else "-"
    return between.join(str(number(cell)) for cell in path)


def parts(fen):
    """A FEN without the order of its squares."""
    side, *lists = fen.split(":")
    return side, {text[0]: set(text[1:].split(",")) for text in lists}


def follow(game):
    twin = Twin()
    other = draughts.Board(variant="english")
    for step in game["steps"]:
        at = step["state"]
        check("the state string", step["state"], twin.fen())
        check(f"public values of {at}", step["public"], twin.public())
        result = twin.result()
        mover = None if result else f"p{twin.side}"
        check(f"who is to move in {at}", step["to_move"], [mover] if mover else [])
        paths = {notation(path): path for path in twin.legal()}
        for player in ("p0", "p1"):
            check(f"legal moves of {player} in {at}", step["legal"][player], sorted(paths) if player == mover else [])
            check(f"what {player} knows alone in {at}", step["private"][player], {})

        check(f"pydraughts' position of {at}", parts(step["state"]), parts(other.fen))
        check(f"pydraughts' end of {at}", not step["to_move"], other.is_over())
        moves = {tuple(move.steps_move): move for move in other.legal_moves()}
        if mover:
            mine = {tuple(number(cell) for cell in path) for path in paths.values()}
            check(f"pydraughts' moves in {at}", mine, set(moves))
        if "moves" in step:
            [[player, text]] = step["moves"]
            check("who moved", player, mover)
            check("what was shown", step["shown"], [])
            twin.play(paths[text])
            other.push(moves[tuple(number(cell) for cell in paths_of(text))])
    winners, draw, reason = twin.result()
    check("the result", game["result"], {"winners": winners, "draw": draw, "reason": reason})
    theirs = {draughts.BLACK: ["p0"], draughts.WHITE: ["p1"], 0: []}[other.winner()]
    check("pydraughts' winner", winners, theirs)
    check_pdn(game, winners)
    return len(game["steps"])


def check_pdn(game, winners):
    """pydraughts reads the record back."""
    [read] = PDNReader(game["records"]["pdn"]).games
    played = [text for step in game["steps"] for _, text in step.get("moves", [])]
    token = {"p0": "0-1", "p1": "1-0"}[winners[0]] if winners else "1/2-1/2"
    check("the record", (played, "english", token, token), (read.moves, read.variant, read.game_ending, read.tags["Result"]))


def paths_of(text):
    return [OF_NUMBER[int(part)] for part in text.replace("x", "-").split("-")]
