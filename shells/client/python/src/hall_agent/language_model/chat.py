"""One question to an OpenAI-compatible chat endpoint: `POST {address}/chat/completions`."""

from __future__ import annotations

import http.client
import json
import queue
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

_LARGEST_ANSWER = 1 << 20
_SHOWN_OF_AN_ERROR = 200


class ChatProblem(Exception):
    """The endpoint gave no answer that could be used: an HTTP error, none in time, or none of this kind."""

    def __init__(self, words: str, *, is_passing: bool = False, retry_after: float | None = None) -> None:
        super().__init__(words)
        self.is_passing, self.retry_after = is_passing, retry_after
        """Whether the same question may well be answered a little later, and after how many seconds if the endpoint says so."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said, and the tokens that the endpoint counted; None where it counted none."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the API key to another address."""

    def redirect_request(self, *request: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked, and how."""

    address: str
    """The base address, such as `https://api.example.com/v1`."""
    model: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further members of each request, such as `temperature` and `max_tokens`."""
    key: str | None = field(default=None, repr=False)
    """The API key; a secret."""

    def __post_init__(self) -> None:
        if urlsplit(self.address).scheme not in ("http", "https"):
            raise ValueError(f"{self.address!r} is not an address; write it as https://api.example.com/v1")

    def ask(self, messages: Sequence[Mapping[str, str]], seconds: float) -> Reply:
        """Sends the messages and reads the whole answer within so many seconds. Raises `ChatProblem`.

        A thread does it, because a timeout of a socket does not bound an answer that comes byte by byte.
        """
        outcome: queue.SimpleQueue[Reply | ChatProblem] = queue.SimpleQueue()
        work = threading.Thread(target=lambda: outcome.put(self._exchange(messages, seconds)), daemon=True)
        work.start()
        try:
            answer = outcome.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise ChatProblem(f"no answer within {seconds:.1f} s") from None
        if isinstance(answer, ChatProblem):
            raise answer
        return answer

    def _exchange(self, messages: Sequence[Mapping[str, str]], seconds: float) -> Reply | ChatProblem:
        body = json.dumps({"model": self.model, "messages": list(messages), **self.options}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(f"{self.address.rstrip('/')}/chat/completions", body, headers)
        try:
            with _OPENER.open(request, timeout=max(0.1, seconds)) as answer:
                return _read(answer.read(_LARGEST_ANSWER))
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(_SHOWN_OF_AN_ERROR).decode(errors="replace")
            # Too many questions, or a fault of the endpoint.
            passes = error.code == 429 or error.code >= 500
            after = _seconds(error.headers.get("Retry-After", ""))
            return ChatProblem(f"HTTP {error.code}: {' '.join(said.split())}", is_passing=passes, retry_after=after)
        except (OSError, http.client.HTTPException) as error:
            # A connection that broke, unless it is one that took all the time there was.
            late = isinstance(error, TimeoutError) or isinstance(getattr(error, "reason", None), TimeoutError)
            return ChatProblem(str(error) or type(error).__name__, is_passing=not late)
        except Exception as error:
            return ChatProblem(str(error) or type(error).__name__)


def _read(body: bytes) -> Reply | ChatProblem:
    try:
        answer = json.loads(body)
        content = answer["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError):
        return ChatProblem(f"no chat completion; it begins {body[:80]!r}")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    usage = answer.get("usage")
    counted = usage if isinstance(usage, dict) else {}
    text = content if isinstance(content, str) else ""
    return Reply(text, _count(counted.get("prompt_tokens")), _count(counted.get("completion_tokens")))


def _seconds(text: str) -> float | None:
    """`Retry-After` in seconds; a date is not read, because it would need this machine's clock."""
    return float(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
