"""What all refusals of a hall have in common; `refusals` has a class for each code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .errors import HallError


class Refused(HallError):
    """The hall understood and refused. Whether it succeeded is decided by `ok`, never by the status alone."""

    CODE: ClassVar[str] = ""
    """The code that this class stands for; empty for families."""

    def __init__(
        self, code: str, status: int, message: str, data: Mapping[str, Any] | None, retry_after: float | None = None
    ) -> None:
        problems = "".join(f" {_words(one, 'field')}: {_words(one, 'rule')}." for one in _problems(data))
        super().__init__(f"{code} (HTTP {status}): {message}{problems}")
        self.code, self.status, self.message = code, status, message
        self.data: Mapping[str, Any] = data or {}
        """The detail in the top-level `data`; empty if there is none."""
        self.retry_after = retry_after
        """How many seconds `Retry-After` asks for."""
        self.leaves_doubt = self.leaves_doubt or self.data.get("outcome") == "unknown"


def _problems(data: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    problems = (data or {}).get("problems")
    return [one for one in problems if isinstance(one, dict)] if isinstance(problems, list) else []


def _words(problem: dict[str, Any], member: str) -> str:
    # Written by the hall, but what it quotes of a body may be anything.
    return repr(str(problem.get(member, "")))[1:-1]


class ChallengeRefused(Refused):
    """The challenge was not taken; a fresh one helps. This client fetches it by itself, once."""


class RoomRejected(Refused):
    """The game's room rejected a move; `data` says how the game stands."""


class QuotaSpent(Refused):
    """As much as an agent may have or do; `retry_after` where time cures it."""
