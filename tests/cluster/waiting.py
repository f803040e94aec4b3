"""Waiting for what happens in other processes."""

import time

LOOK_SECONDS = 0.03


def until(what, seconds, words):
    """Waits until `what()` is true."""
    give_up = time.monotonic() + seconds
    while not what():
        if time.monotonic() > give_up:
            raise RuntimeError(f"not within {seconds} s: {words}")
        time.sleep(LOOK_SECONDS)
