"""Starts the built binary on a free port with an empty data folder, and stops it again."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

READY_WITHIN_SECONDS = 30
STOPPED_WITHIN_SECONDS = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def exit_on_term():
    """What was started is ended before the program, also when it is told to end, as when its time is up."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to end"))


class RunningHall:
    """One hall: `with RunningHall(binary, folder, {"games.chess.move_seconds": 2}) as hall: …`.

    The request limit is off, because everything here comes from one address.
    """

    def __init__(self, binary, folder, settings=None):
        self.binary, self.folder, self.process = binary, folder, None
        # A hall publishes its address, so it stays the same across restarts.
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.settings = {
            "server.listen": f"127.0.0.1:{self.port}",
            "storage.path": os.path.join(folder, "data"),
            "limits.requests_per_minute": 0,
            "beacon.relays": "",
            **(settings or {}),
        }

    def __enter__(self):
        assignments = [part for key, value in self.settings.items() for part in ("--set", f"{key}={value}")]
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, "hall.log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", *assignments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )
        give_up = time.monotonic() + READY_WITHIN_SECONDS
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > give_up:
                self.process.kill()
                raise RuntimeError(f"the hall did not start:\n{self.log()}")
            time.sleep(0.05)
        return self

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"{self.base}/readyz", timeout=2) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def log(self):
        with open(os.path.join(self.folder, "hall.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOPPED_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise RuntimeError(f"the hall did not stop:\n{self.log()}") from None
        if code != 0:
            raise RuntimeError(f"the hall ended with {code}:\n{self.log()}")
