"""What is signed: the headers of a request, the body of a move, the answer to a doorbell's verification."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .json_text import canonical
from .key import Key


def auth_message(handle: str, challenge: str, method: str, path: str, body: bytes | None = None) -> str:
    """What the headers of a request sign (specification 5.2): `path` without its query, `body` for a POST only."""
    message = f"svc.auth.v1:{handle}:{challenge}:{method}:{path}"
    return message if body is None else f"{message}:{hashlib.sha256(body).hexdigest()}"


def auth_headers(
    key: Key, handle: str, challenge: str, method: str, target: str, body: bytes | None = None
) -> dict[str, str]:
    """The three headers of a signed request to `target`, which may have a query."""
    message = auth_message(handle, challenge, method, target.partition("?")[0], body)
    return {"X-Svc-Agent": handle, "X-Svc-Challenge": challenge, "X-Svc-Signature": key.sign(message)}


def doorbell_message(handle: str, challenge: str, url: str) -> str:
    """What an endpoint signs to prove that it belongs to the agent (specification 5.11)."""
    return f"svc.doorbell-endpoint.v1:{handle}:{challenge}:{url}"


@dataclass(frozen=True, slots=True)
class SignedMove:
    """The body of a move, signed and ready to be sent as often as it takes (specification 2.9 and 5.7)."""

    game_id: str
    turn_index: int
    body_sha256: str
    """The hash that is signed, by which the hall names the body in `your_last`."""
    signature: str
    body: bytes
    """What is sent: the canonical body with its signature."""


def move_message(game_id: str, turn_index: int, body_sha256: str) -> str:
    """What the body signature of a move signs."""
    return f"svc.move.v1:{game_id}:{turn_index}:{body_sha256}"


def sign_move(key: Key, game_id: str, turn_index: int, fields: Mapping[str, Any]) -> SignedMove:
    """Builds and signs the body that answers a turn; `fields` are its members besides game, turn and signature."""
    body = {**fields, "game_id": game_id, "turn_index": turn_index}
    body_sha256 = hashlib.sha256(canonical(body)).hexdigest()
    signature = key.sign(move_message(game_id, turn_index, body_sha256))
    return SignedMove(game_id, turn_index, body_sha256, signature, canonical({**body, "signature": signature}))
