"""What is done to a hall whose database is a cluster of Patroni. What a time counts from is said in faults.py."""

import signal
import time

from faults import (
    HANDED_OVER_WITHIN_SECONDS,
    LEADS_WITHIN_SECONDS,
    UNDISTURBED_WITHIN_SECONDS,
    Fault,
    hand_over,
    kill_leader,
    pause_leader,
)
from members import LOST_AFTER_SECONDS, SCOPE
from waiting import until

# Shorter than what Patroni waits for etcd.
HICCUP_SECONDS = 3
# Longer than the hall may take, so that it is seen whether it needs the lost member.
LOST_FOR_SECONDS = LEADS_WITHIN_SECONDS + 5
REPLACED_WITHIN_SECONDS = 3 * LOST_AFTER_SECONDS


def switch_over(cluster, _):
    """A planned promotion."""
    members = cluster.databases
    primary, candidate = members.primary, members.synchronous()
    members.control("switchover", SCOPE, "--leader", primary.name, "--candidate", candidate.name, "--force")
    return reachable(members, primary)


def fail_over(cluster, _):
    """The same, by the command that needs no healthy primary."""
    members = cluster.databases
    primary, candidate = members.primary, members.synchronous()
    members.control("failover", SCOPE, "--candidate", candidate.name, "--force")
    return reachable(members, primary)


def kill_server(cluster, _):
    """Patroni is left, and starts the server again or has another member promoted."""
    members = cluster.databases
    killed = members.primary
    before = killed.server()
    killed.send_server(signal.SIGKILL)
    until(lambda: killed.server() not in (None, before), REPLACED_WITHIN_SECONDS, f"{killed.name} has a server")
    members.until_confirms()
    return time.monotonic()


def lose_primary(cluster, _):
    """The machine of the primary is gone, and comes back."""
    members = cluster.databases
    lost = members.primary
    lost.kill()
    confirmed = reachable(members, lost)
    time.sleep(LOST_FOR_SECONDS)
    return confirmed


def lose_leader_and_primary(cluster, dice):
    """As when they are on one machine."""
    cluster.leader().kill()
    return lose_primary(cluster, dice)


def hang_primary(cluster, _):
    """It takes connections, says nothing, and wakes up beside the new primary."""
    members = cluster.databases
    hung = first_leads(cluster)
    hung.hang()
    try:
        confirmed = reachable(members, hung)
        time.sleep(LOST_FOR_SECONDS)
    finally:
        hung.wake()
    return confirmed


def hang_patroni(cluster, _):
    """The server of the old primary still says that it accepts writes, and can confirm none."""
    members = cluster.databases
    hung = first_leads(cluster)
    hung.process.send_signal(signal.SIGSTOP)
    try:
        confirmed = reachable(members, hung)
        time.sleep(LOST_FOR_SECONDS)
    finally:
        hung.process.send_signal(signal.SIGCONT)
    return confirmed


def lose_synchronous(cluster, _):
    """No commit is confirmed until Patroni has named the third member."""
    members = cluster.databases
    lost = members.synchronous()
    lost.kill()
    until(lambda: members.synchronous() not in (None, lost), REPLACED_WITHIN_SECONDS, "another member confirms")
    members.until_confirms()
    confirmed = time.monotonic()
    time.sleep(LOST_FOR_SECONDS)
    return confirmed


def pause_etcd(cluster, _):
    etcd = cluster.databases.etcd
    etcd.send(signal.SIGSTOP)
    time.sleep(HICCUP_SECONDS)
    etcd.send(signal.SIGCONT)


def lose_etcd(cluster, _):
    """Without etcd there is no primary: the one that there was accepts no more writes."""
    members = cluster.databases
    members.etcd.kill()
    until(lambda: not any(member.leads() for member in members.members), REPLACED_WITHIN_SECONDS, "nobody is primary")
    time.sleep(HICCUP_SECONDS)
    members.etcd.start()
    members.until_confirms()
    return time.monotonic()


def first_leads(cluster):
    """Has the member that the nodes ask first become the primary, so that they must get past it."""
    members = cluster.databases
    first, *_ = members.members
    while members.primary is not first:
        candidate = members.synchronous()
        members.control("switchover", SCOPE, "--leader", members.primary.name, "--candidate", candidate.name, "--force")
        until(members.are_whole, REPLACED_WITHIN_SECONDS, "the members have changed places")
        # Each change of places may end the node that leads, and a hang that finds no node says nothing.
        cluster.repair()
    return first


def reachable(members, old):
    """The moment at which another primary than the old one confirms commits."""
    until(
        lambda: any(member.leads() for member in members.members if member is not old),
        REPLACED_WITHIN_SECONDS,
        f"another member than {old.name} is the primary",
    )
    members.until_confirms()
    return time.monotonic()


FAULTS = [
    Fault(kill_leader, LEADS_WITHIN_SECONDS),
    Fault(pause_leader, LEADS_WITHIN_SECONDS),
    Fault(hand_over, HANDED_OVER_WITHIN_SECONDS),
    Fault(switch_over, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(fail_over, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(kill_server, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(lose_primary, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(lose_leader_and_primary, LEADS_WITHIN_SECONDS),
    Fault(hang_primary, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(hang_patroni, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(lose_synchronous, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(pause_etcd, UNDISTURBED_WITHIN_SECONDS, changes_leader=False),
    Fault(lose_etcd, LEADS_WITHIN_SECONDS, changes_leader=False),
]
