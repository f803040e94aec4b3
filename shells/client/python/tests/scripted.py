"""A world without sockets in which no time passes: it answers steps from a script and records the requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hall_agent import Key, Origin, RetryPolicy
from hall_agent.agent import Agent
from hall_agent.choice import Choosable
from hall_agent.plan import Turn
from hall_agent.steps import Choose, Exchange, RawAnswer, Sleep, Steps

T = TypeVar("T")
Outcome = RawAnswer | Exception | KeyboardInterrupt
SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
KEY = Key(Origin.parse("https://hall.example"), SEED, "not a secret")


def ok(data: Mapping[str, Any], **headers: str) -> RawAnswer:
    """A success."""
    return RawAnswer(200, headers, json.dumps({"ok": True, "data": data}).encode())


def refused(status: int, code: str, data: Mapping[str, Any] | None = None, retry_after: str | None = None) -> RawAnswer:
    """A refusal."""
    body = {"ok": False, "error": {"code": code, "message": "Do otherwise."}, "data": data}
    return RawAnswer(status, {"retry-after": retry_after} if retry_after else {}, json.dumps(body).encode())


@dataclass
class World:
    """Performs steps; `script` answers requests in order, and challenges are issued automatically unless scripted."""

    script: list[Outcome] = field(default_factory=list)
    asked: list[Exchange] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    now: float = 1000.0
    challenges: int = 0

    def agent(self, policy: RetryPolicy | None = None) -> Agent:
        """An agent in this world."""
        return Agent(KEY, "ada", policy or RetryPolicy(), lambda: self.now)

    @property
    def calls(self) -> list[str]:
        """The requests, except those for challenges."""
        return [f"{step.method} {step.target}" for step in self.asked if "/auth/challenge" not in step.target]

    def run(self, steps: Steps[T], chooser: Callable[[Turn], Choosable | None] | None = None) -> T:
        """Runs an operation to its end."""
        outcome: Any = None
        try:
            step = next(steps)
            while True:
                if isinstance(step, Sleep):
                    self.slept.append(step.seconds)
                    self.now += step.seconds
                    outcome = None
                elif isinstance(step, Choose):
                    assert chooser is not None
                    try:
                        outcome = chooser(step.turn)
                    except Exception as error:
                        outcome = error
                else:
                    outcome = self._answer(step)
                if isinstance(outcome, Exception):
                    step = steps.throw(outcome)
                else:
                    step = steps.send(outcome)
        except StopIteration as end:
            answer: T = end.value
            return answer

    def _answer(self, step: Exchange) -> RawAnswer | Exception:
        self.asked.append(step)
        if "/auth/challenge" in step.target:
            self.challenges += 1
            return ok({"challenge": f"{self.challenges:064x}"})
        assert self.script, f"nobody expected {step.method} {step.target}"
        outcome = self.script.pop(0)
        if isinstance(outcome, KeyboardInterrupt):
            raise outcome
        return outcome
