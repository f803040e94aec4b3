"""Times of turns: deadlines, lateness, side clocks, and the effect of gaps (decisions 5.2, 5.3, 5.6, 13.3 to 13.5)."""

from typing import NamedTuple

from .claims import demand, same
from .shape import milliseconds


class Extension(NamedTuple):
    """A `deadline_extended` event; times in milliseconds."""

    seq: int
    created: int
    deadline: int


# What a turn was resolved by: a request, a missed deadline, an illegal move, the operator's vacating of the seat, and
# the hall for a seat that was vacant before the turn.
REQUEST, DEADLINE, ILLEGAL, OPERATOR, ABSENT = "request", "deadline", "illegal_moves", "operator", "absent"


class Clocks:
    """The time left to each side. A gap is not charged, but its length is not published, so it is only bounded."""

    def __init__(self, start, formed, extensions, players, shared):
        self.move_ms, self.side_ms, self.extensions = start["move_ms"], start["side_ms"], extensions
        self.left = None if self.side_ms is None else dict.fromkeys(players, self.side_ms)
        self.shared = shared
        self.last_at = formed
        # When what resolved the turn before had come, a request or a missed deadline; None in the first.
        self.resolved_at = None
        # The same, for each player of the current turn.
        self.charged_until = []
        # When nature opened the turn, if it did.
        self.opened_at = None

    def nature_acts(self, what, at):
        demand(f"{what}: nature acts before the turn before was resolved", at >= self.last_at)
        self.last_at = self.opened_at = at

    def published_deadline(self, started, movers):
        """The deadline with which a turn begins: the move time or the side's clock, whichever ends earlier."""
        return started + min(self.move_ms if self.left is None else min(self.move_ms, self.left[it]) for it in movers)

    def check_start(self, turn, player, acted=None):
        """When the turn of a player began, and the deadline that stood at its end.

        `acted` is the seq of the event by which the player sealed its action, in a shared turn.
        """
        what = f"turn {turn['turn_index']}"
        demand(f"{what}: deadline is missing", turn["deadline_utc"] is not None)
        started, final = milliseconds(turn["started_at"]), milliseconds(turn["deadline_utc"])
        demand(f"{what}: starts before the turn before it was resolved", started >= self.last_at)
        if self.opened_at is not None:
            same(f"{what}: begins with the act of nature", started, self.opened_at)
        # Who has acted keeps the deadline that stood then.
        later = [it for it in self.extensions.get(turn["turn_index"], []) if acted is None or it.seq < acted]
        deadlines = [self.published_deadline(started, [player]), *(it.deadline for it in later)]
        demand(f"{what}: a deadline was moved to an earlier time", deadlines == sorted(deadlines))
        latest = max([started, *(it.created for it in later)]) + self.move_ms
        if not (self.shared and later):
            same(f"{what}: deadline", final, deadlines[-1])
        elif self.left is not None and started + self.left[player] < latest:
            # The event tells the earliest deadline of all; how much of the pause is given back is not told.
            demand(f"{what}: deadline", deadlines[-1] <= final <= max(latest, deadlines[-1]))
        else:
            same(f"{what}: deadline", final, max(latest, deadlines[-1]))

    def check_given_back(self, turn, running):
        """After a pause the earliest deadline of the players gives the whole time for a move, or ends with a side clock."""
        started, left = milliseconds(turn["started_at"]), self.left or {}
        for extension in self.extensions.get(turn["turn_index"], []):
            ends = [extension.created + self.move_ms, *(started + left[it] for it in running if it in left)]
            demand(f"turn {turn['turn_index']}: time given back", extension.deadline >= min(ends))

    def resolve(self, turn, player, by, attempts):
        """Judges when a player's turn was resolved and charges the player for it; `attempts` are its illegal moves."""
        what, at = f"turn {turn['turn_index']}", milliseconds(turn["at"])
        if by == ABSENT:
            same(f"{what}: deadline of a vacant seat", turn["deadline_utc"], None)
            demand(f"{what}: its times are out of order", self.last_at <= milliseconds(turn["started_at"]))
            self.charged_until.append(at)
            return
        started, deadline = milliseconds(turn["started_at"]), milliseconds(turn["deadline_utc"])
        # Until when the player is charged: the resolving request, which may be the last illegal one, or the deadline.
        until = {DEADLINE: deadline, ILLEGAL: (attempts or [at])[-1]}.get(by, at)
        if self.shared and turn["forced"] == DEADLINE and turn["notation"]:
            same(f"{what}: time of a default action", at, deadline)
        elif self.shared and by == DEADLINE:
            demand(f"{what}: early", at >= deadline)
        elif by != OPERATOR:
            same(f"{what}: late", (at if by == DEADLINE else until) > deadline, by == DEADLINE)
        # Two that were on their way at once may be counted in either order.
        earliest = self.earliest(turn)
        demand(f"{what}: its times are out of order", earliest <= until <= at)
        self.charged_until.append(until)
        demand(f"{what}: an illegal move out of its time", all(earliest <= it <= deadline for it in attempts))
        if self.left is not None:
            self.charge(what, turn, player, by, until - started)

    def earliest(self, turn):
        """A request may have arrived a moment before the turn that it plays was opened: then it costs nothing."""
        return milliseconds(turn["started_at"]) if self.resolved_at is None else self.resolved_at

    def close(self, turns):
        """The turn is resolved: all accounts of it tell the same clocks."""
        for turn in turns:
            same(f"turn {turn['turn_index']}: side clocks", turn["clocks_ms"], self.left)
        self.resolved_at, self.charged_until = max(self.charged_until), []
        # The hall may act after that, and the next request may have come before it did.
        acted = [milliseconds(turn["at"]) for turn in turns]
        starts = [milliseconds(turn["started_at"]) for turn in turns if turn["deadline_utc"]]
        self.last_at, self.opened_at = max(self.last_at, *acted, *starts), None

    def charge(self, what, turn, player, by, elapsed):
        before, used = self.left[player], max(elapsed, 0)
        if by == OPERATOR:
            # It may vacate a seat in the moment in which the clock runs out.
            used = min(used, before)
        if turn["turn_index"] in self.extensions and turn["clocks_ms"] is not None:
            after = turn["clocks_ms"][player]
            demand(f"{what}: clock with time given back", max(before - used, 0) <= after <= before)
        else:
            after = before - used
        self.left = {**self.left, player: after}

    def charge_sealed(self, turn, player, by, at, attempts):
        """Charges a player for an action that was sealed when another ended the game with `turn`."""
        if self.left is None or by == ABSENT:
            return
        started = milliseconds(turn["started_at"])
        # A pause moves the deadlines of all, and the action is dated by the one that was missed.
        missed = at if turn["turn_index"] in self.extensions else self.published_deadline(started, [player])
        until = {DEADLINE: missed, ILLEGAL: (attempts or [at])[-1]}.get(by, at)
        self.charge(f"turn {turn['turn_index']}", turn, player, by, until - started)

    def is_used_up(self, player):
        return self.left is not None and self.left[player] == 0

    def runs_out(self, turn, player):
        """Whether the side clock of another player ends at the deadline of the turn."""
        started, deadline = milliseconds(turn["started_at"]), milliseconds(turn["deadline_utc"])
        return self.left is not None and started + self.left[player] <= deadline

    def stand_still(self, turn, movers):
        """A turn that the operator resolved: whether the movers are charged for it is not specified."""
        what = f"turn {turn['turn_index']}"
        started, at = milliseconds(turn["started_at"]), milliseconds(turn["at"])
        order = [self.last_at, started, *(milliseconds(attempt["at"]) for attempt in turn["attempts"]), at]
        demand(f"{what}: its times are out of order", order == sorted(order))
        same(f"{what}: side clocks", turn["clocks_ms"] is None, self.left is None)
        for mover in movers if self.left is not None else ():
            before, after = self.left[mover], turn["clocks_ms"][mover]
            demand(f"{what}: clock of the mover", max(before - (at - started), 0) <= after <= before)
            self.left = {**self.left, mover: after}
        same(f"{what}: side clocks", turn["clocks_ms"], self.left)
