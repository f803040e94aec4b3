"""Who sits at the table, who has left it, and what that makes of results (decisions 13.5 and 13.6)."""

import collections

STRIKES_TO_FORFEIT = 3
ILLEGAL_MOVES_TO_STRIKE = 3


class Table:
    """The seats of one game: strikes, and who has left, the first one first."""

    def __init__(self, rules):
        self.rules, self.players = rules, rules.players
        self.strikes, self.vacant = collections.Counter(), []
        # At larger tables the others play on when one leaves, and places are counted.
        self.plays_on = len(self.players) > 2

    def is_vacant(self, player):
        return player in self.vacant

    def seated(self):
        gone = [*self.vacant, *self.rules.eliminated()]
        return [player for player in self.players if player not in gone]

    def can_spare(self, player):
        """Whether at least two others play on without the player."""
        return self.plays_on and player in self.seated() and len(self.seated()) > 2

    def decided(self, last_reason):
        """The result by the rules, or by one player being left; None while the game goes on."""
        outcome = self.rules.outcome()
        if outcome:
            return self.by_the_rules(outcome)
        if self.vacant and len(self.seated()) == 1:
            return self.counted({"winners": self.seated(), "draw": False, "reason": last_reason})
        return None

    def by_the_rules(self, outcome):
        """Vacant seats rank behind all others, whatever their points."""
        by_rules = outcome.pop("places", None)
        result = self.with_points(outcome)
        if not self.plays_on:
            return result
        if self.vacant:
            late = self.lateness()
            by_rules = ranked({player: late.get(player, (0, by_rules[player])) for player in self.players})
            result["winners"] = [player for player, place in by_rules.items() if place == 1]
            result["draw"] = False
        return {**result, "places": by_rules}

    def lateness(self):
        """The ranks of vacant seats: behind all others, the first vacated the very last."""
        return {player: (3, -order) for order, player in enumerate(self.vacant)}

    def lost_by(self, player, reason):
        """The end for a player who leaves when nobody can be spared."""
        winners = [other for other in self.seated() if other != player]
        return self.counted({"winners": winners, "draw": False, "reason": reason}, player)

    def drawn(self, reason):
        return self.counted({"winners": [], "draw": True, "reason": reason})

    def counted(self, result, leaver=None):
        """An end outside the rules: points as they stand; winners, who is seated, who is out, who has left."""
        result = self.with_points(result)
        if not self.plays_on:
            return result
        if result["reason"] == "aborted":
            return {**result, "places": None}
        late, out = self.lateness(), self.rules.eliminated()
        ranks = {}
        for player in self.players:
            if result["draw"] or player in result["winners"]:
                ranks[player] = (0, 0)
            elif player == leaver:
                ranks[player] = (3, -len(self.players))
            elif player in late:
                ranks[player] = late[player]
            else:
                ranks[player] = (2, -out.index(player)) if player in out else (1, 0)
        return {**result, "places": ranked(ranks)}

    def with_points(self, result):
        points = self.rules.points(result)
        return result if points is None else {**result, "points": points}


def ranked(ranks):
    """Places from 1 on; equal ranks share the better one."""
    return {player: 1 + sum(other < rank for other in ranks.values()) for player, rank in ranks.items()}
