"""What must hold after everything that was done: the histories of the agents against the games, the log and the journal."""

import collections
import concurrent.futures
import contextlib
import datetime
import os
import re
import subprocess
import time

from cluster import read
from servers import MOVE_SECONDS

# What an agent may be told while nobody leads, or when the answer to what it did was lost.
EXPLAINED = {"UNAVAILABLE", "CHALLENGE_UNKNOWN", "GAME_NOT_LIVE", "wrong_turn"}
EVENTS_AT_ONCE = 200
# More than end between the beginning of a leader and the look at what it gave.
ENDED_SINCE = 20
# A machine that has other work may keep the hall from its database for seconds; what was done for an hour is to be judged
# all the same.
ATTEMPTS = 10


def read_patiently(url):
    for _ in range(ATTEMPTS - 1):
        with contextlib.suppress(OSError):
            return read(url)
        time.sleep(1)
    return read(url)


def events_of(base, game):
    events, since = [], 0
    while True:
        page = read_patiently(f"{base}/api/games/{game}/events?since={since}&limit={EVENTS_AT_ONCE}")["data"]
        events += page["events"]
        if not page["events"] or page["events"][-1]["seq"] == page["last_seq"]:
            return events
        since = page["events"][-1]["seq"]


def check_game(cluster, key, game, acknowledged):
    """Every acknowledged move is in its game, once, and what ended verifies. Returns problems, and whether it ended."""
    problems = []
    record = read_patiently(f"{cluster.base}/api/games/{game}")["data"]["game"]
    moves = [event["event"]["data"] for event in events_of(cluster.base, game) if event["event"]["type"] == "move"]
    if [move["turn_index"] for move in moves] != list(range(len(moves))):
        problems.append(f"{game}: the turns are {[move['turn_index'] for move in moves]}")
    if any(move["forced"] for move in moves):
        problems.append(f"{game}: the hall acted in an agent's place: {[move for move in moves if move['forced']]}")
    if any(record["strikes"].values()):
        problems.append(f"{game}: strikes {record['strikes']}")
    played = {move["turn_index"]: move["notation"] for move in moves}
    told = collections.Counter(turn for _, turn, _ in acknowledged)
    problems += [f"{game} turn {turn} was acknowledged {count} times" for turn, count in told.items() if count > 1]
    problems += [
        f"{game} turn {turn}: {handle} was told {notation}, the game has {played.get(turn)}"
        for handle, turn, notation in acknowledged
        if played.get(turn) != notation
    ]
    if record["status"] == "ended":
        verified = cluster.hall("verify", f"{cluster.base}/api/games/{game}/replay", "--log-key", key)
        if verified.returncode != 0:
            problems.append(f"{game}: {verified.stdout}{verified.stderr}")
    return problems, record["status"] == "ended"


def live_games(cluster):
    """The ids of the games that are live, and the moment."""
    games = games_of(cluster, "live", 100)
    now = read_patiently(f"{cluster.base}/api/pulse")["data"]["time_utc"]
    return games, moment(now)


def games_of(cluster, status, limit):
    games = read_patiently(f"{cluster.base}/api/games?status={status}&limit={limit}")["data"]["games"]
    return {game["id"] for game in games}


def moment(text):
    return datetime.datetime.fromisoformat(text)


def check_gap(cluster, games, since):
    """Another leader has given every game that was live when it began the full time of its turn again."""
    # Those that were live before may all have ended before it began, and others have begun.
    games = games | games_of(cluster, "live", 100) | games_of(cluster, "ended", ENDED_SINCE)
    started, extended, ended = {}, {}, {}
    for game in games:
        for event in events_of(cluster.base, game):
            kind, at = event["event"]["type"], moment(event["created_at"])
            if kind == "deadline_extended" and at >= since:
                extended.setdefault(game, (at, moment(event["event"]["data"]["deadline_utc"])))
            elif kind == "game_started":
                started[game] = at
            elif kind == "game_ended":
                ended[game] = at
    if not extended:
        return [f"none of {len(games)} games has got its time again"]
    began = min(at for at, _ in extended.values())
    was_live = {game for game in games if started[game] < began and (game not in ended or ended[game] > began)}
    full = datetime.timedelta(seconds=MOVE_SECONDS)
    short = [game for game, (at, deadline) in extended.items() if deadline < at + full]
    return [f"{game} has not got its time again" for game in [*(was_live - extended.keys()), *short]]


def check_games(cluster, history):
    key = read_patiently(f"{cluster.base}/api/official")["data"]["official"]["log"]["public_key"]
    games = collections.defaultdict(list)
    for *_, handle, game, turn, notation in history.moves:
        games[game].append((handle, turn, notation))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # The newest first: nobody plays any more, and those that have not ended get strikes when their time is up.
        judged = list(pool.map(lambda item: check_game(cluster, key, *item), reversed(games.items())))
    return [problem for problems, _ in judged for problem in problems], len(games), sum(ended for _, ended in judged)


def check_reads(history):
    """A signed read shows at least what had been acknowledged when its request, and so its challenge, was sent."""
    problems = []
    acknowledged = collections.defaultdict(list)
    for _, ended, _, game, turn, _ in history.moves:
        acknowledged[game].append((ended, turn))
    for sent, _, handle, game, turn in history.views:
        newest = max((done for ended, done in acknowledged[game] if ended < sent), default=-1)
        if turn <= newest:
            problems.append(f"{handle} read turn {turn} of {game} after turn {newest} had been acknowledged")
    return problems


def check_troubles(history):
    """Agents met nothing but lost connections and what the hall says while nobody leads."""
    return [
        f"an agent was told {kind} {count} times"
        for kind, count in history.refusals.items()
        if kind not in EXPLAINED
    ]


def check_conformance(cluster):
    """The public contract, each request at another node."""
    conformed = cluster.hall("conform", cluster.base)
    *claims, counted = conformed.stdout.splitlines()
    failed = [claim for claim in claims if claim.startswith(" ") and not claim.startswith("  holds ")]
    print(f"conformance through the proxy: {counted}", *failed, sep="\n", flush=True)
    return [] if conformed.returncode == 0 else [f"conformance through the proxy: {counted} {conformed.stderr}"]


class Monitors:
    """One that follows the log through the proxy, and one at each node."""

    def __init__(self, cluster):
        self.cluster = cluster
        places = {"proxy": cluster.base, **{node.name: node.base for node in cluster.nodes}}
        self.folders = {name: os.path.join(cluster.folder, f"monitor-{name}") for name in places}
        self.running = {name: self.start(base, self.folders[name]) for name, base in places.items()}

    def start(self, base, folder):
        command = [self.cluster.binary, "monitor", base, "--every", "1", "--keep", folder]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check(self):
        """Every checkpoint that any of them has seen is one of the log as it is now."""
        problems = []
        for name, running in self.running.items():
            running.terminate()
            if running.wait() != 0:
                problems.append(f"the monitor at {name} ended with {running.returncode}")
            last = self.cluster.hall("monitor", self.cluster.base, "--once", "--keep", self.folders[name])
            if last.returncode != 0:
                problems.append(f"what the monitor at {name} has seen: {last.stdout}{last.stderr}")
        return problems

    def stop(self):
        for running in self.running.values():
            running.kill()
            running.wait()


def check_journal(cluster):
    """The journal is as it was written, and its copy in a folder makes the same state. The nodes must be stopped."""
    folder = f"fjall:{os.path.join(cluster.folder, 'copy')}"
    keys = os.path.join(cluster.folder, "keys")
    told = [
        cluster.hall("verify-journal", cluster.database()),
        cluster.hall("copy", "--from", cluster.database(), "--to", folder, "--keys", keys),
        cluster.hall("verify-journal", folder),
    ]
    print(told[0].stdout.strip())
    problems = [f"{one.args}: {one.stdout}{one.stderr}" for one in told if one.returncode != 0]
    digests = {digest for one in told for digest in re.findall(r"digest (\w+)", one.stdout)}
    if not problems and len(digests) != 1:
        problems.append(f"the journal and its copy make states with digests {sorted(digests)}")
    return problems
