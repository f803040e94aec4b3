"""Follows games of goofspiel with OpenSpiel.

OpenSpiel plays the last card of everybody by itself, and scores the last prize with it. So what it says after the
twelfth turn is compared with what the hall says at the end; the points before that are those of OpenSpiel without the
last prize. It draws the prizes one after the other; the order that the hall has shuffled at the start is fed in piece
by piece. The returns are points.
"""

import pyspiel

from oracles import check

CARDS = list(range(1, 14))
SEATS = {"standard": 2, "three": 3, "four": 4}
GAMES = {
    seats: pyspiel.load_game("goofspiel", {
        "players": seats, "num_cards": 13, "points_order": "random", "returns_type": "total_points",
    })
    for seats in SEATS.values()
}


class Table:
    """OpenSpiel's game, held back by one turn at its end."""

    def __init__(self, seats):
        self.seats = seats
        self.state = GAMES[seats].new_initial_state()
        self.order = []
        self.turned = 0
        self.turns = 0

    def lines(self):
        pairs = (line.split(":") for line in str(self.state).splitlines() if ":" in line)
        return {name.strip(): [int(number) for number in numbers.split()] for name, numbers in pairs}

    def waits(self):
        """Whether nature is to act."""
        if self.state.is_terminal():
            return self.turned < 13
        return self.state.is_chance_node()

    def over(self):
        return self.turns == 13

    def hands(self):
        if self.turns == 12:
            return [[card] for card in self.last]
        return [self.lines()[f"P{seat} hand"] for seat in range(self.seats)]

    def points(self):
        points = self.lines()["Points"]
        if self.turns == 12 and self.last.count(max(self.last)) == 1:
            points[self.last.index(max(self.last))] -= self.order[12]
        return points

    def turn(self):
        prize = self.order[self.turned]
        self.turned += 1
        if not self.state.is_terminal():
            self.state.apply_action(prize - 1)
        return prize

    def bid(self, cards):
        if self.turns == 11:
            self.last = [next(card for card in hand if card != bid) for hand, bid in zip(self.hands(), cards)]
        if self.turns < 12:
            for seat, card in enumerate(cards):
                check("card in hand", card - 1 in self.state.legal_actions(seat), True)
            self.state.apply_actions([card - 1 for card in cards])
        self.turns += 1


def follow(game):
    seats = game["seats"]
    check("seats", seats, SEATS[game["variant"]])
    players = [f"p{seat}" for seat in range(seats)]
    table = Table(seats)
    for step in game["steps"]:
        hands, points, moving = table.hands(), table.points(), not table.waits() and not table.over()
        left = sorted(set(CARDS) - set(table.order[:table.turned]))
        prize = table.order[table.turned - 1] if moving else None
        by_player = dict(zip(players, hands))
        hand_text = " ".join(f"{player} {join(hand)}" for player, hand in by_player.items())
        state = f"prize {prize or '-'} left {join(left)} hands {hand_text} points {join(points)}"
        check("state", step["state"], state if table.order else "unset")
        check("public", {key: value for key, value in step["public"].items() if key != "turns"}, {
            "prize": prize, "left": left, "hands": by_player, "points": dict(zip(players, points)),
        })
        check("to move", step["to_move"], players if moving else [])
        for player, hand in by_player.items():
            check("legal moves", step["legal"][player], sorted(map(str, hand)) if moving else [])
            check("private", step["private"][player], {})
        if "act" in step:
            check("nature's turn", table.waits(), True)
            if table.order:
                check("outcome", (step["act"], step["outcome"]), (f"prize {table.turn()}",) * 2)
            else:
                word, *order = step["act"].split()
                table.order = [int(card) for card in order]
                check("order", (word, sorted(table.order)), ("order", CARDS))
                check("outcome", step["outcome"], f"prize {table.turn()}")
        elif "moves" in step:
            check("movers", [player for player, _ in step["moves"]], players)
            check("shown", step["shown"], [])
            table.bid([int(card) for _, card in step["moves"]])
        else:
            check("end", table.over(), True)
    check("result", game["result"], result(players, [int(value) for value in table.state.returns()]))
    return len(game["steps"])


def result(players, points):
    draw = len(set(points)) == 1
    expected = {
        "winners": [] if draw else [player for player, own in zip(players, points) if own == max(points)],
        "draw": draw,
        "reason": "equal_points" if draw else "more_points",
        "points": dict(zip(players, points)),
    }
    if len(players) > 2:
        places = [1 + sum(other > own for other in points) for own in points]
        expected["places"] = dict(zip(players, places))
    return expected


def join(numbers):
    return ",".join(map(str, numbers)) or "-"
