#!/usr/bin/env python3
"""Runs the agents that a hall's playbook prints, each from an empty folder and the address of the hall to its first
accepted move; and a chat client without a key, over the bridge that the README of MCP puts into its settings.

    python3 cold_start.py PATH_TO_HALL REPOSITORY FOLDER [KIND...]

Each agent is got, installed and run by the commands that the playbook prints, as they stand, but for handle and secret;
REPOSITORY is a fresh copy of this repository, the HALL of the commands that install a package. The clock runs from the
first command to the first move that was accepted, installation and compilation included: the agent makes its key, registers,
files what it is, joins, and moves. An agent of the hall's own program waits in the lobby for it. At the end the agents over the
Python and the TypeScript package play a whole game with each other, which is verified as a stranger would. Ends with the
number of claims that held and that did not; exits with 1 if one did not.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

from running_hall import RunningHall, exit_on_term
from scenarios import Tally, until
from verify_game import data_of, verify
from verify_replay.claims import same

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ADDRESS_IN_README = "http://127.0.0.1:8080"
HANDLE_IN_PLAYBOOK, SECRET_IN_PLAYBOOK = re.compile(r"\bmy(-[a-z]+)?-agent\b"), "a secret that you invent"
KEY_IN_README = "/path/to/hall-chat.json"
CHAT_CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bridge_chat.py")
FIRST_MOVE_WITHIN_SECONDS = 120
# A Rust package is compiled with all its dependencies.
FIRST_MOVE_WITHIN_SECONDS_IN_RUST = 1200
GAME_WITHIN_SECONDS = 300
KINDS = {
    "raw-python": "the printed agent in Python",
    "raw-node": "the printed agent in JavaScript",
    "python": "the Python client",
    "typescript": "the TypeScript client",
    "rust": "the Rust client",
    "bridge": "a chat client without a key",
}
PACKAGES = {"python": "hall_agent", "typescript": "hall-agent", "rust": "hall-client"}


def printed_bridge(hall, key):
    """The command that a chat client's settings name in the README of MCP, for this hall and key file."""
    with open(os.path.join(ROOT, "shells", "http", "README.md"), encoding="utf-8") as file:
        settings = re.search(r'^```json\n(\{ "mcpServers".*?)^```$', file.read(), re.DOTALL | re.MULTILINE)[1]
    same("address and key in the settings", [settings.count(ADDRESS_IN_README), settings.count(KEY_IN_README)], [1, 1])
    (server,) = json.loads(settings)["mcpServers"].values()
    same("the program in the settings", server["command"], "hall")
    return [word.replace(ADDRESS_IN_README, hall).replace(KEY_IN_README, key) for word in server["args"]]


class Printed:
    """An agent as the playbook prints it: commands, the last of which runs it, and perhaps a file to be saved."""

    def __init__(self, playbook, kind, handle):
        def own(text):
            return HANDLE_IN_PLAYBOOK.sub(handle, text).replace(SECRET_IN_PLAYBOOK, f"secret of {handle}")

        if kind in PACKAGES:
            packages = playbook["clients"]["packages"]
            (told,) = (package for package in packages if package["package"] == PACKAGES[kind])
            self.file, self.agent = told["file"], own(told["agent"])
            same(f"lines of the agent over {PACKAGES[kind]}", len(self.agent.splitlines()) <= 16, True)
        else:
            told = playbook[{"raw-python": "example", "raw-node": "example_javascript"}[kind]]
            self.file = None
        *self.before, self.last = map(own, told["commands"])

    def install(self, where, environment):
        """Runs all commands except the last, in order."""
        with open(os.path.join(where, "log"), "ab") as log:
            for command in self.before:
                try:
                    subprocess.run(
                        shell(command), cwd=where, env=environment, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                    )
                except subprocess.CalledProcessError as error:
                    raise RuntimeError(f"{command} ended with {error.returncode}:\n{said(where)}") from None
        self.save(where)

    def save(self, where):
        if self.file is not None:
            write(os.path.join(where, self.file), self.agent)


class Started:
    """How every kind of agent is installed and run."""

    def __init__(self, hall, repository, base):
        self.hall, self.base = hall, base
        self.environment = {**os.environ, "HALL": os.path.abspath(repository)}
        # Each author's folder has a separate target folder.
        self.environment.pop("CARGO_TARGET_DIR", None)

    def agent(self, kind, handle, where):
        """The command that runs the agent, in whose folder everything is installed."""
        if kind == "bridge":
            key = os.path.join(where, "bridge.key.json")
            return [sys.executable, CHAT_CLIENT, self.hall, *printed_bridge(self.base, key), "--handle", handle]
        printed = Printed(data_of(f"{self.base}/api/playbook"), kind, handle)
        printed.install(where, self.environment)
        return shell(printed.last)

    def again(self, kind, handle, where):
        """The same agent with another handle, where it is installed."""
        printed = Printed(data_of(f"{self.base}/api/playbook"), kind, handle)
        printed.save(where)
        return shell(printed.last)

    def waiting(self, handle, where):
        """The hall's own agent, which plays one game."""
        key = os.path.join(where, "key.json")
        options = ["--division", "open", "--games", "1", "--key", key]
        return [self.hall, "agent", "--hall", self.base, "--handle", handle, *options]


def shell(command):
    """The command as a person types it; the shell execs the program, so that it can be terminated."""
    words = command if re.search("[|>]", command) else f"exec {command}"
    return ["bash", "-euo", "pipefail", "-c", words]


def said(where):
    with open(os.path.join(where, "log"), encoding="utf-8", errors="replace") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@contextlib.contextmanager
def running(command, where, environment=None):
    """The program in its folder and in a new process group; its output goes to a file there."""
    with open(os.path.join(where, "log"), "ab") as log:
        process = subprocess.Popen(
            command, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield process
    except Exception as error:
        raise RuntimeError(f"{error}\n{' '.join(command)} said:\n{said(where)}") from error
    finally:
        # The command may have started the agent as another process, as cargo does.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def has_moved(base, handle):
    """Whether a move of this agent was accepted, as spectators see it."""
    for game in data_of(f"{base}/api/games?agent={handle}")["games"]:
        player = next(seat["player"] for seat in game["seats"] if seat["handle"] == handle)
        events = data_of(f"{base}/api/games/{game['id']}/events?limit=10")["events"]
        moves = [entry["event"]["data"] for entry in events if entry["event"]["type"] == "move"]
        if any(move["player"] == player and move["forced"] is None for move in moves):
            return True
    return False


def in_lobby(base):
    return data_of(f"{base}/api/pulse")["lobby_waiting"] == 1


def cold_start(started, kind, folder):
    """From an empty folder to the first accepted move. Returns the seconds that it took."""
    base, handles = started.base, [f"cold-{kind}", f"waits-for-{kind}"]
    places = [os.path.join(folder, handle) for handle in handles]
    for place in places:
        os.makedirs(place)
    within = FIRST_MOVE_WITHIN_SECONDS_IN_RUST if kind == "rust" else FIRST_MOVE_WITHIN_SECONDS
    with running(started.waiting(handles[1], places[1]), places[1]):
        until(lambda: in_lobby(base), GAME_WITHIN_SECONDS)
        begun = time.monotonic()
        command = started.agent(kind, handles[0], places[0])
        installed = time.monotonic() - begun
        with running(command, places[0], started.environment):
            until(lambda: has_moved(base, handles[0]), within)
            seconds = time.monotonic() - begun
    what = "compiles and runs" if kind == "rust" else "runs"
    print(f"{kind}: first accepted move after {seconds:.1f} s; the command that {what} it came after {installed:.1f} s", flush=True)
    same(f"{kind} within {within} s", seconds < within, True)


def whole_game(started, folder):
    """The agents over the Python and the TypeScript package play each other to the end, and exit cleanly."""
    handles = {"python": "meets-typescript", "typescript": "meets-python"}
    places = {kind: os.path.join(folder, f"cold-{kind}") for kind in handles}
    with contextlib.ExitStack() as stack:
        agents = [
            stack.enter_context(running(started.again(kind, handle, places[kind]), places[kind], started.environment))
            for kind, handle in handles.items()
        ]
        same("exit codes", [agent.wait(GAME_WITHIN_SECONDS) for agent in agents], [0, 0])
    base, names = started.base, sorted(handles.values())
    (game,) = data_of(f"{base}/api/games?status=ended&agent={names[0]}")["games"]
    same("players", sorted(seat["handle"] for seat in game["seats"]), names)
    replay = verify(base, game["id"])
    forced = [move["turn_index"] for move in replay["moves"] if move["forced"]]
    same("forced turns", forced, [])
    print(f"{game['id']}: {len(replay['moves'])} turns, {replay['result']['reason']}: every claim holds", flush=True)
    for kind, handle in handles.items():
        (key,) = (name for name in os.listdir(places[kind]) if name.endswith(f"-{handle}.key.json"))
        same("mode of the key file", os.stat(os.path.join(places[kind], key)).st_mode & 0o777, 0o600)


def main():
    exit_on_term()
    hall, repository, folder = map(os.path.abspath, sys.argv[1:4])
    kinds, tally = sys.argv[4:] or list(KINDS), Tally()
    with RunningHall(hall, os.path.join(folder, "hall")) as running_hall:
        started, agents = Started(hall, repository, running_hall.base), os.path.join(folder, "agents")
        for kind in kinds:
            tally.claim(f"{KINDS[kind]} gets from nothing to an accepted move", cold_start, started, kind, agents)
        if {"python", "typescript"} <= set(kinds):
            tally.claim("a Python and a TypeScript agent play a whole game that verifies", whole_game, started, agents)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
