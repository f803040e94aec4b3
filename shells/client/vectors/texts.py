"""Canonical and refused JSON, and the written forms of keys, handles, identifiers and halls."""

import json

from primitives import AGENT_SEED, GAME, LARGEST_INTEGER, LOG_SEED, RING_SEED, canonical, identifier, public, sha256


def canonical_vectors():
    texts = {
        "nothing": "null",
        "members in order of their names, without space": ' {"b" : [ true,false , null ],\n\t"a":{"z":-1,"y":0}}\r\n',
        "names in order of UTF-16 units, not of code points": '{"\\ue000":1,"😀":2,"é":3,"e":4,"E":5,"":6}',
        "a short name before the longer one": '{"aa":1,"a":2,"ab":3,"a\\u0000":4}',
        "only what must be escaped is escaped": (
            '"\\u0000\\u0001\\u0008\\u0009\\u000a\\u000b\\u000c\\u000d\\u001f\\u007f\\"\\\\\\/ \\u00e9\\u20ac\\u2028"'
        ),
        "escaped pairs are one letter": '["\\ud83d\\ude00","\\uD834\\uDD1E"]',
        "letters are not normalised": '["\\u00c5","A\\u030a","\\ufb03"]',
        "a name that needs an escape": '{"\\n":{"\\"":1}}',
        "the largest integers": f"[{LARGEST_INTEGER},-{LARGEST_INTEGER},0,-1,10]",
        "empty containers": '{"a":[],"b":{},"c":[{}],"d":""}',
        "sixteen containers": "[" * 16 + "]" * 16,
        "the body of a move": '{"turn_index":7,"move":{"index":3},"game_id":"g_00000000000000000000000000"}',
    }
    for name, text in texts.items():
        value = json.loads(text)
        form = canonical(value)
        yield {"name": name, "json": text, "canonical": form, "sha256": sha256(form).hex()}


def refused_json():
    """Texts that another parser might read otherwise, as hexadecimal bytes (decision 1.5)."""
    texts = {
        "empty": b"",
        "only space": b" \n",
        "a byte order mark": b"\xef\xbb\xbf{}",
        "not UTF-8": b'"\xff"',
        "a surrogate in UTF-8": b'"\xed\xa0\x80"',
        "half of a surrogate pair": b'"\\ud800"',
        "a surrogate pair the wrong way round": b'"\\udc00\\ud800"',
        "half of a pair in a name": b'{"\\ud800x":1}',
        "a name twice": b'{"a":1,"b":2,"a":3}',
        "a name twice, once escaped": b'{"a":{"b":1,"\\u0062":2}}',
        "more after the value": b"{} {}",
        "a comma after the last": b"[1,]",
        "a comma after the last member": b'{"a":1,}',
        "a name without quotes": b"{a:1}",
        "single quotes": b"'a'",
        "a line feed in a text": b'"\n"',
        "an unknown escape": b'"\\x41"',
        "not finished": b'{"a":',
        "a number with a fraction": b"[1.0]",
        "a number with an exponent": b"[1e0]",
        "minus zero": b'{"a":-0}',
        "a leading zero": b"[01]",
        "a plus sign": b"[+1]",
        "beyond the largest integer": b"[9007199254740992]",
        "below the smallest integer": b"[-9007199254740992]",
        "not a number": b"[NaN]",
        "infinity": b"[Infinity]",
        "a comment": b"{}/**/",
        "a space that JSON does not know": b"\x0c{}",
        "seventeen containers": b"[" * 17 + b"]" * 17,
    }
    return [{"name": name, "hex": text.hex()} for name, text in texts.items()]


def identities():
    def identity(seed):
        public_key = public(seed).hex()
        return {
            "seed": seed,
            "public_key": public_key,
            "agent_id": identifier("a", sha256(f"svc.agent.v1:{public_key}")),
        }

    return [identity(seed) for seed in (AGENT_SEED, LOG_SEED, RING_SEED)]


def handles():
    good = ["ada", "0xa", "a-b_c", "a" * 32]
    bad = ["", "ad", "Ada", "-ada", "_ada", "a" * 33, "ada ", "adä", "a.b", "ada\n"]
    return {"good": good, "bad": bad}


def identifiers():
    good = [(bytes(16), GAME), (b"\xff" * 16, "g_7" + "z" * 25), (bytes(15) + b"\x20", "g_" + "0" * 24 + "10")]
    for data, text in good:
        assert identifier("g", data) == text, text
    bad = [
        "g_" + "0" * 25,
        "g_" + "0" * 27,
        "g_8" + "0" * 25,
        "g_" + "0" * 25 + "u",
        "g_" + "0" * 25 + "A",
        "a_" + "0" * 26,
    ]
    return {"good": [{"hex": data.hex(), "text": text} for data, text in good], "bad": [*bad, "", "g", GAME + "\n"]}


def origins():
    good = [
        ("https://Hall.Example", "https://hall.example", "hall.example_443"),
        ("https://hall.example:443/", "https://hall.example", "hall.example_443"),
        ("HTTP://127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1_8080"),
        ("http://hall.example:443", "http://hall.example:443", "hall.example_443"),
        ("http://[::1]:80", "http://[::1]", "___1__80"),
    ]
    bad = [
        "",
        "hall.example",
        "/api",
        "ftp://hall.example",
        "https://",
        "https://hall.example/hall",
        "https://hall.example/?a=1",
        "https://hall.example/#a",
        "https://me@hall.example",
        "https://hall.example:99999",
        "https://hall.example:",
    ]
    return {
        "good": [{"text": text, "origin": origin, "folder": folder} for text, origin, folder in good],
        "bad": bad,
    }


def key_file():
    """A key file, which all clients read and write alike."""
    return {
        "text": json.dumps(
            {
                "format": "hall-key/1",
                "hall": "https://hall.example",
                "public_key": public(AGENT_SEED).hex(),
                "private_key": AGENT_SEED,
                "operator_token": "not a secret: é 😀",
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n",
        "seed": AGENT_SEED,
        "hall": "https://hall.example",
        "operator_token": "not a secret: é 😀",
        "other_halls": ["http://hall.example", "https://hall.example:444", "https://other.example"],
    }
