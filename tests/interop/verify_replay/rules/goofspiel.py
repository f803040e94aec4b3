"""Goofspiel."""

from .rules import Rules, by_points, shuffled

CARDS = list(range(1, 14))


class Goofspiel(Rules):
    """All hands, and the order of the prizes once it is shuffled; `turned` of them lie open or are gone."""

    variants = {"standard": 2, "three": 3, "four": 4}
    simultaneous = has_chance = True
    reasons = ("more_points", "equal_points")

    def __init__(self, variant):
        super().__init__(variant)
        self.hands = {player: list(CARDS) for player in self.players}
        self.won = dict.fromkeys(self.players, 0)
        self.order, self.turned, self.turns = [], 0, 0

    def is_over(self):
        return self.turns == len(CARDS)

    def waits(self):
        return self.turned == self.turns and not self.is_over()

    def act(self, draw):
        begins = not self.order
        if begins:
            self.order = shuffled(CARDS, draw)
        public = f"prize {self.order[self.turned]}"
        self.turned += 1
        return (f"order {' '.join(map(str, self.order))}" if begins else public), public

    def movers(self):
        return [] if self.waits() or self.is_over() else self.players

    def legal_moves(self, player):
        return sorted(map(str, self.hands[player]))

    def play(self, moves):
        bids = {player: int(card) for player, card in moves.items()}
        for player, card in bids.items():
            self.hands[player].remove(card)
        highest = [player for player, card in bids.items() if card == max(bids.values())]
        if len(highest) == 1:
            self.won[highest[0]] += self.order[self.turns]
        self.turns += 1
        return []

    def state_string(self):
        if not self.order:
            return "unset"
        prize = self.order[self.turns] if self.turned > self.turns else "-"
        hands = " ".join(f"{player} {listed(hand)}" for player, hand in self.hands.items())
        left = listed(sorted(self.order[self.turned :]))
        return f"prize {prize} left {left} hands {hands} points {listed(self.won.values())}"

    def outcome(self):
        return by_points(self.players, self.won, self.reasons) if self.is_over() else None

    def hidden(self):
        return {"order": self.order} if self.order else None

    def points(self, _result):
        return dict(self.won)


def listed(numbers):
    return ",".join(map(str, numbers)) or "-"
