#!/usr/bin/env python3
"""Walks the READMEs in their order: runs the commands of the tour, of what continues it in the README of hall-verify, and of
the clients, word for word, at one hall.

    python3 walk_readme.py PATH_TO_HALL REPOSITORY FOLDER

REPOSITORY is a fresh copy of this repository, in which the tour is run by one shell; each client's commands run in an empty
folder of their own, with its agent saved under the name that the README gives it. `hall` is PATH_TO_HALL. The only words
that are replaced are the two addresses, by free ones, and by environment variables the hall is told to listen at the first
and to run without a beacon. Ends with 1 at the first command that fails, naming its line.
"""

import os
import re
import signal
import subprocess
import sys
import time

from running_hall import free_port

# The documents of the tour, which one shell runs, and the heading of the part that is run; None is the whole document.
TOUR = [("README.md", "## A first agent in five minutes"), ("shells/verify/README.md", None)]
CLIENTS = ("shells/client/README.md", None)
ADDRESSES = ("127.0.0.1:8080", "127.0.0.1:8090")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SAVED_AS = re.compile(r"with the\s+agent below as `([^`]+)`")
WITHIN_SECONDS = 1200


class Walk:
    """The READMEs, and where their commands run."""

    # The user that runs them; None for the one of this process.
    user = None

    def __init__(self, hall, repository, folder):
        self.repository, self.folder = os.path.abspath(repository), os.path.abspath(folder)
        programs = os.path.join(self.folder, "programs")
        os.makedirs(programs)
        os.symlink(os.path.abspath(hall), os.path.join(programs, "hall"))
        self.ports = {address: f"127.0.0.1:{free_port()}" for address in ADDRESSES}
        self.environment = {
            **os.environ,
            "HALL": self.repository,
            "PATH": programs + os.pathsep + os.environ["PATH"],
            "HALL_SERVER__LISTEN": self.ports[ADDRESSES[0]],
            "HALL_BEACON__RELAYS": "",
        }

    def part(self, document, heading):
        """The text of a document, and the places where the part below a heading begins and ends."""
        with open(os.path.join(self.repository, document), encoding="utf-8") as file:
            text = file.read()
        if heading is None:
            return text, 0, len(text)
        start = text.index(f"\n{heading}\n")
        return text, start, text.index("\n## ", start + 1)

    def blocks(self, document, heading):
        """Language, text and place of each block below a heading."""
        text, start, end = self.part(document, heading)
        for block in BLOCK.finditer(text, start, end):
            yield block[1], block[2], (document, text.count("\n", 0, block.start()) + 2)

    def replaced(self, text):
        """The text with free addresses."""
        for address, free in self.ports.items():
            text = text.replace(address, free)
        return text

    def tour(self):
        """The script that runs the commands of the tour in one shell, from the first to the last."""
        return [
            line
            for part in TOUR
            for language, text, place in self.blocks(*part)
            if language == "console"
            for line in self.script(text, place)
        ]

    def script(self, text, place):
        """The commands of a console block, each with a note of its line."""
        document, number = place
        for offset, command in commands(text):
            line = f"{document}:{number + offset}"
            yield f"echo {shell_word(f'{line}: {command}')}"
            yield f"at={line}"
            yield self.replaced(command)

    def clients(self):
        """For each client: the file of its agent, the agent, and the script of its commands."""
        text, start, finish = self.part(*CLIENTS)
        names = SAVED_AS.findall(text, start, finish)
        blocks = [block for block in self.blocks(*CLIENTS) if block[0] in ("console", "python", "js", "rust")]
        pairs = list(zip(blocks[::2], blocks[1::2]))
        assert len(names) == len(pairs) == 3, (names, len(pairs))
        for name, (console, agent) in zip(names, pairs):
            assert console[0] == "console" and agent[0] != "console", (console, agent)
            yield name, self.replaced(agent[1]), list(self.script(console[1], console[2]))

    def run(self, script, where, background=False):
        """Runs a script; its output is shown when it fails. In the background what it started goes on."""
        os.makedirs(where, exist_ok=True)
        log = os.path.join(where, "walk.log")
        failing = 'trap \'echo "$at failed"\' ERR'
        text = "\n".join(["set -eu", "at=none", failing, *script, ""])
        with open(log, "wb") as out:
            process = subprocess.Popen(
                ["bash", "-c", text], cwd=where, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, start_new_session=True, user=self.user,
            )  # fmt: skip
        try:
            failed = process.wait(WITHIN_SECONDS) != 0
        except subprocess.TimeoutExpired:
            failed = True
        if failed or not background:
            end(process.pid)
        if failed:
            # The hall of the tour writes its log to a file of its own.
            logs = [path for path in (os.path.join(where, "hall.log"), log) if os.path.exists(path)]
            raise SystemExit("\n".join([*map(whole, logs), "the walk ends here"]))
        return process.pid


def commands(text):
    """The commands of a console block with their places: the lines behind `$ `, and those that continue them."""
    lines = text.splitlines()
    place = 0
    while place < len(lines):
        begun = place
        if lines[place].startswith("$ "):
            command = lines[place][2:]
            while command.endswith("\\"):
                place += 1
                command += "\n" + lines[place]
            yield begun, command
        place += 1


def whole(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def shell_word(text):
    return "'" + text.replace("'", "'\\''") + "'"


def end(group):
    """Ends what a shell has started."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def main():
    hall, repository, folder = sys.argv[1:]
    walk = Walk(hall, repository, folder)
    walked = 0

    def told(what, script, began):
        count = sum(line.startswith("at=") for line in script)
        print(f"{what}: {count} commands in {time.monotonic() - began:.0f} s", flush=True)
        return count

    began, tour = time.monotonic(), walk.tour()
    # The hall that the tour has started serves the clients too.
    group = walk.run(tour, walk.repository, background=True)
    try:
        walked += told("the tour", tour, began)
        for name, agent, script in walk.clients():
            began, where = time.monotonic(), os.path.join(walk.folder, name.replace("/", "-"))
            path = os.path.join(where, name)
            # Saved over what the commands make, before the last of them runs it.
            last = max(place for place, line in enumerate(script) if line.startswith("echo "))
            walk.run(script[:last], where)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(agent)
            walk.run(script[last:], where)
            said = whole(os.path.join(where, "walk.log"))
            if not re.search(r"^\d+ won, \d+ lost, \d+ drawn$", said, re.MULTILINE):
                raise SystemExit(f"{said}\n{name} has not played")
            walked += told(name, script, began)
    finally:
        end(group)
    print(f"{walked} commands of the READMEs run as they stand")


if __name__ == "__main__":
    main()
