"""Verifies the replay of an ended game: python3 tests/interop/verify_replay FILE|URL|- [--log-key VKEY] [--chain …]

    pip install chess PyNaCl rfc8785 py_ecc

The replay stands bare or in its envelope. Cosignatures of witnesses are not looked at, so all times are as the hall dates
them. Exits with 0 if every claim holds that could be checked (what could not is
named), with 1 if one fails (the first is named), with 2 if this cannot be read or is no replay.
"""

import argparse
import http.client
import os
import sys
import urllib.request

if not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from verify_replay import strict_json  # noqa: E402  (found by the line above)
from verify_replay.beacon import chain_from  # noqa: E402
from verify_replay.claims import Difference, Unreadable  # noqa: E402
from verify_replay.log_proof import NoteKey  # noqa: E402
from verify_replay.verifier import replay_in, verify  # noqa: E402

FAILS, UNREADABLE = 1, 2


def read(source):
    """The bytes behind `-`, an address or a path."""
    if source == "-":
        return sys.stdin.buffer.read()
    if source.startswith(("http://", "https://")):
        with urllib.request.urlopen(source, timeout=60) as answer:
            return answer.read()
    with open(source, "rb") as file:
        return file.read()


def describe(replay, claims):
    """The report on a replay whose claims hold."""
    turns = len(replay["moves"])
    how = "every claim that could be checked holds" if claims.unchecked else "every claim holds"
    lines = [f"{replay['game_id']}: {turns} turns, {replay['result']['reason']}: {how}"]
    return "\n".join(lines + [f"  not checked: {words}" for words in claims.unchecked])


def judge(source, log_keys, chains):
    try:
        replay = replay_in(strict_json.read(read(source)))
    except (OSError, http.client.HTTPException, ValueError, Unreadable) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return UNREADABLE
    try:
        claims = verify(replay, log_keys, chains)
    except Difference as difference:
        print(f"FAILED: {difference}")
        return FAILS
    for words in claims.held:
        print(f"ok   {words}")
    print(describe(replay, claims))
    return 0


def option(parse):
    """An argument type whose error message is the one of `parse`."""

    def parsed(text):
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return parsed


def main():
    parser = argparse.ArgumentParser(description="Verifies the replay of an ended game.")
    parser.add_argument("source", metavar="FILE|URL|-", help="a replay, bare or in its envelope")
    words = "a note verifier key that the log has or had; may be repeated"
    parser.add_argument("--log-key", metavar="VKEY", type=option(NoteKey), action="append", default=[], help=words)
    chain = "HASH:KEY:GENESIS:PERIOD"
    parser.add_argument("--chain", metavar=chain, type=option(chain_from), action="append", default=[])
    options = parser.parse_args()
    return judge(options.source, options.log_key, options.chain)


if __name__ == "__main__":
    sys.exit(main())
