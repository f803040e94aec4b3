"""Leduc hold'em and Kuhn poker, many hands of them."""

from .rules import Rules, shuffled

ANTE, MOST_BETS = 1, {"standard": 2, "kuhn": 1}
HANDS = {"standard": 40, "kuhn": 60}
DECKS = {"standard": "Js Jh Qs Qh Ks Kh".split(), "kuhn": "J Q K".split()}
BETS = {"standard": (2, 4), "kuhn": (1,)}
LETTERS = {"check": "k", "bet": "b", "call": "c", "raise": "r", "fold": "f"}


class Hand:
    """One hand: the deck as shuffled, the actions of each round, and what each seat has paid."""

    def __init__(self, variant, deck, first):
        self.deck, self.first = deck, first
        self.bets, self.most_bets = BETS[variant], MOST_BETS[variant]
        self.rounds, self.paid, self.folded = [[]], [ANTE, ANTE], None

    def mover(self):
        return (self.first + len(self.rounds[-1])) % 2

    def faces_bet(self):
        return self.paid[0] != self.paid[1]

    def round_is_over(self):
        return not self.faces_bet() and len(self.rounds[-1]) >= 2

    def is_over(self):
        return self.folded is not None or (self.round_is_over() and len(self.rounds) == len(self.bets))

    def waits(self):
        return self.round_is_over() and not self.is_over()

    def board(self):
        return self.deck[2] if len(self.rounds) == 2 else None

    def legal_moves(self):
        may_raise = sum(action in ("bet", "raise") for action in self.rounds[-1]) < self.most_bets
        if self.faces_bet():
            return ["call", "fold"] + ["raise"] * may_raise
        return ["bet"] * may_raise + ["check"]

    def play(self, action):
        mover = self.mover()
        self.rounds[-1].append(action)
        if action == "fold":
            self.folded = mover
        elif action != "check":
            self.paid[mover] = max(self.paid) + (0 if action == "call" else self.bets[len(self.rounds) - 1])

    def strength(self, seat):
        """Greater wins: a pair with the board, then the rank."""
        card, board = self.deck[seat], self.board()
        return bool(board and board[0] == card[0]), "JQK".index(card[0])

    def net(self):
        """What the first seat wins or loses."""
        if self.folded is not None:
            return self.paid[1] if self.folded == 1 else -self.paid[0]
        ours, theirs = self.strength(0), self.strength(1)
        return self.paid[0] * ((ours > theirs) - (ours < theirs))


class LeducPoker(Rules):
    """The hands so far; `hand` is the one in play, None between two."""

    variants = dict.fromkeys(HANDS, 2)
    has_chance = True
    reasons = ("more_chips", "equal_chips")

    def __init__(self, variant):
        super().__init__(variant)
        self.hand, self.dealt, self.chips, self.played = None, [], 0, 0

    def is_over(self):
        return self.played == HANDS[self.variant]

    def waits(self):
        return self.hand.waits() if self.hand else not self.is_over()

    def act(self, draw):
        if self.hand:
            self.hand.rounds.append([])
            outcome = f"board {self.hand.board()}"
            return outcome, outcome
        deck = shuffled(DECKS[self.variant], draw)
        self.hand = Hand(self.variant, deck, self.played % 2)
        self.dealt.append(deck[:2])
        return " ".join(deck), None

    def movers(self):
        return [] if self.hand is None or self.waits() else [self.players[self.hand.mover()]]

    def legal_moves(self, _player):
        return self.hand.legal_moves()

    def default(self, player):
        return "check" if "check" in self.legal_moves(player) else "fold"

    def play(self, moves):
        (action,) = moves.values()
        hand = self.hand
        hand.play(action)
        if not hand.is_over():
            return []
        self.chips += hand.net()
        self.hand, self.played = None, self.played + 1
        return [f"p0 {hand.deck[0]} p1 {hand.deck[1]}"] if hand.folded is None else []

    def state_string(self):
        if not self.dealt:
            return "unset"
        hand = self.hand
        # Between two hands the antes of the next one lie there.
        paid = hand.paid if hand else [0, 0] if self.is_over() else [ANTE, ANTE]
        number, board = len(hand.rounds) if hand else 1, hand.board() if hand else None
        bets = ",".join(LETTERS[action] for action in hand.rounds[-1]) if hand else ""
        to = self.movers() or ["-"]
        return (
            f"hand {self.played} round {number} board {board or '-'} pot {paid[0]},{paid[1]} "
            f"chips {self.chips},{-self.chips} bets {bets or '-'} to {to[0]}"
        )

    def outcome(self):
        if not self.is_over():
            return None
        if not self.chips:
            return self.drawn("equal_chips")
        return self.won_by("p0" if self.chips > 0 else "p1", "more_chips")

    def points(self, _result):
        return {"p0": self.chips, "p1": -self.chips}

    def hidden(self):
        return {"hands": self.dealt} if self.dealt else None
