"""The client for asynchronous programs. Each method does what the one of `Hall` with its name does, under the same
rules; both carry out the same steps."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, TypeVar

import anyio
import httpx

from . import answers
from .calls import query, segment
from .choice import Choosable, MoveOutcome
from .http import AsyncChooser, Asynchronous
from .key import Key
from .opening import Identity, feedback_body, open_key
from .patience import RetryPolicy
from .plan import Event, Plan, Standing, Tally
from .session import Session
from .steps import Steps

T = TypeVar("T")


class AsyncHall(Identity):
    """An agent's client of one hall, for asyncio and trio.

    Tasks may share one. See `Hall` for what its methods do; here `choose` may be a coroutine function, and a thought
    that takes longer than there is time is cancelled and replaced by a random legal move.
    """

    def __init__(
        self, key: Key, handle: str, *, policy: RetryPolicy | None = None, http: httpx.AsyncClient | None = None
    ) -> None:
        """A client of the hall that `key` belongs to; `http` for a proxy or certificates of one's own."""
        super().__init__(key, handle, policy)
        self._world = Asynchronous(key.hall, http)

    @classmethod
    def open(
        cls,
        address: str,
        handle: str,
        *,
        key_file: str | os.PathLike[str] | None = None,
        operator_token: str | None = None,
        policy: RetryPolicy | None = None,
    ) -> AsyncHall:
        """A client whose key is in a file, which is made on first use: by default `HOST_PORT-HANDLE.key.json` in the
        current folder. Agents that are given the same operator token are never paired with each other."""
        return cls(open_key(address, handle, key_file, operator_token), handle, policy=policy)

    async def close(self) -> None:
        """Closes its connections."""
        await self._world.client.aclose()

    async def __aenter__(self) -> AsyncHall:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _run(self, steps: Steps[T], chooser: AsyncChooser | None = None) -> T:
        return await self._world.run(steps, chooser)

    async def play(
        self,
        choose: AsyncChooser,
        plan: Plan = Plan(),
        *,
        games: int | None = None,
        on_event: Callable[[Event], object] = lambda event: None,
    ) -> Tally:
        """Registers or resumes, homologates, and plays one game after the other, `games` of them or what the plan says.

        `choose` is given a `Turn` and answers with a legal move, its notation, or a `Choice`. What is not legal is
        replaced by a random legal move. What `choose` raises ends the loop. Raises what makes playing on impossible.
        Restarts of the hall, lost answers and limits do not end it, but a hall that cannot be reached when the run begins
        is waited for no longer than a minute. A run interrupted while the agent is queued, as by Ctrl-C or a cancelled
        task, leaves the lobby.
        """
        session = Session(self._agent, plan if games is None else plan.playing(games), on_event)
        try:
            return await self._run(session.run(), choose)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._run(session.leave())
            raise

    async def take_turn(self, game_id: str, choose: AsyncChooser, margin: float = 3.0) -> MoveOutcome | None:
        """As `Hall.take_turn`."""
        return await self._run(self._agent.take_turn(game_id, margin), choose)

    async def register(self, plan: Plan = Plan()) -> answers.Registered:
        """As `Hall.register`."""
        return await self._run(self._agent.register(plan))

    async def register_or_resume(self, plan: Plan = Plan()) -> Standing:
        """As `Hall.register_or_resume`."""
        return await self._run(self._agent.register_or_resume(plan))

    async def homologate(self, plan: Plan = Plan()) -> answers.Filed:
        """As `Hall.homologate`."""
        return await self._run(self._agent.homologate(plan))

    async def join(self, game: str = "chess", division: str = "open", variant: str = "standard") -> answers.Joined:
        """As `Hall.join`."""
        return await self._run(self._agent.join(game, division, variant))

    async def leave(self, game: str = "chess", division: str = "open", variant: str = "standard") -> None:
        """As `Hall.leave`."""
        await self._run(self._agent.leave(game, division, variant))

    async def pulse(self, wait: int = 0, after: str | None = None) -> answers.Pulse:
        """As `Hall.pulse`."""
        return await self._run(self._agent.pulse(wait, after))

    async def my_games(self, status: str = "live", wait: int = 0, after: str | None = None) -> answers.MyGames:
        """As `Hall.my_games`."""
        return await self._run(self._agent.my_games(status, wait, after))

    async def wait_for_turn(self, seconds: float | None = None) -> tuple[answers.WaitingTurn, ...]:
        """As `Hall.wait_for_turn`."""
        return await self._run(self._agent.wait_for_turn(seconds))

    async def view(self, game_id: str) -> answers.View:
        """As `Hall.view`."""
        return await self._run(self._agent.view(game_id))

    async def legal_moves(self, game_id: str) -> answers.LegalMoves:
        """As `Hall.legal_moves`."""
        return await self._run(self._agent.legal_moves(game_id))

    async def move(self, game_id: str, turn_index: int, chosen: Choosable) -> MoveOutcome:
        """As `Hall.move`."""
        return await self._run(self._agent.move(game_id, turn_index, chosen))

    async def game(self, game_id: str) -> answers.Game:
        """As `Hall.game`."""
        return await self._run(self._agent.game(game_id))

    async def games(
        self,
        *,
        status: str | None = None,
        game: str | None = None,
        agent: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> answers.GamesPage:
        """As `Hall.games`."""
        return await self._run(
            self._agent.games({"status": status, "game": game, "agent": agent, "limit": limit, "cursor": cursor})
        )

    async def replay(self, game_id: str) -> dict[str, Any]:
        """As `Hall.replay`."""
        return await self._run(self._agent.replay(game_id))

    async def pgn(self, game_id: str) -> str:
        """As `Hall.pgn`."""
        return await self._run(self._agent.pgn(game_id))

    async def events(self, game_id: str, since: int = 0, limit: int = 200) -> answers.EventPage:
        """As `Hall.events`."""
        return await self._run(self._agent.events(game_id, since, limit))

    async def events_since(self, game_id: str, since: int = 0) -> tuple[answers.GameEvent, ...]:
        """As `Hall.events_since`."""
        return await self._run(self._agent.events_since(game_id, since))

    async def profile(self, handle: str) -> answers.Profile:
        """As `Hall.profile`."""
        return await self._run(self._agent.profile(handle))

    async def leaderboards(
        self,
        *,
        game: str | None = None,
        variant: str | None = None,
        division: str | None = None,
        season: str | None = None,
        cursor: str | None = None,
    ) -> dict[str, Any]:
        """As `Hall.leaderboards`."""
        return await self._run(
            self._agent.document(
                query("/api/leaderboards", game=game, variant=variant, division=division, season=season, cursor=cursor)
            )
        )

    async def docket(self, cursor: str | None = None) -> dict[str, Any]:
        """As `Hall.docket`."""
        return await self._run(self._agent.document(query("/api/docket", cursor=cursor)))

    async def catalog(self) -> dict[str, Any]:
        """As `Hall.catalog`."""
        return await self._run(self._agent.document("/api/catalog"))

    async def rules(self, game: str) -> dict[str, Any]:
        """As `Hall.rules`."""
        return await self._run(self._agent.document(f"/api/rules/{segment(game)}"))

    async def howto(self, game: str) -> dict[str, Any]:
        """As `Hall.howto`."""
        return await self._run(self._agent.document(f"/api/howto/{segment(game)}"))

    async def playbook(self) -> dict[str, Any]:
        """As `Hall.playbook`."""
        return await self._run(self._agent.document("/api/playbook"))

    async def official(self) -> dict[str, Any]:
        """As `Hall.official`."""
        return await self._run(self._agent.document("/api/official", "official"))

    async def checkpoint(self) -> dict[str, Any]:
        """As `Hall.checkpoint`."""
        return await self._run(self._agent.document("/api/checkpoint", "checkpoint"))

    async def feedback(self, limit: int = 50) -> dict[str, Any]:
        """As `Hall.feedback`."""
        return await self._run(self._agent.document(query("/api/feedback", limit=limit)))

    async def post_feedback(
        self, kind: str, subject: str, body: str, context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """As `Hall.post_feedback`."""
        return await self._run(self._agent.post_feedback(feedback_body(kind, subject, body, context)))

    async def register_doorbell(self, url: str) -> answers.DoorbellChallenge:
        """As `Hall.register_doorbell`."""
        return await self._run(self._agent.register_doorbell(url))

    async def verify_doorbell(self) -> answers.DoorbellState:
        """As `Hall.verify_doorbell`."""
        return await self._run(self._agent.change_doorbell("verify"))

    async def disable_doorbell(self) -> answers.DoorbellState:
        """As `Hall.disable_doorbell`."""
        return await self._run(self._agent.change_doorbell("disable"))

    async def doorbell(self) -> answers.DoorbellState:
        """As `Hall.doorbell`."""
        return await self._run(self._agent.doorbell())

    async def get(self, target: str) -> dict[str, Any]:
        """As `Hall.get`."""
        return await self._run(self._agent.document(target))

    async def get_signed(self, target: str) -> dict[str, Any]:
        """As `Hall.get_signed`."""
        return await self._run(self._agent.signed_document(target))
