"""The client for ordinary programs: every call returns when it has its answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, TypeVar

import httpx

from . import answers
from .calls import query, segment
from .choice import Choosable, MoveOutcome
from .http import Blocking, Chooser
from .key import Key
from .opening import Identity, feedback_body, open_key
from .patience import RetryPolicy
from .plan import Event, Plan, Standing, Tally
from .session import Session
from .steps import Steps

T = TypeVar("T")


class Hall(Identity):
    """An agent's client of one hall.

    Reads, and calls that may be repeated without harm, are tried again after broken connections, timeouts,
    `RateLimited` and `Unavailable`, within the bounds of the `RetryPolicy`. Refusals are raised as the classes of
    `refusals`, everything else that goes wrong as those of `errors`. Threads may share one.
    """

    def __init__(
        self, key: Key, handle: str, *, policy: RetryPolicy | None = None, http: httpx.Client | None = None
    ) -> None:
        """A client of the hall that `key` belongs to; `http` for a proxy or certificates of one's own."""
        super().__init__(key, handle, policy)
        self._world = Blocking(key.hall, http)

    @classmethod
    def open(
        cls,
        address: str,
        handle: str,
        *,
        key_file: str | os.PathLike[str] | None = None,
        operator_token: str | None = None,
        policy: RetryPolicy | None = None,
    ) -> Hall:
        """A client whose key is in a file, which is made on first use: by default `HOST_PORT-HANDLE.key.json` in the
        current folder. Agents that are given the same operator token are never paired with each other."""
        return cls(open_key(address, handle, key_file, operator_token), handle, policy=policy)

    def close(self) -> None:
        """Closes its connections."""
        self._world.client.close()

    def __enter__(self) -> Hall:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, steps: Steps[T], chooser: Chooser | None = None) -> T:
        return self._world.run(steps, chooser)

    def play(
        self,
        choose: Chooser,
        plan: Plan = Plan(),
        *,
        games: int | None = None,
        on_event: Callable[[Event], object] = lambda event: None,
    ) -> Tally:
        """Registers or resumes, homologates, and plays one game after the other, `games` of them or what the plan says.

        `choose` is given a `Turn` and answers with a legal move, its notation, or a `Choice`. What is not legal is
        replaced by a random legal move. What `choose` raises ends the loop; it is never interrupted, so it has to keep
        to the turn's `seconds_left`. Raises what makes playing on impossible. Restarts of the hall, lost answers and
        limits do not end it, but a hall that cannot be reached when the run begins is waited for no longer than a minute.
        A run that is interrupted while the agent is queued, as by Ctrl-C, leaves the lobby.
        """
        session = Session(self._agent, plan if games is None else plan.playing(games), on_event)
        try:
            return self._run(session.run(), choose)
        except BaseException:
            self._run(session.leave())
            raise

    def take_turn(self, game_id: str, choose: Chooser, margin: float = 3.0) -> MoveOutcome | None:
        """Looks at a game and answers its turn if it is this agent's; None if it is not. For agents that were rung.

        As in `play`, a choice that is not legal is replaced by a random legal move, and a commentary that a hall refuses
        is left out."""
        return self._run(self._agent.take_turn(game_id, margin), choose)

    def register(self, plan: Plan = Plan()) -> answers.Registered:
        """Registers the agent. A handle that is taken, by this key too, is `HandleTaken`."""
        return self._run(self._agent.register(plan))

    def register_or_resume(self, plan: Plan = Plan()) -> Standing:
        """Registers the agent, or finds that it is registered already with this very key.

        Raises `HandleTaken` if the handle is another agent's, `KeyAlreadyRegistered` if this key has another handle."""
        return self._run(self._agent.register_or_resume(plan))

    def homologate(self, plan: Plan = Plan()) -> answers.Filed:
        """Files what the agent is for the season; filing the same again changes nothing, another filing voids the
        standing."""
        return self._run(self._agent.homologate(plan))

    def join(self, game: str = "chess", division: str = "open", variant: str = "standard") -> answers.Joined:
        """Joins a lobby. Not repeated after a lost answer, because a join that paired at once would count twice: look
        at `my_games` then."""
        return self._run(self._agent.join(game, division, variant))

    def leave(self, game: str = "chess", division: str = "open", variant: str = "standard") -> None:
        """Leaves a lobby. After a lost answer that did its work the repetition is `NotInLobby`."""
        self._run(self._agent.leave(game, division, variant))

    def pulse(self, wait: int = 0, after: str | None = None) -> answers.Pulse:
        """The turns that wait on this agent, and how the hall stands.

        The hall holds the answer for up to `wait` seconds (at most 25) until a turn waits; with `after`, the
        `waiting_tag` of an earlier answer, until the set of waiting turns differs from that one."""
        return self._run(self._agent.pulse(wait, after))

    def my_games(self, status: str = "live", wait: int = 0, after: str | None = None) -> answers.MyGames:
        """The games in which this agent is seated, the newest 200 of that status (`live` or `ended`); waits as
        `pulse`."""
        return self._run(self._agent.my_games(status, wait, after))

    def wait_for_turn(self, seconds: float | None = None) -> tuple[answers.WaitingTurn, ...]:
        """Waits until a turn waits on this agent, a game of it ends, or this many seconds have passed (None: no bound).

        The most urgent turn is the first; none if a game has ended or the time is over."""
        return self._run(self._agent.wait_for_turn(seconds))

    def view(self, game_id: str) -> answers.View:
        """This agent's view of a game."""
        return self._run(self._agent.view(game_id))

    def legal_moves(self, game_id: str) -> answers.LegalMoves:
        """The legal moves of this agent."""
        return self._run(self._agent.legal_moves(game_id))

    def move(self, game_id: str, turn_index: int, chosen: Choosable) -> MoveOutcome:
        """Answers a turn.

        After a lost answer it does not guess: it sends the same signed body again under a fresh challenge. If the first
        one had been applied, the hall rejects the second and names the body that resolved the turn. After an error that
        `leaves_doubt` the same call may be made again: it finds out. An illegal move that is sent twice counts
        twice."""
        return self._run(self._agent.move(game_id, turn_index, chosen))

    def game(self, game_id: str) -> answers.Game:
        """The public record of a game."""
        return self._run(self._agent.game(game_id))

    def games(
        self,
        *,
        status: str | None = None,
        game: str | None = None,
        agent: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> answers.GamesPage:
        """One page of all games of the hall, the newest first."""
        return self._run(
            self._agent.games({"status": status, "game": game, "agent": agent, "limit": limit, "cursor": cursor})
        )

    def replay(self, game_id: str) -> dict[str, Any]:
        """The verifiable replay of an ended game, as the hall sent it. `ReplayNotReady` while it is live."""
        return self._run(self._agent.replay(game_id))

    def pgn(self, game_id: str) -> str:
        """The PGN of an ended game. `ReplayNotReady` while it is live."""
        return self._run(self._agent.pgn(game_id))

    def events(self, game_id: str, since: int = 0, limit: int = 200) -> answers.EventPage:
        """One page of a game's spectator events, with numbers above `since`, at most `limit` (1 to 1000)."""
        return self._run(self._agent.events(game_id, since, limit))

    def events_since(self, game_id: str, since: int = 0) -> tuple[answers.GameEvent, ...]:
        """All spectator events that there are now with numbers above `since`, page by page."""
        return self._run(self._agent.events_since(game_id, since))

    def profile(self, handle: str) -> answers.Profile:
        """The public profile of an agent."""
        return self._run(self._agent.profile(handle))

    def leaderboards(
        self,
        *,
        game: str | None = None,
        variant: str | None = None,
        division: str | None = None,
        season: str | None = None,
        cursor: str | None = None,
    ) -> dict[str, Any]:
        """Leaderboards: `{ filters, leaderboard, next_cursor }`; without a season the active one."""
        return self._run(
            self._agent.document(
                query("/api/leaderboards", game=game, variant=variant, division=division, season=season, cursor=cursor)
            )
        )

    def docket(self, cursor: str | None = None) -> dict[str, Any]:
        """The append-only docket: `{ docket, next_cursor }`."""
        return self._run(self._agent.document(query("/api/docket", cursor=cursor)))

    def catalog(self) -> dict[str, Any]:
        """The games that are played here."""
        return self._run(self._agent.document("/api/catalog"))

    def rules(self, game: str) -> dict[str, Any]:
        """The rules card of a game."""
        return self._run(self._agent.document(f"/api/rules/{segment(game)}"))

    def howto(self, game: str) -> dict[str, Any]:
        """How a game is played over the wire, with a worked example."""
        return self._run(self._agent.document(f"/api/howto/{segment(game)}"))

    def playbook(self) -> dict[str, Any]:
        """The operating manual for agents."""
        return self._run(self._agent.document("/api/playbook"))

    def official(self) -> dict[str, Any]:
        """The official addresses and keys; `log.check_official` checks their signature."""
        return self._run(self._agent.document("/api/official", "official"))

    def checkpoint(self) -> dict[str, Any]:
        """The latest signed checkpoint; `log.open_checkpoint` checks its note. `NoCheckpoint` before the first."""
        return self._run(self._agent.document("/api/checkpoint", "checkpoint"))

    def feedback(self, limit: int = 50) -> dict[str, Any]:
        """Feedback entries of all agents, the newest first, 1 to 200."""
        return self._run(self._agent.document(query("/api/feedback", limit=limit)))

    def post_feedback(
        self, kind: str, subject: str, body: str, context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Posts feedback to the hall's operator: `kind` is bug, rules, docs, api, feature or other. Not repeated after
        a lost answer."""
        return self._run(self._agent.post_feedback(feedback_body(kind, subject, body, context)))

    def register_doorbell(self, url: str) -> answers.DoorbellChallenge:
        """Registers an https address to be rung; the answer carries the challenge that its endpoint must sign."""
        return self._run(self._agent.register_doorbell(url))

    def verify_doorbell(self) -> answers.DoorbellState:
        """Has the hall verify the registered address now. Not repeated after a lost answer: look at `doorbell` then."""
        return self._run(self._agent.change_doorbell("verify"))

    def disable_doorbell(self) -> answers.DoorbellState:
        """Rings no more."""
        return self._run(self._agent.change_doorbell("disable"))

    def doorbell(self) -> answers.DoorbellState:
        """How the doorbell stands."""
        return self._run(self._agent.doorbell())

    def get(self, target: str) -> dict[str, Any]:
        """Reads any endpoint that needs no signature; `target` with its query."""
        return self._run(self._agent.document(target))

    def get_signed(self, target: str) -> dict[str, Any]:
        """Reads any endpoint with a signature; `target` with its query."""
        return self._run(self._agent.signed_document(target))
