#!/usr/bin/env python3
"""Walks the READMEs in their order: runs the commands of the tour, of what continues it in the README of hall-verify, and of
the clients, word for word, at one hall.

    python3 walk_readme.py PATH_TO_HALL REPOSITORY FOLDER

REPOSITORY is a fresh copy of this repository, in which the tour is run by one shell; each client's commands run in an empty
folder of their own, with its agent saved under the name that the README gives it. `hall` is PATH_TO_HALL. The only words
that are replaced are the two addresses, by free ones, and by environment variables the hall is told to listen at the first
and to run without a beacon. Ends with 1 at the first command that fails, in a pipe too, or that does not print what its
README shows, naming its line.
"""

import dataclasses
import os
import re
import signal
import subprocess
import sys
import time

from running_hall import exit_on_term, free_port

# The documents of the tour, which one shell runs, and the heading of the part that is run; None is the whole document.
TOUR = [("README.md", "## A first agent in five minutes"), ("shells/verify/README.md", None)]
CLIENTS = ("shells/client/README.md", None)
ADDRESSES = ("127.0.0.1:8080", "127.0.0.1:8090")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SAVED_AS = re.compile(r"with the\s+agent below as `([^`]+)`")
WITHIN_SECONDS = 1200
# It checks a forgery, and must end with 1; every other command must end with 0.
REFUSED = "hall verify changed.json "
# What differs from run to run in the lines that the READMEs show, and what must stand in its place.
VARYING = {
    r"\b[a-z]_[0-9a-z]{26}\b": r"[a-z]_[0-9a-z]{26}",
    r"\{(?:[^{}]|\{[^{}]*\})*\}": r"\{.*\}",
    r"\+[0-9a-f]{8}\+[0-9A-Za-z+/=]+": r"\+[0-9a-f]{8}\+[0-9A-Za-z+/=]+",
    r"\b[a-h][1-8][a-h][1-8]\b": r"\S+",
    r"(?:won|lost|drawn) against \S+ by [a-z ]+ after": r"(?:won|lost|drawn) against \S+ by [a-z ]+ after",
    r"against \S+": r"against .+",
    r"turns, [a-z_]+": r"turns, [a-z_]+",
    # How many claims fail is the same each time.
    r"\d+(?:,\d{3})*(?!\d| fail)": r"\d+(?:,\d{3})*",
}
VARIES = re.compile("|".join(f"({pattern})" for pattern in VARYING))
# The hall of the walk has no beacon, and which leaves come last depends on the game.
NOT_COMPARED = re.compile(r"beacon|its round|^\d+: |^\s*…$")


@dataclasses.dataclass(frozen=True)
class Step:
    """A command of a README: where it stands, as it stands, as it is run, and the lines shown below it."""

    place: str
    command: str
    run: str
    shown: list

    @property
    def title(self):
        return f"{self.place}: {self.command}"

    def script(self):
        """Prints its title, and runs it. A command that fails before the last `&&` does not end a shell by itself."""
        yield f"echo {shell_word(self.title)}"
        yield f"at={self.place}"
        if self.command.startswith(REFUSED):
            yield "status=0"
            yield f"{self.run} || status=$?"
            yield '[ "$status" -eq 1 ]'
        else:
            yield self.run
            yield "[ $? -eq 0 ]"

    def missing(self, printed):
        """The first line that is shown and, as far as it is the same each time, not printed after the one before it."""
        lines = iter(printed.splitlines())
        for line in self.shown:
            if not NOT_COMPARED.search(line) and not any(map(pattern_of(line).fullmatch, lines)):
                return line
        return None


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
        """The commands of the tour, from the first to the last."""
        return [step for part in TOUR for step in self.steps_below(*part)]

    def steps_below(self, document, heading):
        """The commands of the console blocks below a heading."""
        for language, text, place in self.blocks(document, heading):
            if language == "console":
                yield from self.steps(text, place)

    def steps(self, text, place):
        """The commands of a console block."""
        document, number = place
        for offset, command, shown in commands(text):
            yield Step(f"{document}:{number + offset}", command, self.replaced(command), shown)

    def clients(self):
        """For each client: the file of its agent, the agent, and its commands."""
        text, start, finish = self.part(*CLIENTS)
        names = SAVED_AS.findall(text, start, finish)
        blocks = [block for block in self.blocks(*CLIENTS) if block[0] in ("console", "python", "js", "rust")]
        pairs = list(zip(blocks[::2], blocks[1::2]))
        assert len(names) == len(pairs) == 3, (names, len(pairs))
        for name, (console, agent) in zip(names, pairs):
            assert console[0] == "console" and agent[0] != "console", (console, agent)
            yield name, self.replaced(agent[1]), list(self.steps(console[1], console[2]))

    def run(self, steps, where, background=False):
        """Runs commands in one shell; their output is shown when one fails. In the background what they started goes on."""
        os.makedirs(where, exist_ok=True)
        log = os.path.join(where, "walk.log")
        failing = 'trap \'echo "$at failed"\' ERR'
        script = [line for step in steps for line in step.script()]
        text = "\n".join(["set -eu -o pipefail", "at=none", failing, *script, ""])
        with open(log, "wb") as out:
            process = subprocess.Popen(
                ["bash", "-c", text], cwd=where, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, start_new_session=True, user=self.user,
            )  # fmt: skip
        try:
            problems = [] if process.wait(WITHIN_SECONDS) == 0 else ["the walk ends here"]
        except subprocess.TimeoutExpired:
            problems = [f"the walk did not end within {WITHIN_SECONDS} s"]
        except BaseException:
            end(process.pid)
            raise
        problems = problems or differences(steps, whole(log))
        if problems or not background:
            end(process.pid)
        if problems:
            # The hall of the tour writes its log to a file of its own.
            logs = [path for path in (os.path.join(where, "hall.log"), log) if os.path.exists(path)]
            raise SystemExit("\n".join([*map(whole, logs), *problems]))
        return process.pid


def differences(steps, log):
    """What the READMEs show and the commands did not print."""
    begins = [0]
    for step in steps:
        begins.append(log.index(f"{step.title}\n", begins[-1]))
    begins.append(len(log))
    printed = [log[begun:ended].removeprefix(step.title) for step, begun, ended in zip(steps, begins[1:], begins[2:])]
    missing = [(step.place, step.missing(text)) for step, text in zip(steps, printed)]
    return [f"{place} does not print what is shown: {line}" for place, line in missing if line is not None]


def pattern_of(line):
    """What a line that a README shows must match when its command is run."""
    pattern, place = "", 0
    for found in VARIES.finditer(line):
        pattern += re.escape(line[place : found.start()]) + list(VARYING.values())[found.lastindex - 1]
        place = found.end()
    return re.compile(pattern + re.escape(line[place:]))


def commands(text):
    """The commands of a console block: their places, the lines behind `$ ` with those that continue them, and the lines that
    are shown below."""
    lines = text.splitlines()
    place = 0
    while place < len(lines):
        begun, shown = place, []
        assert lines[place].startswith("$ "), lines[place]
        command = lines[place][2:]
        while command.endswith("\\"):
            place += 1
            command += "\n" + lines[place]
        place += 1
        while place < len(lines) and not lines[place].startswith("$ "):
            shown.append(lines[place])
            place += 1
        yield begun, command, shown


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
    exit_on_term()
    hall, repository, folder = sys.argv[1:]
    walk = Walk(hall, repository, folder)
    walked = 0

    def told(what, steps, began):
        print(f"{what}: {len(steps)} commands in {time.monotonic() - began:.0f} s", flush=True)
        return len(steps)

    began, tour = time.monotonic(), walk.tour()
    # The hall that the tour has started serves the clients too.
    group = walk.run(tour, walk.repository, background=True)
    try:
        walked += told("the tour", tour, began)
        for name, agent, steps in walk.clients():
            began, where = time.monotonic(), os.path.join(walk.folder, name.replace("/", "-"))
            path = os.path.join(where, name)
            # Saved over what the commands make, before the last of them runs it.
            walk.run(steps[:-1], where)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(agent)
            walk.run(steps[-1:], where)
            said = whole(os.path.join(where, "walk.log"))
            if not re.search(r"^\d+ won, \d+ lost, \d+ drawn$", said, re.MULTILINE):
                raise SystemExit(f"{said}\n{name} has not played")
            walked += told(name, steps, began)
    finally:
        end(group)
    print(f"{walked} commands of the READMEs run as they stand, and print what is shown")


if __name__ == "__main__":
    main()
