"""Everything an agent asks of a hall, as steps: the one place that knows the endpoints (specification 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import answers, moves, steps
from .calls import Call, Caller, get, open_envelope, post, query, segment
from .choice import Choice, Choosable, MoveOutcome, NotApplied, as_choice
from .plan import Plan, Standing, Turn
from .refusals import AgentNotFound, HandleTaken
from .signing import sign_move
from .steps import Steps

LONGEST_HOLD_SECONDS = 25
_MOST_EVENTS = 1000


class Agent(Caller):
    """One agent at one hall. `Hall` has a method for each of these, which says what it does."""

    quiet_tag: str | None = None
    """The `waiting_tag` of the last answer in which no turn waited. A pulse that waits with it is answered as soon as a
    turn waits or a game ends, even if the game ended before the pulse was sent."""
    _told_ended: frozenset[str] | None = None
    """The games that the last pulse told the end of; None before the first."""

    def register(self, plan: Plan) -> Steps[answers.Registered]:
        optional = {"adapter_kind": plan.adapter_kind, "operator_name": plan.operator_name}
        body = {
            "handle": self.handle,
            "model_id": plan.model_id,
            "pubkey": self.key.public_key.hex(),
            "operator_token": self.key.operator_token,
            **{name: value for name, value in optional.items() if value is not None},
        }
        return (yield from self.read(post("/api/agents", body), answers.Registered))

    def register_or_resume(self, plan: Plan) -> Steps[Standing]:
        # It looks before it registers, so that resuming costs no registration of the hall's hourly limit.
        own = yield from self._own_registration()
        if own is None:
            try:
                registered = yield from self.register(plan)
                return Standing(registered.agent_id, resumed=False)
            except HandleTaken as taken:
                # Taken meanwhile, or by ourselves in an attempt whose answer was lost.
                own = yield from self._own_registration()
                if own is None:
                    message = (
                        f"The handle {self.handle} belongs to another key: choose another handle, or use the key file it "
                        "was registered with."
                    )
                    raise HandleTaken(taken.code, taken.status, message, taken.data) from None
        return Standing(own, resumed=True)

    def _own_registration(self) -> Steps[str | None]:
        try:
            profile = yield from self.profile(self.handle)
        except AgentNotFound:
            return None
        return profile.agent.id if profile.agent.pubkey_ed25519 == self.key.public_key.hex() else None

    def homologate(self, plan: Plan) -> Steps[answers.Filed]:
        body = {
            "season_id": plan.season_id,
            "division": plan.division,
            "model_id": plan.model_id,
            "adapter_kind": plan.adapter_kind,
            "endpoint_url": plan.endpoint_url,
            "system_prompt_sha256": plan.system_prompt_sha256,
            "config_sha256": plan.config_sha256,
            "tool_access": plan.tool_access,
        }
        return (yield from self.read(post(f"/api/agents/{self.key.agent_id}/homologate", body), answers.Filed))

    def join(self, game: str, division: str, variant: str) -> Steps[answers.Joined]:
        body = {"game": game, "division": division, "variant": variant}
        return (yield from self.read(post("/api/lobby/join", body, repeatable=False), answers.Joined))

    def leave(self, game: str, division: str, variant: str) -> Steps[None]:
        yield from self.data(_leaving(game, division, variant))

    def leave_once(self, game: str, division: str, variant: str) -> Steps[None]:
        """The same in one attempt."""
        yield from self.attempt(_leaving(game, division, variant), open_envelope)

    def pulse(self, wait: int, after: str | None) -> Steps[answers.Pulse]:
        held = min(wait, LONGEST_HOLD_SECONDS)
        target = query("/api/pulse", wait=held or None, after=after if held else None)
        pulse = yield from self.read(get(target, signed=True, held=held), answers.Pulse)
        if pulse.time_utc is not None:
            self.hall_clock.heard(pulse.time_utc)
        if not pulse.waiting_on_you:
            self.quiet_tag = pulse.waiting_tag
        self._told_ended = frozenset(game.game_id for game in pulse.recently_ended or ())
        return pulse

    def my_games(self, status: str, wait: int, after: str | None) -> Steps[answers.MyGames]:
        held = min(wait, LONGEST_HOLD_SECONDS)
        target = query("/api/my/games", status=status, limit=200, wait=held or None, after=after if held else None)
        mine = yield from self.read(get(target, signed=True, held=held), answers.MyGames)
        whole = status == "live" and mine.next_cursor is None
        if whole and all(game.your_turn is False for game in mine.games):
            self.quiet_tag = mine.waiting_tag
        return mine

    def wait_for_turn(self, seconds: float | None) -> Steps[tuple[answers.WaitingTurn, ...]]:
        until = None if seconds is None else self.clock() + seconds
        while True:
            left = LONGEST_HOLD_SECONDS if until is None else int(max(0.0, until - self.clock()))
            # Only what was told before can be told apart from news: the first look does not wait.
            known = self._told_ended
            pulse = yield from self.pulse(0 if known is None else left, self.quiet_tag)
            news = known is not None and self._told_ended is not None and not self._told_ended <= known
            if pulse.waiting_on_you or news or left == 0:
                return tuple(sorted(pulse.waiting_on_you, key=urgency))

    def view(self, game_id: str) -> Steps[answers.View]:
        call = get(f"/api/games/{segment(game_id)}/view", signed=True)
        return (yield from self.read(call, answers.View, "view"))

    def legal_moves(self, game_id: str) -> Steps[answers.LegalMoves]:
        call = get(f"/api/games/{segment(game_id)}/legal_moves", signed=True)
        return (yield from self.read(call, answers.LegalMoves))

    def move(self, game_id: str, turn_index: int, chosen: Choosable) -> Steps[MoveOutcome]:
        signed = sign_move(self.key, game_id, turn_index, as_choice(chosen).fields)
        outcome = yield from moves.send_move(self, signed)
        if not isinstance(outcome, NotApplied) or not moves.is_of_later_turn(outcome, signed):
            return outcome
        events = yield from self.events_since(game_id, 0)
        return moves.look_back(outcome, signed, events)

    def take_turn(self, game_id: str, margin: float) -> Steps[MoveOutcome | None]:
        view = yield from self.view(game_id)
        if not view.is_your_turn:
            return None
        choice, _ = yield from self.choose(view, margin)
        return (yield from self.move(game_id, view.turn_index, choice))

    def choose(self, view: answers.View, margin: float) -> Steps[tuple[Choice, str | None]]:
        """What to answer to a turn, as a hall takes it, and why it is a random legal move if the agent chose none."""
        chosen = yield from steps.choose(self.turn(view, margin))
        if chosen is None:
            return self.any_move(view), "too late"
        choice = as_choice(chosen).presentable()
        return (choice, None) if choice.is_legal(view) else (self.any_move(view), "not legal")

    def turn(self, view: answers.View, margin: float) -> Turn:
        """The turn that a view shows, with the time that is left."""
        now = self.hall_clock.now()
        if now is None or view.deadline_utc is None:
            return Turn(view, None)
        return Turn(view, max(0.0, (view.deadline_utc - now).total_seconds() - margin))

    def any_move(self, view: answers.View) -> Choice:
        """A random legal move."""
        return Choice.play(self.dice.choice(view.legal_moves))

    def game(self, game_id: str) -> Steps[answers.Game]:
        return (yield from self.read(get(f"/api/games/{segment(game_id)}"), answers.Game, "game"))

    def games(self, parameters: Mapping[str, str | int | None]) -> Steps[answers.GamesPage]:
        return (yield from self.read(get(query("/api/games", **parameters)), answers.GamesPage))

    def replay(self, game_id: str) -> Steps[dict[str, Any]]:
        return (yield from self.read(get(f"/api/games/{segment(game_id)}/replay"), dict[str, Any], "replay"))

    def pgn(self, game_id: str) -> Steps[str]:
        return (yield from self.text(get(f"/api/games/{segment(game_id)}/pgn")))

    def events(self, game_id: str, since: int, limit: int) -> Steps[answers.EventPage]:
        target = query(f"/api/games/{segment(game_id)}/events", since=since, limit=limit)
        return (yield from self.read(get(target), answers.EventPage))

    def events_since(self, game_id: str, since: int) -> Steps[tuple[answers.GameEvent, ...]]:
        found: list[answers.GameEvent] = []
        while True:
            page = yield from self.events(game_id, since, _MOST_EVENTS)
            numbers = [event.seq for event in page.events]
            # Pages must ascend, or a faulty hall would keep the agent in this loop.
            ascends = numbers == sorted(set(numbers)) and (not numbers or numbers[0] > since)
            found += page.events
            if not numbers or not ascends or numbers[-1] >= page.last_seq:
                return tuple(found)
            since = numbers[-1]

    def profile(self, handle: str) -> Steps[answers.Profile]:
        return (yield from self.read(get(f"/api/agents/{segment(handle)}"), answers.Profile))

    def document(self, target: str, member: str | None = None) -> Steps[dict[str, Any]]:
        return (yield from self.read(get(target), dict[str, Any], member))

    def signed_document(self, target: str) -> Steps[dict[str, Any]]:
        return (yield from self.read(get(target, signed=True), dict[str, Any]))

    def post_feedback(self, body: Mapping[str, Any]) -> Steps[dict[str, Any]]:
        return (yield from self.read(post("/api/feedback", body, repeatable=False), dict[str, Any]))

    def register_doorbell(self, url: str) -> Steps[answers.DoorbellChallenge]:
        return (yield from self.read(post("/api/doorbell", {"url": url}), answers.DoorbellChallenge))

    def change_doorbell(self, act: str) -> Steps[answers.DoorbellState]:
        # At most five verifications an hour count, so a lost answer is looked into and not repeated.
        return (yield from self.read(post(f"/api/doorbell/{act}", repeatable=False), answers.DoorbellState))

    def doorbell(self) -> Steps[answers.DoorbellState]:
        return (yield from self.read(get("/api/doorbell", signed=True), answers.DoorbellState))


def _leaving(game: str, division: str, variant: str) -> Call:
    return post("/api/lobby/leave", {"game": game, "division": division, "variant": variant})


def urgency(turn: answers.WaitingTurn) -> float:
    """By what turns are ordered: the most urgent first."""
    return turn.deadline_utc.timestamp() if turn.deadline_utc else 0.0
