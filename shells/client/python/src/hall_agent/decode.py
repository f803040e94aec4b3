"""Reads JSON into the dataclasses of `answers`.

Members that a class does not know are passed over: halls may add some. A member that is missing takes the class's
default; without one the answer is not what the specification says.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, TypeVar

T = TypeVar("T")


class Mismatch(ValueError):
    """A value that does not have the shape it should; says where and why."""


def decode(shape: type[T], value: object) -> T:
    """Reads `value` as `shape`. Raises `Mismatch`."""
    decoded: T = _decode(shape, value, "data")
    return decoded


def _decode(shape: Any, value: object, where: str) -> Any:
    if shape is Any:
        return value
    origin, parts = typing.get_origin(shape), typing.get_args(shape)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        return _decode(next(part for part in parts if part is not type(None)), value, where)
    if origin is tuple:
        items = _of_type(list, value, where)
        return tuple(_decode(parts[0], item, f"{where}[{place}]") for place, item in enumerate(items))
    if origin is not None:
        members = _of_type(dict, value, where)
        return {name: _decode(parts[1], member, f"{where}.{name}") for name, member in members.items()}
    if shape is datetime:
        return _timestamp(_of_type(str, value, where), where)
    if dataclasses.is_dataclass(shape):
        return _members(shape, _of_type(dict, value, where), where)
    if shape is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return _of_type(shape, value, where)


def _of_type(kind: Any, value: object, where: str) -> Any:
    # True is an int to Python and none to JSON.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise Mismatch(f"{where} is {type(value).__name__} and not {kind.__name__}")
    return value


def _members(shape: Any, members: Mapping[str, object], where: str) -> Any:
    known = {}
    for name, kind, needed in _fields(shape):
        if name in members:
            known[name] = _decode(kind, members[name], f"{where}.{name}")
        elif needed:
            raise Mismatch(f"{where} has no {name!r}")
    return shape(**known)


@functools.cache
def _fields(shape: Any) -> list[tuple[str, Any, bool]]:
    kinds = typing.get_type_hints(shape)
    missing = dataclasses.MISSING
    return [
        (field.name, kinds[field.name], field.default is missing and field.default_factory is missing)
        for field in dataclasses.fields(shape)
    ]


def _timestamp(text: str, where: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    except ValueError:
        raise Mismatch(f"{where} is no time: {text[:40]!r}") from None
