#!/usr/bin/env python3
"""A hall of three nodes over a cluster of Patroni that changes its primary again and again, while agents play.

    python3 patroni.py PATH_TO_HALL FOLDER [--minutes N] [--only FAULT]... [--agents N] [--seed N]

Brings every fault of member_faults.py about at least once, and goes on for so many minutes. Needs Debian's postgresql,
etcd-server and haproxy, and the packages of requirements.txt and ../interop/requirements.txt. The nodes know every member
of the database by their connection string. Checks afterwards what failovers.py checks.
"""

import sys
import time

from cluster import Cluster
from failovers import arguments, judge
from member_faults import FAULTS
from members import Members


class PatroniCluster(Cluster):
    """The nodes and the proxy of any other cluster, over members of a database that choose their primary themselves."""

    def open_databases(self, network):
        return Members(self.folder)

    def point_at_primary(self):
        """The nodes find it among all members."""
        for node in self.nodes:
            node.settings["storage.postgres"] = self.databases.connection


def main():
    parser = arguments(FAULTS)
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    return judge(PatroniCluster, options, FAULTS, lambda done: time.monotonic() - done.begun > 60 * options.minutes)


if __name__ == "__main__":
    sys.exit(main())
