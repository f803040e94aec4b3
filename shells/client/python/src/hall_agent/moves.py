"""Moves, and finding out what became of one whose answer was lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from . import steps
from .answers import GameEvent, GameResult, LegalMove, ResolvedTurn, Verdict
from .calls import Call, Caller, open_envelope, segment, shaped
from .choice import Accepted, AlreadyApplied, MoveOutcome, NotApplied, NothingToAccept, NotLegal
from .errors import HallError
from .refusals import GameNotLive, IllegalMove, NoDrawOffer, Refused, WrongTurn
from .signing import SignedMove
from .steps import Steps

MOVE_HELD_SECONDS = 5.0
"""For how long a hall may hold the answer to a move: the third illegal one in a turn waits for the round of the beacon that
replaces it. A hall waits for a round for 10 s at most; with the usual time for an attempt this makes 15 s."""


@dataclass(frozen=True, slots=True)
class _Rejection:
    """What the room tells with a rejection (decision 1.8)."""

    turn_index: int | None = None
    illegal_attempts: int = 0
    did_you_mean: str | None = None
    last_move: ResolvedTurn | None = None
    your_last: ResolvedTurn | None = None
    result: GameResult | None = None
    legal_moves: tuple[LegalMove, ...] | None = None
    applied: ResolvedTurn | None = None


def send_move(caller: Caller, signed: SignedMove) -> Steps[MoveOutcome]:
    """Sends a signed body, and sends it again under a fresh challenge until it is known what became of it. If the first
    one had been applied, the hall rejects the second and names the body that resolved the caller's last turn."""
    call = Call("POST", f"/api/games/{segment(signed.game_id)}/moves", signed.body, signed=True, held=MOVE_HELD_SECONDS)
    failed = 0
    while True:
        try:
            data = yield from caller.attempt(call, open_envelope)
            return Accepted(shaped(data, Verdict, "verdict"))
        except HallError as error:
            outcome = _settled(signed, error) if isinstance(error, Refused) else None
            if outcome is not None:
                return outcome
            failed += 1
            pause = caller.pause(error, failed)
            if pause is None:
                raise
        yield from steps.sleep(pause)


def is_of_later_turn(told: NotApplied, signed: SignedMove) -> bool:
    """Whether the caller has had another turn since, so that the hall tells of that one."""
    return told.your_last is not None and told.your_last.turn_index > signed.turn_index


def look_back(told: NotApplied, signed: SignedMove, events: Iterable[GameEvent]) -> MoveOutcome:
    """What became of a move, by the events of its game; `told` if no event of the caller has its body."""
    caller = told.your_last.player if told.your_last else None
    for event in events:
        if event.event.get("type") == "move":
            turn = shaped(event.event["data"], ResolvedTurn)
            if turn.player == caller and _is_by(turn, signed):
                return AlreadyApplied(turn, told.result)
    return told


def _is_by(turn: ResolvedTurn, signed: SignedMove) -> bool:
    """Whether this body resolved it. Players of a shared turn may sign the same body."""
    return turn.turn_index == signed.turn_index and turn.body_sha256 == signed.body_sha256


def _settled(signed: SignedMove, refused: Refused) -> MoveOutcome | None:
    """Reads from a room's rejection what became of the move; None if it is no such rejection."""
    if isinstance(refused, NoDrawOffer):
        return NothingToAccept()
    if not isinstance(refused, (WrongTurn, GameNotLive, IllegalMove)):
        return None
    told = shaped(refused.data, _Rejection)
    if isinstance(refused, IllegalMove):
        legal_moves = told.legal_moves or ()
        return NotLegal(told.illegal_attempts, legal_moves, told.applied, told.result, told.did_you_mean)
    if told.your_last and _is_by(told.your_last, signed):
        return AlreadyApplied(told.your_last, told.result)
    return NotApplied(refused.code, told.turn_index, told.your_last, told.last_move, told.result)
