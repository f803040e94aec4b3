"""A small HTTP server for a doorbell, on the standard library."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from .doorbell import LARGEST_RING, SAFETY_POLL_SECONDS, Doorbell, Ring

_LOG = logging.getLogger(__name__)
_REQUEST_SECONDS = 5.0
_QUEUED = 4096


class DoorbellServer:
    """Listens for rings and hands them out one after the other.

        with DoorbellServer(Doorbell(hall.key, hall.handle, url, [ring_key]), port=8443) as server:
            hall.register_doorbell(url); hall.verify_doorbell()
            for ring in server.rings(safety_poll(hall.catalog())):
                try:
                    for turn in [ring] if ring else hall.wait_for_turn(0):
                        hall.take_turn(turn.game_id, choose)
                except HallError as error:
                    if not error.is_passing:
                        raise

    It speaks plain HTTP: a hall rings https addresses only, so put what ends TLS in front of it. It answers the hall
    before the agent begins to think, because a hall waits five seconds.
    """

    def __init__(
        self,
        doorbell: Doorbell,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Opens the port; 0 takes a free one. `clock` tells when a safety poll is due, in seconds."""
        self._clock = clock
        self._rings: queue.Queue[Ring] = queue.Queue(_QUEUED)
        self._http = ThreadingHTTPServer((host, port), _handler(doorbell, self._take))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, name="doorbell", daemon=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._http.server_address[1])

    def __enter__(self) -> DoorbellServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def next_ring(self, seconds: float | None = None) -> Ring | None:
        """The next ring; None if none came within so many seconds."""
        try:
            return self._rings.get(timeout=seconds)
        except queue.Empty:
            return None

    def rings(self, every: float = SAFETY_POLL_SECONDS) -> Iterator[Ring | None]:
        """Rings without end, and None after every `every` seconds: time for the safety poll, because a ring may be lost.

        Rings do not put the poll off: where one game rings often, the lost ring of another is found all the same.
        `safety_poll` reckons `every` from the catalog of a hall.
        """
        due = self._clock() + every
        while True:
            left = due - self._clock()
            ring = self.next_ring(left) if left > 0 else None
            if ring is None:
                # From now on, so that a thought that took several polls' time is followed by one look.
                due = self._clock() + every
            yield ring

    def _take(self, ring: Ring) -> None:
        try:
            self._rings.put_nowait(ring)
        except queue.Full:
            # The safety poll finds the turn.
            _LOG.warning("dropped a ring: %d wait already", _QUEUED)


def _handler(doorbell: Doorbell, take: Callable[[Ring], None]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _REQUEST_SECONDS

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isascii() or not length.isdigit() or int(length) > LARGEST_RING:
                self.close_connection = True
                self._send(413, {})
                return
            self._answer(self.rfile.read(int(length)))

        def _answer(self, body: bytes) -> None:
            reply = doorbell.answer(self.command, dict(self.headers.items()), body, time.time())
            if reply.reason:
                _LOG.info("refused: %s", reply.reason)
            if reply.ring is not None:
                take(reply.ring)
            self._send(reply.status, dict(reply.headers))

        def _send(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            _LOG.debug(format, *arguments)

    return Handler
