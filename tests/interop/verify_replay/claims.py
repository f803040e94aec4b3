"""The report of a verifier: claims that hold, claims that it could not check, and the first that fails."""


class Unreadable(Exception):
    """The document is not a replay, so there is nothing to judge."""


class Difference(Exception):
    """A claim fails: the hall's statement differs from the recomputed value."""


class Claims:
    """The claims about one replay, in the order in which they were judged."""

    def __init__(self):
        self.held, self.unchecked = [], []

    def holds(self, words):
        self.held.append(words)

    def not_checked(self, words, reason):
        self.unchecked.append(f"{words}: {reason}")


def same(what, found, expected):
    if not alike(found, expected):
        raise Difference(f"{what}: the hall says {shortened(found)}, expected is {shortened(expected)}")


def demand(what, condition):
    if not condition:
        raise Difference(what)


def alike(one, other):
    """Equality of JSON values: to Python `1` equals `True`, to JSON it does not."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(value, other[name]) for name, value in one.items())
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    return one == other


def shortened(value):
    text = repr(value)
    return text if len(text) < 400 else f"{text[:200]} … {text[-200:]}"
