"""The loop that plays: register or resume, homologate, join, wait, choose, move (specification 4, rule 3)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from . import steps
from .agent import Agent, urgency
from .answers import EndedGame, View, WaitingTurn
from .choice import Accepted, AlreadyApplied, Choice, NotApplied, NotLegal
from .errors import BadRequest, HallError, KeyProblem
from .plan import Answered, Ended, Entered, Event, FellBack, Homologated, Limited, Plan, Queued, Seated, Standing, Tally, Trouble
from .refusals import (
    AlreadyInLobby,
    ChallengeRefused,
    GameNotFound,
    NotHomologated,
    NotSeated,
    QuotaConcurrent,
    QuotaJoins,
    Refused,
    SeasonNotFound,
    Unavailable,
)
from .steps import Steps

_LONGEST_WAIT_TO_ENTER_SECONDS = 60.0
_LONGEST_PAUSE_IN_GAME_SECONDS = 3.0
# The closing of a season or a changed homologation empties lobbies silently.
_QUEUE_CHECK_SECONDS = 300.0
# Between two seasons, and after a refusal that no rule here knows.
_LONGER_JOIN_PAUSE_SECONDS = 60.0
_TOO_MANY_GAMES_SECONDS = 30.0
_LONGEST_JOIN_PAUSE_SECONDS = 3600.0
_OF_THE_AGENT = (
    "AGENT_SUSPENDED",
    "SIG_INVALID",
    "NOT_YOUR_AGENT",
    "HANDLE_TAKEN",
    # And all codes that begin so.
    "AUTH_",
    "KEY_",
)
"""Refusals of whatever the agent may ask."""

_NEVER_FINAL = (ChallengeRefused, GameNotFound, NotSeated)
"""Refusals after which there is more to play. Two fresh challenges are refused one after the other where nodes of a hall do not
know yet which of them leads."""


@dataclass(slots=True)
class _Live:
    """What is known of a live game: the seat, and the last turn that is known to be resolved."""

    you: str | None
    resolved: int = -1


class Session:
    """One run of the loop. Network errors, restarts of the hall and lost answers do not end it; one that lasts for a minute
    when the run begins does."""

    def __init__(self, agent: Agent, plan: Plan, tell: Callable[[Event], object]) -> None:
        self._agent, self._plan, self._tell = agent, plan, tell
        self._live: dict[str, _Live] = {}
        self._tally = Tally()
        self._queued_since: float | None = None
        # Whether this run has filed its homologation, without which it does not join.
        self._filed = False
        # A join that was sent and is not known to have been refused or to have paired.
        self._joining = False
        self._join_not_before = 0.0
        self._games_changed = True
        # The tag of a list of waiting turns that have all been dealt with: the next pulse is held until the list differs
        # from that one or a game ends.
        self._dealt_with: str | None = None
        # The games that the last answer told the end of; None before the first.
        self._told_ended: frozenset[str] | None = None
        self._failures = 0

    def run(self) -> Steps[Tally]:
        """Plays until the plan is fulfilled. Raises what makes playing on impossible."""
        self._tell(Entered((yield from self._enter())))
        entered = False
        while not self._is_done():
            limit = self._agent.news_of_limit()
            if limit is not None:
                self._tell(Limited(limit))
            try:
                if entered:
                    yield from self._round()
                else:
                    yield from self._begin()
                entered, self._failures = True, 0
            except HallError as error:
                if self._is_final(error):
                    raise
                failure = error
            else:
                continue
            yield from self._recover(failure)
        return self._tally

    def _enter(self) -> Steps[Standing]:
        """Registers or resumes. A hall that is away, as while it is restarted, is waited for a minute."""
        until = self._agent.clock() + _LONGEST_WAIT_TO_ENTER_SECONDS
        while True:
            try:
                standing = yield from self._agent.register_or_resume(self._plan)
                self._failures = 0
                return standing
            except HallError as error:
                asked = (error.retry_after or 0.0) if isinstance(error, Refused) else 0.0
                if not error.is_passing or self._agent.clock() + asked >= until:
                    raise
                failure = error
            yield from self._recover(failure)

    def leave(self) -> Steps[None]:
        """Leaves the lobby in which the agent may wait, for a run that is broken off: the next one to come would be paired
        with an agent that is gone. It is tried once, whatever comes of it."""
        if self._joining or self._queued_since is not None:
            with suppress(HallError):
                yield from self._agent.leave_once(self._plan.game, self._plan.division, self._plan.variant)

    def _is_done(self) -> bool:
        return not self._live and self._plan.games is not None and self._tally.ended >= self._plan.games

    def _round(self) -> Steps[None]:
        """Catches up with the games, joins if there is room, waits for turns and answers them.

        While a game is live no failure but a final one keeps it from looking for turns and answering them: what failed
        is told at the end.
        """
        failure: HallError | None = None
        try:
            if self._games_changed:
                yield from self._catch_up()
            if self._is_done():
                return
            yield from self._join_if_wanted()
        except HallError as error:
            if not self._live or self._is_final(error):
                raise
            failure = error
        after = self._dealt_with or self._agent.quiet_tag
        pulse = yield from self._agent.pulse(0 if failure else self._plan.wait, after)
        self._dealt_with = None
        self._note_ended(pulse.recently_ended)
        if not pulse.waiting_on_you:
            self._games_changed = True
        if any(turn.game_id not in self._live for turn in pulse.waiting_on_you):
            try:
                yield from self._catch_up()
            except HallError as error:
                failure = failure or error
        progress = False
        for turn in sorted(pulse.waiting_on_you, key=urgency):
            # One game's trouble must not cost another one its turn.
            try:
                progress = (yield from self._answer(turn)) or progress
            except HallError as error:
                failure = failure or error
        if failure is not None:
            raise failure
        if pulse.waiting_on_you and not progress:
            # The hall lists turns that there is nothing to do about: hold until the list changes.
            self._dealt_with, self._games_changed = pulse.waiting_tag, True
        elif self._agent.quiet_tag is None:
            self._dealt_with = pulse.waiting_tag

    def _note_ended(self, ended: tuple[EndedGame, ...] | None) -> None:
        """Takes in which games have ended. One that began and ended between two looks counts as live until the next list
        of games shows that it is not."""
        if ended is None:
            return
        ids = frozenset(game.game_id for game in ended)
        news = ids - (ids if self._told_ended is None else self._told_ended) - self._live.keys()
        if news:
            self._live.update((game_id, _Live(None)) for game_id in news)
            self._queued_since = None
        self._told_ended = ids
        self._games_changed = self._games_changed or not ids.isdisjoint(self._live)

    def _answer(self, turn: WaitingTurn) -> Steps[bool]:
        """Answers one waiting turn; false if there is nothing to answer."""
        known = self._live.get(turn.game_id)
        if known is not None and known.resolved >= turn.turn_index:
            return False
        view = yield from self._agent.view(turn.game_id)
        if not view.is_your_turn:
            return False
        choice, fell_back = yield from self._agent.choose(view, self._plan.margin)
        if fell_back is not None:
            self._tell(FellBack(view.game_id, fell_back))
        try:
            refused = yield from self._send(view, choice)
        except Refused as error:
            if error.is_passing or isinstance(error, _NEVER_FINAL) or _is_of_the_agent(error):
                # Another move would be refused as well.
                raise
            refused = error.code
        if refused is not None:
            self._tell(FellBack(view.game_id, refused))
            yield from self._send(view, self._agent.any_move(view))
        return True

    def _send(self, view: View, choice: Choice) -> Steps[str | None]:
        """Sends a choice and notes what became of it; a code if the turn still waits for another answer."""
        outcome = yield from self._agent.move(view.game_id, view.turn_index, choice)
        self._tell(Answered(view, choice, outcome))
        if isinstance(outcome, Accepted):
            over = outcome.verdict.game_over
        elif isinstance(outcome, AlreadyApplied):
            over = outcome.result is not None
        elif isinstance(outcome, NotApplied):
            over = True
        elif isinstance(outcome, NotLegal) and (outcome.applied or outcome.result):
            over = True
        else:
            return "illegal_move" if isinstance(outcome, NotLegal) else "no_draw_offer"
        self._games_changed = self._games_changed or over
        self._live.setdefault(view.game_id, _Live(view.you.player)).resolved = view.turn_index
        return None

    def _begin(self) -> Steps[None]:
        """Files the homologation. Where it is refused, as between two seasons, the games that are live go on, and it is
        filed before the next join."""
        try:
            yield from self._homologate()
        except Refused as error:
            if error.is_passing or isinstance(error, ChallengeRefused) or _is_of_the_agent(error):
                raise
            yield from self._catch_up()
            if not self._live:
                raise
            self._put_off_joining(error, _LONGER_JOIN_PAUSE_SECONDS)

    def _homologate(self) -> Steps[None]:
        filed = yield from self._agent.homologate(self._plan)
        self._filed = True
        self._tell(Homologated(filed))

    def _catch_up(self) -> Steps[None]:
        """Compares the games that are known with those that are live."""
        mine = yield from self._agent.my_games("live", 0, None)
        self._note_ended(mine.recently_ended)
        listed = mine.games
        for game in listed:
            if game.id not in self._live:
                you = game.your_player or game.player_of(self._agent.key.agent_id)
                self._live[game.id] = _Live(you)
                self._queued_since = None
                self._tell(Seated(game, you))
        for game_id in self._live.keys() - {game.id for game in listed}:
            try:
                game = yield from self._agent.game(game_id)
            except GameNotFound as error:
                # The hall was restored from a backup that is older than the game.
                del self._live[game_id]
                self._tell(Trouble(error, 0))
                continue
            # A live one lies beyond the longest page of live games.
            if game.status != "live":
                you = self._live.pop(game_id).you or game.player_of(self._agent.key.agent_id)
                self._tally.count(game, you)
                self._tell(Ended(game, you))
        self._games_changed = False

    def _join_if_wanted(self) -> Steps[None]:
        plan, now = self._plan, self._agent.clock()
        wanted = plan.games is None or self._tally.ended + len(self._live) < plan.games
        queued = self._queued_since is not None and now - self._queued_since < _QUEUE_CHECK_SECONDS
        if not wanted or queued or len(self._live) >= plan.concurrent or now < self._join_not_before:
            return
        try:
            if not self._filed:
                yield from self._homologate()
            self._joining = True
            joined = yield from self._agent.join(plan.game, plan.division, plan.variant)
        except HallError as error:
            self._joining = error.leaves_doubt
            yield from self._join_refused(error, now)
            return
        if joined.paired:
            self._joining = False
            yield from self._catch_up()
        else:
            self._note_queued(now)
            self._joining = False

    def _note_queued(self, now: float) -> None:
        is_news, self._queued_since = self._queued_since is None, now
        if is_news:
            self._tell(Queued())

    def _join_refused(self, error: HallError, now: float) -> Steps[None]:
        """Deals with a join that was refused, or whose answer was lost."""
        if error.leaves_doubt:
            # Perhaps it paired; the list of games will tell before the next attempt.
            self._games_changed = True
            raise error
        if isinstance(error, AlreadyInLobby):
            self._note_queued(now)
            return
        if isinstance(error, NotHomologated):
            try:
                yield from self._homologate()
                return
            except Refused as refusal:
                error = refusal
        pause = self._join_pause(error)
        if pause is None:
            raise error
        self._put_off_joining(error, pause)

    def _join_pause(self, error: HallError) -> float | None:
        """How long to wait before the next join in seconds; None if the refusal of this one concerns more than joining."""
        if isinstance(error, SeasonNotFound):
            return _LONGER_JOIN_PAUSE_SECONDS
        if isinstance(error, QuotaConcurrent):
            return _TOO_MANY_GAMES_SECONDS
        if isinstance(error, QuotaJoins):
            return min(error.retry_after or 600.0, _LONGEST_JOIN_PAUSE_SECONDS)
        if isinstance(error, Unavailable) and not error.leaves_doubt:
            # A hall that begins no new games now: those that are live go on.
            return min(error.retry_after or 60.0, _LONGEST_JOIN_PAUSE_SECONDS)
        of_joining = isinstance(error, Refused) and not error.is_passing and not isinstance(error, ChallengeRefused)
        return _LONGER_JOIN_PAUSE_SECONDS if of_joining and self._live and not self._is_final(error) else None

    def _put_off_joining(self, error: HallError, pause: float) -> None:
        self._queued_since, self._join_not_before = None, self._agent.clock() + pause
        self._tell(Trouble(error, pause))

    def _is_final(self, error: HallError) -> bool:
        """Whether playing on is impossible. Whatever may pass, nonsense from a failing proxy included, is not final; while a
        game is live, neither is a refusal that may concern less than the agent."""
        if isinstance(error, Refused):
            if error.is_passing or isinstance(error, _NEVER_FINAL):
                return False
            return not self._live or _is_of_the_agent(error)
        return isinstance(error, (KeyProblem, BadRequest))

    def _recover(self, error: HallError) -> Steps[None]:
        """Waits a little after a failure, and then reads everything again."""
        self._failures += 1
        own = self._agent.policy.wait(self._failures, self._agent.dice)
        asked = (error.retry_after or 0.0) if isinstance(error, Refused) else 0.0
        longest = _LONGEST_PAUSE_IN_GAME_SECONDS if self._live else self._agent.policy.longest_retry_after
        again_in = min(max(own, asked), longest)
        self._tell(Trouble(error, again_in))
        self._games_changed, self._dealt_with = True, None
        yield from steps.sleep(again_in)


def _is_of_the_agent(refusal: Refused) -> bool:
    return refusal.code.startswith(_OF_THE_AGENT)
