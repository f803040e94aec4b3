#!/usr/bin/env python3
"""Runs the commands of the tour in shells/hall/deploy/cluster/README.md word for word, in one shell.

    python3 walk_tour.py PATH_TO_HALL FOLDER

The shell begins in FOLDER, where a copy of the files of the tour lies at its place in the repository. It runs as an
ordinary user, because PostgreSQL refuses to run as root. `hall` is PATH_TO_HALL. The only words that are replaced are the
ports, by free ones, in the files too; environment variables tell the nodes to run without a beacon. What was started is
ended by its id at the end. Ends with 1 at the first command that fails, in a pipe too, naming its line.
"""

import os
import pwd
import re
import shutil
import signal
import sys
import time

from servers import free_port

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "interop"))

from running_hall import exit_on_term  # noqa: E402  (it lies in the folder just named)
from walk_readme import Walk, end, whole  # noqa: E402

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEPLOY = "shells/hall/deploy/cluster"
TOUR = (f"{DEPLOY}/README.md", "## Three nodes on one machine")
PORTS = re.compile(r"\b(808[0-3]|909[1-3]|543[34])\b")


class Tour(Walk):
    """The tour, on free ports, run by a user without rights."""

    def __init__(self, hall, folder):
        os.makedirs(folder)
        super().__init__(hall, folder, os.path.join(folder, "walk"))
        self.free = {}
        shutil.copytree(os.path.join(REPOSITORY, DEPLOY), os.path.join(folder, DEPLOY))
        for name in os.listdir(os.path.join(folder, DEPLOY)):
            path = os.path.join(folder, DEPLOY, name)
            if not path.endswith(".md"):
                text = self.replaced(whole(path))
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
        # The programs that others may run, too.
        programs = os.path.join(self.folder, "programs")
        os.remove(os.path.join(programs, "hall"))
        shutil.copy(hall, os.path.join(programs, "hall"))
        for name in ("HALL", "HALL_SERVER__LISTEN"):
            del self.environment[name]
        self.environment["HOME"] = folder
        if os.geteuid() == 0:
            self.user = "postgres"
            for place, _, files in os.walk(folder):
                for path in [place, *(os.path.join(place, name) for name in files)]:
                    os.chown(path, pwd.getpwnam(self.user).pw_uid, -1)

    def replaced(self, text):
        """The text with free ports, the same ones each time."""

        def free(port):
            if port[0] not in self.free:
                self.free[port[0]] = str(free_port())
            return self.free[port[0]]

        return PORTS.sub(free, text)

    def end_servers(self):
        """Ends the servers of the tour that have left its group and run after a command that failed."""
        for name in ("primary/postmaster.pid", "standby/postmaster.pid", "haproxy.pid"):
            path = os.path.join(self.repository, "hall-cluster", name)
            if os.path.exists(path):
                try:
                    os.kill(int(whole(path).split()[0]), signal.SIGINT)
                except ProcessLookupError:
                    pass


def main():
    exit_on_term()
    hall, folder = (os.path.abspath(path) for path in sys.argv[1:])
    tour = Tour(hall, folder)
    began = time.monotonic()
    steps = list(tour.steps_below(*TOUR))
    try:
        end(tour.run(steps, folder, background=True))
    finally:
        tour.end_servers()
    print(whole(os.path.join(folder, "walk.log")))
    print(f"{len(steps)} commands of the tour run as they stand, in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
