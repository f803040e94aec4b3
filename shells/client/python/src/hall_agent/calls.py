"""One call: challenge, signature, request, envelope, and when to try again."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from . import steps
from .decode import Mismatch, decode
from .errors import BadRequest, HallError, NotAHall
from .identifiers import is_handle
from .json_text import canonical
from .key import Key
from .patience import Challenges, HallClock, Pace, RequestLimit, RetryPolicy
from .refusals import BY_CODE, ChallengeRefused, Refused
from .signing import auth_headers
from .steps import Exchange, RawAnswer, Steps

T = TypeVar("T")
_SEGMENT = re.compile(r"[A-Za-z0-9_-]+\Z")
_CHALLENGE = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked, before it is signed."""

    method: str
    target: str
    body: bytes | None = None
    signed: bool = False
    repeatable: bool = True
    """Whether a second request after a lost answer does no harm."""
    held: float = 0.0
    """For how many seconds the hall may hold the answer."""


def get(target: str, *, signed: bool = False, held: float = 0.0) -> Call:
    """A GET."""
    return Call("GET", target, signed=signed, held=held)


def post(target: str, body: object | None = None, *, repeatable: bool = True) -> Call:
    """A signed POST of the canonical form of `body`, of nothing without one."""
    sent = b"" if body is None else canonical(body)
    return Call("POST", target, sent, signed=True, repeatable=repeatable)


def query(target: str, **parameters: str | int | None) -> str:
    """The target with those parameters that are not None."""
    pairs = [f"{name}={quote(str(value), safe='')}" for name, value in parameters.items() if value is not None]
    return f"{target}?{'&'.join(pairs)}" if pairs else target


def segment(text: str) -> str:
    """The text, if it may stand as one segment of a path; a hall refuses every other spelling. Raises `BadRequest`."""
    if _SEGMENT.match(text) is None:
        raise BadRequest(f"{text!r} cannot be part of a path: letters, digits, '_' and '-' only")
    return text


class Caller:
    """Makes calls to one hall as one agent; what it remembers is challenges, pace and the hall's clock."""

    def __init__(self, key: Key, handle: str, policy: RetryPolicy, clock: Callable[[], float] = time.monotonic) -> None:
        if not is_handle(handle):
            raise BadRequest(f"{handle!r} is not a handle: 3 to 32 of a-z, 0-9, '_' and '-'")
        self.key, self.handle, self.policy = key, handle, policy
        self.dice = random.Random()
        self.clock = clock
        self.hall_clock = HallClock(clock)
        self._challenges, self._pace = Challenges(clock), Pace(clock)

    def news_of_limit(self) -> RequestLimit | None:
        """The hall's request limit, once, as soon as it makes requests wait."""
        return self._pace.news()

    def data(self, call: Call) -> Steps[Any]:
        """The payload of the answer, trying again where that helps and does no harm."""
        return (yield from self._patiently(call, open_envelope))

    def read(self, call: Call, shape: type[T], member: str | None = None) -> Steps[T]:
        """The payload, or one member of it, as a type of `answers`."""
        return shaped((yield from self.data(call)), shape, member)

    def text(self, call: Call) -> Steps[str]:
        """An answer whose success is a bare text instead of an envelope."""
        return (yield from self._patiently(call, _open_text))

    def _patiently(self, call: Call, open_answer: Callable[[RawAnswer], T]) -> Steps[T]:
        failed = 0
        while True:
            try:
                return (yield from self.attempt(call, open_answer))
            except HallError as error:
                failed += 1
                pause = self.pause(error, failed)
                if pause is None or (error.leaves_doubt and not call.repeatable):
                    raise
            yield from steps.sleep(pause)

    def pause(self, error: HallError, failed: int) -> float | None:
        """How long to wait before the next attempt, in seconds; None if there should be none."""
        if not error.is_passing or failed >= self.policy.attempts:
            return None
        own = self.policy.wait(failed, self.dice)
        asked = error.retry_after if isinstance(error, Refused) else None
        if asked is None:
            return own
        # Jitter on top of what was asked for: those who were limited together do not return together.
        return None if asked > self.policy.longest_retry_after else asked + min(own, 0.5)

    def attempt(self, call: Call, open_answer: Callable[[RawAnswer], T]) -> Steps[T]:
        """One attempt, with a second one if the hall did not take the challenge: a kept one may have become old, or
        the hall may have been restarted since."""
        if not call.signed:
            return open_answer((yield from self._exchange(call, None)))
        challenge = self._challenges.take() or (yield from self._fetch_challenge())
        try:
            return open_answer((yield from self._exchange(call, challenge)))
        except ChallengeRefused:
            self._challenges.forget()
        fresh = yield from self._fetch_challenge()
        return open_answer((yield from self._exchange(call, fresh)))

    def _fetch_challenge(self) -> Steps[str]:
        raw = yield from self._exchange(get(query("/api/auth/challenge", agent=self.handle)), None)
        challenge = open_envelope(raw).get("challenge")
        if not isinstance(challenge, str) or _CHALLENGE.match(challenge) is None:
            raise NotAHall(raw.status, "the challenge is not 64 hexadecimal digits", raw.body)
        return challenge

    def _exchange(self, call: Call, challenge: str | None) -> Steps[RawAnswer]:
        headers = {"Accept": "application/json", "User-Agent": "hall-agent-python/0.2.0"}
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if challenge is not None:
            headers.update(auth_headers(self.key, self.handle, challenge, call.method, call.target, call.body))
        yield from steps.sleep(self._pace.wait())
        seconds, largest = self.policy.timeout + call.held, self.policy.largest_answer
        sent = self.clock()
        raw = yield from steps.exchange(Exchange(call.method, call.target, headers, call.body, seconds, largest))
        self._pace.learn(raw.headers, self.clock() - sent)
        following = raw.headers.get("x-svc-next-challenge", "")
        if challenge is not None and _CHALLENGE.match(following):
            self._challenges.keep(following)
        return raw


def open_envelope(raw: RawAnswer) -> Any:
    """The payload of an envelope; `ok` decides, not the status. Raises `Refused` or `NotAHall`."""
    try:
        top = json.loads(raw.body)
    except (ValueError, RecursionError):
        raise NotAHall(raw.status, "it is not JSON", raw.body) from None
    if not isinstance(top, dict) or not isinstance(top.get("ok"), bool):
        raise NotAHall(raw.status, "it is no envelope", raw.body)
    data = top.get("data")
    if top["ok"]:
        if not isinstance(data, dict):
            raise NotAHall(raw.status, "it has no data", raw.body)
        return data
    error = top.get("error")
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        raise NotAHall(raw.status, "its error has no code", raw.body)
    detail = data if isinstance(data, dict) else None
    refusal = BY_CODE.get(error["code"], Refused)
    raise refusal(error["code"], raw.status, str(error.get("message", "")), detail, _retry_after(raw.headers))


def _open_text(raw: RawAnswer) -> str:
    if raw.status != 200 or raw.headers.get("content-type", "").startswith("application/json"):
        open_envelope(raw)
        raise NotAHall(raw.status, "an envelope instead of text", raw.body)
    try:
        return raw.body.decode()
    except UnicodeDecodeError:
        raise NotAHall(raw.status, "it is not UTF-8", raw.body) from None


def shaped(data: Mapping[str, Any], shape: type[T], member: str | None = None) -> T:
    """A payload, or one member of it, as a type. Raises `NotAHall` if it does not have that shape."""
    try:
        if member is None:
            return decode(shape, data)
        if member not in data:
            raise Mismatch(f"data has no {member!r}")
        return decode(shape, data[member])
    except Mismatch as mismatch:
        raise NotAHall(200, str(mismatch), json.dumps(data)[:480].encode()) from None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds; a date is not read, because it would need this machine's clock."""
    text = headers.get("retry-after", "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
