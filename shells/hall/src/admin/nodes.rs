//! The nodes of a hall on several machines, and who of them leads.

use super::context::AdminContext;
use super::lines::Refused;
use hall_cluster::{FollowerStatus, NodeHandle, NodeRole, NodeStatus};
use serde_json::{Value, json};
use std::time::Duration;

/// How long a hand-over may take.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(10);
/// How often to look whether it is done.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Lists the nodes as this one knows them.
pub(super) fn list(context: &AdminContext) -> Result<Value, Refused> {
    let NodeStatus { role, leader, epoch, followers, applied, durable } = node(context)?.status();
    let follower = |FollowerStatus { node, applied }: FollowerStatus| {
        json!({
            "node": node,
            "applied_record": applied,
            "records_behind": applied.map(|applied| durable.saturating_sub(applied)),
        })
    };
    Ok(json!({
        "leader": leader,
        "epoch": epoch,
        "this_node": match role {
            NodeRole::Leader => "leads",
            NodeRole::Follower => "follows",
            NodeRole::CutOff => "led, and does not reach the database",
            NodeRole::Alone => "reaches no leader",
        },
        "applied_record": applied,
        "durable_record": durable,
        "followers": followers.into_iter().map(follower).collect::<Vec<_>>(),
    }))
}

/// Asks for the lead, and waits until this node has it.
pub(super) async fn lead(context: &AdminContext) -> Result<Value, Refused> {
    let node = node(context)?;
    node.ask_for_lead();
    let leads = async {
        while node.status().role != NodeRole::Leader {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    match tokio::time::timeout(HAND_OVER_TIMEOUT, leads).await {
        Ok(()) => Ok(json!({ "leads": true, "epoch": node.status().epoch })),
        Err(_) => Err(Refused::new(
            "UNAVAILABLE",
            "this node does not lead after 10 seconds: look at `hall admin nodes`, whether it reaches the leader and the database",
        )),
    }
}

fn node(context: &AdminContext) -> Result<&NodeHandle, Refused> {
    context.node.as_ref().ok_or_else(|| {
        let why = "this hall is one process, whose journal is in its data folder; storage.engine = \"postgres\" makes nodes";
        Refused::new("NOT_A_CLUSTER", why)
    })
}
