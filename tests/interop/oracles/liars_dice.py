"""Follows games of liar's dice with a twin that was written from the rules, and single rounds with OpenSpiel.

OpenSpiel knows one round of two players with equally many dice, in which the first player bids first; such rounds are
followed with it too (with seats exchanged where p1 begins). Its sixes are wild as here, and its bidding rule
`reset-face` is that of the hall.
"""

from collections import Counter
from functools import cache

import pyspiel

from oracles import check

SEATS = {"standard": 2, "four": 4}


@cache
def one_round(dice):
    return pyspiel.load_game("liars_dice", {"numdice": dice, "bidding_rule": "reset-face"})


class Round:
    """One round by OpenSpiel; its player 0 is the seat that begins."""

    def __init__(self, rolls, starter):
        self.starter = starter
        self.state = one_round(len(rolls[0])).new_initial_state()
        for face in rolls[starter] + rolls[1 - starter]:
            self.state.apply_action(face - 1)

    def legal(self):
        return sorted(self.name(action) for action in self.state.legal_actions())

    def name(self, action):
        is_last = action == self.state.get_game().num_distinct_actions() - 1
        return "liar" if is_last else f"{action // 6 + 1}x{action % 6 + 1}"

    def mover(self):
        return self.state.current_player() ^ self.starter

    def play(self, word):
        self.state.apply_action(next(action for action in self.state.legal_actions() if self.name(action) == word))

    def loser(self):
        returns = self.state.returns()
        return returns.index(min(returns)) ^ self.starter


class Table:
    """The twin."""

    def __init__(self, seats):
        self.left = dict.fromkeys(range(seats), 5)
        self.gone = []
        self.queue = list(range(seats))
        self.rolls = None
        self.bid = None
        self.round = 0

    def total(self):
        return sum(self.left.values())

    def roll(self, rolls):
        check("dice rolled", {seat: len(roll) for seat, roll in rolls.items()},
              {seat: dice for seat, dice in self.left.items() if dice})
        for roll in rolls.values():
            check("faces in order of size", (roll, set(roll) <= {1, 2, 3, 4, 5, 6}), (sorted(roll), True))
        self.rolls, self.bid = rolls, None

    def legal(self):
        bids = {(quantity, face) for quantity in range(1, self.total() + 1) for face in range(1, 7)}
        higher = [f"{q}x{f}" for q, f in bids if self.bid is None or self.is_higher(q, f)]
        return sorted(higher + (["liar"] if self.bid else []))

    def is_higher(self, quantity, face):
        return quantity > self.bid[0] or (quantity == self.bid[0] and face > self.bid[1])

    def play(self, word):
        """Plays a move; the seat that lost a die comes back."""
        actor = self.queue[0]
        if word != "liar":
            quantity, face = word.split("x")
            self.bid, self.bidder = (int(quantity), int(face)), actor
            self.queue.append(self.queue.pop(0))
            return None
        shown = Counter(face for roll in self.rolls.values() for face in roll)
        quantity, face = self.bid
        matching = shown[6] if face == 6 else shown[face] + shown[6]
        loser = actor if matching >= quantity else self.bidder
        self.left[loser] -= 1
        self.rolls = self.bid = None
        self.round += 1
        # The loser begins; one who is out is followed by the next seat in order.
        while self.queue[0] != loser:
            self.queue.append(self.queue.pop(0))
        if self.left[loser] == 0:
            self.gone.append(self.queue.pop(0))
        return loser


def follow(game):
    seats = SEATS[game["variant"]]
    check("seats", game["seats"], seats)
    players = [f"p{seat}" for seat in range(seats)]
    table, second = Table(seats), None
    for step in game["steps"]:
        over = len(table.queue) == 1
        mover = table.queue[0] if table.rolls is not None else None
        bid = f"{table.bid[0]}x{table.bid[1]} by p{table.bidder}" if table.bid else "-"
        to = "-" if mover is None else f"p{mover}"
        state = f"dice {','.join(str(dice) for dice in table.left.values())} bid {bid} to {to}"
        check("state", step["state"], state if table.round or table.rolls else "unset")
        check("to move", step["to_move"], [] if mover is None else [to])
        for seat, player in enumerate(players):
            check("legal moves", step["legal"][player], table.legal() if seat == mover else [])
            check("private", step["private"][player], {"dice": (table.rolls or {}).get(seat, [])})
        if second is not None:
            check("OpenSpiel's legal moves", step["legal"][to], second.legal())
            check("OpenSpiel's player", mover, second.mover())
        check("public", {key: step["public"][key] for key in ("round", "dice", "dice_in_all")}, {
            "round": table.round, "dice": {f"p{seat}": dice for seat, dice in table.left.items()},
            "dice_in_all": table.total(),
        })
        last = step["public"]["bid"]
        check("public bid", last and (last["quantity"], last["face"], last["player"]),
              table.bid and (*table.bid, f"p{table.bidder}"))
        if "act" in step:
            check("nature's turn", (mover, over, step["outcome"]), (None, False, None))
            table.roll(read(step["act"]))
            told = step["act"]
            is_even = seats == 2 and len(set(table.left.values())) == 1
            second = Round(table.rolls, table.queue[0]) if is_even else None
        elif "moves" in step:
            ((player, word),) = step["moves"]
            loser = table.play(word)
            check("shown", step["shown"], [told] if word == "liar" else [])
            if second is not None:
                second.play(word)
            if loser is not None and second is not None:
                check("OpenSpiel's loser", loser, second.loser())
                second = None
        else:
            check("end", over, True)
    winner = table.queue[0]
    expected = {"winners": [f"p{winner}"], "draw": False, "reason": "last_with_dice",
                "points": {f"p{seat}": dice for seat, dice in table.left.items()}}
    if seats > 2:
        order = [winner, *reversed(table.gone)]
        expected["places"] = {f"p{seat}": order.index(seat) + 1 for seat in range(seats)}
    check("result", game["result"], expected)
    return len(game["steps"])


def read(text):
    """`p0 1 3 3 p2 2 5` as faces by seat."""
    rolls = {}
    for word in text.split():
        if word.startswith("p"):
            roll = rolls.setdefault(int(word[1:]), [])
        else:
            roll.append(int(word))
    return rolls
