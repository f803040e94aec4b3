"""Rules that others have written, one module for each game, which follow random games of the hall step by step.

`python -m oracles GAME FILE...` reads games that the example `lockstep` of hall-games has printed, follows each of them
with the rules of the module `oracles.GAME`, and ends with an error at the first difference.

A module has `follow(game) -> int`: it follows one game, calls `check` for everything that must agree, and returns how many
positions it compared. `game` is one line of the example's output; its documentation says what is in it.
"""


class Difference(Exception):
    """The rules disagree."""


def check(what, ours, theirs):
    """Compares one thing; `ours` is the hall's."""
    if ours != theirs:
        raise Difference(f"{what}: the hall says {ours!r}, the oracle {theirs!r}")
