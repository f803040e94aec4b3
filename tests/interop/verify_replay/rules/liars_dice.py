"""Liar's dice."""

from .rules import Rules

DICE, FACES, WILD = 5, 6, 6


class LiarsDice(Rules):
    """Dice by player, and the queue of those who are in, the one to move first."""

    variants = {"standard": 2, "four": 4}
    has_chance = True
    reasons = ("last_with_dice",)

    def __init__(self, variant):
        super().__init__(variant)
        self.left = dict.fromkeys(self.players, DICE)
        self.queue, self.out = list(self.players), []
        self.rolls, self.all_rolls = None, []
        self.bid = self.bidder = None

    def is_over(self):
        return len(self.queue) == 1

    def waits(self):
        return self.rolls is None and not self.is_over()

    def act(self, draw):
        numbers = {player: dice for player, dice in self.left.items() if dice}
        self.rolls = {player: sorted(draw(FACES) + 1 for _ in range(dice)) for player, dice in numbers.items()}
        self.all_rolls.append(self.rolls)
        self.bid = self.bidder = None
        return self.told(), None

    def told(self):
        return " ".join(" ".join([player, *map(str, roll)]) for player, roll in self.rolls.items())

    def movers(self):
        return [] if self.rolls is None or self.is_over() else [self.queue[0]]

    def legal_moves(self, _player):
        bids = [(q, face) for q in range(1, sum(self.left.values()) + 1) for face in range(1, FACES + 1)]
        higher = [f"{quantity}x{face}" for quantity, face in bids if self.bid is None or (quantity, face) > self.bid]
        return sorted(higher + ["liar"] * (self.bid is not None))

    def play(self, moves):
        ((player, word),) = moves.items()
        if word != "liar":
            quantity, face = word.split("x")
            self.bid, self.bidder = (int(quantity), int(face)), player
            self.queue.append(self.queue.pop(0))
            return []
        shown, loser = self.told(), player if self.holds() else self.bidder
        self.left[loser] -= 1
        self.rolls = self.bid = self.bidder = None
        # The loser begins; one who is out is followed by the next seat in order.
        while self.queue[0] != loser:
            self.queue.append(self.queue.pop(0))
        if not self.left[loser]:
            self.out.append(self.queue.pop(0))
        return [shown]

    def holds(self):
        quantity, face = self.bid
        dice = [die for roll in self.rolls.values() for die in roll]
        return sum(die in (face, WILD) for die in dice) >= quantity

    def state_string(self):
        if not self.all_rolls:
            return "unset"
        bid = f"{self.bid[0]}x{self.bid[1]} by {self.bidder}" if self.bid else "-"
        dice = ",".join(map(str, self.left.values()))
        return f"dice {dice} bid {bid} to {(self.movers() or ['-'])[0]}"

    def outcome(self):
        if not self.is_over():
            return None
        order = [self.queue[0], *reversed(self.out)]
        places = {player: order.index(player) + 1 for player in self.players}
        return {**self.won_by(self.queue[0], "last_with_dice"), "places": places}

    def points(self, _result):
        return dict(self.left)

    def eliminated(self):
        return self.out

    def hidden(self):
        """Players who are out have no dice in it."""
        rolls = [{player: roll.get(player, []) for player in self.players} for roll in self.all_rolls]
        return {"rolls": rolls} if rolls else None
