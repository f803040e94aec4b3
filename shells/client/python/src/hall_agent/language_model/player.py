"""A turn of a language model: it is asked, asked once more if that gives no legal move, and moved for at random if that
does not help either, well before the deadline. An endpoint that is busy or away for a moment is waited for."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ..answers import LegalMove, View
from ..json_text import canonical
from ..plan import Turn
from .chat import ChatProblem, Endpoint, Reply
from .prompt import AGAIN, TURN, again_prompt, turn_prompt
from .reading import find_move

_ATTEMPTS = 2
_SHARE_OF_TIME = 0.8
"""How much of the time of a turn the model is given; the rest is for the way to the hall and its delays."""
_UNKNOWN_TIME_SECONDS = 20.0
_FIRST_PAUSE_SECONDS = 1.0
"""How long an endpoint is left alone that is busy and does not say for how long; doubled each time."""
_LONGEST_PAUSE_SECONDS = 4.0
_SHORTEST_PAUSE_SECONDS = 0.5
_SHOWN_TO_THE_MODEL_AGAIN = 2000
"""How much of its own useless answer the model sees again, in characters."""


@dataclass(slots=True)
class Usage:
    """What one game took."""

    answers: int = 0
    """Answers of the model, useful or not."""
    uncounted: int = 0
    """Those of them for which the endpoint counted no tokens."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retries: int = 0
    fallbacks: int = 0
    """Moves at random."""

    def __str__(self) -> str:
        uncounted = f", not counting {self.uncounted} answers without a count" if self.uncounted else ""
        return (
            f"{self.answers} answers of the model, {self.prompt_tokens} prompt tokens and {self.completion_tokens} "
            f"completion tokens{uncounted}; {self.retries} retries, {self.fallbacks} moves at random"
        )


@dataclass
class LanguageModel:
    """Chooses moves by asking a model. It is what `Hall.play` calls for each turn."""

    endpoint: Endpoint
    system_prompt: str
    seconds: float = 40.0
    """The most time for one turn; less where the deadline is nearer."""
    log: Callable[[str], object] = print
    dice: random.Random = field(default_factory=random.Random)
    usage: dict[str, Usage] = field(default_factory=dict)
    """By game."""
    sleep: Callable[[float], object] = time.sleep
    """How to wait for so many seconds."""

    @property
    def system_prompt_sha256(self) -> str:
        """What a homologation names: the hash of the bytes of the system prompt."""
        return hashlib.sha256(self.system_prompt.encode()).hexdigest()

    @property
    def config_sha256(self) -> str:
        """What a homologation names: the hash of everything else that decides how this agent plays."""
        settings = {
            "endpoint": self.endpoint.address,
            "model": self.endpoint.model,
            "options": {name: str(value) for name, value in self.endpoint.options.items()},
            "prompts": [TURN, AGAIN],
            "attempts": _ATTEMPTS,
            "seconds": str(self.seconds),
            "share_of_time": str(_SHARE_OF_TIME),
            "fallback": "a random legal move",
        }
        return hashlib.sha256(canonical(settings)).hexdigest()

    def __call__(self, turn: Turn) -> LegalMove:
        """A legal move for this turn, in time."""
        view, usage = turn.view, self.usage.setdefault(turn.view.game_id, Usage())
        time_left = _UNKNOWN_TIME_SECONDS if turn.seconds_left is None else turn.seconds_left * _SHARE_OF_TIME
        until = time.monotonic() + min(time_left, self.seconds)
        messages = [
            {"role": "system", "content": self.system_prompt},
            {"role": "user", "content": turn_prompt(view)},
        ]
        for attempt in range(_ATTEMPTS):
            usage.retries += attempt > 0
            # A first question may take two thirds of the time, so that there is some left for the second one.
            move, said = self._ask(messages, until, 2 / 3 if attempt == 0 else 1, view, usage)
            if move is not None:
                return move
            if said:
                messages.append({"role": "assistant", "content": said[-_SHOWN_TO_THE_MODEL_AGAIN:]})
                messages.append({"role": "user", "content": again_prompt(view.legal_moves)})
        usage.fallbacks += 1
        chosen = self.dice.choice(view.legal_moves)
        self.log(f"{view.game_id} turn {view.turn_index}: {chosen.notation} at random in place of the model")
        return chosen

    def _ask(
        self, messages: list[dict[str, str]], until: float, share: float, view: View, usage: Usage
    ) -> tuple[LegalMove | None, str]:
        place = f"{view.game_id} turn {view.turn_index}"
        reply = self._reply(messages, until, share, place)
        if reply is None:
            return None, ""
        usage.answers += 1
        usage.uncounted += reply.prompt_tokens is None or reply.completion_tokens is None
        usage.prompt_tokens += reply.prompt_tokens or 0
        usage.completion_tokens += reply.completion_tokens or 0
        move = find_move(reply.text, view.legal_moves)
        if move is None:
            # The model's words may hold anything; ascii keeps the line a line.
            self.log(f"{place}: the model named no legal move: {ascii(reply.text[-80:])}")
        return move, reply.text

    def _reply(self, messages: list[dict[str, str]], until: float, share: float, place: str) -> Reply | None:
        """The answer to one question, which may take that share of the time that is left; what passes is waited for as long
        as there is time."""
        usual = _FIRST_PAUSE_SECONDS
        while True:
            try:
                return self.endpoint.ask(messages, (until - time.monotonic()) * share)
            except ChatProblem as problem:
                asked = usual if problem.retry_after is None else max(problem.retry_after, _SHORTEST_PAUSE_SECONDS)
                pause = asked if problem.is_passing and time.monotonic() + asked < until else None
                again = "" if pause is None else f"; asking again in {pause:g} s"
                self.log(f"{place}: the model did not answer: {problem}{again}")
            if pause is None:
                return None
            self.sleep(pause)
            usual = min(usual * 2, _LONGEST_PAUSE_SECONDS)
