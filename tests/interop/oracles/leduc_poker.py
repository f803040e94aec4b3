"""Follows matches of Leduc hold'em and Kuhn poker with OpenSpiel (and Kuhn poker also with PokerKit).

OpenSpiel plays one hand at a time. For Leduc it takes the seat that acts first as a parameter; for Kuhn the seats are
exchanged in every second hand. It names a check and a call, and a bet and a raise, by one action each, and it does
not say what a hand shows. It has no match: the order of the hands and the account of the chips are checked here.
"""

import pyspiel
from pokerkit import Automation, KuhnPoker

from oracles import check

HANDS = {"standard": 40, "kuhn": 60}
DECK = {"standard": "Js Jh Qs Qh Ks Kh".split(), "kuhn": "J Q K".split()}
SIZES = {"standard": (2, 4), "kuhn": (1,)}
LETTER = {"check": "k", "bet": "b", "call": "c", "raise": "r", "fold": "f"}
LEDUC = {first: pyspiel.load_game("leduc_poker", {"starting_player": first}) for first in (0, 1)}
KUHN = pyspiel.load_game("kuhn_poker")


class Leduc:
    """One hand of Leduc hold'em."""

    def __init__(self, first, deck):
        self.state = LEDUC[first].new_initial_state()
        self.cards = [DECK["standard"].index(card) for card in deck]
        for card in self.cards[:2]:
            self.state.apply_action(card)

    def board(self):
        """Turns the board."""
        self.state.apply_action(self.cards[2])

    def waits_for_board(self):
        return self.state.is_chance_node()

    def over(self):
        return self.state.is_terminal()

    def mover(self):
        return self.state.current_player()

    def paid(self):
        """Chips in the pot by seat: what is missing of the hundred that each begins with."""
        line = next(line for line in str(self.state).splitlines() if line.startswith("Money"))
        return [100 - int(money) for money in line.split(": ")[1].split()]

    def legal(self):
        actions = self.state.legal_actions()
        faces_a_bet = len(set(self.paid())) > 1
        words = {0: "fold", 1: "call" if faces_a_bet else "check", 2: "raise" if faces_a_bet else "bet"}
        return sorted(words[action] for action in actions)

    def play(self, word):
        self.state.apply_action({"fold": 0, "call": 1, "check": 1, "raise": 2, "bet": 2}[word])

    def net(self):
        return [int(chips) for chips in self.state.returns()]


class Kuhn:
    """One hand of Kuhn poker, by two libraries at once. Their first player is the one who acts first."""

    RANKS = {"J": "Js", "Q": "Qs", "K": "Ks"}

    def __init__(self, first, deck):
        self.first = first
        self.state = KUHN.new_initial_state()
        dealt = [deck[first], deck[1 - first]]
        for card in dealt:
            self.state.apply_action(DECK["kuhn"].index(card))
        self.kit = KuhnPoker.create_state(
            (Automation.ANTE_POSTING, Automation.BET_COLLECTION, Automation.CHIPS_PUSHING, Automation.CHIPS_PULLING,
             Automation.HOLE_CARDS_SHOWING_OR_MUCKING, Automation.HAND_KILLING),
            True, 1, 1, 100, 2)
        for card in dealt:
            self.kit.deal_hole(self.RANKS[card])
        self.bets = 0
        self.chips = [1, 1]

    def seat(self, player):
        """The hall's seat of the libraries' player."""
        return player if self.first == 0 else 1 - player

    def waits_for_board(self):
        return False

    def over(self):
        check("end in PokerKit", not self.kit.status, self.state.is_terminal())
        return self.state.is_terminal()

    def mover(self):
        check("player to move in PokerKit", self.kit.actor_index, self.state.current_player())
        return self.seat(self.state.current_player())

    def paid(self):
        return self.chips

    def legal(self):
        passing = ["fold", "call"] if self.bets else ["check"]
        betting = ["bet"] if not self.bets else []
        kit = {
            "fold": self.kit.can_fold() and self.bets > 0,
            "call" if self.bets else "check": self.kit.can_check_or_call(),
            "bet": self.kit.can_complete_bet_or_raise_to(),
        }
        check("actions in PokerKit", [word for word, can in kit.items() if can], passing + betting)
        check("number of actions in OpenSpiel", len(passing + betting), len(self.state.legal_actions()))
        return sorted(passing + betting)

    def play(self, word):
        mover = self.mover()
        self.state.apply_action(1 if word in ("bet", "call") else 0)
        if word == "fold":
            self.kit.fold()
        elif word == "bet":
            self.kit.complete_bet_or_raise_to()
        else:
            self.kit.check_or_call()
        if word == "bet":
            self.bets += 1
        if word in ("bet", "call"):
            self.chips[mover] += 1

    def net(self):
        returns = [int(chips) for chips in self.state.returns()]
        check("chips in PokerKit", [stack - 100 for stack in self.kit.stacks], returns)
        return [returns[self.seat(0)], returns[self.seat(1)]]


def state_string(match, hand, chips, actions):
    """The hall's state string of a hand in play, from what the oracle says."""
    if hand is None:
        pot = "0,0" if match["number"] == HANDS[match["variant"]] else "1,1"
        return f"hand {match['number']} round 1 board - pot {pot} chips {chips[0]},{chips[1]} bets - to -"
    waits = hand.waits_for_board()
    paid = hand.paid()
    mover = "-" if waits else f"p{hand.mover()}"
    return (f"hand {match['number']} round {len(actions)} board {match['board']} pot {paid[0]},{paid[1]} "
            f"chips {chips[0]},{chips[1]} bets {','.join(actions[-1]) or '-'} to {mover}")


def follow(game):
    variant = game["variant"]
    match = {"variant": variant, "number": 0, "board": "-"}
    kind = Leduc if variant == "standard" else Kuhn
    chips, hand, actions, dealt, cards = [0, 0], None, [[]], None, []
    for step in game["steps"]:
        begun = hand is not None or match["number"] > 0
        check("state", step["state"], state_string(match, hand, chips, actions) if begun else "unset")
        mover = None if hand is None or hand.waits_for_board() else hand.mover()
        check("to move", step["to_move"], [] if mover is None else [f"p{mover}"])
        for seat in (0, 1):
            check("legal moves", step["legal"][f"p{seat}"], hand.legal() if seat == mover else [])
            card = dealt[seat] if hand is not None else None
            check("private", step["private"][f"p{seat}"], {"card": card, "cards": [pair[seat] for pair in cards]})
        antes = [1, 1] if 0 < match["number"] < HANDS[variant] else [0, 0]
        compared = ("hand", "round", "board", "pot", "chips", "bet_size")
        check("public", {key: step["public"][key] for key in compared}, {
            "hand": match["number"],
            "round": len(actions) if hand is not None else 1,
            "board": None if match["board"] == "-" else match["board"],
            "pot": by_seat(hand.paid() if hand else antes),
            "chips": by_seat(chips),
            "bet_size": SIZES[variant][len(actions) - 1 if hand is not None else 0],
        })
        if "act" in step:
            if hand is None:
                dealt = step["act"].split()
                check("deck", sorted(dealt), sorted(DECK[variant]))
                check("public outcome of the shuffle", step["outcome"], None)
                hand = kind(match["number"] % 2, dealt)
                actions = [[]]
                cards.append(dealt[:2])
            else:
                check("nature's turn", hand.waits_for_board(), True)
                hand.board()
                match["board"] = dealt[2]
                actions.append([])
                check("outcome of the board", (step["act"], step["outcome"]), (f"board {dealt[2]}",) * 2)
        elif "moves" in step:
            ((player, word),) = step["moves"]
            hand.play(word)
            actions[-1].append(LETTER[word])
            showdown = hand.over() and word != "fold"
            check("shown", step["shown"], [f"p0 {dealt[0]} p1 {dealt[1]}"] if showdown else [])
            if hand.over():
                chips = [have + won for have, won in zip(chips, hand.net())]
                match["number"] += 1
                match["board"] = "-"
                hand = None
        else:
            check("hands at the end", match["number"], HANDS[variant])
    winners = [f"p{seat}" for seat in (0, 1) if chips[seat] > 0]
    check("result", game["result"], {
        "winners": winners, "draw": not winners, "points": by_seat(chips),
        "reason": "more_chips" if winners else "equal_chips",
    })
    return len(game["steps"])


def by_seat(values):
    return {f"p{seat}": value for seat, value in enumerate(values)}
