"""The random draws of a game, which anybody can recompute once its seed is revealed (decision 6)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


def commitment(game_id: str, seed: str) -> str:
    """What a hall publishes of a game's seed (64 hexadecimal digits) before the game."""
    return hashlib.sha256(f"svc.seed.v1:{game_id}:{seed}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Draw:
    """One hash taken for a draw, as a replay lists it; `value` is None where `x` was rejected."""

    counter: int
    n: int
    x: int
    value: int | None


class Draws:
    """The draws of one turn. The counter rises by one with each hash taken."""

    def __init__(self, game_id: str, turn_index: int, seed: str, randomness: str = "", first: int = 0) -> None:
        """`randomness` is that of the verified beacon round in hexadecimal; empty without one. `first` is how many hashes
        were taken in the turn before: acts of nature, vacant seats and forced moves count on from one another."""
        self._first = first
        self._begin, self._end = f"svc.random.v1:{game_id}:{turn_index}:", f":{seed}:{randomness}"
        self._taken: list[Draw] = []

    def below(self, n: int) -> int:
        """A number below `n`, also for `n` = 1."""
        if not 1 <= n <= 1 << 64:
            raise ValueError("a draw is below a number from 1 to 2^64")
        while True:
            counter = self._first + len(self._taken)
            digest = hashlib.sha256(f"{self._begin}{counter}{self._end}".encode()).digest()
            x = int.from_bytes(digest[:8], "big")
            # An x in the incomplete multiple of n at the end of the range would make small values likelier.
            value = x % n if x < (1 << 64) // n * n else None
            self._taken.append(Draw(counter, n, x, value))
            if value is not None:
                return value

    def shuffle(self, items: Iterable[T]) -> list[T]:
        """The items in the order in which nature shuffles them (decision 13.3)."""
        shuffled = list(items)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.below(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled

    def __iter__(self) -> Iterator[Draw]:
        """Every hash taken so far, in order."""
        return iter(self._taken)
