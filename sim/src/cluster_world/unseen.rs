//! K4: what is told of a move or a registration can be seen at the node that tells it, at that moment.

use super::plan::Weakness;
use crate::direct::{SignedRequest, view};
use crate::protocol::{AgentRequest, AnswerBrief};
use hall_core::Hall;

/// What a node has told of a move or a registration and does not show; none if it shows all of it.
pub(super) fn unseen(
    hall: &Hall,
    request: &SignedRequest,
    answer: &AnswerBrief,
    weakness: Option<Weakness>,
) -> Option<String> {
    let begun = match (&*request.what, answer) {
        (AgentRequest::Register(_), AnswerBrief::Registered) => None,
        (AgentRequest::Move(what), AnswerBrief::Moved { turn_index, state_hash, .. }) => {
            // Others may still be to act in the turn.
            let is_resolved = *state_hash != [0; 32];
            let behind = u32::from(weakness == Some(Weakness::TurnsBehind));
            Some((what.game, turn_index + u32::from(is_resolved) + behind))
        }
        _ => return None,
    };
    let handle = &request.handle;
    let Some(agent) = hall.desk().agent_by_handle(handle) else {
        return Some(format!("{handle} is told {answer:?} by a node that does not know it"));
    };
    let (game, turn) = begun?;
    match view(hall, &agent.id, &game) {
        AnswerBrief::View(view) if view.live && view.turn_index < turn => {
            let shown = view.turn_index;
            Some(format!(
                "{handle} is told that turn {turn} of {game} has begun, by a node that shows {shown}"
            ))
        }
        // A game that has ended leaves memory.
        _ => None,
    }
}
