#!/usr/bin/env python3
"""A hall of three nodes that loses its leader, its database and its links again and again, while agents play.

    python3 failovers.py PATH_TO_HALL FOLDER [--failovers N] [--only FAULT]... [--agents N] [--seed N]

Brings every fault of faults.py about at least once, and goes on until another node has led N times. Needs Debian's
postgresql and haproxy, and the packages of ../interop/requirements.txt. Afterwards the histories of the agents, the
journal, the log and all replays are checked: no acknowledged move is lost or doubled, no read was older than what had been
acknowledged, nobody got a strike, and the log was never rewritten. Prints what it did, and ends with 1 if something did
not hold.
"""

import argparse
import os
import random
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "interop"))

import checks  # noqa: E402
from cluster import Cluster  # noqa: E402
from faults import FAULTS  # noqa: E402
from players import Crowd  # noqa: E402
from running_hall import exit_on_term  # noqa: E402  (it lies in the folder just named)
from waiting import until  # noqa: E402
from watchers import Watch  # noqa: E402

CALM_SECONDS = 0.5
GOES_ON_WITHIN_SECONDS = 30


class Disturbance:
    """Brings faults about, and measures for how long no write was acknowledged."""

    def __init__(self, cluster, history, dice):
        self.cluster, self.history, self.dice = cluster, history, dice
        self.silences, self.failovers, self.problems, self.begun = {}, 0, [], time.monotonic()

    def go_on(self, faults, are_enough):
        """Each fault once, in rounds of another order each, until it is enough."""
        while not self.silences or not are_enough(self):
            for fault in self.dice.sample(faults, len(faults)):
                self.bring_about(fault)

    def bring_about(self, fault):
        cluster, history = self.cluster, self.history
        time.sleep(CALM_SECONDS + self.dice.random())
        games, live_at = checks.live_games(cluster)
        before, since = cluster.epoch(), time.monotonic()
        try:
            since = fault.act(cluster, self.dice) or since
        except RuntimeError as failed:
            self.problems.append(f"{fault.name}: {failed}")
        done = time.monotonic()
        cluster.bring_back()
        if fault.changes_leader:
            self.expect(lambda: cluster.epoch() > before, f"another epoch after {fault.name}")
        self.expect(lambda: history.has_gone_on(done), f"moves after {fault.name}")
        silence = history.longest_silence(since)
        if cluster.epoch() > before:
            self.problems += [f"{fault.name}: {problem}" for problem in checks.check_gap(cluster, games, live_at)]
        cluster.repair()
        self.silences.setdefault(fault, []).append(silence)
        self.failovers += cluster.epoch() > before
        told = f"{fault.name}: {silence:.2f} s without an acknowledged write"
        print(f"{sum(map(len, self.silences.values())):3} {told}", flush=True)
        if silence > fault.within:
            self.problems.append(f"{told}, {fault.within} s are allowed")

    def expect(self, what, words):
        try:
            until(what, GOES_ON_WITHIN_SECONDS, words)
        except RuntimeError as late:
            self.problems.append(str(late))

    def summary(self):
        for fault, times in self.silences.items():
            print(f"{fault.name}: median {statistics.median(times):.2f} s, longest {max(times):.2f} s")


def run(cluster, options, faults, are_enough):
    nodes = cluster.leader().admin("nodes")
    print(f"{nodes['leader']} leads, {[follower['node'] for follower in nodes['followers']]} follow", flush=True)
    problems = checks.check_conformance(cluster)
    monitors = checks.Monitors(cluster)
    try:
        with Crowd(cluster.base, options.agents, options.seed) as crowd:
            history = crowd.history
            disturbance = Disturbance(cluster, history, random.Random(options.seed))
            with Watch(cluster.nodes, history) as watch:
                disturbance.go_on(faults, are_enough)
        problems += disturbance.problems + watch.problems() + crowd.problems()
        found, games, ended = checks.check_games(cluster, history)
        problems += found + checks.check_reads(history) + checks.check_troubles(history) + monitors.check()
    finally:
        monitors.stop()
    cluster.stop()
    problems += checks.check_journal(cluster)
    disturbance.summary()
    print(
        f"{disturbance.failovers} fail-overs; {len(history.moves)} acknowledged moves in {games} games ({ended} ended and "
        f"verified), {len(history.views)} signed reads, {watch.looks()} unsigned looks; what the agents met: "
        f"{dict(history.losses)} {dict(history.refusals)}"
    )
    return problems


def arguments(faults):
    """What any program takes that brings these faults about."""
    parser = argparse.ArgumentParser()
    parser.add_argument("hall")
    parser.add_argument("folder")
    parser.add_argument("--only", action="append", choices=[fault.name for fault in faults])
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    return parser


def judge(kind, options, faults, are_enough):
    """Takes a cluster of this kind through the faults, and prints what did not hold. Returns the exit code."""
    exit_on_term()
    begun = time.monotonic()
    faults = [fault for fault in faults if not options.only or fault.name in options.only]
    with kind(os.path.abspath(options.hall), os.path.abspath(options.folder)) as cluster:
        problems = run(cluster, options, faults, are_enough)
    for problem in problems[:20]:
        print(f"FAILED {problem}")
    print(f"{len(problems)} problems after {time.monotonic() - begun:.0f} s")
    return 1 if problems else 0


def main():
    parser = arguments(FAULTS)
    parser.add_argument("--failovers", type=int, default=12)
    options = parser.parse_args()
    return judge(Cluster, options, FAULTS, lambda disturbance: disturbance.failovers >= options.failovers)


if __name__ == "__main__":
    sys.exit(main())
