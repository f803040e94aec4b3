"""A primary database server and its synchronous standby, which can change places.

Each has a folder of its own and is reached over a Unix socket in it.
"""

import contextlib
import glob
import os
import pwd
import shutil
import signal
import subprocess

from waiting import until

READY_WITHIN_SECONDS = 60
ATTACHED_WITHIN_SECONDS = 60
QUERY_WITHIN_SECONDS = 30
# Each server is alone in its folder, and so is the socket of this number.
PORT = 5432
STANDBY = "standby"


class Server:
    """One database server."""

    def __init__(self, folder):
        self.folder, self.data = folder, os.path.join(folder, "data")
        self.socket = os.path.join(folder, f".s.PGSQL.{PORT}")
        self.binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        # It refuses to run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        self.process = None
        os.makedirs(folder, exist_ok=True)
        if self.user:
            os.chown(folder, pwd.getpwnam(self.user).pw_uid, -1)

    @property
    def connection(self):
        return f"host={self.folder} port={PORT} user=hall"

    def run(self, program, *arguments, within=None):
        command = [os.path.join(self.binaries, program), *arguments]
        return subprocess.run(
            command, user=self.user, cwd=self.folder, check=True, capture_output=True, text=True, timeout=within
        ).stdout

    def start(self):
        # What a server leaves in shared memory that is killed would stay there.
        options = ["-k", self.folder, "-p", str(PORT), "-c", "listen_addresses=", "-c", "dynamic_shared_memory_type=mmap"]
        with open(os.path.join(self.folder, "server.log"), "ab") as log:
            command = [os.path.join(self.binaries, "postgres"), "-D", self.data, *options]
            self.process = subprocess.Popen(command, user=self.user, cwd=self.folder, stdout=log, stderr=log)
        until(self.answers, READY_WITHIN_SECONDS, "the database answers")

    def answers(self):
        try:
            self.run("pg_isready", "-h", self.folder, "-p", str(PORT), "-U", "hall")
        except subprocess.CalledProcessError:
            return False
        return True

    def query(self, *statements):
        commands = [part for statement in statements for part in ("-c", statement)]
        where = f"{self.connection} dbname=hall connect_timeout={QUERY_WITHIN_SECONDS}"
        return self.run("psql", "-d", where, "-qAt", *commands).strip()

    def stop(self, how=signal.SIGINT):
        """Ends it; SIGQUIT is a crash."""
        self.process.send_signal(how)
        self.process.wait(60)

    def send_all(self, which):
        """Sends a signal to the server with all its processes."""
        send_all(self.process.pid, which)

    def kill(self):
        """Ends it with all its processes at once, also while they are stopped."""
        self.send_all(signal.SIGKILL)
        self.process.wait()

    def runs(self):
        return self.process is not None and self.process.poll() is None


def send_all(server, which):
    """Sends a signal to a process with all its children."""
    # Meanwhile it begins no others, and they have their parent still.
    os.kill(server, signal.SIGSTOP)
    for child in children(server):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, which)
    os.kill(server, which)


def children(parent):
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                # The name is in parentheses and may contain anything.
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(path.split("/")[2]))
    return found


class Databases:
    """The server that accepts writes, and the one that has everything that was acknowledged; it gets that over a wire."""

    def __init__(self, folder, replication):
        self.replication = replication
        self.primary, self.standby = (Server(os.path.join(folder, f"database-{letter}")) for letter in "ab")

    def __enter__(self):
        self.primary.run("initdb", "-D", self.primary.data, "-U", "hall", "-A", "trust")
        self.primary.start()
        self.primary.run("createdb", "-h", self.primary.folder, "-p", str(PORT), "-U", "hall", "hall")
        self.attach_standby()
        return self

    @property
    def connection(self):
        return f"{self.primary.connection} dbname=hall"

    def query(self, *statements):
        return self.primary.query(*statements)

    def attach_standby(self):
        """Makes the standby anew as a copy of the primary. From when this returns every commit waits for it."""
        if self.standby.runs():
            self.standby.kill()
        shutil.rmtree(self.standby.data, ignore_errors=True)
        self.replication.point(self.primary.socket)
        source = f"host=127.0.0.1 port={self.replication.port} user=hall application_name={STANDBY}"
        options = ["--checkpoint=fast", "--write-recovery-conf"]
        self.standby.run("pg_basebackup", "-d", source, "-D", self.standby.data, *options)
        self.standby.start()
        self.primary.query(f"alter system set synchronous_standby_names = '{STANDBY}'", "select pg_reload_conf()")
        self.wait_for_standby()

    def repair(self):
        """Gives the primary a standby if it has none."""
        if not self.standby.runs():
            self.attach_standby()

    def wait_for_standby(self):
        sql = f"select count(*) from pg_stat_replication where application_name = '{STANDBY}' and sync_state = 'sync'"
        until(lambda: self.primary.query(sql) == "1", ATTACHED_WITHIN_SECONDS, "the standby is attached")

    def cancel_waits(self):
        """What waits for the standby is committed without it, and the session that waits is told so by a warning."""
        self.primary.query("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")

    def promote(self):
        """The standby becomes the primary. It waits for no other one until it has a standby."""
        self.standby.run("pg_ctl", "promote", "-D", self.standby.data, "--wait")
        self.primary, self.standby = self.standby, self.primary

    def __exit__(self, *_):
        for server in (self.primary, self.standby):
            if server.runs():
                server.kill()
