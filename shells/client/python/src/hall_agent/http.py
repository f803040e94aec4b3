"""Carries steps out over httpx: requests with a time and a size that they keep, pauses, thoughts."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import httpx

from .choice import Choosable
from .errors import AnswerTooLarge, NoAnswer, TransportError
from .origin import Origin
from .plan import Turn
from .steps import Choose, Exchange, RawAnswer, Sleep, Step, Steps

T = TypeVar("T")
Chooser = Callable[[Turn], Choosable]
"""Chooses an answer to a turn. What it raises ends the loop."""
AsyncChooser = Callable[[Turn], Choosable | Awaitable[Choosable]]
"""The same, and it may be a coroutine function."""
# A request that never left did nothing.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
# Uncompressed, so that the size of an answer is the size that was sent.
_HEADERS = {"Accept-Encoding": "identity"}


class Blocking:
    """Carries steps out by blocking."""

    def __init__(self, origin: Origin, client: httpx.Client | None) -> None:
        self._origin, self.client = str(origin), client or httpx.Client(headers=_HEADERS)

    def run(self, steps: Steps[T], chooser: Chooser | None = None) -> T:
        """Runs an operation to its end."""
        outcome: object = None
        failure: Exception | None = None
        while True:
            try:
                step = steps.send(outcome) if failure is None else steps.throw(failure)
            except StopIteration as end:
                answer: T = end.value
                return answer
            outcome = failure = None
            try:
                outcome = self._perform(step, chooser)
            except Exception as error:
                failure = error

    def _perform(self, step: Step, chooser: Chooser | None) -> object:
        if isinstance(step, Exchange):
            return self._exchange(step)
        if isinstance(step, Choose):
            assert chooser is not None, "only what was given a chooser chooses"
            return chooser(step.turn)
        time.sleep(step.seconds)
        return None

    def _exchange(self, step: Exchange) -> RawAnswer:
        until, body, timeout = time.monotonic() + step.seconds, bytearray(), httpx.Timeout(step.seconds)
        request = self.client.build_request(
            step.method, self._origin + step.target, headers=step.headers, content=step.body, timeout=timeout
        )
        try:
            answer = self.client.send(request, stream=True, follow_redirects=False)
            try:
                for chunk in answer.iter_bytes():
                    body += chunk
                    _check(body, step, until)
            finally:
                answer.close()
        except httpx.HTTPError as error:
            raise _failure(error, step) from error
        _check(body, step, until)
        return _raw(answer, bytes(body))


class Asynchronous:
    """Carries steps out under asyncio or trio."""

    def __init__(self, origin: Origin, client: httpx.AsyncClient | None) -> None:
        self._origin, self.client = str(origin), client or httpx.AsyncClient(headers=_HEADERS)

    async def run(self, steps: Steps[T], chooser: AsyncChooser | None = None) -> T:
        """Runs an operation to its end."""
        outcome: object = None
        failure: Exception | None = None
        while True:
            try:
                step = steps.send(outcome) if failure is None else steps.throw(failure)
            except StopIteration as end:
                answer: T = end.value
                return answer
            outcome = failure = None
            try:
                outcome = await self._perform(step, chooser)
            except Exception as error:
                failure = error

    async def _perform(self, step: Step, chooser: AsyncChooser | None) -> object:
        if isinstance(step, Exchange):
            return await self._exchange(step)
        if isinstance(step, Sleep):
            await anyio.sleep(step.seconds)
            return None
        assert chooser is not None, "only what was given a chooser chooses"
        chosen: object = None
        with anyio.move_on_after(step.turn.seconds_left):
            thought = chooser(step.turn)
            chosen = await thought if inspect.isawaitable(thought) else thought
        return chosen

    async def _exchange(self, step: Exchange) -> RawAnswer:
        until, body = time.monotonic() + step.seconds, bytearray()
        request = self.client.build_request(
            step.method, self._origin + step.target, headers=step.headers, content=step.body, timeout=None
        )
        try:
            with anyio.fail_after(step.seconds):
                answer = await self.client.send(request, stream=True, follow_redirects=False)
                try:
                    async for chunk in answer.aiter_bytes():
                        body += chunk
                        _check(body, step, until)
                finally:
                    with anyio.CancelScope(shield=True):
                        await answer.aclose()
        except TimeoutError as error:
            raise NoAnswer(step.seconds) from error
        except httpx.HTTPError as error:
            raise _failure(error, step) from error
        return _raw(answer, bytes(body))


def _check(body: bytearray, step: Exchange, until: float) -> None:
    if len(body) > step.largest:
        raise AnswerTooLarge(step.largest)
    if time.monotonic() > until:
        raise NoAnswer(step.seconds)


def _failure(error: httpx.HTTPError, step: Exchange) -> TransportError | NoAnswer:
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, _UNSENT):
        return NoAnswer(step.seconds)
    return TransportError(str(error) or type(error).__name__, unsent=isinstance(error, _UNSENT))


def _raw(answer: httpx.Response, body: bytes) -> RawAnswer:
    return RawAnswer(answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, body)
