"""The nodes of a hall, and a proxy without affinity before them.

Every server has a folder of its own and listens on free ports of 127.0.0.1. They are ended by their ids.
"""

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import urllib.request

STOPPED_WITHIN_SECONDS = 60
# For one move in the game that is played.
MOVE_SECONDS = 300
# Below those that Linux gives to outgoing connections.
PORTS = (16_384, 32_768)
# As it was told, or killed: one that was replaced, or does not know what it has written, begins anew.
ENDS = (0, -signal.SIGKILL)


def free_port():
    """A port that no connection gets from the system, so that it stays free while its server is down."""
    while True:
        port = random.randrange(*PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Node:
    """One process of the hall. It reaches the database over one wire, and the others reach its link over another one."""

    def __init__(self, binary, folder, name, database, link):
        self.binary, self.name, self.process = binary, name, None
        self.database, self.link = database, link
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder, exist_ok=True)
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        link_port = free_port()
        link.point(link_port)
        self.settings = {
            "server.listen": f"127.0.0.1:{self.port}",
            "storage.engine": "postgres",
            "storage.postgres": f"host=127.0.0.1 port={database.port} user=hall dbname=hall",
            "storage.path": os.path.join(self.folder, "data"),
            "keys.path": os.path.join(folder, "keys"),
            "cluster.name": name,
            "cluster.listen": f"127.0.0.1:{link_port}",
            "cluster.address": f"127.0.0.1:{link.port}",
            "limits.requests_per_minute": 0,
            "limits.joins_per_day": 0,
            "games.connect_four.move_seconds": MOVE_SECONDS,
            "beacon.relays": "",
        }

    def start(self):
        if self.process is not None and self.process.poll() not in ENDS:
            raise RuntimeError(f"{self.name} ended with {self.process.poll()}: see {self.folder}/hall.log")
        assignments = [part for key, value in self.settings.items() for part in ("--set", f"{key}={value}")]
        with open(os.path.join(self.folder, "hall.log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", *assignments], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def readiness(self):
        """What it says of itself to a balancer; nothing while it does not answer or takes no writes."""
        try:
            with urllib.request.urlopen(f"{self.base}/readyz", timeout=2) as answer:
                return json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            return {}

    def is_ready(self):
        return self.readiness().get("status") == "ready"

    def role(self):
        """"leader", "follower", or "alone" if it reaches no leader; nothing while it does not answer."""
        return self.readiness().get("node", {}).get("role")

    def admin(self, *words):
        """What a command of the operator answers at this node."""
        where = f"storage.path={self.settings['storage.path']}"
        command = [self.binary, "admin", "--set", where, *words]
        told = subprocess.run(command, check=False, capture_output=True, text=True)
        if told.returncode != 0:
            raise RuntimeError(f"{self.name}: hall admin {' '.join(words)}: {told.stdout}{told.stderr}")
        return json.loads(told.stdout)

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def send(self, which):
        self.process.send_signal(which)

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.send(signal.SIGTERM)
        code = self.process.wait(STOPPED_WITHIN_SECONDS)
        if code != 0:
            raise RuntimeError(f"{self.name} ended with {code}: see {self.folder}/hall.log")

    def stop_without_database(self):
        """It loses its database while it stops. It ends, and tells by its exit code if it could not write everything."""
        self.send(signal.SIGTERM)
        self.database.refuse()
        try:
            code = self.process.wait(STOPPED_WITHIN_SECONDS)
        finally:
            self.database.heal()
        if code not in (0, 3):
            raise RuntimeError(f"{self.name} ended with {code}: see {self.folder}/hall.log")
        self.process = None


class Proxy:
    """HAProxy before the nodes: each request goes to the next one."""

    def __init__(self, folder, nodes):
        self.folder, self.nodes, self.process = os.path.join(folder, "proxy"), nodes, None
        os.makedirs(self.folder, exist_ok=True)
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        servers = "".join(f"    server {node.name} 127.0.0.1:{node.port}\n" for node in self.nodes)
        path = os.path.join(self.folder, "haproxy.cfg")
        with open(path, "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(port=self.port, servers=servers))
        program = shutil.which("haproxy", path=os.environ.get("PATH", "") + ":/usr/sbin")
        with open(os.path.join(self.folder, "haproxy.log"), "wb") as log:
            self.process = subprocess.Popen([program, "-db", "-f", path], stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


# A connection that cannot be made is tried at the next node; a request that was sent is never sent again. Who waits for a
# node that answers no more is told so.
CONFIGURATION = """\
defaults
    mode http
    timeout connect 1s
    timeout client 90s
    timeout server 90s
    option redispatch 1
    retries 3
    retry-on conn-failure

frontend agents
    bind 127.0.0.1:{port}
    default_backend nodes

backend nodes
    balance roundrobin
    option httpchk GET /readyz
    default-server check inter 500ms fall 1 rise 1 on-marked-down shutdown-sessions
{servers}"""
