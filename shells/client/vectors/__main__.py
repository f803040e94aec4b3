"""Makes vectors.json beside this folder: the test vectors that every client of a hall passes.

    pip install PyNaCl rfc8785
    python3 shells/client/vectors > shells/client/vectors.json
    python3 shells/client/vectors --check shells/client/vectors.json

It shares no code with the hall and none with a client: what it writes follows from the specification, from RFC 8785,
8032 and 6962, from C2SP's signed notes and from Standard Webhooks, with other people's libraries for canonical JSON and
signatures. Nothing here is random, so the output is the same everywhere. Numbers that JavaScript cannot hold exactly
are written as text.
"""

import json
import sys

from fair_play import draws
from rings import doorbell, rings
from signing import moves, requests
from texts import canonical_vectors, handles, identifiers, identities, key_file, origins, refused_json
from transparency import log_vectors, official


def vectors():
    return {
        "version": "hall-client-vectors/1",
        "made_by": "shells/client/vectors",
        "canonical_json": list(canonical_vectors()),
        "refused_json": refused_json(),
        "identities": identities(),
        "handles": handles(),
        "game_ids": identifiers(),
        "origins": origins(),
        "key_file": key_file(),
        "requests": requests(),
        "moves": moves(),
        "draws": draws(),
        "log": log_vectors(),
        "official": official(),
        "rings": rings(),
        "doorbell": doorbell(),
    }


def main():
    # ASCII only, so that no editor and no terminal changes what a test compares.
    text = json.dumps(vectors(), indent=1, ensure_ascii=True) + "\n"
    if sys.argv[1:2] == ["--check"]:
        with open(sys.argv[2], encoding="ascii", newline="") as file:
            same = file.read() == text
        print("the vectors are those that this program makes" if same else "the vectors differ: make them again")
        return 0 if same else 1
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
