"""Follows games of liar's dice with a twin that was written from the rules, and single rounds with OpenSpiel.

OpenSpiel knows one round of two players with equally many dice, in which the first player bids first; such rounds are
followed with it too (with seats exchanged where p1 begins). Its sixes are wild as here, and its bidding rule
`reset-face` is that of the hall. The twin is the one of the verifier of replays.
"""

from functools import cache

import pyspiel

from oracles import check
from oracles.written_draws import WrittenDraws
from verify_replay.rules.liars_dice import LiarsDice


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


def follow(game):
    table, second = LiarsDice(game["variant"]), None
    check("seats", game["seats"], len(table.players))
    for step in game["steps"]:
        movers = table.movers()
        check("state", step["state"], table.state_string())
        check("to move", step["to_move"], movers)
        for player in table.players:
            check("legal moves", step["legal"][player], table.legal_moves(player) if player in movers else [])
            check("private", step["private"][player], {"dice": (table.rolls or {}).get(player, [])})
        if second is not None:
            check("OpenSpiel's legal moves", step["legal"][movers[0]], second.legal())
            check("OpenSpiel's player", movers, [f"p{second.mover()}"])
        check_public(step["public"], table)
        if "act" in step:
            check("nature's turn", (table.waits(), step["outcome"]), (True, None))
            check("the dice rolled", step["act"], table.act(WrittenDraws(table, step["act"]).below)[0])
            is_even = len(table.players) == 2 and len(set(table.left.values())) == 1
            second = Round([table.rolls["p0"], table.rolls["p1"]], int(table.queue[0][1])) if is_even else None
        elif "moves" in step:
            ((player, word),) = step["moves"]
            before = dict(table.left)
            check("shown", step["shown"], table.play({player: word}))
            if second is not None:
                second.play(word)
            if word == "liar" and second is not None:
                losers = [loser for loser in before if before[loser] > table.left[loser]]
                check("OpenSpiel's loser", losers, [f"p{second.loser()}"])
                second = None
        else:
            check("end", table.is_over(), True)
    outcome = table.outcome()
    if len(table.players) == 2:
        del outcome["places"]
    check("result", game["result"], {**outcome, "points": table.points(outcome)})
    return len(game["steps"])


def check_public(public, table):
    check("public", {key: public[key] for key in ("round", "dice", "dice_in_all")}, {
        "round": len(table.all_rolls) - (table.rolls is not None), "dice": table.left,
        "dice_in_all": sum(table.left.values()),
    })
    last = public["bid"]
    check("public bid", last and (last["quantity"], last["face"], last["player"]),
          table.bid and (*table.bid, table.bidder))
