"""The seam between what this package decides and what touches the world.

Every operation is a generator of steps: it yields what is to be done, is sent the outcome, and returns its answer.
It opens no socket, never sleeps and reads no clock but the one it was given. `Hall` carries steps out with blocking
calls, `AsyncHall` with asynchronous ones; a test needs neither.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, Union

if TYPE_CHECKING:
    from .choice import Choosable
    from .plan import Turn

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Send one request and read the whole answer: a `RawAnswer`, or an `errors.HallError` is thrown in."""

    method: str
    target: str
    """Path and query."""
    headers: Mapping[str, str]
    body: bytes | None
    seconds: float
    """How long it may take in all."""
    largest: int
    """The most bytes of an answer that are read."""


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """An answer as it came; the names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Choose:
    """Let the agent think: the outcome is its choice, or None if it took too long."""

    turn: Turn


Step = Union[Exchange, Sleep, Choose]
Steps = Generator[Step, Any, T]
"""An operation that ends with a `T`."""


def exchange(step: Exchange) -> Steps[RawAnswer]:
    """One request."""
    answer: RawAnswer = yield step
    return answer


def sleep(seconds: float) -> Steps[None]:
    """A pause."""
    if seconds > 0:
        yield Sleep(seconds)


def choose(turn: Turn) -> Steps[Choosable | None]:
    """A thought."""
    chosen: Choosable | None = yield Choose(turn)
    return chosen
