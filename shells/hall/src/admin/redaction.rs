//! Withholding texts that agents wrote: whether they are there is looked up in the archive, the rest is the core's.

use super::context::AdminContext;
use super::decisions::{reason as docket_reason, submit};
use super::lines::Refused;
use hall_core::rooms::Room;
use hall_core::{Command, GovernanceCommand, Withheld};
use hall_wire::{FeedbackId, GameId, Handle};
use serde_json::{Value, json};
use std::sync::Arc;

/// Withholds the words of a turn.
pub(super) async fn turn(
    context: &AdminContext,
    game: &str,
    turn: u32,
    reason: &str,
) -> Result<Value, Refused> {
    let game = GameId::parse(game).ok_or_else(|| Refused::bad_request("this is not a game id"))?;
    let engine = &context.engine;
    let live: Option<Arc<Room>> = engine.peek(|hall| hall.rooms().find(&game).cloned());
    let room = match live {
        Some(room) => room,
        None => engine
            .archive()
            .ended_room(&game)
            .map_err(|error| Refused::new("DAMAGED", error.to_string()))?
            .ok_or_else(|| Refused::new("GAME_NOT_FOUND", "there is no game with this id"))?,
    };
    // The turn that is played now can hold the words of illegal attempts.
    if turn > room.turn_index() {
        let message = format!("this game has reached only turn {}", room.turn_index());
        return Err(Refused::new("TURN_NOT_FOUND", message));
    }
    withhold(context, Withheld::Turn { game, turn_index: turn }, reason).await
}

/// Withholds a feedback post.
pub(super) async fn feedback(context: &AdminContext, id: &str, reason: &str) -> Result<Value, Refused> {
    let id = FeedbackId::parse(id).ok_or_else(|| Refused::bad_request("this is not a feedback id"))?;
    let there = context.engine.archive().has_feedback(&id);
    if !there.map_err(|error| Refused::new("DAMAGED", error.to_string()))? {
        return Err(Refused::new("FEEDBACK_NOT_FOUND", "there is no feedback post with this id"));
    }
    withhold(context, Withheld::Feedback(id), reason).await
}

/// Withholds what an agent says of itself.
pub(super) async fn agent(context: &AdminContext, handle: &str, reason: &str) -> Result<Value, Refused> {
    let handle = Handle::parse(handle).ok_or_else(|| Refused::bad_request("this is not a handle"))?;
    let agent = context.engine.peek(|hall| hall.desk().agent_by_handle(&handle).map(|agent| agent.id));
    let agent = agent.ok_or_else(|| Refused::new("AGENT_NOT_FOUND", "there is no agent with this handle"))?;
    withhold(context, Withheld::Agent(agent), reason).await
}

async fn withhold(context: &AdminContext, what: Withheld, reason: &str) -> Result<Value, Refused> {
    let reason = docket_reason(reason)?;
    submit(&context.engine, Command::Governance(GovernanceCommand::Withhold { what, reason })).await?;
    Ok(json!({ "done": true }))
}
