"""Being rung: what a doorbell's endpoint is asked, and what it answers (specification 2.10, decision 9).

`answer` is a pure function for any framework; `DoorbellServer` is a whole small server. A ring carries nothing of the
board and is no instruction: it is a reason to fetch the view.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .answers import WaitingTurn
from .decode import Mismatch, decode
from .errors import ProofProblem
from .identifiers import decode_id
from .json_text import JsonProblem, parse_strict
from .key import Key
from .log import verifies
from .signing import doorbell_message

TOLERANCE_SECONDS = 300
"""How far the time of a ring may be from this machine's clock."""

LARGEST_RING = 16 * 1024
"""The largest body of a ring that is read, in bytes."""

SAFETY_POLL_SECONDS = 20.0
"""How often an agent that is rung asks besides, where a move has a minute."""

_REMEMBERED = 4096
_CHALLENGE = re.compile(r"[0-9a-f]{64}\Z")
_SECONDS = re.compile(r"[0-9]{1,12}\Z")


@dataclass(frozen=True, slots=True)
class Ring(WaitingTurn):
    """It is the agent's turn. Fetch the view; the same event may ring more than once."""

    event_id: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the endpoint answers; `ring` if it was rung and this event is new."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    ring: Ring | None = None
    reason: str = ""
    """Why it was refused, for the log of the endpoint."""


class Memory:
    """The newest events that rang, so that each is told once."""

    def __init__(self, size: int = _REMEMBERED) -> None:
        self._size, self._events = size, OrderedDict[str, None]()

    def is_new(self, event_id: str) -> bool:
        """Whether the event has not rung before; from now on it has."""
        if event_id in self._events:
            return False
        self._events[event_id] = None
        if len(self._events) > self._size:
            self._events.popitem(last=False)
        return True


@dataclass(frozen=True, slots=True)
class Doorbell:
    """The endpoint of one agent: its key, handle and registered address, and the hall's keys that may ring."""

    key: Key
    handle: str
    url: str
    """Exactly as it was registered."""
    ring_keys: Sequence[str]
    """`ring_key` of the hall's /api/official, checked by `log.check_official`."""
    tolerance: int = TOLERANCE_SECONDS
    memory: Memory = field(default_factory=Memory, repr=False)

    def __post_init__(self) -> None:
        for ring_key in self.ring_keys:
            parse_ring_key(ring_key)

    def answer(self, method: str, headers: Mapping[str, str], body: bytes, now: float) -> Reply:
        """What to answer to a request; names of headers in any case, `now` in seconds since 1970."""
        named = {name.lower(): value for name, value in headers.items()}
        if method == "GET":
            return self._verification(named)
        if method != "POST":
            return Reply(405, {"Allow": "GET, POST"}, reason="only GET and POST are for a doorbell")
        try:
            ring = open_ring(named, body, self.ring_keys, now, self.tolerance)
        except ProofProblem as problem:
            # Never 410, by which an endpoint says that it is gone for good.
            return Reply(401, reason=str(problem))
        return Reply(204, ring=ring if self.memory.is_new(ring.event_id) else None)

    def _verification(self, headers: Mapping[str, str]) -> Reply:
        """Signs the hall's challenge. It signs only for this agent and this address, so nobody else can use the
        signature elsewhere."""
        challenge = headers.get("x-svc-challenge", "")
        if headers.get("x-svc-agent") != self.handle or _CHALLENGE.match(challenge) is None:
            return Reply(400, reason="no verification of this agent's doorbell")
        signature = self.key.sign(doorbell_message(self.handle, challenge, self.url))
        return Reply(200, {"X-Svc-Doorbell-Signature": signature})


def safety_poll(catalog: Mapping[str, Any]) -> float:
    """How many seconds there may be between two looks of an agent that is rung, so that a lost ring costs no turn.

    A third of the shortest move time in a hall's catalog, and at most a minute, as a hall's playbook says.
    """
    games = catalog.get("games")
    times = [game.get("move_ms") for game in games if isinstance(game, dict)] if isinstance(games, list) else []
    known = [time for time in times if isinstance(time, int) and not isinstance(time, bool)]
    return min(max(min(known) / 3000, 1.0), 60.0) if known else SAFETY_POLL_SECONDS


def parse_ring_key(text: str) -> bytes:
    """The 32 bytes of a public key in the form `whpk_BASE64`. Raises `ProofProblem`."""
    key = _base64(text.removeprefix("whpk_"))
    if not text.startswith("whpk_") or len(key) != 32:
        raise ProofProblem("the key of a ring is whpk_ and 32 bytes in base64")
    return key


def open_ring(
    headers: Mapping[str, str], body: bytes, ring_keys: Sequence[str], now: float, tolerance: int = TOLERANCE_SECONDS
) -> Ring:
    """The ring in a request by Standard Webhooks, scheme `v1a`; names of headers in lower case.

    Raises `ProofProblem` for a wrong signature, a time that is too far away, and a payload that is not a ring.
    """
    event_id, seconds = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if _SECONDS.match(seconds) is None or abs(now - int(seconds)) > tolerance:
        raise ProofProblem("the ring is too old or too early, or the clock of this machine is wrong")
    signed = f"{event_id}.{seconds}.".encode() + body
    keys = [parse_ring_key(ring_key) for ring_key in ring_keys]
    schemes = [one.partition(",") for one in headers.get("webhook-signature", "").split(" ")]
    signatures = [_base64(encoded) for scheme, _, encoded in schemes if scheme == "v1a"]
    if not any(verifies(key, signed, signature) for key in keys for signature in signatures):
        raise ProofProblem("the ring is not signed by any key of the hall")
    try:
        ring = decode(Ring, parse_strict(body))
    except (JsonProblem, Mismatch) as problem:
        raise ProofProblem(f"the payload is not a ring: {problem}") from None
    if ring.event_id != event_id or decode_id("e", event_id) is None or decode_id("g", ring.game_id) is None:
        raise ProofProblem("the payload is not that of the event in webhook-id")
    return ring


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ProofProblem("it is no base64") from None
