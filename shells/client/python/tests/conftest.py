"""Fixtures of several tests: the shared vectors, and a hall built from this repository."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

VECTORS = Path(os.environ.get("HALL_VECTORS") or Path(__file__).parents[2] / "vectors.json")
_READY_WITHIN_SECONDS = 30.0

# A program that a shell starts in the background ignores this signal, and so would those that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def vectors() -> dict[str, Any]:
    """The vectors that all clients share."""
    loaded: dict[str, Any] = json.loads(VECTORS.read_text(encoding="ascii"))
    return loaded


class RunningHall:
    """A hall on a free port, which can be stopped and restarted on its data."""

    def __init__(self, binary: str, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self._folder = folder
        settings = (
            f"server.listen=127.0.0.1:{port}",
            f"storage.path={folder / 'data'}",
            "limits.requests_per_minute=0",
            "beacon.relays=",
        )
        self._command = [os.path.abspath(binary), "serve", *(part for one in settings for part in ("--set", one))]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with open(self._folder / "hall.log", "ab") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        give_up = time.monotonic() + _READY_WITHIN_SECONDS
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > give_up:
                self._process.kill()
                raise RuntimeError((self._folder / "hall.log").read_text(errors="replace"))

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.base}/readyz", timeout=2, trust_env=False).status_code == 200
        except httpx.HTTPError:
            return False

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            assert self._process.wait(_READY_WITHIN_SECONDS) == 0
            self._process = None


@pytest.fixture
def running_hall(tmp_path: Path) -> Iterator[RunningHall]:
    """A hall started from the binary that HALL_BINARY names."""
    binary = os.environ.get("HALL_BINARY")
    if not binary:
        pytest.skip("HALL_BINARY names no hall to play at")
    hall = RunningHall(binary, tmp_path)
    hall.start()
    yield hall
    hall.stop()
