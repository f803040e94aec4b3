#!/usr/bin/env python3
"""A hall of three nodes whose leader is killed, paused, stopped or cut off again and again, while agents play.

    python3 failovers.py PATH_TO_HALL FOLDER [--failovers N] [--agents N] [--seed N]

Needs Debian's postgresql and haproxy, and the packages of ../interop/requirements.txt. Afterwards the histories of the
agents, the journal, the log and all replays are checked: no acknowledged move is lost or doubled, no read was older than
what had been acknowledged, nobody got a strike, and the log was never rewritten. Prints what it did, and ends with 1 if
something did not hold.
"""

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
import urllib.request

from players import Crowd
from servers import Node, Postgres, Proxy, until

LEADS_WITHIN_SECONDS = 10
HANDED_OVER_WITHIN_SECONDS = 2
NODES = 3
# Longer than the lease, so that another node leads when it wakes up.
PAUSE_SECONDS = 8
CALM_SECONDS = 2


def read(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.loads(answer.read())


class Cluster:
    """The nodes, and who of them leads."""

    def __init__(self, nodes, database):
        self.nodes, self.database = nodes, database

    def leader(self):
        owner = self.database.query("select owner from hall.part")
        return next(node for node in self.nodes if node.name == owner.split()[0])

    def epoch(self):
        return int(self.database.query("select epoch from hall.part"))

    def followers(self):
        leader = self.leader()
        return [node for node in self.nodes if node is not leader]

    def bring_back(self):
        for node in self.nodes:
            if not node.runs():
                node.start()
        for node in self.nodes:
            until(node.is_ready, 60, f"{node.name} is back")


def kill_leader(cluster):
    cluster.leader().kill()


def pause_leader(cluster):
    leader = cluster.leader()
    leader.send(signal.SIGSTOP)
    time.sleep(PAUSE_SECONDS)
    leader.send(signal.SIGCONT)
    # It finds out that it was replaced, and ends.
    until(lambda: not leader.runs(), 30, "the paused leader has ended")


def stop_leader(cluster):
    cluster.leader().stop()


def hand_over(cluster):
    follower = cluster.followers()[0]
    told = follower.admin("lead")
    if not told["leads"] or cluster.leader() is not follower:
        raise RuntimeError(f"{follower.name} was asked to lead, and says {told}")


def kill_follower_and_leader(cluster):
    cluster.followers()[0].kill()
    cluster.leader().kill()


def crash_database(cluster):
    cluster.database.stop(signal.SIGQUIT)
    cluster.database.start()


def kill_all(cluster):
    for node in cluster.nodes:
        node.kill()
    cluster.bring_back()


FAULTS = [kill_leader, hand_over, pause_leader, stop_leader, kill_follower_and_leader, crash_database, kill_all]


def disturb(cluster, crowd, count, dice):
    """Brings faults about, and measures how long no write was acknowledged."""
    silences = {}
    for number in range(count):
        fault = FAULTS[number % len(FAULTS)] if count >= len(FAULTS) else dice.choice(FAULTS)
        time.sleep(CALM_SECONDS + dice.random())
        before, since = cluster.epoch(), time.monotonic()
        fault(cluster)
        done = time.monotonic()
        cluster.bring_back()
        if fault is not crash_database:
            until(lambda: cluster.epoch() > before, 60, f"another epoch after {fault.__name__}")
        until(lambda: crowd.history.has_gone_on(done), 60, f"moves after {fault.__name__}")
        silence = crowd.history.longest_silence(since)
        silences.setdefault(fault.__name__, []).append(silence)
        print(f"{number + 1:3} {fault.__name__}: {silence:.2f} s without an acknowledged write", flush=True)
    return silences


def check_replays(base, binary, history):
    """Every acknowledged move is in its game, once, and every ended game verifies."""
    games = {move[3] for move in history.moves}
    problems, replays = [], {}
    for game in sorted(games):
        record = read(f"{base}/api/games/{game}")["data"]["game"]
        if record["status"] == "ended":
            replay = read(f"{base}/api/games/{game}/replay")["data"]["replay"]
            replays[game] = {move["turn_index"]: move for move in replay["moves"]}
            forced = [move for move in replay["moves"] if move["forced"]]
            if forced:
                problems.append(f"{game}: the hall acted in an agent's place: {forced}")
            verified = subprocess.run(
                [binary, "verify", "-"], input=json.dumps(replay), text=True, capture_output=True, check=False
            )
            if verified.returncode != 0:
                problems.append(f"{game}: {verified.stdout}{verified.stderr}")
    for *_, handle, game, turn, notation in history.moves:
        if game in replays:
            played = replays[game].get(turn, {}).get("notation")
            if played != notation:
                problems.append(f"{game} turn {turn}: {handle} was told {notation}, the replay has {played}")
    return problems, len(games), len(replays)


def check_reads(history):
    """A signed read shows at least what had been acknowledged when it began."""
    problems = []
    acknowledged = {}
    for _, ended, _, game, turn, _ in history.moves:
        acknowledged.setdefault(game, []).append((ended, turn))
    for begun, _, handle, game, turn in history.views:
        newest = max((done for ended, done in acknowledged.get(game, []) if ended < begun), default=-1)
        if turn <= newest:
            problems.append(f"{handle} read turn {turn} of {game} after turn {newest} had been acknowledged")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hall")
    parser.add_argument("folder")
    parser.add_argument("--failovers", type=int, default=12)
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    binary, folder = os.path.abspath(options.hall), os.path.abspath(options.folder)
    os.makedirs(folder, exist_ok=True)
    with Postgres(os.path.join(folder, "postgres")) as database:
        settings = {"storage.postgres": database.connection}
        nodes = [Node(binary, folder, f"node-{number}", settings) for number in range(NODES)]
        try:
            with Proxy(folder, nodes) as proxy:
                problems = run(Cluster(nodes, database), proxy, binary, folder, options)
        finally:
            for node in nodes:
                if node.runs():
                    node.kill()
        verified = subprocess.run(
            [binary, "verify-journal", f"postgres:{database.connection}"], capture_output=True, text=True, check=False
        )
        print(verified.stdout.strip())
        if verified.returncode != 0:
            problems.append(f"the journal: {verified.stdout}{verified.stderr}")
    for problem in problems[:20]:
        print(f"FAILED {problem}")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


def run(cluster, proxy, binary, folder, options):
    for node in cluster.nodes:
        node.settings["server.base_url"] = proxy.base
    cluster.bring_back()
    until(lambda: proxy_answers(proxy), 30, "the proxy answers")
    nodes = cluster.leader().admin("nodes")
    print(f"{nodes['leader']} leads, {[follower['node'] for follower in nodes['followers']]} follow", flush=True)
    conformed = subprocess.run([binary, "conform", proxy.base], capture_output=True, text=True, check=False)
    print(f"conformance through the proxy: {conformed.stdout.strip().splitlines()[-1]}", flush=True)
    monitor = subprocess.Popen(
        [binary, "monitor", proxy.base, "--every", "1", "--keep", os.path.join(folder, "monitor")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with Crowd(proxy.base, options.agents, options.seed) as crowd:
        silences = disturb(cluster, crowd, options.failovers, random.Random(options.seed))
    history = crowd.history
    problems, games, ended = check_replays(proxy.base, binary, history)
    problems += check_reads(history)
    if conformed.returncode != 0:
        problems.append(f"conformance: {conformed.stdout}{conformed.stderr}")
    monitor.terminate()
    if monitor.wait() != 0:
        problems.append("the monitor of the log raised an alarm")
    for node in cluster.nodes:
        node.stop()
    for fault, times in silences.items():
        print(f"{fault}: median {statistics.median(times):.2f} s, longest {max(times):.2f} s")
        if max(times) > (HANDED_OVER_WITHIN_SECONDS if fault == "hand_over" else LEADS_WITHIN_SECONDS):
            problems.append(f"{fault}: no write for {max(times):.1f} s")
    print(
        f"{len(history.moves)} acknowledged moves in {games} games ({ended} ended and verified), {len(history.views)} signed "
        f"reads; what the agents met: {history.troubles}"
    )
    return problems


def proxy_answers(proxy):
    try:
        return read(f"{proxy.base}/healthz")["status"] == "ok"
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    sys.exit(main())
