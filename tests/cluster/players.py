"""Agents that play through the proxy and keep a history of what they were told, and when."""

import collections
import http.client
import os
import random
import sys
import threading
import time
import traceback

from nacl.signing import SigningKey

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "agents"))

import python_agent  # noqa: E402  (it lies in the folder just named)

GAME = {"game": "connect_four", "variant": "standard", "division": "open"}


class Recorded(python_agent.Hall):
    """Calls of one agent, each with the times between which the request that was answered was under way."""

    def __init__(self, base, handle, history):
        super().__init__(base, handle, SigningKey.generate())
        self.history, self.sent = history, None

    def exchange(self, method, target, headers, raw):
        self.sent = time.monotonic()
        try:
            return super().exchange(method, target, headers, raw)
        except ValueError as error:
            # The page of a proxy that has no node to ask.
            self.connection, self.challenge = None, None
            raise OSError("not an answer of the hall") from error

    def call(self, method, path, query="", body=None):
        data = super().call(method, path, query, body)
        self.history.note(self.handle, self.sent, time.monotonic(), method, path, body, data)
        return data


class History:
    """What all agents have seen, in one list."""

    def __init__(self):
        self.lock = threading.Lock()
        self.moves, self.views, self.acknowledged = [], [], []
        self.losses, self.refusals = collections.Counter(), collections.Counter()

    def note(self, handle, sent, ended, method, path, body, data):
        with self.lock:
            if method == "POST" and path.endswith("/moves"):
                game, turn = body["game_id"], body["turn_index"]
                self.moves.append((sent, ended, handle, game, turn, data["verdict"]["notation"]))
            elif path.endswith("/view"):
                view = data["view"]
                self.views.append((sent, ended, handle, view["game_id"], view["turn_index"]))
            if method == "POST":
                self.acknowledged.append(ended)

    def lost(self, error):
        """A request without an answer."""
        with self.lock:
            self.losses[type(error).__name__] += 1

    def refused(self, code):
        with self.lock:
            self.refusals[code] += 1

    def newest_games(self):
        with self.lock:
            return {move[3] for move in self.moves[-8:]}

    def longest_silence(self, since):
        """The longest time without an acknowledged write since then, in seconds."""
        with self.lock:
            times = sorted(time for time in self.acknowledged if time >= since)
        return max(after - before for before, after in zip([since, *times], [*times, time.monotonic()]))

    def has_gone_on(self, since):
        """Whether a write that was sent after that was acknowledged."""
        with self.lock:
            return any(sent >= since for sent, *_ in self.moves[-100:])


def play(agent, stop, history, dice):
    """Plays one game after the other until it is told to stop."""
    while not stop.is_set():
        try:
            games = agent.call("GET", "/api/my/games", "?status=live")["games"]
            if not games:
                join(agent)
                time.sleep(0.05)
            for game in games:
                if game["your_turn"]:
                    move(agent, game["id"], dice)
            if games and not any(game["your_turn"] for game in games):
                agent.call("GET", "/api/my/games", "?status=live&your_turn=true&wait=1")
        except (OSError, http.client.HTTPException) as lost:
            history.lost(lost)
            time.sleep(0.2)
        except python_agent.Refused as refused:
            history.refused(refused.code)
            time.sleep(0.2)


def join(agent):
    try:
        agent.call("POST", "/api/lobby/join", body=GAME)
    except python_agent.Refused as refused:
        if refused.code != "ALREADY_IN_LOBBY":
            raise


def move(agent, game, dice):
    view = agent.call("GET", f"/api/games/{game}/view")["view"]
    if view["you"]["player"] in view["to_move"]:
        chosen = dice.choice(view["legal_moves"])
        agent.move(game, view["turn_index"], move=chosen["move"])


class Player(threading.Thread):
    """An agent that plays until it is told to stop."""

    def __init__(self, agent, stop, dice):
        super().__init__()
        self.agent, self.stop, self.dice, self.problems = agent, stop, dice, []

    def run(self):
        try:
            play(self.agent, self.stop, self.agent.history, self.dice)
        except Exception:  # the thread of an agent that ends early must be heard of
            self.problems.append(f"{self.agent.handle} ended with {traceback.format_exc()}")


class Crowd:
    """Agents that play until the end of the block."""

    def __init__(self, base, count, seed):
        self.history, self.stop, self.players = History(), threading.Event(), []
        for number in range(count):
            agent = Recorded(base, f"player-{number}", self.history)
            python_agent.enter(agent, f"operator of {number}")
            dice = random.Random(f"{seed} {number}")
            self.players.append(Player(agent, self.stop, dice))

    def __enter__(self):
        for player in self.players:
            player.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for player in self.players:
            player.join()

    def problems(self):
        handles = [player.agent.handle for player in self.players]
        moved = {handle for _, _, handle, *_ in self.history.moves}
        found = [problem for player in self.players for problem in player.problems]
        return found + [f"{handle} has made no move" for handle in handles if handle not in moved]
