"""The shape of a replay (decisions 6.4, 7 and 13): names, types and forms of all members, and no others.

A shape is a function of a value and its path that raises `Difference` where the value has another form.
"""

import functools
import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

from .claims import Difference, demand, same
from .rules import CHESS_FAMILY, GAMES
from .strict_json import LARGEST_INTEGER

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
FORCED = ("deadline", "illegal_moves")
LEFT = ("resignation", "strikes", "clock", "adjudicated")
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


def plain_text(longest):
    def check(value, path):
        if not (isinstance(value, str) and len(value) <= longest and not UNPRINTABLE.search(value)):
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


def by_player(shape):
    """An object with a member for each of some players; which they are is judged elsewhere."""

    def check(value, path):
        if not isinstance(value, dict):
            fails(path, value, "an object")
        for name, member in value.items():
            PLAYER(name, path)
            shape(member, f"{path}.{name}")

    return check


PLAYER = one_of("p0", "p1", "p2", "p3")
DIGEST, KEY, SIGNATURE = hexadecimal(64), hexadecimal(64), hexadecimal(128)
NOTATION = text("(?! )[ -~]{1,64}(?<! )", "a notation")
PLAIN = text(r"[^\x00-\x1f]{1,128}", "a short text")
# The bounds that the specification gives for texts.
TEXTS = json.loads((Path(__file__).parents[3] / "core/wire/tests/golden/texts.json").read_text())
LONGEST_COMMENTARY = TEXTS["commentary"]["most"]
COMMENTARY = maybe(plain_text(LONGEST_COMMENTARY))
BY_PLAYER = by_player(number())
# What may stand in it is judged where it is read: an illegal move may be any text.
BODY = text("(?s).{2,65536}", "the text of a body")
RESULT = record(
    winners=array(PLAYER),
    draw=one_of(True, False),
    reason=one_of(
        *sorted({reason for rules in GAMES.values() for reason in rules.reasons}),
        *("agreement", "resignation", "clock", "strikes", "adjudicated", "aborted"),
    ),
    points=Absent(by_player(number(-LARGEST_INTEGER))),
    places=Absent(maybe(by_player(number(1)))),
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
    body=maybe(BODY),
    body_sha256=Absent(DIGEST),
    signature=SIGNATURE,
    challenge=hexadecimal(64),
    auth_signature=SIGNATURE,
    request_sha256=DIGEST,
)
RESOLVED = {
    "at": a_time,
    "notation": maybe(NOTATION),
    "forced": maybe(one_of(*FORCED, "vacated")),
    "body_sha256": maybe(DIGEST),
    "state_hash": DIGEST,
    "clocks_ms": maybe(BY_PLAYER),
}
DRAWS = array(record(counter=number(), n=number(1), x=hexadecimal(16), value=maybe(number())))
MOVE = record(
    **TURN,
    **RESOLVED,
    player=maybe(PLAYER),
    started_at=a_time,
    deadline_utc=maybe(a_time),
    body=maybe(BODY),
    signature=maybe(SIGNATURE),
    draws=DRAWS,
    attempts=array(ATTEMPT),
)
ACT = record(**TURN, at=a_time, outcome=PLAIN, draws=DRAWS)
# An action that was sealed when the game ended.
UNRESOLVED = record(**WHO, at=a_time, body=maybe(BODY), signature=maybe(SIGNATURE))
NAMES = {
    "game": one_of(*GAMES),
    "variant": PLAIN,
    "division": one_of("pure", "open"),
    "season_id": PLAIN,
    "ruleset_version": one_of(*(f"{game}/1" for game in GAMES)),
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
        deadline_utc=maybe(a_time),
    ),
    "move": record(
        **{**TURN, **WHO, **RESOLVED, "notation": NOTATION},
        san=maybe(PLAIN),
        commentary=COMMENTARY,
        commentary_sha256=Absent(DIGEST),
        to_move=array(PLAYER),
        deadline_utc=maybe(a_time),
    ),
    "illegal_attempt": record(**TURN, **WHO, count=number(1)),
    "strike": record(**TURN, **WHO, cause=one_of(*FORCED), count=number(1)),
    "move_sealed": record(**TURN, **WHO),
    "seat_vacated": record(**TURN, **WHO, reason=one_of(*LEFT)),
    "chance": record(
        **TURN,
        outcome=maybe(PLAIN),
        state_hash=DIGEST,
        to_move=array(PLAYER),
        deadline_utc=maybe(a_time),
        clocks_ms=maybe(BY_PLAYER),
    ),
    "shown": record(**TURN, text=PLAIN),
    "draw_offered": record(**TURN, **WHO),
    "draw_declined": record(**TURN, **WHO),
    "deadline_extended": record(**TURN, deadline_utc=a_time, reason=PLAIN),
    "beacon": record(round=number(1), status=one_of("verified", "missed"), **REVEALED),
    "game_ended": record(**TURN, player=maybe(PLAYER), result=RESULT, body_sha256=maybe(DIGEST), seed=DIGEST),
}


def event(value, path):
    record(type=one_of(*EVENTS), data=lambda *_: None)(value, path)
    EVENTS[value["type"]](value["data"], f"{path}.data")


HAND, ROLL = array(text("[JQK][sh]?", "a card")), by_player(array(number(1)))
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
    chance=Absent(array(ACT)),
    unresolved=Absent(array(UNRESOLVED)),
    hidden=maybe(record(hands=Absent(array(HAND)), rolls=Absent(array(ROLL)), order=Absent(array(number(1))))),
    result=RESULT,
    pgn=maybe(text(r"(?s)\[.+", "a PGN")),
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
    rules = GAMES[replay["game"]]
    demand(f"replay.variant: {replay['game']} has no such variant", replay["variant"] in rules.variants)
    same("replay.ruleset_version: game", replay["ruleset_version"].split("/")[0], replay["game"])
    same("replay.seats: number", len(replay["seats"]), rules.variants[replay["variant"]])
    members = {"chance": rules.has_chance, "unresolved": rules.simultaneous}
    for name, belongs in members.items():
        same(f"replay.{name}: is there", name in replay, belongs)
    same("replay.pgn: is there", replay["pgn"] is not None, replay["game"] in CHESS_FAMILY)
    events = [entry["event"]["data"] for entry in replay["events"]]
    players = sorted(f"p{seat}" for seat in range(len(replay["seats"])))
    for told in [*replay["moves"], *events]:
        if told.get("clocks_ms") is not None:
            same("replay: players with a clock", sorted(told["clocks_ms"]), players)
        demand(f"replay: {told.get('player')} has no seat", told.get("player") in (None, *players))
    ends = [replay["events"][place]["event"]["type"] for place in (0, -1)]
    same("first and last event", ends, ["game_started", "game_ended"])
