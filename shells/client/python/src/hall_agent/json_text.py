"""JSON that every parser reads alike, and its canonical form (RFC 8785; decision 1.5 and 2.5).

What is signed or hashed holds no numbers but integers within ±(2^53 - 1), which every language keeps exactly. So the
canonical form needs no rules for fractions, and nothing here knows them.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

LARGEST_INTEGER = 2**53 - 1
"""The largest integer that every JSON parser keeps exactly."""

DEEPEST = 16
"""How many containers may stand inside one another."""

_PLAIN_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z")


class JsonProblem(ValueError):
    """A text or value that is no JSON as halls take it."""


def canonical(value: object) -> bytes:
    """The canonical form of `value` in UTF-8: no space, names ordered by UTF-16 units, shortest escapes.

    Raises `JsonProblem` for what has none here: fractions, integers beyond ±(2^53 - 1), lone surrogates, names that
    are no text, other types.
    """
    parts: list[str] = []
    _write(value, parts, 0)
    try:
        return "".join(parts).encode()
    except UnicodeEncodeError:
        raise JsonProblem("half of a surrogate pair stands in a text") from None


def _write(value: object, parts: list[str], depth: int) -> None:
    if value is None or isinstance(value, bool):
        parts.append({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, int):
        if abs(value) > LARGEST_INTEGER:
            raise JsonProblem(f"{value} is beyond ±(2^53 - 1)")
        parts.append(str(int(value)))
    elif isinstance(value, str):
        parts.append(json.dumps(value, ensure_ascii=False))
    elif isinstance(value, (list, tuple, dict)):
        if depth == DEEPEST:
            raise JsonProblem(f"more than {DEEPEST} containers stand inside one another")
        _write_members(value, parts, depth + 1)
    else:
        raise JsonProblem(f"{type(value).__name__} has no canonical form here")


def _write_members(
    value: list[object] | tuple[object, ...] | dict[object, object], parts: list[str], depth: int
) -> None:
    if not isinstance(value, dict):
        for place, item in enumerate(value):
            parts.append("," if place else "[")
            _write(item, parts, depth)
        parts.append("]" if value else "[]")
        return
    for place, (name, member) in enumerate(sorted(value.items(), key=lambda pair: _utf16(pair[0]))):
        parts.append("," if place else "{")
        _write(name, parts, depth)
        parts.append(":")
        _write(member, parts, depth)
    parts.append("}" if value else "{}")


def _utf16(name: object) -> bytes:
    if not isinstance(name, str):
        raise JsonProblem(f"a name must be text, not {type(name).__name__}")
    return name.encode("utf-16-be", "surrogatepass")


def parse_strict(text: bytes) -> Any:
    """Reads exactly one JSON value that every parser reads alike.

    Raises `JsonProblem` for invalid UTF-8, a byte order mark, a name that stands twice, lone surrogates, more than 16
    containers inside one another, and numbers that are not plain integers within ±(2^53 - 1).
    """
    try:
        value = json.loads(
            text.decode(),
            object_pairs_hook=_members,
            parse_int=_integer,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
        # A lone surrogate or too deep a value would have no canonical form either.
        canonical(value)
    except UnicodeDecodeError:
        raise JsonProblem("it is not UTF-8") from None
    except RecursionError:
        raise JsonProblem(f"more than {DEEPEST} containers stand inside one another") from None
    except json.JSONDecodeError as error:
        raise JsonProblem(str(error)) from None
    return value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise JsonProblem("a name stands twice in one object")
    return members


def _integer(text: str) -> int:
    if text == "-0" or not _PLAIN_INTEGER.match(text) or len(text) > 17 or abs(int(text)) > LARGEST_INTEGER:
        _no_number(text)
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise JsonProblem(f"{text[:20]} is no plain integer within ±(2^53 - 1)")
