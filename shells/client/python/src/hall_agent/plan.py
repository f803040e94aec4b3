"""What an agent intends to play and as what, the turns it is asked for, and what a run tells."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from .answers import Filed, Game, GameResult, View
from .choice import (
    Accepted,
    AlreadyApplied,
    Choice,
    MoveOutcome,
    NotApplied,
    NothingToAccept,
    NotLegal,
)
from .errors import HallError
from .patience import RequestLimit

NO_TEXT_SHA256 = hashlib.sha256(b"").hexdigest()
"""What is filed for an agent without a system prompt or configuration."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play, and as what. An agent that has a system prompt or a configuration should file their hashes."""

    game: str = "chess"
    division: str = "open"
    """`pure` or `open`."""
    variant: str = "standard"
    model_id: str = "hall-agent-python"
    """What the agent runs on: 1 to 128 characters, public."""
    adapter_kind: str = "scaffold"
    """`api`, `scaffold` or `other`."""
    tool_access: str = "pure"
    """`pure` or `engine-assisted`; the division pure needs pure."""
    season_id: str = "current"
    endpoint_url: str | None = None
    system_prompt_sha256: str = NO_TEXT_SHA256
    config_sha256: str = NO_TEXT_SHA256
    operator_name: str | None = None
    games: int | None = None
    """After how many ended games to stop; None for never."""
    concurrent: int = 1
    """How many games to be in at once. Turns are answered one after the other, the most urgent first."""
    wait: int = 25
    """For how many seconds to ask the hall to hold a pulse, at most 25. A hall answers at once when a game ends; at one
    that does not (it sends no `recently_ended`), an end is noticed after at most so long."""
    margin: float = 3.0
    """How many seconds of the time to move are kept back for the way to the hall."""

    def playing(self, games: int | None) -> Plan:
        """The same, for so many games."""
        return replace(self, games=games)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn to be answered: the agent is to move, and the list of legal moves is not empty."""

    view: View
    seconds_left: float | None
    """How long there is to think, with the plan's margin taken off; None if the hall's clock is not known."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How the agent was found: `resumed` if it had been registered before with the same key."""

    agent_id: str
    resumed: bool


@dataclass(frozen=True, slots=True)
class Entered:
    """The agent is registered."""

    standing: Standing

    def __str__(self) -> str:
        going_on = "already registered as {}: going on" if self.standing.resumed else "registered as {}"
        return going_on.format(self.standing.agent_id)


@dataclass(frozen=True, slots=True)
class Homologated:
    """Its homologation stands."""

    filed: Filed

    def __str__(self) -> str:
        note = ", voiding the standing before" if self.filed.voided_previous else ""
        return f"homologated for season {self.filed.season_id} ({self.filed.homologation_id}){note}"


@dataclass(frozen=True, slots=True)
class Queued:
    """It waits in the lobby."""

    def __str__(self) -> str:
        return "queued; waiting for an opponent"


@dataclass(frozen=True, slots=True)
class Seated:
    """It sits in a game: newly paired, or live from before."""

    game: Game
    you: str | None

    def __str__(self) -> str:
        return f"{self.game.id}: seated as {self.you or 'a player'} against {_opponents(self.game, self.you)}"


@dataclass(frozen=True, slots=True)
class Answered:
    """It answered a turn."""

    view: View
    choice: Choice
    outcome: MoveOutcome

    def __str__(self) -> str:
        return f"{self.view.game_id} turn {self.view.turn_index}: {self.choice.words}{_outcome(self.outcome)}"


@dataclass(frozen=True, slots=True)
class FellBack:
    """A random legal move was made in place of the agent's choice."""

    game_id: str
    why: str
    """`too late`, `not legal`, or the code of the refusal."""

    def __str__(self) -> str:
        return f"{self.game_id}: {self.why}; a random legal move instead"


@dataclass(frozen=True, slots=True)
class Ended:
    """A game has ended."""

    game: Game
    you: str | None

    def __str__(self) -> str:
        words = {"wins": "won", "losses": "lost", "draws": "drawn", "aborted": "ended without a result"}
        reason = self.game.result.reason.replace("_", " ") if self.game.result else "nothing known"
        end = words[outcome_for(self.game.result, self.you)]
        return f"{self.game.id}: {end} against {_opponents(self.game, self.you)} by {reason}"


@dataclass(frozen=True, slots=True)
class Limited:
    """The hall's request limit slows the agent down. Told once."""

    limit: RequestLimit

    def __str__(self) -> str:
        return (
            f"slowed down by the hall's limit of {self.limit.quota} requests in {self.limit.window} s, "
            "which all agents at this address share"
        )


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something failed and will be tried again, or a game is gone that the hall no longer knows."""

    error: HallError
    again_in: float
    """In seconds; 0 where nothing is waited for."""

    def __str__(self) -> str:
        return f"{self.error}; " + (f"trying again in {self.again_in:.1f} s" if self.again_in else "going on")


Event = Entered | Homologated | Queued | Seated | Answered | FellBack | Ended | Limited | Trouble
"""What a run tells; `str` of it is a line for people."""


@dataclass(slots=True)
class Tally:
    """How the games of a run ended."""

    wins: int = 0
    losses: int = 0
    draws: int = 0
    aborted: int = 0

    @property
    def ended(self) -> int:
        """All games that ended."""
        return self.wins + self.losses + self.draws + self.aborted

    def count(self, game: Game, you: str | None) -> None:
        """Takes in an ended game."""
        end = outcome_for(game.result, you)
        setattr(self, end, getattr(self, end) + 1)


def outcome_for(result: GameResult | None, you: str | None) -> str:
    """The member of `Tally` that a result counts in for this player."""
    if result is not None and result.draw:
        return "draws"
    if result is None or not result.winners:
        return "aborted"
    return "wins" if you in result.winners else "losses"


def _opponents(game: Game, you: str | None) -> str:
    # Handles are words of other agents; escaping keeps a line a line whatever a hall lets through.
    return ", ".join(ascii(seat.handle)[1:-1] for seat in game.seats if seat.player != you)


def _outcome(outcome: MoveOutcome) -> str:
    if isinstance(outcome, Accepted):
        return ""
    if isinstance(outcome, AlreadyApplied):
        return " (was applied although its answer got lost)"
    if isinstance(outcome, NotLegal):
        hint = f"; did you mean {outcome.did_you_mean}?" if outcome.did_you_mean else ""
        return f" was illegal (attempt {outcome.attempts}){hint}"
    if isinstance(outcome, NothingToAccept):
        return ": there was no offer"
    assert isinstance(outcome, NotApplied)
    return f" came too late ({outcome.code})"
