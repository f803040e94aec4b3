//! Challenges over several nodes, and who may use the link.

use crate::nodes::Nodes;
use hall_core::challenge::ChallengeProblem;
use hall_driver::ChallengeRefused;
use hall_wire::Handle;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_challenge_of_one_node_is_good_at_every_node_and_spent_once_in_all() {
    let nodes = Nodes::start(3).await;
    let ada = Handle::parse("ada").unwrap();
    let issuing = &nodes.nodes[1];
    let (challenge, _) = issuing.challenges.issue(|| issuing.engine.now(), &ada).unwrap();
    let spend = async |node: usize| {
        let node = &nodes.nodes[node];
        let at = node.engine.now();
        let recognised = node.challenges.recognise(at, &ada, &challenge)?;
        node.challenges.spend(at, recognised).await
    };
    spend(2).await.unwrap();
    for node in 0..3 {
        assert_eq!(spend(node).await, Err(ChallengeRefused::Invalid(ChallengeProblem::Spent)), "{node}");
    }
    // With the next leader every challenge of before is unknown.
    let (left_over, _) = issuing.challenges.issue(|| issuing.engine.now(), &ada).unwrap();
    nodes.nodes[2].running.handle().ask_for_lead();
    for node in &nodes.nodes {
        node.until(|status| status.role.takes_writes() && status.epoch >= 2).await;
        let refused = node.challenges.recognise(node.engine.now(), &ada, &left_over).unwrap_err();
        assert_eq!(refused, ChallengeRefused::Invalid(ChallengeProblem::Unknown));
    }
    nodes.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_signed_read_shows_is_as_new_as_what_any_node_has_acknowledged() {
    let nodes = Nodes::start(3).await;
    let name = Handle::parse("reader").unwrap();
    for number in 1..20 {
        let agent = nodes.nodes[1].register(&format!("agent-{number}"), number).await;
        // Acknowledged at one node, read at another.
        let reader = &nodes.nodes[2];
        let at = reader.engine.now();
        let (challenge, _) = reader.challenges.issue(|| at, &name).unwrap();
        let recognised = reader.challenges.recognise(at, &name, &challenge).unwrap();
        let seq = reader.challenges.spend(at, recognised).await.unwrap();
        reader.engine.reaches(seq).await.unwrap();
        assert!(reader.engine.peek(|hall| hall.desk().agent(&agent).is_some()), "{number}");
        // The leader may write more at any time.
        let shown = reader.engine.durable_seq();
        assert!(reader.challenges.ask_leader().await.unwrap() >= shown);
    }
    nodes.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_learns_anything_over_an_unencrypted_connection() {
    let nodes = Nodes::start(1).await;
    let address = &nodes.nodes[0].address;
    let mut plain = TcpStream::connect(address).await.unwrap();
    let hello = br#"{"version":1,"node":"stranger"}"#;
    plain.write_u32(u32::try_from(hello.len()).unwrap()).await.unwrap();
    plain.write_all(hello).await.unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!String::from_utf8_lossy(&answer).contains("secret"), "{answer:?}");
    nodes.stop();
}
