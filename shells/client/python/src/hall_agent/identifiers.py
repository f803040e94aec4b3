"""Handles and identifiers as halls write them (decision 3)."""

from __future__ import annotations

import hashlib
import re

_HANDLE = re.compile(r"[a-z0-9][a-z0-9_-]{2,31}\Z")
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


def is_handle(text: str) -> bool:
    """Whether a text can be a handle: 3 to 32 of a-z, 0-9, `_` and `-`, beginning with a letter or digit."""
    return _HANDLE.match(text) is not None


def encode_id(prefix: str, data: bytes) -> str:
    """The identifier of 16 bytes: prefix, underscore, 26 digits of lowercase Crockford base32."""
    if len(data) != 16:
        raise ValueError("an identifier has 16 bytes")
    number = int.from_bytes(data, "big")
    return f"{prefix}_" + "".join(_DIGITS[(number >> 5 * place) & 31] for place in range(25, -1, -1))


def decode_id(prefix: str, text: str) -> bytes | None:
    """The 16 bytes of an identifier with this prefix; None if the text is none."""
    head, _, digits = text.partition("_")
    if head != prefix or len(digits) != 26 or any(digit not in _DIGITS for digit in digits):
        return None
    number = 0
    for digit in digits:
        number = number << 5 | _DIGITS.index(digit)
    return number.to_bytes(16, "big") if number < 1 << 128 else None


def agent_id(public_key: bytes) -> str:
    """The identifier that every hall gives an agent with this key."""
    return encode_id("a", hashlib.sha256(f"svc.agent.v1:{public_key.hex()}".encode()).digest()[:16])
