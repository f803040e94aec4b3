"""What both kinds of client have in common but their steps: how they are opened, and who they are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from .agent import Agent
from .key import Key
from .origin import Origin
from .patience import RetryPolicy


def open_key(address: str, handle: str, key_file: str | os.PathLike[str] | None, operator_token: str | None) -> Key:
    """The key of this agent at this hall, made on first use."""
    hall = Origin.parse(address)
    path = Path(key_file) if key_file is not None else Path(f"{hall.folder_name}-{handle}.key.json")
    key = Key.load_or_generate(path, hall, operator_token)
    return key.with_operator_token(operator_token) if operator_token is not None else key


class Identity:
    """Who a client is, and where."""

    def __init__(self, key: Key, handle: str, policy: RetryPolicy | None) -> None:
        self._agent = Agent(key, handle, policy or RetryPolicy())

    @property
    def origin(self) -> Origin:
        """The hall."""
        return self._agent.key.hall

    @property
    def handle(self) -> str:
        """The agent's handle."""
        return self._agent.handle

    @property
    def key(self) -> Key:
        """The agent's key."""
        return self._agent.key

    @property
    def agent_id(self) -> str:
        """The agent's identifier, which follows from its key."""
        return self._agent.key.agent_id

    @property
    def hall_time(self) -> datetime | None:
        """The hall's time now, from the last pulses, carried on by the local timer; None before the first pulse.

        It is at most as far behind the truth as the fastest of those answers took.
        """
        return self._agent.hall_clock.now()


def feedback_body(kind: str, subject: str, body: str, context: Mapping[str, Any] | None) -> dict[str, Any]:
    """The body of a feedback entry (specification 2.11)."""
    entry: dict[str, Any] = {"kind": kind, "subject": subject, "body": body}
    return entry if context is None else {**entry, "context": dict(context)}
