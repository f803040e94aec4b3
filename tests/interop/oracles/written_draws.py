"""Draws for the verifier's rules that lead to an act of nature which is known only by its text."""

from oracles import check
from verify_replay.rules.goofspiel import CARDS
from verify_replay.rules.leduc_poker import DECKS


class WrittenDraws:
    """Answers each question for a draw by the next of those that lead to `act`."""

    def __init__(self, rules, act):
        self.left = draws_behind(type(rules).__name__, rules.variant, act)

    def below(self, n):
        check("as many draws as the act needs", bool(self.left), True)
        value = self.left.pop(0)
        check(f"a draw below {n}", 0 <= value < n, True)
        return value


def draws_behind(game, variant, act):
    if game == "Chess960":
        return [int(act)]
    if game == "LiarsDice":
        return [int(word) - 1 for word in act.split() if not word.startswith("p")]
    if game == "Backgammon":
        return [int(die) - 1 for die in (act.split()[1::2] if " " in act else act)]
    if game == "LeducPoker" and not act.startswith("board"):
        return shuffle_behind(DECKS[variant], act.split())
    if game == "Goofspiel" and act.startswith("order"):
        return shuffle_behind(CARDS, [int(card) for card in act.split()[1:]])
    return []


def shuffle_behind(elements, order):
    """The draws with which nature shuffles the elements into this order."""
    elements, draws = list(elements), []
    for last in range(len(elements) - 1, 0, -1):
        place = elements.index(order[last])
        draws.append(place)
        elements[last], elements[place] = elements[place], elements[last]
    return draws
