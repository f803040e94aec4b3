"""JSON with one meaning only (decision 1.5): no duplicate names, lone surrogates, or numbers that are not integers."""

import json
import re

import rfc8785

LARGEST_INTEGER = (1 << 53) - 1
# As in the hall's own bodies; a replay in its envelope needs nine.
DEEPEST = 16
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
BRACKET = re.compile(r"[\[\]{}]")


def read(raw):
    """The value that the bytes or the text hold; raises `ValueError`."""
    text = raw.decode("utf-8") if isinstance(raw, bytes) else raw
    check_depth(text)
    value = json.loads(
        text, object_pairs_hook=once_each, parse_int=integer, parse_float=refused, parse_constant=refused
    )
    # Fails on a surrogate without its pair, wherever it stands.
    json.dumps(value, ensure_ascii=False).encode()
    return value


def check_depth(text):
    """Before the text is parsed, because a deep one may overflow the parser's stack."""
    depth = 0
    for bracket in BRACKET.findall(TEXT.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST:
            raise ValueError("too many containers inside one another")


def canonical(value):
    """RFC 8785, as bytes."""
    return rfc8785.dumps(value)


def once_each(pairs):
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a name occurs twice")
    return record


def integer(digits):
    number = int(digits) if len(digits) < 18 else LARGEST_INTEGER + 1
    if abs(number) > LARGEST_INTEGER or digits == "-0":
        raise ValueError(f"not an integer within 2^53 - 1: {digits[:40]}")
    return number


def refused(text):
    raise ValueError(f"not an integer: {text[:40]}")
