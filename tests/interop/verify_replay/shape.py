"""The shape of a replay (decisions 6.4 and 7): names, types and forms of all members, and no others.

A shape is a function of a value and its path that raises `Difference` where the value has another form.
"""

import functools
import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

from .claims import Difference, same
from .strict_json import LARGEST_INTEGER

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
FORCED = ("deadline", "illegal_moves")
# Controls and characters that turn the direction of text are refused in what agents write (decision 1.4).
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def fails(path, value, form):
    raise Difference(f"{path}: {str(value)[:80]!r} is not {form}")


def text(pattern, form):
    compiled = re.compile(pattern)

    def check(value, path):
        if not (isinstance(value, str) and compiled.fullmatch(value)):
            fails(path, value, form)

    return check


def plain_text(longest, shortest=0):
    def check(value, path):
        if not (isinstance(value, str) and shortest <= len(value) <= longest and not UNPRINTABLE.search(value)):
            fails(path, value, f"plain text of at most {longest} characters")

    return check


def number(least=0):
    def check(value, path):
        if type(value) is not int or not least <= value <= LARGEST_INTEGER:
            fails(path, value, f"an integer from {least} on")

    return check


def one_of(*values):
    def check(value, path):
        if not any(type(value) is type(allowed) and value == allowed for allowed in values):
            fails(path, value, f"one of {values}")

    return check


class Absent:
    """The shape of an optional member."""

    def __init__(self, shape):
        self.shape = shape

    def __call__(self, value, path):
        self.shape(value, path)


def record(**fields):
    def check(value, path):
        if not isinstance(value, dict):
            fails(path, value, "an object")
        there = {name: shape for name, shape in fields.items() if name in value or not isinstance(shape, Absent)}
        same(f"{path}: fields", sorted(value), sorted(there))
        for name, shape in there.items():
            shape(value[name], f"{path}.{name}")

    return check


def array(shape, least=0):
    def check(value, path):
        if not isinstance(value, list) or len(value) < least:
            fails(path, value, f"an array of at least {least}")
        for place, element in enumerate(value):
            shape(element, f"{path}[{place}]")

    return check


def maybe(shape):
    return lambda value, path: None if value is None else shape(value, path)


@functools.lru_cache(maxsize=None)
def milliseconds(stamp):
    """Since 1970; raises `ValueError` for an invalid time."""
    return (datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S.%f%z") - EPOCH) // timedelta(milliseconds=1)


def a_time(value, path):
    text(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "a time in UTC with milliseconds")(value, path)
    try:
        milliseconds(value)
    except ValueError:
        fails(path, value, "a time that exists")


def hexadecimal(characters):
    return text(f"[0-9a-f]{{{characters}}}", f"{characters} lowercase hex digits")


def identifier(letter):
    # 26 characters of five bits hold 130, two more than an id.
    return text(f"{letter}_[0-7][0-9a-hjkmnp-tv-z]{{25}}", f"an id of the kind {letter}_")


PLAYER = one_of("p0", "p1")
DIGEST, KEY, SIGNATURE = hexadecimal(64), hexadecimal(64), hexadecimal(128)
NOTATION = text("[a-h][1-8][a-h][1-8][qrbn]?", "a move in UCI")
PLAIN = text(r"[^\x00-\x1f]{1,128}", "a short text")
# The bounds that the specification gives for texts.
TEXTS = json.loads((Path(__file__).parents[3] / "core/wire/tests/golden/texts.json").read_text())
LONGEST_COMMENTARY = TEXTS["commentary"]["most"]
COMMENTARY = maybe(plain_text(LONGEST_COMMENTARY))
BY_PLAYER = record(p0=number(), p1=number())
RESULT = record(
    winners=array(PLAYER),
    draw=one_of(True, False),
    reason=one_of(
        *("checkmate", "stalemate", "fifty_moves", "threefold_repetition", "insufficient_material", "agreement"),
        *("resignation", "clock", "strikes", "adjudicated", "aborted"),
    ),
)
SEAT = record(
    player=PLAYER,
    agent_id=identifier("a"),
    handle=text("[a-z0-9][a-z0-9_-]{2,31}", "a handle"),
    pubkey_ed25519=KEY,
    homologation_id=identifier("h"),
)
BEACON = {
    "chain_hash": maybe(DIGEST),
    "round": maybe(number(1)),
    "status": one_of("off", "waiting", "verified", "missed"),
}
REVEALED = {"randomness": maybe(DIGEST), "signature": maybe(hexadecimal(96))}
TURN, WHO = {"turn_index": number()}, {"player": PLAYER}
# A body is null where it is withheld; an attempt has its hash only then.
ATTEMPT = record(
    at=a_time,
    body=maybe(plain_text(1 << 16, 2)),
    body_sha256=Absent(DIGEST),
    signature=SIGNATURE,
    challenge=hexadecimal(64),
    auth_signature=SIGNATURE,
    request_sha256=DIGEST,
)
RESOLVED = {
    "at": a_time,
    "notation": maybe(NOTATION),
    "forced": maybe(one_of(*FORCED)),
    "body_sha256": maybe(DIGEST),
    "state_hash": DIGEST,
    "clocks_ms": maybe(BY_PLAYER),
}
MOVE = record(
    **TURN,
    **RESOLVED,
    player=maybe(PLAYER),
    started_at=a_time,
    deadline_utc=a_time,
    body=maybe(plain_text(1 << 16, 2)),
    signature=maybe(SIGNATURE),
    draws=array(
        record(counter=number(), n=number(1), x=hexadecimal(16), value=maybe(number())),
    ),
    attempts=array(ATTEMPT),
)
NAMES = {
    "game": one_of("chess"),
    "variant": one_of("standard"),
    "division": one_of("pure", "open"),
    "season_id": PLAIN,
    "ruleset_version": one_of("chess/1"),
    "seats": array(SEAT, 2),
    "commitment": DIGEST,
}
EVENTS = {
    "game_started": record(
        **NAMES,
        **TURN,
        beacon=record(**BEACON),
        move_ms=number(1),
        side_ms=maybe(number(1)),
        to_move=array(PLAYER),
        deadline_utc=a_time,
    ),
    "move": record(
        **{**TURN, **WHO, **RESOLVED, "notation": NOTATION},
        san=PLAIN,
        commentary=COMMENTARY,
        commentary_sha256=Absent(DIGEST),
        to_move=array(PLAYER),
        deadline_utc=maybe(a_time),
    ),
    "illegal_attempt": record(**TURN, **WHO, count=number(1)),
    "strike": record(**TURN, **WHO, cause=one_of(*FORCED), count=number(1)),
    "draw_offered": record(**TURN, **WHO),
    "draw_declined": record(**TURN, **WHO),
    "deadline_extended": record(**TURN, deadline_utc=a_time, reason=PLAIN),
    "beacon": record(round=number(1), status=one_of("verified", "missed"), **REVEALED),
    "game_ended": record(**TURN, player=maybe(PLAYER), result=RESULT, body_sha256=maybe(DIGEST), seed=DIGEST),
}


def event(value, path):
    record(type=one_of(*EVENTS), data=lambda *_: None)(value, path)
    EVENTS[value["type"]](value["data"], f"{path}.data")


PATH = array(DIGEST)
LOG = record(
    note=text(r"[^\r]+", "a note"),
    leaves=array(record(seq=number(1), leaf_index=number(), path=PATH), 1),
    registrations=array(record(player=PLAYER, leaf=text(r"\{.*\}", "a leaf"), leaf_index=number(), path=PATH)),
)
REPLAY = record(
    **NAMES,
    version=one_of("svc.replay.v1"),
    game_id=identifier("g"),
    seed=DIGEST,
    beacon=record(**BEACON, **REVEALED),
    events=array(record(seq=number(1), event=event, created_at=a_time), 2),
    moves=array(MOVE, 1),
    hidden=one_of(None),
    result=RESULT,
    pgn=text(r"(?s)\[.+", "a PGN"),
    log=maybe(LOG),
)
REGISTRATION = record(
    kind=one_of("registration"),
    created_at=a_time,
    handle=text("[a-z0-9][a-z0-9_-]{2,31}", "a handle"),
    agent_id=identifier("a"),
    pubkey_ed25519=KEY,
    operator_id=identifier("o"),
)


def check_replay(replay):
    REPLAY(replay, "replay")
    same("replay.seats: number", len(replay["seats"]), 2)
    ends = [replay["events"][place]["event"]["type"] for place in (0, -1)]
    same("first and last event", ends, ["game_started", "game_ended"])
