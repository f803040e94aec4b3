"""A PostgreSQL cluster that Patroni runs: three members, and etcd, in which they agree on the primary.

Each member is what would be one machine: Patroni, and the PostgreSQL server that it starts. They are ended by their ids.
"""

import contextlib
import http.client
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import urllib.request

from databases import QUERY_WITHIN_SECONDS, Server, send_all
from servers import free_port
from waiting import until

MEMBERS = 3
SCOPE = "hall"
# The least that Patroni takes. So long after its last sign of life another member may replace the primary.
LOST_AFTER_SECONDS = 20
LOOK_SECONDS = 2
AGREED_WITHIN_SECONDS = 180
STOPPED_WITHIN_SECONDS = 60
CONFIRMED_WITHIN_SECONDS = 2
# What the members hold of the cluster's settings in etcd. No commit is confirmed before a second member has it.
AGREED = {
    "ttl": LOST_AFTER_SECONDS,
    "loop_wait": LOOK_SECONDS,
    "retry_timeout": 5,
    "synchronous_mode": True,
    "synchronous_mode_strict": True,
    "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": {"max_connections": 100}},
}
TRUSTED = ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]


class Etcd:
    """One server of etcd."""

    def __init__(self, folder):
        self.folder, self.port, self.peers, self.process = folder, free_port(), free_port(), None
        os.makedirs(folder)

    def start(self):
        clients, peers = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.peers}"
        words = ["--name", "etcd", "--data-dir", os.path.join(self.folder, "data")]
        words += ["--listen-client-urls", clients, "--advertise-client-urls", clients]
        words += ["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", f"etcd={peers}"]
        with open(os.path.join(self.folder, "etcd.log"), "ab") as log:
            self.process = subprocess.Popen(["etcd", *words], cwd=self.folder, stdout=log, stderr=log)

    def send(self, which):
        self.process.send_signal(which)

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait()


class Member(Server):
    """Patroni with its server. What it holds besides its data is a copy of what etcd has."""

    def __init__(self, folder, name, etcd):
        super().__init__(folder)
        self.name, self.port, self.asked = name, free_port(), free_port()
        self.settings = os.path.join(folder, "patroni.yml")
        with open(self.settings, "w", encoding="utf-8") as file:
            # Every JSON document is one of YAML.
            json.dump(self.configuration(etcd), file, indent=1)

    def configuration(self, etcd):
        roles = {"superuser": {"username": "postgres"}, "replication": {"username": "standby"}}
        return {
            "scope": SCOPE,
            "name": self.name,
            "etcd3": {"host": f"127.0.0.1:{etcd.port}"},
            "restapi": {"listen": f"127.0.0.1:{self.asked}", "connect_address": f"127.0.0.1:{self.asked}"},
            "bootstrap": {"dcs": AGREED, "initdb": ["data-checksums", {"auth": "trust"}]},
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}",
                "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": self.data,
                "bin_dir": self.binaries,
                "pgpass": os.path.join(self.folder, "pgpass"),
                "authentication": roles,
                "pg_hba": TRUSTED,
                "parameters": {"unix_socket_directories": self.folder, "dynamic_shared_memory_type": "mmap"},
            },
        }

    @property
    def connection(self):
        return f"host=127.0.0.1 port={self.port} user=hall"

    def start(self):
        with open(os.path.join(self.folder, "patroni.log"), "ab") as log:
            command = [program("patroni"), self.settings]
            self.process = subprocess.Popen(command, user=self.user, cwd=self.folder, stdout=log, stderr=log)

    def ask(self, path):
        """Patroni's answer: its status and what it says; nothing while it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.asked}{path}", timeout=1) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            return refused.code, None
        except (OSError, http.client.HTTPException, ValueError):
            return None, None

    def leads(self):
        """Whether this is the primary, by what Patroni says to a balancer."""
        return self.ask("/primary")[0] == 200

    def server(self):
        """The id of the server's first process; nothing where there is none."""
        try:
            with open(os.path.join(self.data, "postmaster.pid"), encoding="ascii") as file:
                found = int(file.readline())
            # The file outlives a server that is killed, and the id may be that of another process then.
            return found if os.readlink(f"/proc/{found}/cwd") == self.data else None
        except (OSError, ValueError):
            return None

    def send_server(self, which):
        """Sends a signal to the server with all its processes."""
        server = self.server()
        if server:
            with contextlib.suppress(ProcessLookupError):
                send_all(server, which)

    def hang(self):
        """As if the machine hung."""
        self.process.send_signal(signal.SIGSTOP)
        self.send_server(signal.SIGSTOP)

    def wake(self):
        self.send_server(signal.SIGCONT)
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        """As if the machine lost its power."""
        self.process.kill()
        self.process.wait()
        self.send_server(signal.SIGKILL)


def program(name):
    """One of those that came with the packages of this Python."""
    return os.path.join(os.path.dirname(sys.executable), name)


class Members:
    """All of them, and etcd."""

    def __init__(self, folder):
        self.etcd = Etcd(os.path.join(folder, "etcd"))
        names = [f"member-{number}" for number in range(MEMBERS)]
        self.members = [Member(os.path.join(folder, name), name, self.etcd) for name in names]

    def __enter__(self):
        with contextlib.ExitStack() as opening:
            opening.callback(self.kill)
            self.etcd.start()
            for member in self.members:
                member.start()
            until(self.are_whole, AGREED_WITHIN_SECONDS, "the members agree on a primary")
            ours = f"host=127.0.0.1 port={self.primary.port} user=postgres dbname=postgres"
            for statement in ("create role hall login", "create database hall owner hall"):
                self.primary.run("psql", "-d", ours, "-qc", statement)
            opening.pop_all()
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        for member in self.members:
            if member.runs():
                member.kill()
        if self.etcd.process and self.etcd.process.poll() is None:
            self.etcd.kill()

    @property
    def connection(self):
        """All members, in their order; the one that accepts writes is the primary."""
        hosts = ",".join("127.0.0.1" for _ in self.members)
        return f"host={hosts} port={','.join(str(member.port) for member in self.members)} user=hall dbname=hall"

    @property
    def primary(self):
        found = []

        def is_found():
            found[:] = [member for member in self.members if member.leads()]
            return found

        until(is_found, AGREED_WITHIN_SECONDS, "a member is the primary")
        return found[0]

    def query(self, *statements):
        """What the primary answers, which may be another one by then."""
        answers = []

        def is_answered():
            with contextlib.suppress(subprocess.CalledProcessError):
                answers.append(self.primary.query(*statements))
            return answers

        until(is_answered, QUERY_WITHIN_SECONDS, "the primary answers")
        return answers[0]

    def standing(self):
        """Role and state of each member, as far as one of them that answers knows."""
        for member in self.members:
            known = member.ask("/cluster")[1]
            if known:
                return {one["name"]: (one["role"], one["state"]) for one in known["members"]}
        return {}

    def synchronous(self):
        """The member that has everything that is acknowledged."""
        standing = self.standing()
        found = [member for member in self.members if standing.get(member.name, ("",))[0] == "sync_standby"]
        return found[0] if found else None

    def are_whole(self):
        """Whether one leads, one confirms its commits, and all that follow stream."""
        standing = sorted(self.standing().values())
        return standing == [("leader", "running"), ("replica", "streaming"), ("sync_standby", "streaming")]

    def repair(self):
        """Starts those that do not run, and waits until all have their places."""
        for member in self.members:
            if not member.runs():
                member.start()
        until(self.are_whole, AGREED_WITHIN_SECONDS, "every member of the database leads or follows")

    def confirms(self):
        """Whether the primary of now confirms a commit."""
        leading = [member for member in self.members if member.leads()]
        if len(leading) != 1:
            return False
        ours = f"host=127.0.0.1 port={leading[0].port} user=postgres dbname=postgres"
        # A record of no meaning. A wait that the server itself cut short would look like a confirmation.
        write = "select pg_logical_emit_message(true, 'test', '')"
        try:
            leading[0].run("psql", "-d", ours, "-qAtc", write, within=CONFIRMED_WITHIN_SECONDS)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return False
        return True

    def until_confirms(self):
        until(self.confirms, AGREED_WITHIN_SECONDS, "a primary confirms commits")

    def control(self, *words):
        """Runs a command of Patroni's operator."""
        command = [program("patronictl"), "-c", self.members[0].settings, *words]
        told = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if told.returncode != 0:
            raise RuntimeError(f"patronictl {' '.join(words)}: {told.stdout}{told.stderr}")
