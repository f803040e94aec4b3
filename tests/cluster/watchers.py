"""Readers of what is public, each at one node: over one connection nothing may go back."""

import http.client
import json
import threading
import traceback

LOOK_SECONDS = 0.05


class Watcher(threading.Thread):
    """Looks at one node, over one connection for as long as that lives."""

    def __init__(self, node, history, stop):
        super().__init__()
        self.node, self.history, self.stop = node, history, stop
        self.looks, self.problems = 0, []

    def run(self):
        while not self.stop.wait(LOOK_SECONDS):
            connection, seen = http.client.HTTPConnection("127.0.0.1", self.node.port, timeout=30), {}
            # Where the node closes it, it is not opened again behind the watcher's back.
            connection.auto_open = 0
            try:
                connection.connect()
                while not self.stop.wait(LOOK_SECONDS):
                    self.look(connection, seen)
            except (OSError, http.client.HTTPException):
                pass
            except Exception:  # it must go on, and be heard of
                met = f"the watcher of {self.node.name} met {traceback.format_exc()}"
                self.problems += [met] if met not in self.problems else []
            connection.close()

    def look(self, connection, seen):
        pulse = self.ask(connection, "/api/pulse")
        # Over this connection it was there before, and what is public goes on without a leader.
        if seen and not pulse:
            self.problems.append(f"{self.node.name} showed its pulse no more")
        for name in ("log_size", "ended_games", "docket_size") if pulse else ():
            self.advance(seen, name, pulse[name])
        checkpoint = self.ask(connection, "/api/checkpoint")
        if checkpoint:
            self.advance(seen, "tree_size", checkpoint["checkpoint"]["tree_size"])
        for game in self.history.newest_games():
            answer = self.ask(connection, f"/api/games/{game}")
            if answer:
                record = answer["game"]
                self.advance(seen, game, (record["turn_index"], record["status"] == "ended"))
        self.looks += 1

    def ask(self, connection, path):
        """The data of an answer; `None` where the node has none, as one that is just starting."""
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        return json.loads(body)["data"] if answer.status == 200 else None

    def advance(self, seen, what, value):
        if what in seen and value < seen[what]:
            self.problems.append(f"{self.node.name} showed {what} at {value} after {seen[what]}")
        seen[what] = value


class Watch:
    """A watcher at each node until the end of the block."""

    def __init__(self, nodes, history):
        self.stop = threading.Event()
        self.watchers = [Watcher(node, history, self.stop) for node in nodes]

    def __enter__(self):
        for watcher in self.watchers:
            watcher.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for watcher in self.watchers:
            watcher.join()

    def problems(self):
        found = [problem for watcher in self.watchers for problem in watcher.problems]
        return found + [f"nobody looked at {watcher.node.name}" for watcher in self.watchers if not watcher.looks]

    def looks(self):
        return sum(watcher.looks for watcher in self.watchers)
