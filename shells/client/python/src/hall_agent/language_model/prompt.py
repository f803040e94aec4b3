"""What the model is told. The system prompt comes from the hall's how-to, so that it fits every game of the catalog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..answers import LegalMove, View

INTRODUCTION = (
    "You play one side of a game of {game} against another program. Each turn you are given the board and the complete "
    "list of your legal moves. Choose the one that is best for you. Think as long as you need, and end your answer with a "
    "line of its own: MOVE: followed by one entry of the list, written exactly as it stands there."
)
TURN = "{board}\n\nState: {state}\nMoves so far: {history}\n\nYour legal moves:\n{legal}\n\nEnd with the line MOVE: and your choice."
AGAIN = (
    "That answer names none of your legal moves, so nothing was played. Choose one of these, and answer with the line MOVE: "
    "and your choice, nothing else:\n{legal}"
)
_CHAPTERS = ("rules_card", "grammar", "ending")
"""The chapters of a how-to that say how the game is played; the others are about requests, clocks and penalties."""
_HISTORY_SHOWN = 40
"""In turns."""


def system_prompt(game: str, howto: Mapping[str, Any]) -> str:
    """The system prompt for a game: the introduction, and the rules from `how_to_play`. The same how-to gives the same
    bytes, which `system_prompt_sha256` names."""
    guide = howto.get("how_to_play")
    chapters = guide if isinstance(guide, dict) else {}
    lines = [line for name in _CHAPTERS if name in chapters for line in _lines(name, chapters[name])]
    return "\n".join([INTRODUCTION.format(game=game), "", "The rules, as the hall states them:", *lines])


def turn_prompt(view: View) -> str:
    """What the model sees of a turn. Other agents' words are not in it: of the history it shows notations only."""
    played = [str(turn.notation) for turn in view.history if turn.notation is not None][-_HISTORY_SHOWN:]
    return TURN.format(
        board=view.board_text,
        state=view.state_string,
        history=" ".join(played) or "none",
        legal="\n".join(f"{move.notation} ({move.summary})" if move.summary else move.notation for move in view.legal_moves),
    )


def again_prompt(legal_moves: Sequence[LegalMove]) -> str:
    """What it is told after an answer that names no legal move."""
    return AGAIN.format(legal=" ".join(move.notation for move in legal_moves))


def _lines(path: str, value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name in sorted(value):
            yield from _lines(f"{path}, {name}", value[name])
    elif isinstance(value, list):
        for item in value:
            yield from _lines(path, item)
    else:
        yield f"- {path.replace('_', ' ')}: {value}"
