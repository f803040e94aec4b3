//! Who leads, and what becomes of a leader.

use crate::nodes::{LEASE, Node, Nodes};
use hall_cluster::NodeRole;
use hall_core::rooms::RoomChange;
use hall_core::{Caller, Command, HallCommand};
use hall_driver::{Lead, Unavailable};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_asked_at_any_node_is_decided_by_the_leader_and_seen_where_it_was_answered() {
    let nodes = Nodes::start(3).await;
    assert_eq!(nodes.leader().await, 0);
    let ada = nodes.nodes[1].register("ada", 1).await;
    let bob = nodes.nodes[2].register("bob", 2).await;
    assert_eq!(nodes.nodes[2].join(ada).await, None);
    let game = nodes.nodes[1].join(bob).await.unwrap();
    assert!(nodes.nodes[1].shows(game), "the answer came when this node had applied it");
    nodes.digest().await;
    nodes.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_the_leader_is_cut_off_from_the_journal_another_node_leads_and_nothing_is_lost() {
    let nodes = Nodes::start(3).await;
    let ada = nodes.nodes[1].register("ada", 1).await;
    nodes.nodes[0].cut.store(true, Ordering::Relaxed);
    let since = Instant::now();
    // Nobody knows what became of this one.
    let lost = nodes.nodes[1].ask(Caller::Hall, Command::Hall(HallCommand::Sweep)).await;
    assert!(lost.is_err() || lost == Ok(Ok(hall_core::Reply::Done)), "{lost:?}");
    let new = loop {
        let leader = nodes.leader().await;
        if leader != 0 {
            break leader;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert!(since.elapsed() < 4 * LEASE, "{:?}", since.elapsed());
    for node in &nodes.nodes[1..] {
        node.until(|status| {
            status.role.takes_writes()
                && status.leader.as_ref().is_some_and(|name| !name.starts_with("node-0"))
        })
        .await;
    }
    let bob = nodes.nodes[3 - new].register("bob", 2).await;
    assert_eq!(nodes.nodes[1].join(ada).await, None);
    assert!(nodes.nodes[2].join(bob).await.is_some());
    let late = nodes.nodes[0].ask(Caller::Agent(ada), Command::Hall(HallCommand::Sweep));
    let late = tokio::time::timeout(Duration::from_millis(500), late).await;
    assert!(!matches!(late, Ok(Ok(_))), "the old leader answers nobody: {late:?}");
    assert_eq!(nodes.nodes[0].failures.lock().unwrap().len(), 1);
    nodes.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_asks_for_the_lead_gets_it_and_the_old_leader_follows_it() {
    let nodes = Nodes::start(3).await;
    let ada = nodes.nodes[0].register("ada", 1).await;
    let since = Instant::now();
    nodes.nodes[2].running.handle().ask_for_lead();
    nodes.nodes[2].until(|status| status.role == NodeRole::Leader).await;
    assert!(since.elapsed() < LEASE, "nobody waits for a lease that was given back: {:?}", since.elapsed());
    for node in [0, 1] {
        nodes.nodes[node].until(|status| status.role == NodeRole::Follower && status.epoch >= 2).await;
    }
    assert_eq!(nodes.nodes[0].join(ada).await, None);
    nodes.digest().await;
    nodes.stop();
}

/// Looks at the state of a node, which stays as it is until the sender is dropped.
fn look_at(node: &Node) -> (Sender<()>, JoinHandle<()>) {
    let (holds, held) = channel();
    let (release, released) = channel::<()>();
    let engine = node.engine.clone();
    let looking = std::thread::spawn(move || {
        engine.peek(|_| {
            holds.send(()).unwrap();
            let _ = released.recv();
        });
    });
    held.recv().unwrap();
    (release, looking)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_knows_how_many_durable_records_it_does_not_show_yet() {
    let nodes = Nodes::start(2).await;
    let [leader, follower] = &nodes.nodes[..] else { panic!("two nodes") };
    let (release, looking) = look_at(follower);
    let before = follower.running.status().applied;
    leader.register("ada", 1).await;
    let durable = leader.engine.durable_seq();
    follower.until(|status| status.durable == durable).await;
    let behind = follower.running.status();
    assert_eq!((behind.applied, behind.role), (before, NodeRole::Follower));
    assert!(behind.durable - behind.applied >= 2, "{behind:?}");
    drop(release);
    looking.join().unwrap();
    follower.until(|status| status.applied == durable).await;
    let leads = leader.running.status();
    assert_eq!((leads.applied, leads.durable), (durable, durable), "a leader is behind nobody");
    nodes.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_that_applies_too_slowly_gives_the_link_up_and_reads_the_journal() {
    let nodes = Nodes::start(2).await;
    let [leader, follower] = &nodes.nodes[..] else { panic!("two nodes") };
    let ada = leader.register("ada", 1).await;
    let (release, looking) = look_at(follower);
    // Until the follower says by itself that it takes no more.
    let mut written = 0;
    while follower.engine.lead() == Lead::Elsewhere {
        leader.write_much(ada).await;
        written += 1;
        assert!(written < 1_000, "what waits has no bound");
    }
    assert_eq!(follower.running.status().role, NodeRole::Alone);
    drop(release);
    looking.join().unwrap();
    nodes.digest().await;
    follower.until(|status| status.role == NodeRole::Follower).await;
    nodes.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_nobody_has_the_right_to_lead_nothing_is_decided_and_everybody_says_so_and_nobody_pays() {
    let nodes = Nodes::start(2).await;
    let [leader, follower] = &nodes.nodes[..] else { panic!("two nodes") };
    let (ada, bob) = (leader.register("ada", 1).await, leader.register("bob", 2).await);
    leader.join(ada).await;
    let game = leader.join(bob).await.unwrap();
    // From then on the leader has nothing to make durable.
    leader.signs_its_log().await;
    for node in &nodes.nodes {
        node.cut.store(true, Ordering::Relaxed);
    }
    leader.until(|status| status.role == NodeRole::CutOff).await;
    follower.until(|status| status.role == NodeRole::Alone).await;
    // The writer looks once in a while, and whenever something is due.
    let steps = leader.engine.steps();
    leader.until(|_| leader.engine.steps() > steps + 1).await;
    leader.cut.store(false, Ordering::Relaxed);
    leader.until(|status| status.role == NodeRole::Leader).await;
    follower.until(|status| status.role == NodeRole::Follower).await;
    let known = (leader.running.status().epoch, follower.running.status().epoch);
    assert_eq!(known, (1, 1), "nobody else has led");
    // The answer comes after everything that the leader has done before.
    let _ = leader.ask(Caller::Hall, Command::Hall(HallCommand::Sweep)).await;
    let facts = leader.engine.archive().room_facts(&game, 1, 10).unwrap();
    let extended = facts.iter().filter(|fact| matches!(fact.change, RoomChange::DeadlineExtended { .. }));
    assert_eq!(extended.count(), 1);
    nodes.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_leader_nothing_is_taken_and_what_is_durable_is_shown() {
    let nodes = Nodes::start(2).await;
    let ada = nodes.nodes[1].register("ada", 1).await;
    for node in &nodes.nodes {
        node.cut.store(true, Ordering::Relaxed);
    }
    // It fails at the next thing that it has to make durable.
    let _ = nodes.nodes[1].ask(Caller::Hall, Command::Hall(HallCommand::Stop)).await;
    nodes.nodes[1].until(|status| !status.role.takes_writes()).await;
    let ask = async || nodes.nodes[1].ask(Caller::Agent(ada), Command::Hall(HallCommand::Sweep)).await;
    // What is handed over while the link still stands is lost with the leader.
    while ask().await == Err(Unavailable::Unknown) {}
    assert_eq!(ask().await, Err(Unavailable::NoLeader));
    let known = nodes.nodes[1].engine.read(move |hall| hall.desk().agent(&ada).is_some()).await;
    assert_eq!(known, Ok(true));
    nodes.nodes[1].cut.store(false, Ordering::Relaxed);
    nodes.nodes[1].until(|status| status.role == NodeRole::Leader).await;
    assert_eq!(nodes.nodes[1].join(ada).await, None, "it leads when the journal is back");
    nodes.stop();
}
