"""What a verifier asks of the rules of a game."""


class Rules:
    """A game from its beginning on; a subclass for each game of the catalog.

    `variants` maps each variant to its number of seats. `state_string`, `legal_moves` and notations have the forms of
    the games' page; players are written as in the replay.
    """

    variants = {"standard": 2}
    # Several players share a turn.
    simultaneous = False
    # Nature acts, so that the replay lists its acts.
    has_chance = False
    # The hall's own reasons for an end by the rules.
    reasons = ()

    def __init__(self, variant):
        self.variant = variant
        self.players = [f"p{seat}" for seat in range(self.variants[variant])]

    def waits(self):
        """Whether nature is to act."""
        return False

    def act(self, draw):
        """Lets nature act; `draw(n)` draws below n. Returns the complete outcome and its public text."""
        raise NotImplementedError

    def movers(self):
        """The players who are to move, in seat order; nobody while nature acts and after the end."""
        raise NotImplementedError

    def legal_moves(self, player):
        """The notations of a mover, in the order of their bytes."""
        raise NotImplementedError

    def is_legal(self, player, notation):
        return notation in self.legal_moves(player)

    def default(self, _player):
        """The action that the hall plays in a player's place; None for a random one."""
        return None

    def play(self, moves):
        """Plays the legal moves of all movers, a notation by player. Returns the texts that are shown to all."""
        raise NotImplementedError

    def san(self, _player, _notation):
        """A move of the position as people write it, where the field has another form than the notation."""
        return None

    def state_string(self):
        raise NotImplementedError

    def outcome(self):
        """How the rules end the game: `{ winners, draw, reason }`, and `places` where they rank the players."""
        raise NotImplementedError

    def points(self, _result):
        """The points of the result by player; None in games that count none."""
        return None

    def eliminated(self):
        """The players whom the rules have put out, the first one first."""
        return []

    def hidden(self):
        """What was hidden during the game, as the replay reveals it."""
        return None

    def won_by(self, player, reason):
        return {"winners": [player], "draw": False, "reason": reason}

    def drawn(self, reason):
        return {"winners": [], "draw": True, "reason": reason}

    def other(self, player):
        """The opponent at a table of two."""
        return self.players[1 - self.players.index(player)]


class Alternating(Rules):
    """Two players who move in turn; `turns` counts what was played."""

    def __init__(self, variant):
        super().__init__(variant)
        self.turns = 0

    def mover(self):
        return self.players[self.turns % 2]

    def movers(self):
        return [] if self.outcome() else [self.mover()]


def shuffled(elements, draw):
    """As nature shuffles: from the last place on, each changes places with a drawn one that is not behind it."""
    elements = list(elements)
    for last in range(len(elements) - 1, 0, -1):
        place = draw(last + 1)
        elements[last], elements[place] = elements[place], elements[last]
    return elements


def rows_with_runs(rows):
    """Rows of cells, `.` where one is empty, joined by slashes, with digits for runs of empty cells."""
    text = "/".join(rows)
    for length in range(max(map(len, rows)), 0, -1):
        # A run never touches another: a longer one is replaced before.
        text = text.replace("." * length, str(length))
    return text


def by_points(players, points, words):
    """The end of a game in which more points win; `words` are the reasons for a winner and for a draw."""
    most = max(points.values())
    if len(set(points.values())) == 1:
        return {"winners": [], "draw": True, "reason": words[1], "places": dict.fromkeys(players, 1)}
    winners = [player for player in players if points[player] == most]
    places = {player: 1 + sum(other > points[player] for other in points.values()) for player in players}
    return {"winners": winners, "draw": False, "reason": words[0], "places": places}
