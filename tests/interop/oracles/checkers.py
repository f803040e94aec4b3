"""English draughts by two other sets of rules: pydraughts (variant `english`), and a naive twin on a board of rows and columns,
which the verifier of replays uses too.

pydraughts answers for the legal moves, the position, who is to move and the end. Its own draw rules are the same as the hall's; its
FEN lists squares in another order, so FENs are compared as sets. The twin remembers the whole game and answers for everything,
the texts and the public values too.
"""

import draughts
from draughts.convert import move_to_variant
from draughts.PDN import PDNReader

from oracles import check
from verify_replay.rules.checkers import BLACK, CELLS, WHITE, Checkers, number


class Twin(Checkers):
    """The verifier's rules, and the public values."""

    def public(self):
        def squares(side, king):
            return [number(cell) for cell in CELLS if self.pieces.get(cell) == (side, king)]

        return {
            "fen": self.state_string(),
            "men": {"p0": squares(BLACK, False), "p1": squares(WHITE, False)},
            "kings": {"p0": squares(BLACK, True), "p1": squares(WHITE, True)},
            "must_capture": any(abs(path[0][0] - path[1][0]) == 2 for path in self.paths()),
            "quiet_turns": self.quiet,
            "occurrences": self.past.count(self.past[-1]),
        }


def parts(fen):
    """A FEN without the order of its squares."""
    side, *lists = fen.split(":")
    return side, {text[0]: set(text[1:].split(",")) for text in lists}


def moves_of(board):
    """pydraughts' legal moves, by their squares. It tries each on a board of its own to see whether a capture goes on; where
    nothing can be captured its first steps are whole moves, and need not be tried."""
    game = board._game
    if game.board.get_possible_capture_moves([]):
        return {tuple(move.steps_move): move for move in board.legal_moves()}

    def square(internal):
        return int(move_to_variant(str(internal), variant=board.variant, to_algebraic=False))

    steps = [[[square(start), square(end)]] for start, end in game.get_possible_moves()]
    captures = [[None]] * len(steps)
    moves = (draughts.Move(board_move=step, possible_moves=steps, possible_captures=captures) for step in steps)
    return {tuple(move.steps_move): move for move in moves}


def follow(game):
    twin = Twin(game["variant"])
    other = draughts.Board(variant="english")
    for step in game["steps"]:
        at = step["state"]
        check("the state string", step["state"], twin.state_string())
        check(f"public values of {at}", step["public"], twin.public())
        check(f"who is to move in {at}", step["to_move"], twin.movers())
        mover = (twin.movers() or [None])[0]
        for player in ("p0", "p1"):
            check(f"legal moves of {player} in {at}", step["legal"][player], twin.legal_moves(player) if player == mover else [])
            check(f"what {player} knows alone in {at}", step["private"][player], {})

        check(f"pydraughts' position of {at}", parts(step["state"]), parts(other.fen))
        check(f"pydraughts' end of {at}", not step["to_move"], other.is_over())
        moves = moves_of(other)
        if mover:
            mine = {tuple(number(cell) for cell in path) for path in twin.paths()}
            check(f"pydraughts' moves in {at}", mine, set(moves))
        if "moves" in step:
            [[player, text]] = step["moves"]
            check("who moved", player, mover)
            check("what was shown", step["shown"], [])
            twin.play({player: text})
            other.push(moves[tuple(map(int, text.replace("x", "-").split("-")))])
    outcome = twin.outcome()
    check("the result", game["result"], outcome)
    winners = outcome["winners"]
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
