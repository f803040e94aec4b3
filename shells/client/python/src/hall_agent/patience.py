"""How long to wait: between attempts, for the request limit, and by whose clock."""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

_PARAMETER = re.compile(r";\s*([a-z]+)=([0-9]{1,9})")
_LONGEST_PACE_SECONDS = 5.0
"""The longest pause as long as any request is left."""
_FREE_SHARE = 0.75
"""While more than this share of the quota is left, no request waits."""
_RESERVE_SHARE = 8
"""The last eighth of the quota is handed out ever more slowly: many agents may want it at once."""
_READING_KEPT_SECONDS = 600.0
_CHALLENGES_KEPT = 8
_CHALLENGE_FRESH_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How a call repeats what failed, and what it takes from an answer. Times are in seconds."""

    attempts: int = 6
    """How often a call is tried in all."""
    first_wait: float = 0.25
    """The wait before the second attempt; each further one doubles it."""
    longest_wait: float = 8.0
    longest_retry_after: float = 70.0
    """A longer `Retry-After` is handed to the caller as the refusal it is. The hall's limit looks back over 60 s."""
    timeout: float = 10.0
    """For one attempt, from connecting to the last byte, besides the time for which the hall may hold the answer."""
    largest_answer: int = 4 << 20
    """In bytes."""

    def wait(self, failed: int, dice: random.Random) -> float:
        """The wait after so many failures: between half and all of an exponentially growing span, so that agents
        that failed together do not come back together."""
        span = min(self.first_wait * 2.0 ** min(failed - 1, 20), self.longest_wait)
        return span / 2 + dice.random() * span / 2


@dataclass(frozen=True, slots=True)
class RequestLimit:
    """A limit that is in force: so many requests from one address in so many seconds."""

    quota: int
    window: int


class Pace:
    """Keeps a pace that the hall's request limit allows, and uses all of it.

    All agents at one address share the limit, and an agent that has used it up cannot move while its clock runs. Each
    answer tells how many requests are left and when more come back, so an agent spreads what is left over that time. How
    fast the count falls tells how many others share it. Without the headers there is no limit and no pause.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._resume = clock, 0.0
        self._left: int | None = None
        self._slowed: RequestLimit | None = None
        self._told = False

    def wait(self) -> float:
        """How many seconds the next request must wait."""
        resume, self._resume = self._resume, 0.0
        return max(0.0, resume - self._clock()) if resume else 0.0

    def learn(self, headers: Mapping[str, str], held: float = 0.0) -> None:
        """Takes in `RateLimit` (`r` requests left, some again after `t` seconds) and `RateLimit-Policy`. They describe
        the moment in which the request arrived, which was about `held` seconds ago."""
        limit, policy = (_of_requests(headers.get(name, "")) for name in ("ratelimit", "ratelimit-policy"))
        if not ({"r", "t"} <= limit.keys() and {"q", "w"} <= policy.keys()):
            return
        left, in_force = int(limit["r"]), RequestLimit(int(policy["q"]), int(policy["w"]))
        spent = 1 if self._left is None else max(1, self._left - left)
        self._left = left
        pause = pace(left, spent, max(0.0, int(limit["t"]) - held), in_force)
        self._resume = self._clock() + pause if pause else 0.0
        if pause and self._slowed is None:
            self._slowed = in_force

    def news(self) -> RequestLimit | None:
        """The limit that makes requests wait, once."""
        told, self._told = self._told, self._slowed is not None
        return None if told else self._slowed


def _of_requests(header: str) -> dict[str, str]:
    """The parameters of the item for requests; the header may tell of other limits too."""
    items = (item for item in header.split(",") if item.strip().startswith('"requests"'))
    return dict(_PARAMETER.findall(next(items, "")))


def pace(left: int, spent: int, reset: float, limit: RequestLimit) -> float:
    """The pause before the next request in seconds, with `left` requests left, `spent` of them gone since the answer
    before, and more of them after `reset` seconds."""
    if left >= limit.quota * _FREE_SHARE:
        return 0.0
    reserve = limit.quota // _RESERVE_SHARE
    crowd = limit.window * reserve / (limit.quota * (left + 1)) if left < reserve else 0.0
    pause = min(max(reset * spent / (left + 1), crowd), _LONGEST_PACE_SECONDS)
    return pause if left else max(pause, reset)


class HallClock:
    """The hall's clock as seen from here, without trusting the clock of this machine.

    Every answer that states the hall's time was on its way for a while, so of two readings the one that puts the
    hall's clock further ahead is nearer to the truth, and never promises more time than there is.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._reading: tuple[datetime, float] | None = None

    def heard(self, hall: datetime) -> None:
        """Takes in that the hall's clock said this in an answer that arrived now."""
        here, now = self._clock(), self.now()
        old = self._reading is not None and here - self._reading[1] > _READING_KEPT_SECONDS
        if now is None or hall >= now or old:
            self._reading = (hall, here)

    def now(self) -> datetime | None:
        """The hall's time now; None before the first reading."""
        if self._reading is None:
            return None
        hall, here = self._reading
        return hall + timedelta(seconds=self._clock() - here)


class Challenges:
    """Unused challenges that came with answers, each handed out once, the newest first."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: deque[tuple[str, float]] = deque(maxlen=_CHALLENGES_KEPT)

    def keep(self, challenge: str) -> None:
        """Keeps a challenge that came just now."""
        self._kept.append((challenge, self._clock()))

    def take(self) -> str | None:
        """The newest one, if it is fresh.

        A hall promises 300 s, but its operator may set less; a minute is more than the longest held answer.
        """
        try:
            challenge, since = self._kept.pop()
        except IndexError:
            return None
        if self._clock() - since <= _CHALLENGE_FRESH_SECONDS:
            return challenge
        # The newest is too old, so all are.
        self.forget()
        return None

    def forget(self) -> None:
        """Drops all of them: the hall no longer takes one."""
        self._kept.clear()
