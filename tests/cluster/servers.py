"""What a hall on several machines consists of, on one machine: PostgreSQL, nodes, and a proxy without affinity.

Every server has a folder of its own and listens on free ports of 127.0.0.1. They are ended by their ids.
"""

import glob
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

READY_WITHIN_SECONDS = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(what, seconds, words):
    """Waits until `what()` is true."""
    give_up = time.monotonic() + seconds
    while not what():
        if time.monotonic() > give_up:
            raise RuntimeError(f"not within {seconds} s: {words}")
        time.sleep(0.02)


class Postgres:
    """A database server of its own, reached over a Unix socket."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.data = os.path.join(folder, "data")
        self.binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        # It refuses to run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        self.process = None

    def __enter__(self):
        os.makedirs(self.folder, exist_ok=True)
        if self.user:
            os.chown(self.folder, pwd.getpwnam(self.user).pw_uid, -1)
        self.run("initdb", "-D", self.data, "-U", "hall", "-A", "trust")
        self.start()
        self.run("createdb", "-h", self.folder, "-p", str(self.port), "-U", "hall", "hall")
        return self

    def run(self, program, *arguments):
        command = [os.path.join(self.binaries, program), *arguments]
        return subprocess.run(
            command, user=self.user, cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout

    def start(self):
        listens = ["-k", self.folder, "-c", "listen_addresses=", "-p", str(self.port)]
        with open(os.path.join(self.folder, "server.log"), "ab") as log:
            command = [os.path.join(self.binaries, "postgres"), "-D", self.data, *listens]
            self.process = subprocess.Popen(command, user=self.user, cwd=self.folder, stdout=log, stderr=log)
        until(self.answers, READY_WITHIN_SECONDS, "the database answers")

    def answers(self):
        try:
            self.run("pg_isready", "-h", self.folder, "-p", str(self.port))
        except subprocess.CalledProcessError:
            return False
        return True

    def query(self, sql):
        where = ["-h", self.folder, "-p", str(self.port), "-U", "hall", "-d", "hall"]
        return self.run("psql", *where, "-qAtc", sql).strip()

    @property
    def connection(self):
        return f"host={self.folder} port={self.port} user=hall dbname=hall"

    def stop(self, how=signal.SIGINT):
        """Ends it; SIGQUIT is a crash."""
        self.process.send_signal(how)
        self.process.wait(60)

    def __exit__(self, *_):
        self.stop()


class Node:
    """One process of the hall."""

    def __init__(self, binary, folder, name, settings):
        self.binary, self.name, self.process = binary, name, None
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder, exist_ok=True)
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.settings = {
            "server.listen": f"127.0.0.1:{self.port}",
            "storage.engine": "postgres",
            "storage.path": os.path.join(self.folder, "data"),
            "keys.path": os.path.join(folder, "keys"),
            "cluster.name": name,
            "limits.requests_per_minute": 0,
            "limits.joins_per_day": 0,
            "beacon.relays": "",
            **settings,
        }

    def start(self):
        assignments = [part for key, value in self.settings.items() for part in ("--set", f"{key}={value}")]
        with open(os.path.join(self.folder, "hall.log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", *assignments], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"{self.base}/readyz", timeout=2) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def admin(self, *words):
        """What a command of the operator answers at this node."""
        where = f"storage.path={self.settings['storage.path']}"
        command = [self.binary, "admin", "--set", where, *words]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def send(self, which):
        self.process.send_signal(which)

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.send(signal.SIGTERM)
        code = self.process.wait(60)
        if code != 0:
            raise RuntimeError(f"{self.name} ended with {code}: see {self.folder}/hall.log")


class Proxy:
    """HAProxy before the nodes: each request goes to the next one."""

    def __init__(self, folder, nodes):
        self.folder, self.nodes, self.process = os.path.join(folder, "proxy"), nodes, None
        os.makedirs(self.folder, exist_ok=True)
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        servers = "".join(
            f"    server {node.name} 127.0.0.1:{node.port} check inter 500ms fall 1 rise 1\n" for node in self.nodes
        )
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


# A connection that cannot be made is tried at the next node; a request that was sent is never sent again.
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
{servers}"""
