#!/usr/bin/env python3
"""Two agents play at a hall of three nodes through a proxy, while its leader is killed every 20 seconds.

    python3 walk.py PATH_TO_HALL FOLDER [--minutes N]

Needs what failovers.py needs. The agents are `hall agent`, which anybody may run. Afterwards: they met nothing but requests
that they tried again, no monitor of the log has raised an alarm, both verifiers accept every replay, the journal is as it
was written, and its copy in a folder makes the same state. Prints what it did, and ends with 1 if something did not hold.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "interop"))

import checks  # noqa: E402
from cluster import Cluster, read  # noqa: E402
from many_games import ended_games, judge, replay_with_log  # noqa: E402  (it lies in the folder just named)
from running_hall import exit_on_term  # noqa: E402
from waiting import until  # noqa: E402

KILL_EVERY_SECONDS = 20
LEADS_WITHIN_SECONDS = 10
STRATEGIES = {"ada": "greedy", "bob": "random"}
# A result, or a request that is tried again; what the hall did not foresee is no reason to try again.
EXPECTED = re.compile(r"^[0-9:]{8} (g_\w+: (won|lost|drawn)\b.*|(?!.*INTERNAL).*; trying again in [0-9.]+ s)$")


class Players:
    """The agents, each a process that plays until the end of the block."""

    def __init__(self, cluster):
        self.cluster, self.running = cluster, {}

    def __enter__(self):
        for seed, (handle, strategy) in enumerate(STRATEGIES.items()):
            words = ["agent", "--hall", self.cluster.base, "--handle", handle, "--strategy", strategy, "--quiet"]
            words += ["--key", os.path.join(self.cluster.folder, f"{handle}.json"), "--seed", str(seed)]
            with open(self.log(handle), "wb") as log:
                command = [self.cluster.binary, *words]
                self.running[handle] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def log(self, handle):
        return os.path.join(self.cluster.folder, f"{handle}.log")

    def check(self):
        """They still play, and have met nothing but what they tried again."""
        problems, retries = [], 0
        for handle, process in self.running.items():
            if process.poll() is not None:
                problems.append(f"{handle} ended with {process.returncode}")
            with open(self.log(handle), encoding="utf-8") as file:
                lines = file.read().splitlines()
            problems += [f"{handle}: {line}" for line in lines if not EXPECTED.match(line)]
            retries += sum("trying again" in line for line in lines)
        return problems, retries

    def __exit__(self, *_):
        for process in self.running.values():
            process.terminate()
            process.wait()


def kill_leaders(cluster, minutes):
    """Returns after how many seconds another node led, each time."""
    times, begun = [], time.monotonic()
    for number in range(int(60 * minutes) // KILL_EVERY_SECONDS):
        time.sleep(max(0, begun + (number + 1) * KILL_EVERY_SECONDS - time.monotonic()))
        before, killed = cluster.epoch(), time.monotonic()
        cluster.leader().kill()
        until(lambda: cluster.epoch() > before, LEADS_WITHIN_SECONDS, "another node leads")
        times.append(time.monotonic() - killed)
        cluster.repair()
    return times


def judge_replays(cluster):
    """What either verifier says against a replay, and how many there are."""
    key = read(f"{cluster.base}/api/official")["data"]["official"]["log"]["public_key"]
    paths = []
    for game in ended_games(cluster):
        paths.append(os.path.join(cluster.folder, f"{game}.json"))
        with open(paths[-1], "wb") as file:
            file.write(replay_with_log(cluster, game))
    with concurrent.futures.ProcessPoolExecutor() as pool:
        judged = pool.map(judge, *zip(*((cluster.binary, path, key) for path in paths)))
        return [why for why in judged if why], len(paths)


def main():
    exit_on_term()
    parser = argparse.ArgumentParser()
    parser.add_argument("hall")
    parser.add_argument("folder")
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    with Cluster(os.path.abspath(options.hall), os.path.abspath(options.folder)) as cluster:
        monitors = checks.Monitors(cluster)
        try:
            with Players(cluster) as players:
                times = kill_leaders(cluster, options.minutes)
                problems, retries = players.check()
            rejected, replays = judge_replays(cluster)
            problems += rejected + monitors.check()
        finally:
            monitors.stop()
        cluster.stop()
        problems += checks.check_journal(cluster)
    if not replays:
        problems.append("no game has ended")
    for problem in problems[:20]:
        print(f"FAILED {problem}")
    print(
        f"{len(times)} leaders killed, another led after {max(times):.1f} s at most; {replays} replays accepted by both "
        f"verifiers, {retries} requests tried again: {len(problems)} problems"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
