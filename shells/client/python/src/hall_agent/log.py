"""Checking a hall's public log: signed checkpoints, proofs, and the document of official addresses (decision 8).

A checkpoint is a C2SP signed note, the tree is that of RFC 6962. The key of the log should come from somewhere else
than the answer that it is to check, for example from a first visit.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from .errors import ProofProblem
from .json_text import JsonProblem, canonical

_ED25519 = 0x01
_DASH = "\u2014 "


@dataclass(frozen=True, slots=True)
class LogKey:
    """The verifier key of a log: `NAME+ID+KEY`, as /api/official names it."""

    name: str
    key_id: bytes
    key: bytes

    @classmethod
    def parse(cls, text: str) -> LogKey:
        """Reads a verifier key of an Ed25519 log. Raises `ProofProblem`."""
        # Base64 holds plus signs, names and ids do not.
        name, _, rest = text.partition("+")
        digits, _, encoded = rest.partition("+")
        typed = _base64(encoded)
        if not name or len(typed) != 33 or typed[0] != _ED25519:
            raise ProofProblem("a verifier key is NAME+ID+KEY, the key an Ed25519 one in base64")
        if digits != hashlib.sha256(name.encode() + b"\n" + typed).hexdigest()[:8]:
            raise ProofProblem("the id of the verifier key does not belong to its name and key")
        return cls(name, bytes.fromhex(digits), typed[1:])

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Whether a signature of 64 bytes over `message` is this key's."""
        return verifies(self.key, message, signature)


def verifies(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether an Ed25519 signature holds."""
    try:
        VerifyKey(public_key).verify(message, signature)
    except (BadSignatureError, ValueError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a checkpoint says: the log of this name had this many leaves and this root."""

    origin: str
    size: int
    root: bytes


def open_checkpoint(note: str, log_key: str) -> Checkpoint:
    """The checkpoint in a note that the key of the log has signed. Raises `ProofProblem`.

    Lines of other signers are passed over; one that bears the name and id of the log's key must hold.
    """
    key = LogKey.parse(log_key)
    text, gap, lines = note.rpartition("\n\n")
    if not gap or not lines.endswith("\n"):
        raise ProofProblem("it is no signed note: an empty line must end its text, and a line feed its last line")
    signed = f"{text}\n".encode()
    found = False
    for line in lines[:-1].split("\n"):
        name, _, encoded = line.removeprefix(_DASH).rpartition(" ")
        if not line.startswith(_DASH) or not name:
            raise ProofProblem("it is no signed note: a line of a signature is a dash, a name and base64")
        blob = _base64(encoded)
        if name == key.name and blob[:4] == key.key_id:
            if not key.verifies(signed, blob[4:]):
                raise ProofProblem(f"it bears a wrong signature of {key.name}")
            found = True
    if not found:
        raise ProofProblem(f"it bears no signature of {key.name}")
    origin, size, root = [*text.split("\n"), "", "", ""][:3]
    digest = _base64(root)
    if origin != key.name:
        raise ProofProblem("it is the checkpoint of another log")
    if not size.isascii() or not size.isdigit() or str(int(size)) != size or len(digest) != 32:
        raise ProofProblem("it is no checkpoint: its size must be a plain number and its root a hash")
    return Checkpoint(origin, int(size), digest)


def leaf_hash(leaf: str) -> bytes:
    """The hash of a leaf, which is canonical JSON."""
    return hashlib.sha256(b"\x00" + leaf.encode()).digest()


def _node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def check_inclusion(leaf: str, index: int, size: int, path: Sequence[str], root: bytes) -> None:
    """Raises `ProofProblem` unless the path (hexadecimal hashes, leaf to root) proves that the leaf stands at `index`
    of the tree with this size and root."""
    if not 0 <= index < size:
        raise ProofProblem(f"there is no leaf {index} among {size}")
    node, last = leaf_hash(leaf), size - 1
    for sibling in map(_hash, path):
        if last == 0:
            raise ProofProblem("the path is too long")
        if index % 2 or index == last:
            node = _node_hash(sibling, node)
            # At the right edge a node without a sibling rises unchanged.
            while not index % 2 and index:
                index, last = index >> 1, last >> 1
        else:
            node = _node_hash(node, sibling)
        index, last = index >> 1, last >> 1
    if last or node != root:
        raise ProofProblem("the path does not lead from the leaf to the root")


def check_consistency(from_size: int, from_root: bytes, to_size: int, to_root: bytes, path: Sequence[str]) -> None:
    """Raises `ProofProblem` unless the path proves that the larger tree begins with the smaller one."""
    if not 1 <= from_size <= to_size:
        raise ProofProblem(f"a tree of {from_size} leaves is no beginning of one of {to_size}")
    nodes = [_hash(node) for node in path]
    if from_size == to_size:
        if nodes or from_root != to_root:
            raise ProofProblem("two trees of one size are the same tree")
        return
    # A smaller tree that is perfect is a node of the larger one, and the path leaves it out.
    if from_size & (from_size - 1) == 0:
        nodes.insert(0, from_root)
    if not nodes:
        raise ProofProblem("the path is too short")
    index, last = from_size - 1, to_size - 1
    while index % 2:
        index, last = index >> 1, last >> 1
    old = new = nodes[0]
    for node in nodes[1:]:
        if last == 0:
            raise ProofProblem("the path is too long")
        if index % 2 or index == last:
            old, new = _node_hash(node, old), _node_hash(node, new)
            while not index % 2 and index:
                index, last = index >> 1, last >> 1
        else:
            new = _node_hash(new, node)
        index, last = index >> 1, last >> 1
    if last or old != from_root or new != to_root:
        raise ProofProblem("the path does not lead from the one root to the other")


def check_official(official: Mapping[str, Any], log_key: str) -> None:
    """Raises `ProofProblem` unless the hall's log key signed this document of official addresses (decision 3)."""
    signature = official.get("signature")
    unsigned = {name: value for name, value in official.items() if name != "signature"}
    try:
        message = f"svc.official.v1:{hashlib.sha256(canonical(unsigned)).hexdigest()}"
        held = isinstance(signature, str) and LogKey.parse(log_key).verifies(message.encode(), bytes.fromhex(signature))
    except (JsonProblem, ValueError):
        held = False
    if not held:
        raise ProofProblem("the document of official addresses is not signed by this log key")


def _hash(text: str) -> bytes:
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        digest = b""
    if len(digest) != 32:
        raise ProofProblem("a path consists of hashes in hexadecimal")
    return digest


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ProofProblem("it is no base64") from None
