"""What can go wrong with a call, told apart by what one can do about it.

Refusals, one class for each code of a hall, are in `refusals`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from .origin import OriginProblem


class HallError(Exception):
    """Anything that this package raises by itself."""

    leaves_doubt: bool = False
    """Whether the hall may have carried out the request although there is no usable answer."""

    is_passing: bool = False
    """Whether the same request may well pass a little later."""


@contextmanager
def exit_on_error() -> Iterator[None]:
    """For a program of its own: ends it with the sentence of an error of this package and status 1 instead of a traceback,
    and without one after Ctrl-C with status 130 and after SIGTERM with status 143. What runs is unwound first, so that an
    agent that is queued leaves the lobby."""
    # A handler of the program's own stays, and only the main thread may set one.
    handles = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if handles:
        signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except (HallError, OriginProblem) as error:
        raise SystemExit(str(error)) from None
    finally:
        if handles:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


class TransportError(HallError):
    """No connection, or it broke before the whole answer was here; `unsent` if the request never left."""

    is_passing = True

    def __init__(self, reason: str, *, unsent: bool) -> None:
        super().__init__(f"the hall cannot be reached: {reason}")
        self.unsent = unsent
        self.leaves_doubt = not unsent


class NoAnswer(HallError):
    """No whole answer within the time of a call. The request may have been carried out."""

    is_passing = True
    leaves_doubt = True

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} s")
        self.seconds = seconds


class AnswerTooLarge(HallError):
    """The answer is larger than this client reads, in bytes."""

    leaves_doubt = True

    def __init__(self, limit: int) -> None:
        super().__init__(f"the answer is larger than {limit} bytes")
        self.limit = limit


class NotAHall(HallError):
    """An answer came, but it is not the hall's envelope, or not what the specification says of this endpoint."""

    def __init__(self, status: int, reason: str, body: bytes) -> None:
        start = body[:480].decode(errors="replace")[:120]
        super().__init__(f"not an answer of a hall (HTTP {status}): {reason}; it begins {start!r}")
        self.status = status
        # A proxy in front of the hall answers for it when it fails half-way.
        self.leaves_doubt = self.is_passing = status >= 500


class BadRequest(HallError):
    """The request cannot be made at all; nothing was sent."""


class KeyProblem(HallError):
    """A key that cannot be read, kept or used."""


class OtherHall(KeyProblem):
    """The key was made for another hall and is never used at this one."""

    def __init__(self, belongs_to: str, asked_for: str) -> None:
        super().__init__(
            f"this key belongs to {belongs_to} and is never used at {asked_for}; make another key for that hall"
        )
        self.belongs_to, self.asked_for = belongs_to, asked_for


class ProofProblem(HallError):
    """A signature, note or proof that does not hold."""
