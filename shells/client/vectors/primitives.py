"""Hashes, signatures and identifiers, and the agent, game and keys of all vectors."""

import base64
import hashlib

import rfc8785
from nacl.signing import SigningKey

BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"
# The first test of RFC 8032; the playbook of a hall signs its examples with it too.
AGENT_SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
LOG_SEED, RING_SEED, OLD_RING_SEED = (bytes([number] * 32).hex() for number in (7, 8, 9))
GAME = "g_00000000000000000000000000"
OTHER_GAME = "g_01m8190ah0yg0rv3jpn88zsq55"
CHALLENGE = "ab" * 32
HANDLE = "ada"
LARGEST_INTEGER = 2**53 - 1


def sha256(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).digest()


def key(seed):
    return SigningKey(bytes.fromhex(seed))


def public(seed):
    return key(seed).verify_key.encode()


def sign(seed, message):
    return key(seed).sign(message.encode() if isinstance(message, str) else message).signature


def b64(data):
    return base64.b64encode(data).decode()


def canonical(value):
    return rfc8785.dumps(value).decode()


def identifier(prefix, data):
    number = int.from_bytes(data[:16], "big")
    return f"{prefix}_" + "".join(BASE32[(number >> (5 * place)) & 31] for place in range(25, -1, -1))
