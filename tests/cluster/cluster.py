"""A hall of three nodes over a primary and a standby, with a proxy in front and wires in between."""

import contextlib
import json
import os
import subprocess
import urllib.request

from databases import Databases
from forwarder import Network
from servers import Node, Proxy
from waiting import until

NODES = 3
BACK_WITHIN_SECONDS = 60
# A node that reaches leader and database follows again within this time.
WHOLE_WITHIN_SECONDS = 20


def read(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.loads(answer.read())


class Cluster:
    """All of it, from the first start to the last stop."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.open = binary, folder, contextlib.ExitStack()

    def __enter__(self):
        os.makedirs(self.folder, exist_ok=True)
        with contextlib.ExitStack() as opening:
            names = [f"{kind}-{number}" for kind in ("database", "link") for number in range(NODES)]
            network = opening.enter_context(Network(["replication", *names]))
            self.databases = opening.enter_context(self.open_databases(network))
            self.nodes = [
                Node(self.binary, self.folder, f"node-{number}", network[f"database-{number}"], network[f"link-{number}"])
                for number in range(NODES)
            ]
            opening.callback(self.kill_nodes)
            self.proxy = opening.enter_context(Proxy(self.folder, self.nodes))
            self.base = self.proxy.base
            for node in self.nodes:
                node.settings["server.base_url"] = self.base
            self.point_at_primary()
            self.bring_back()
            until(self.proxy_answers, BACK_WITHIN_SECONDS, "the proxy answers")
            self.open = opening.pop_all()
        return self

    def open_databases(self, network):
        return Databases(self.folder, network["replication"])

    def __exit__(self, *_):
        self.open.close()

    def kill_nodes(self):
        for node in self.nodes:
            if node.runs():
                node.kill()

    def proxy_answers(self):
        try:
            return read(f"{self.base}/healthz")["status"] == "ok"
        except (OSError, ValueError):
            return False

    def leader(self):
        owner = self.databases.query("select owner from hall.part")
        return next(node for node in self.nodes if node.name == owner.split()[0])

    def epoch(self):
        return int(self.databases.query("select epoch from hall.part"))

    def followers(self):
        leader = self.leader()
        return [node for node in self.nodes if node is not leader]

    def point_at_primary(self):
        """New connections to the database go to the server that is the primary now."""
        for node in self.nodes:
            node.database.point(self.databases.primary.socket)

    def bring_back(self):
        until(self.are_back, BACK_WITHIN_SECONDS, "every node answers")

    def are_back(self):
        # One that finds out late that it was replaced begins anew late.
        for node in self.nodes:
            if not node.runs():
                node.start()
        return all(node.is_ready() for node in self.nodes)

    def repair(self):
        """Completes the database again, and waits until every node leads or follows."""
        self.databases.repair()
        until(self.is_whole, WHOLE_WITHIN_SECONDS, "every node leads or follows")

    def is_whole(self):
        self.are_back()
        roles = [node.role() for node in self.nodes]
        return roles.count("leader") == 1 and roles.count("follower") == NODES - 1

    def stop(self):
        """Ends the nodes in good order; the database goes on."""
        for node in self.nodes:
            node.stop()

    def hall(self, *words):
        """Runs a command of the hall to its end."""
        return subprocess.run([self.binary, *words], capture_output=True, text=True, check=False)

    def database(self):
        """The database as commands of the hall name it."""
        return f"postgres:{self.databases.connection}"
