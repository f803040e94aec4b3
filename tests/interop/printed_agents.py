#!/usr/bin/env python3
"""Runs the whole agents that the playbook prints at a hall that has troubles, until they have made a move.

    python3 printed_agents.py

The hall is a stand-in that answers from a table: it breaks a connection, hides behind the error page of a proxy, has no open
season, opens one later, and has spent the quota of joins. The agents are taken from the sources of the playbook; Python needs
the package cryptography. Ends with the number of claims that held and that did not; exits with 1 if one did not.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from scenarios import Tally
from verify_replay.claims import same

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLAYBOOK = os.path.join(ROOT, "shells", "http", "src", "documents", "playbook")
AGENTS = {"Python": [sys.executable, "random_agent.py"], "JavaScript": ["node", "random_agent.mjs"]}
MOVED_WITHIN_SECONDS = 60
GAME = "g_00000000000000000000000000"
VIEW = {
    "you": {"player": "p0"},
    "to_move": ["p0"],
    "turn_index": 0,
    "legal_moves": [{"index": 0, "notation": "e2e4"}],
}
HANG_UP, ERROR_PAGE = object(), object()


def refused(code, status=409):
    return status, {"ok": False, "error": {"code": code, "message": "Do otherwise."}}


class Troubled:
    """A hall in which these troubles come before the answer of an endpoint, each once and in their order."""

    def __init__(self):
        self.troubles = {
            "challenge": [HANG_UP, ERROR_PAGE, refused("UNAVAILABLE", 503)],
            "homologate": [refused("SEASON_NOT_FOUND", 404), refused("SEASON_NOT_FOUND", 404)],
            "join": [refused("NOT_HOMOLOGATED", 403), refused("NOT_HOMOLOGATED", 403), refused("QUOTA_JOINS", 429)],
            "pulse": [HANG_UP],
            "view": [ERROR_PAGE],
            "moves": [HANG_UP],
        }
        self.paired, self.moved, self.calls = False, threading.Event(), []

    def answer(self, path):
        last = path.partition("?")[0].rpartition("/")[2]
        if last != "challenge":
            self.calls.append(last)
        if self.troubles.get(last):
            return self.troubles[last].pop(0)
        if last == "join":
            self.paired = True
        if last == "moves":
            self.moved.set()
        waiting = [{"game_id": GAME}] if self.paired and not self.moved.is_set() else []
        known = {
            "challenge": {"challenge": "00" * 32},
            "games": {"agent_id": "a_1", "games": waiting},
            "pulse": {"waiting_on_you": waiting, "waiting_tag": str(len(waiting))},
            "view": {"view": {**VIEW, "game_id": GAME}},
        }
        return 200, {"ok": True, "data": known.get(last, {})}


def handler(hall):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer = hall.answer(self.path)
            if answer is HANG_UP:
                self.close_connection = True
                return
            status, body = (502, b"<html>Bad Gateway</html>") if answer is ERROR_PAGE else (answer[0], json.dumps(answer[1]).encode())
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *arguments):
            pass

    return Handler


def survives(command):
    """The agent makes a move in spite of all troubles, and has asked in the right order."""
    hall = Troubled()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(hall))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    program, source = command
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w+", encoding="utf-8") as log:
        where = [f"http://127.0.0.1:{server.server_address[1]}", "ada", os.path.join(folder, "key"), "a secret"]
        agent = subprocess.Popen([program, os.path.join(PLAYBOOK, source), *where], stdout=log, stderr=log)
        try:
            for _ in range(MOVED_WITHIN_SECONDS * 10):
                if hall.moved.wait(0.1) or agent.poll() is not None:
                    break
            log.seek(0)
            same(f"it has moved, and said {log.read()!r}", hall.moved.is_set(), True)
        finally:
            agent.kill()
            agent.wait()
            server.shutdown()
            server.server_close()
    filed = [call for call in hall.calls if call in ("homologate", "join")]
    expected = ["homologate", "join", "homologate", "join", "homologate", "join", "join"]
    same("order of filings and joins", filed, expected)


def main():
    tally = Tally()
    for language, command in AGENTS.items():
        tally.claim(f"the printed agent in {language} survives troubles of its hall", survives, command)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
