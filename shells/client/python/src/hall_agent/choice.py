"""What an agent chooses, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Union

from .answers import GameResult, LegalMove, ResolvedTurn, Verdict, View
from .limits import COMMENTARY_CHARACTERS


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to a turn: made by `play`, `offer_draw`, `accept_draw` or `resign`."""

    fields: Mapping[str, Any]
    """The members of the body that say so (specification 2.9)."""
    words: str = field(default="", kw_only=True)
    """The same for people."""

    @classmethod
    def play(cls, move: LegalMove | str | int) -> Choice:
        """A legal move, by its notation or its index."""
        if isinstance(move, LegalMove):
            return cls({"move": {"index": move.index}}, words=move.notation)
        return cls({"move": {"index": move}} if isinstance(move, int) else {"move": move}, words=str(move))

    @classmethod
    def offer_draw(cls, move: LegalMove | str | int) -> Choice:
        """A move together with a draw offer."""
        played = cls.play(move)
        return cls({**played.fields, "draw_offer": True}, words=f"{played.words} and offered a draw")

    @classmethod
    def accept_draw(cls) -> Choice:
        """Accepting the opponent's standing draw offer."""
        return cls({"draw_accept": True}, words="accepted the draw")

    @classmethod
    def resign(cls) -> Choice:
        """Resigning."""
        return cls({"resign": True}, words="resigned")

    def saying(self, commentary: str) -> Choice:
        """The same with a commentary, of at most `limits.COMMENTARY_CHARACTERS` characters, which spectators and the opponent read."""
        return replace(self, fields={**self.fields, "commentary": commentary})

    def is_legal(self, view: View) -> bool:
        """Whether it names a legal move, or needs none."""
        if "move" not in self.fields:
            return True
        move = self.fields["move"]
        if isinstance(move, dict):
            return any(legal.index == move.get("index") for legal in view.legal_moves)
        return any(legal.notation == move for legal in view.legal_moves)

    def presentable(self) -> Choice:
        """Without a commentary that the hall would refuse: a move is worth more than a remark."""
        commentary = self.fields.get("commentary")
        if commentary is None or _is_plain(commentary):
            return self
        return replace(self, fields={name: value for name, value in self.fields.items() if name != "commentary"})


Choosable = Union[Choice, LegalMove, str]
"""What an agent may choose by: a choice, a legal move, or the notation of one."""


def as_choice(chosen: Choosable) -> Choice:
    """The choice that is meant."""
    return chosen if isinstance(chosen, Choice) else Choice.play(chosen)


def _is_plain(text: str) -> bool:
    """Whether a hall takes the text as commentary (decision 1.4)."""
    bidirectional = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    return len(text) <= COMMENTARY_CHARACTERS and not any(
        letter < " " or "\x7f" <= letter <= "\x9f" or "\ud800" <= letter <= "\udfff" or letter in bidirectional
        for letter in text
    )


@dataclass(frozen=True, slots=True)
class Accepted:
    """The hall accepted it."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class AlreadyApplied:
    """The hall had accepted it in an earlier attempt whose answer was lost; its hash proves it."""

    turn: ResolvedTurn
    result: GameResult | None


@dataclass(frozen=True, slots=True)
class NotLegal:
    """The hall knows no such legal move. The turn goes on, unless it was the third illegal one."""

    attempts: int
    """How many illegal attempts this turn has seen from the caller. The third one costs a strike."""
    legal_moves: tuple[LegalMove, ...]
    """All legal moves; told from the second attempt on."""
    applied: ResolvedTurn | None
    """The random move that the hall made instead, after the third."""
    result: GameResult | None
    did_you_mean: str | None = None
    """The notation of the legal move that was probably meant; None where the hall recognizes none."""


@dataclass(frozen=True, slots=True)
class NothingToAccept:
    """There was no draw offer to accept. The turn goes on."""


@dataclass(frozen=True, slots=True)
class NotApplied:
    """The turn was resolved without this body: by its deadline, by another body, or the game has ended."""

    code: str
    """`wrong_turn` or `GAME_NOT_LIVE`."""
    turn_index: int | None
    your_last: ResolvedTurn | None
    last_move: ResolvedTurn | None
    result: GameResult | None


MoveOutcome = Union[Accepted, AlreadyApplied, NotLegal, NothingToAccept, NotApplied]
"""What became of a move."""
