"""What is done to the cluster, and for how long no write may be acknowledged then.

A fault begins at a call and is over when that returns. A time counts from the beginning unless the call returns a moment:
with faults of the database it is the one at which a primary can be reached again.
"""

import concurrent.futures
import dataclasses
import signal
import time
import typing

from forwarder import BACK, BOTH, THERE
from waiting import until

# What the hall promises for a leader that is killed, or hangs, or loses its database.
LEADS_WITHIN_SECONDS = 10
# What it promises for a planned hand-over.
HANDED_OVER_WITHIN_SECONDS = 2
# Two that ask at once get the lead one after the other.
RACED_WITHIN_SECONDS = 2 * HANDED_OVER_WITHIN_SECONDS
# The leader goes on. But the proxy and the link take up to two seconds to notice who says nothing, those who waited there
# try again a second later, and it may be at a node that cannot help either.
UNDISTURBED_WITHIN_SECONDS = 5
# Longer than the lease, so that another node leads when the pause is over.
PAUSE_SECONDS = 6
# Shorter than the lease.
SHORT_PAUSE_SECONDS = 2
# For each chunk of bytes and each direction.
DELAY_SECONDS = 0.1
ENDED_WITHIN_SECONDS = 30


@dataclasses.dataclass(frozen=True)
class Fault:
    act: typing.Callable
    within: int
    # Whether another epoch must follow. Where the same leader may go on it need not.
    changes_leader: bool = True

    @property
    def name(self):
        return self.act.__name__


def kill_leader(cluster, _):
    cluster.leader().kill()


def pause_leader(cluster, _):
    leader = cluster.leader()
    pause(leader)
    # It finds out that it was replaced, and begins anew.
    until(lambda: leader.role() == "follower", ENDED_WITHIN_SECONDS, "the paused leader follows")


def pause_follower(cluster, dice):
    pause(dice.choice(cluster.followers()))


def pause(node):
    node.send(signal.SIGSTOP)
    time.sleep(PAUSE_SECONDS)
    node.send(signal.SIGCONT)


def stop_leader(cluster, _):
    cluster.leader().stop()


def hand_over(cluster, dice):
    lead(cluster, dice.choice(cluster.followers()))


def lead(cluster, node):
    told = node.admin("lead")
    if not told["leads"]:
        raise RuntimeError(f"{node.name} was asked to lead, and says {told}")


def race_for_lead(cluster, _):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        racing = [pool.submit(lead, cluster, node) for node in cluster.followers()]
    for asked in racing:
        asked.result()


def restart_all(cluster, _):
    for node in [*cluster.followers(), cluster.leader()]:
        node.stop()
        node.start()
        until(node.is_ready, ENDED_WITHIN_SECONDS, f"{node.name} is back")


def kill_follower_and_leader(cluster, dice):
    dice.choice(cluster.followers()).kill()
    cluster.leader().kill()


def kill_all(cluster, _):
    for node in cluster.nodes:
        node.kill()
    cluster.bring_back()


def crash_primary(cluster, _):
    cluster.databases.primary.stop(signal.SIGQUIT)
    cluster.databases.primary.start()
    return time.monotonic()


def kill_primary(cluster, _):
    cluster.databases.primary.kill()
    cluster.databases.promote()
    cluster.point_at_primary()
    return time.monotonic()


def kill_leader_and_primary(cluster, dice):
    """As when they are on one machine."""
    cluster.leader().kill()
    return kill_primary(cluster, dice)


def stop_primary(cluster, _):
    """A planned promotion."""
    cluster.databases.primary.stop()
    cluster.databases.promote()
    cluster.point_at_primary()
    return time.monotonic()


def replace_paused_primary(cluster, _):
    """The old primary wakes up beside the new one, with all the connections that it had, and stays."""
    old = cluster.databases.primary
    old.send_all(signal.SIGSTOP)
    cluster.databases.promote()
    cluster.point_at_primary()
    reachable = time.monotonic()
    time.sleep(SHORT_PAUSE_SECONDS)
    old.send_all(signal.SIGCONT)
    try:
        time.sleep(PAUSE_SECONDS)
        until(cluster.is_whole, LEADS_WITHIN_SECONDS, "every node leads or follows at the new primary")
    finally:
        old.kill()
    return reachable


def lose_unconfirmed(cluster, _):
    """The old primary shows what the new one has never had; nobody may have been told that it is so."""
    cluster.databases.replication.silence()
    time.sleep(SHORT_PAUSE_SECONDS)
    cluster.databases.cancel_waits()
    time.sleep(SHORT_PAUSE_SECONDS)
    cluster.databases.primary.kill()
    cluster.databases.promote()
    cluster.databases.replication.heal()
    cluster.point_at_primary()
    return time.monotonic()


def pause_primary(cluster, _):
    return pause_all_of(cluster.databases.primary, PAUSE_SECONDS)


def pause_primary_briefly(cluster, _):
    return pause_all_of(cluster.databases.primary, SHORT_PAUSE_SECONDS)


def pause_all_of(server, seconds):
    server.send_all(signal.SIGSTOP)
    time.sleep(seconds)
    server.send_all(signal.SIGCONT)
    return time.monotonic()


def lose_standby(cluster, _):
    """No commit is confirmed until the standby is back."""
    standby = cluster.databases.standby
    standby.kill()
    time.sleep(PAUSE_SECONDS)
    standby.start()
    cluster.databases.wait_for_standby()
    return time.monotonic()


def cut_links(cluster, dice):
    """Those who follow do not reach the leader, or it does not reach them, and the database goes on.

    The leader goes on, but an agent that each request takes to another node gets little done: most nodes refuse it. So the
    time counts from the end.
    """
    link = cluster.leader().link
    link.silence(dice.choice([BOTH, (THERE,), (BACK,)]))
    time.sleep(PAUSE_SECONDS)
    link.heal()
    return time.monotonic()


def hang_links(cluster, _):
    """Nothing passes on the links any more, as when a firewall has forgotten them; new ones work."""
    link = cluster.leader().link
    link.hang()
    time.sleep(PAUSE_SECONDS)
    link.heal()


def reset_links(cluster, _):
    cluster.leader().link.reset()


def cut_leader_from_database(cluster, dice):
    leader = cluster.leader()
    leader.database.silence(dice.choice([BOTH, (THERE,), (BACK,)]))
    try:
        time.sleep(PAUSE_SECONDS)
        # Not only when it is healed: agents would wait there for as long.
        until(lambda: leader.role() != "leader", LEADS_WITHIN_SECONDS, "the leader that was cut off leads no longer")
    finally:
        leader.database.heal()


def reset_leader_from_database(cluster, _):
    leader = cluster.leader()
    leader.database.refuse()
    time.sleep(PAUSE_SECONDS)
    leader.database.heal()


def stop_leader_without_database(cluster, _):
    cluster.leader().stop_without_database()


def cut_follower_from_database(cluster, dice):
    follower = dice.choice(cluster.followers())
    follower.database.silence(dice.choice([BOTH, (THERE,), (BACK,)]))
    time.sleep(PAUSE_SECONDS)
    follower.database.heal()


def hang_databases(cluster, _):
    """Nothing passes on any connection to the database any more, as when its address has moved; new ones work."""
    before = cluster.epoch()
    for node in cluster.nodes:
        node.database.hang()
    try:
        until(lambda: cluster.epoch() > before, LEADS_WITHIN_SECONDS, "another node leads over new connections")
    finally:
        for node in cluster.nodes:
            node.database.heal()


def slow_network(cluster, _):
    wires = [wire for node in cluster.nodes for wire in (node.database, node.link)]
    for wire in wires:
        wire.slow(DELAY_SECONDS)
    time.sleep(PAUSE_SECONDS)
    for wire in wires:
        wire.heal()


FAULTS = [
    Fault(kill_leader, LEADS_WITHIN_SECONDS),
    Fault(pause_leader, LEADS_WITHIN_SECONDS),
    Fault(stop_leader, LEADS_WITHIN_SECONDS),
    Fault(hand_over, HANDED_OVER_WITHIN_SECONDS),
    Fault(race_for_lead, RACED_WITHIN_SECONDS),
    Fault(restart_all, LEADS_WITHIN_SECONDS),
    Fault(kill_follower_and_leader, LEADS_WITHIN_SECONDS),
    Fault(kill_all, LEADS_WITHIN_SECONDS),
    Fault(pause_follower, UNDISTURBED_WITHIN_SECONDS, changes_leader=False),
    Fault(crash_primary, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(kill_primary, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(kill_leader_and_primary, LEADS_WITHIN_SECONDS),
    Fault(stop_primary, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(replace_paused_primary, LEADS_WITHIN_SECONDS),
    Fault(lose_unconfirmed, LEADS_WITHIN_SECONDS),
    Fault(pause_primary, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(pause_primary_briefly, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(lose_standby, LEADS_WITHIN_SECONDS, changes_leader=False),
    Fault(cut_links, UNDISTURBED_WITHIN_SECONDS, changes_leader=False),
    Fault(hang_links, UNDISTURBED_WITHIN_SECONDS, changes_leader=False),
    Fault(reset_links, UNDISTURBED_WITHIN_SECONDS, changes_leader=False),
    Fault(cut_leader_from_database, LEADS_WITHIN_SECONDS),
    Fault(reset_leader_from_database, LEADS_WITHIN_SECONDS),
    Fault(stop_leader_without_database, LEADS_WITHIN_SECONDS),
    Fault(cut_follower_from_database, UNDISTURBED_WITHIN_SECONDS, changes_leader=False),
    Fault(hang_databases, LEADS_WITHIN_SECONDS),
    Fault(slow_network, UNDISTURBED_WITHIN_SECONDS, changes_leader=False),
]
