"""Times of turns: deadlines, lateness, side clocks, and the effect of gaps (decisions 5.2, 5.3, 5.6)."""

from .claims import demand, same
from .shape import milliseconds


class Clocks:
    """The time left to each side. A gap is not charged, but its length is not published, so it is only bounded."""

    def __init__(self, start, extensions):
        self.move_ms, self.side_ms, self.extensions = start["move_ms"], start["side_ms"], extensions
        self.left = None if self.side_ms is None else {"p0": self.side_ms, "p1": self.side_ms}
        self.last_at = 0
        # When the turn before was resolved, by its request; None in the first.
        self.resolved_at = None

    def published_deadline(self, player, started):
        """The deadline with which a turn begins: the move time or the side's clock, whichever ends earlier."""
        return started + (self.move_ms if self.left is None else min(self.move_ms, self.left[player]))

    def check_start(self, turn, player):
        """Returns the published deadline and the one that stood at the end."""
        what = f"turn {turn['turn_index']}"
        started, final = milliseconds(turn["started_at"]), milliseconds(turn["deadline_utc"])
        demand(f"{what}: starts before the turn before it was resolved", started >= self.last_at)
        published = self.published_deadline(player, started)
        extended = self.extensions.get(turn["turn_index"], [])
        deadlines = [published, *extended]
        demand(f"{what}: a deadline was moved to an earlier time", deadlines == sorted(deadlines))
        same(f"{what}: deadline", final, deadlines[-1])
        return published

    def resolve(self, turn):
        """Judges when a player's turn was resolved and charges the player for it."""
        what, player = f"turn {turn['turn_index']}", turn["player"]
        started, deadline, at = (milliseconds(turn[name]) for name in ("started_at", "deadline_utc", "at"))
        attempts = [milliseconds(attempt["at"]) for attempt in turn["attempts"]]
        by_deadline = turn["forced"] == "deadline"
        # Until when the player is charged: the resolving request, which may be the last illegal one, or the deadline.
        until = deadline if by_deadline else at if turn["forced"] is None else attempts[-1]
        same(f"{what}: late", (at if by_deadline else until) > deadline, by_deadline)
        # A request may have arrived a moment before the turn that it plays was opened: then it costs nothing.
        order = [started if self.resolved_at is None else self.resolved_at, *attempts, until, at]
        demand(f"{what}: its times are out of order", order == sorted(order))
        self.last_at, self.resolved_at = max(at, started), at
        if self.left is not None:
            self.charge(what, turn, player, max(until - started, 0))
        same(f"{what}: side clocks", turn["clocks_ms"], self.left)

    def charge(self, what, turn, player, used):
        before = self.left[player]
        if turn["turn_index"] in self.extensions and turn["clocks_ms"] is not None:
            after = turn["clocks_ms"][player]
            demand(f"{what}: clock with time given back", max(before - used, 0) <= after <= before)
        else:
            after = before - used
        self.left = {**self.left, player: after}

    def stand_still(self, turn, mover):
        """A turn that the operator resolved: whether the mover is charged for it is not specified."""
        what = f"turn {turn['turn_index']}"
        started, at = milliseconds(turn["started_at"]), milliseconds(turn["at"])
        order = [started, *(milliseconds(attempt["at"]) for attempt in turn["attempts"]), at]
        demand(f"{what}: its times are out of order", order == sorted(order))
        same(f"{what}: side clocks", turn["clocks_ms"] is None, self.left is None)
        if self.left is not None:
            before, after = self.left[mover], turn["clocks_ms"][mover]
            demand(f"{what}: clock of the mover", max(before - (at - started), 0) <= after <= before)
            same(f"{what}: side clocks", turn["clocks_ms"], {**self.left, mover: after})
