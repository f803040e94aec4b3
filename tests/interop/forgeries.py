"""Forgeries of a replay: each changes one meaning, in one place (`tampered`) or in all that tell it (`pairs`).

A `Forgery` is a context manager: inside it the document is changed, afterwards it is as before. Each knows whether the
claims of a replay can find it at all: `free` says why not, None if they must.
"""

import json
import random
import re
from datetime import datetime, timedelta

import rfc8785

from forged_texts import other_notes, other_pgns
from unfindable import unfindable, unpinned

DAY, MILLISECOND = timedelta(days=1), timedelta(milliseconds=1)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
A_TIME, A_DIGEST = "2026-11-20T21:50:00.000Z", "5a" * 32
# Alternatives for each word.
CHOICES = {
    "status": ["off", "waiting", "verified", "missed"],
    "division": ["open", "pure"],
    "forced": ["deadline", "illegal_moves", "vacated"],
    "cause": ["deadline", "illegal_moves"],
    "player": ["p0", "p1", "p2", "p3"],
    "type": [
        *("strike", "illegal_attempt", "draw_offered", "draw_declined", "game_started", "move", "beacon"),
        *("chance", "shown", "move_sealed", "seat_vacated"),
    ],
    "reason": ["checkmate", "stalemate", "resignation", "clock", "strikes", "agreement", "aborted", "adjudicated"],
    "version": ["svc.replay.v2"],
    "game": ["go", "othello"],
    "variant": ["chess960", "standard", "four"],
    "ruleset_version": ["chess/2", "go/1"],
}
# Why a seat was vacated; other events have other reasons.
LEFT = ["resignation", "strikes", "clock", "adjudicated"]
# What stands where an object has no such member.
ABSENT = object()
# Values for members that are null.
INSTEAD_OF_NULL = {
    "chain_hash": A_DIGEST,
    "randomness": A_DIGEST,
    "body_sha256": A_DIGEST,
    "signature": "5a" * 64,
    "round": 1,
    "notation": "e2e4",
    "forced": "deadline",
    "body": "{}",
    "commentary": "never said",
    "deadline_utc": A_TIME,
    "clocks_ms": {"p0": 1, "p1": 1},
    "side_ms": 1000,
    "hidden": {"hands": []},
    "san": "Ke2",
    "outcome": "63",
    "pgn": '[Result "*"]\n\n*\n',
    "places": {"p0": 1, "p1": 2},
    "player": "p0",
    "value": 0,
    "log": {},
}


class Forgery:
    """Changes of some places of one document: `(container, name or index, new value)` each."""

    def __init__(self, document, path, words, changes, free=None):
        self.document, self.path, self.words, self.changes, self.free = document, path, words, changes, free

    def __enter__(self):
        self.before = [at(container, place) for container, place, _ in self.changes]
        for container, place, value in self.changes:
            container[place] = value
        return self.document

    def __exit__(self, *_):
        for (container, place, _), value in zip(self.changes, self.before):
            if value is ABSENT:
                del container[place]
            else:
                container[place] = value

    def __str__(self):
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        return f"{steps.lstrip('.') or 'the replay'}: {self.words}"


def at(container, place):
    return container.get(place, ABSENT) if isinstance(container, dict) else container[place]


def tampered(replay):
    """Every scalar changed and set to null; every member of an object dropped, of an array dropped, doubled, moved.

    And parts that the game does not have.
    """
    yield from added(replay)
    for path, container, place in places(replay, ()):
        value = container[place]
        for words, forged in replacements(path, value):
            yield Forgery(replay, path, words, [(container, place, forged)], unfindable(replay, path, words))


def added(replay):
    """A part that only other games have, and a void action that was never sealed."""
    for name in ("chance", "unresolved"):
        if name not in replay:
            yield Forgery(replay, (), f"with {name}", [(replay, name, [])])
    last = replay["moves"][-1]
    action = {"player": last["player"] or "p0", "at": last["at"], "body": None, "signature": None}
    actions = [*replay.get("unresolved", []), action]
    yield Forgery(replay, ("unresolved",), "one action more", [(replay, "unresolved", actions)])


def places(container, path):
    """Every place inside, containers before their contents."""
    members = container.items() if isinstance(container, dict) else enumerate(container)
    for place, value in list(members):
        yield (*path, place), container, place
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, place))


def replacements(path, value):
    name, dice = str(path[-1]), random.Random(repr(path))
    if isinstance(path[-1], int):
        name = str(path[-2])
    if value is None:
        yield "null became something", INSTEAD_OF_NULL[name]
        return
    yield "null", None
    if isinstance(value, bool):
        yield "the opposite", not value
        yield "a number", int(value)
    elif isinstance(value, int):
        yield "+1", value + 1
        yield "as text", str(value)
    elif isinstance(value, dict):
        for member in value:
            yield f"without {member}", {other: value[other] for other in value if other != member}
    elif isinstance(value, list):
        yield from rearranged(value)
    else:
        yield from retold(path, name, value, dice)


def rearranged(elements):
    for place, element in enumerate(elements):
        yield f"{place} dropped", elements[:place] + elements[place + 1 :]
        yield f"{place} twice", elements[: place + 1] + elements[place:]
        if place and elements[place - 1] != element:
            moved = [*elements[: place - 1], element, elements[place - 1], *elements[place + 1 :]]
            yield f"{place} before {place - 1}", moved
    if elements and isinstance(elements[0], str) and len(elements) == 1 and elements[0] in CHOICES["player"]:
        for other in others_of(elements[0]):
            yield f"{other} instead", [other]
    if not elements:
        yield "something", ["p0"]


def retold(path, name, text, dice):
    """Other texts of the same kind."""
    if name == "reason" and "result" not in path and text in LEFT:
        for other in LEFT:
            if other != text:
                yield other, other
    elif name in CHOICES and not (name == "reason" and "result" not in path):
        for other in CHOICES[name]:
            if other != text:
                yield other, other
    elif text in CHOICES["player"]:
        for other in others_of(text):
            yield f"{other} instead", other
    elif TIME.fullmatch(text):
        yield "+1 ms", later(text, MILLISECOND)
        yield "-1 ms", later(text, -MILLISECOND)
        yield "+1 day", later(text, DAY)
        yield "-1 day", later(text, -DAY)
    elif name in ("body", "leaf"):
        yield from restated(text)
    elif name == "note":
        yield from other_notes(text, dice)
    elif name == "pgn":
        yield from other_pgns(text)
    elif re.fullmatch("[0-9a-f]{8,}", text):
        place = dice.randrange(len(text))
        digit = dice.choice([digit for digit in "0123456789abcdef" if digit != text[place]])
        yield f"digit {place} is {digit}", text[:place] + digit + text[place + 1 :]
        yield "a digit less", text[:-1]
        if text.upper() != text:
            yield "uppercase", text.upper()
    else:
        yield "last character", text[:-1] + ("b" if text[-1:] != "b" else "c")
        yield "a character more", text + "x"


def restated(text):
    """JSON inside a text: every scalar of it, and other spellings of the same value."""
    value = json.loads(text)
    for name, member in value.items():
        for words, other in replacements((name,), member):
            yield f"{name}: {words}", rfc8785.dumps({**value, name: other}).decode()
    yield "with a field more", rfc8785.dumps({**value, "draw_offer": not value.get("draw_offer", False)}).decode()
    yield "with a space", json.dumps(value, sort_keys=True, ensure_ascii=False)
    yield "cut off", text[:-1]


def others_of(player):
    return [other for other in CHOICES["player"] if other != player]


def later(stamp, by):
    moved = datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S.%fZ") + by
    return moved.isoformat(timespec="milliseconds") + "Z"


def pairs(replay):
    """The same change in the move and in its event, or wherever else a meaning occurs twice."""
    told = {of_whom(entry["event"]["data"]): entry for entry in replay["events"] if is_move(entry)}
    for turn, move in enumerate(replay["moves"]):
        if of_whom(move) not in told:
            continue
        data = told[of_whom(move)]["event"]["data"]
        for name in ("at", "notation", "forced", "body_sha256", "state_hash", "clocks_ms", "player"):
            for words, forged in together(("moves", turn, name), move[name]):
                changes = [(move, name, forged), (data, name, forged)]
                free = unpinned(replay, turn, name)
                yield Forgery(replay, ("moves", turn, name), f"{words}, in the event too", changes, free)
    first, last = replay["events"][0]["event"]["data"], replay["events"][-1]["event"]["data"]
    for name in ("commitment", "seats", "ruleset_version", "game", "variant"):
        for words, forged in together((name,), replay[name]):
            changes = [(replay, name, forged), (first, name, forged)]
            other = name == "ruleset_version" and replay["log"] is None and "/" in str(forged)
            free = "without the version of the rules the game cannot be judged" if other else None
            yield Forgery(replay, (name,), f"{words}, in the first event too", changes, free)
    for name in ("seed", "result"):
        for words, forged in together((name,), replay[name]):
            changes = [(replay, name, forged), (last, name, forged)]
            free = "an operator's verdict" if replay["moves"][-1]["player"] is None and name == "result" else None
            yield Forgery(replay, (name,), f"{words}, in the last event too", changes, free)
    beacons = [entry["event"]["data"] for entry in replay["events"] if entry["event"]["type"] == "beacon"]
    for name in ("round", "status", "randomness", "signature"):
        for words, forged in together(("beacon", name), replay["beacon"][name]):
            owners = [replay["beacon"], *beacons, *([first["beacon"]] if name == "round" else [])]
            changes = [(owner, name, forged) for owner in owners]
            yield Forgery(replay, ("beacon", name), f"{words}, in the events too", changes)


def together(path, value):
    """The changes of a pair; the members of objects are changed one by one."""
    if isinstance(value, dict):
        for name, member in value.items():
            for words, forged in together((*path, name), member):
                yield f"{name} {words}", {**value, name: forged}
    else:
        yield from replacements(path, value)


def of_whom(turn):
    return turn["turn_index"], turn["player"]


def is_move(entry):
    return entry["event"]["type"] == "move"
