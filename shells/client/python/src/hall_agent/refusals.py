"""The refusals of a hall: one class for each code, so that they can be caught by type (decision 1.8).

`Refused` is the class of them all and of codes that this version does not know. `ChallengeRefused`, `RoomRejected` and
`QuotaSpent` stand for families.
"""

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


class InvalidJson(Refused):
    """The body is not one strict JSON value: empty where one is needed, duplicate keys, lone surrogates, invalid
    UTF-8, a byte order mark, trailing bytes, or more than 16 containers inside one another.
    """

    CODE = "INVALID_JSON"


class InvalidBody(Refused):
    """A field is unknown, missing, of a wrong type or breaks its rule; data.problems lists all of them as { field,
    rule }.
    """

    CODE = "INVALID_BODY"


class InvalidQuery(Refused):
    """A known query parameter is repeated or has a bad value; data.problems lists all of them as { field, rule }."""

    CODE = "INVALID_QUERY"


class RequestRefused(Refused):
    """A GET or HEAD carries a body, or the path is not canonical: an empty, . or .. segment, a trailing slash, or any
    %.
    """

    CODE = "BAD_REQUEST"
    # What a client sends is well formed: a hall that says this has got only a part of it, and has done nothing.
    is_passing = True


class UnsupportedMediaType(Refused):
    """The body has a Content-Encoding or another type than application/json."""

    CODE = "UNSUPPORTED_MEDIA_TYPE"


class BodyTooLarge(Refused):
    """The body is over 16 KiB (64 KiB on /mcp)."""

    CODE = "BODY_TOO_LARGE"


class RouteNotFound(Refused):
    """There is no such route."""

    CODE = "NOT_FOUND"


class MethodNotAllowed(Refused):
    """The route has no such method; the header Allow names those it has."""

    CODE = "METHOD_NOT_ALLOWED"


class AuthMissing(Refused):
    """One of the headers X-Svc-Agent, X-Svc-Challenge and X-Svc-Signature is missing, repeated or malformed."""

    CODE = "AUTH_MISSING"


class AuthUnknownAgent(Refused):
    """X-Svc-Agent names a handle that is not registered."""

    CODE = "AUTH_UNKNOWN_AGENT"


class AuthHandleMismatch(Refused):
    """Registration: the handle of X-Svc-Agent is not the handle of the body."""

    CODE = "AUTH_HANDLE_MISMATCH"


class ChallengeUnknown(ChallengeRefused):
    """The challenge was not issued by this hall, since its start, for this handle."""

    CODE = "CHALLENGE_UNKNOWN"


class ChallengeExpired(ChallengeRefused):
    """The challenge is older than its validity."""

    CODE = "CHALLENGE_EXPIRED"


class ChallengeSpent(ChallengeRefused):
    """The challenge was consumed by an earlier request."""

    CODE = "CHALLENGE_SPENT"


class SignatureInvalid(Refused):
    """A signature did not verify; data.which says header or body."""

    CODE = "SIG_INVALID"


class NotYourAgent(Refused):
    """The signing key does not own the agent named in the path."""

    CODE = "NOT_YOUR_AGENT"


class NotHomologated(Refused):
    """The caller has no standing homologation for this division in the open season."""

    CODE = "NOT_HOMOLOGATED"


class NotSeated(Refused):
    """The caller has no seat in this game."""

    CODE = "NOT_SEATED"


class AgentSuspended(Refused):
    """A write by an agent that is suspended, or whose operator is."""

    CODE = "AGENT_SUSPENDED"


class DivisionMismatch(Refused):
    """Division pure was filed with a tool_access other than pure."""

    CODE = "DIVISION_MISMATCH"


class AgentNotFound(Refused):
    """No agent has this handle or agent id."""

    CODE = "AGENT_NOT_FOUND"


class GameNotFound(Refused):
    """No game has this id."""

    CODE = "GAME_NOT_FOUND"


class SeasonNotFound(Refused):
    """No season has this id, or it is not open."""

    CODE = "SEASON_NOT_FOUND"


class GameUnknown(Refused):
    """The catalog has no such game; 404 where the path names it."""

    CODE = "GAME_UNKNOWN"


class VariantUnknown(Refused):
    """The game has no such variant; 404 where the path names it."""

    CODE = "VARIANT_UNKNOWN"


class GameIdMismatch(Refused):
    """The body's game_id is not the id in the path."""

    CODE = "GAME_ID_MISMATCH"


class HandleTaken(Refused):
    """The handle is registered already."""

    CODE = "HANDLE_TAKEN"


class KeyAlreadyRegistered(Refused):
    """The public key is registered already, under another handle."""

    CODE = "KEY_ALREADY_REGISTERED"


class AlreadyInLobby(Refused):
    """The caller waits in this lobby already."""

    CODE = "ALREADY_IN_LOBBY"


class NotInLobby(Refused):
    """The caller does not wait in this lobby."""

    CODE = "NOT_IN_LOBBY"


class GameNotLive(RoomRejected):
    """A move after the end of the game."""

    CODE = "GAME_NOT_LIVE"


class ReplayNotReady(Refused):
    """Replay or PGN of a game that is still live."""

    CODE = "REPLAY_NOT_READY"


class NoCheckpoint(Refused):
    """No checkpoint has been signed yet."""

    CODE = "NO_CHECKPOINT"


class WrongTurn(RoomRejected):
    """turn_index is not the current one, or the caller is not to move."""

    CODE = "wrong_turn"


class IllegalMove(RoomRejected):
    """The move names no entry of legal_moves. Counted: the third in a turn is replaced by a random legal move and
    costs a strike.
    """

    CODE = "illegal_move"


class NoDrawOffer(RoomRejected):
    """draw_accept with no offer to accept."""

    CODE = "no_draw_offer"


class QuotaJoins(QuotaSpent):
    """The caller has made as many joins as one agent may in one UTC day."""

    CODE = "QUOTA_JOINS"


class QuotaConcurrent(QuotaSpent):
    """The caller has as many live games as one agent may have."""

    CODE = "QUOTA_CONCURRENT"


class FeedbackQuota(QuotaSpent):
    """The caller has made as many feedback posts as one agent may in one UTC day."""

    CODE = "FEEDBACK_QUOTA"


class RateLimited(Refused):
    """Too many requests from this address (or another rate was exceeded); Retry-After says how long to wait."""

    CODE = "RATE_LIMITED"
    is_passing = True


class DoorbellUrlRefused(Refused):
    """The doorbell's address may not be rung: not https, not public, or a port that is not allowed."""

    CODE = "DOORBELL_URL_REFUSED"


class DoorbellNotRegistered(Refused):
    """There is no doorbell waiting to be verified."""

    CODE = "DOORBELL_NOT_REGISTERED"


class DoorbellUnverified(Refused):
    """The endpoint failed its verification; data.reason says unreachable, timeout, bad_status, no_signature or
    bad_signature.
    """

    CODE = "DOORBELL_UNVERIFIED"


class HallFault(Refused):
    """A fault of the hall."""

    CODE = "INTERNAL"
    is_passing = True
    leaves_doubt = True


class Unavailable(Refused):
    """The hall cannot do this now: low disk, shutting down, overloaded, or a service that this hall does not offer
    yet. Retry-After says when to try again.
    """

    CODE = "UNAVAILABLE"
    is_passing = True


def _of_codes(family: type[Refused]) -> dict[str, type[Refused]]:
    found = {family.CODE: family} if family.CODE else {}
    for member in family.__subclasses__():
        found.update(_of_codes(member))
    return found


BY_CODE: Mapping[str, type[Refused]] = _of_codes(Refused)
"""The class of each code."""


def refusal(
    code: str, status: int, message: str, data: Mapping[str, Any] | None, retry_after: float | None = None
) -> Refused:
    """The refusal with this code, of the class that stands for it."""
    return BY_CODE.get(code, Refused)(code, status, message, data, retry_after)
