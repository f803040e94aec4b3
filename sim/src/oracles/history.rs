//! H1 to H3: requests and answers of agents compared with decisions: one serial order that respects real time.
//!
//! A request is open from the moment it is sent. A decision takes one open request that fits; an answer must be that
//! of the decision that took the request. So a decision lies between question and answer, and each request leads to at
//! most one decision, however often it was sent or lost.

use super::authentication::asker;
use super::ledger::Ledger;
use super::observation::Observation;
use super::{Family, Violations};
use crate::direct::{Observed, answer_brief};
use crate::protocol::{AgentRequest, AnswerBrief, MoveText};
use hall_core::rooms::{MoveSubmission, RoomChange};
use hall_core::{
    Caller, Choice, Command, DeskCommand, DoorbellCommand, Effect, Fact, JoinLobby, Rejection, Reply,
    RoomCommand, RoomRejection, RoomReply, SignatureCheck, ToolAccess,
};
use hall_wire::{AgentId, Handle, Notation, Timestamp};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Requests of one agent that are remembered: far more than can be under way.
const REMEMBERED: usize = 256;

#[derive(Clone, Debug)]
struct OpenRequest {
    number: u64,
    request: Arc<AgentRequest>,
    /// The answer that was decided, with its record.
    decided: Option<(AnswerBrief, u64)>,
    /// The game and turn for which the answer is held.
    held: Option<(hall_wire::GameId, u32)>,
}

/// The open requests.
#[derive(Clone, Default)]
pub(super) struct History {
    open: BTreeMap<Handle, VecDeque<OpenRequest>>,
    /// The last record of which an agent was granted something.
    granted: u64,
    now: Timestamp,
}

impl Family for History {
    fn observation(&mut self, observation: &Observation, _: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Asked { handle, number, what: request, .. } if request.is_post() => {
                let open = self.open.entry(handle.clone()).or_default();
                if open.len() >= REMEMBERED {
                    open.pop_front();
                }
                open.push_back(OpenRequest {
                    number: *number,
                    request: Arc::clone(request),
                    decided: None,
                    held: None,
                });
            }
            Observation::Heard { handle, number, answer } => self.heard(handle, *number, answer, violations),
            Observation::Opened(opened) => {
                let text = || format!("the journal ends at {}, agents know of {}", opened.seq, self.granted);
                violations.require(opened.seq >= self.granted, "H3", opened.at, text);
            }
            _ => {}
        }
    }

    fn before(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        self.now = observed.at;
        if let Err(rejection) = &observed.decision.answer {
            let right = is_justified(rejection, observed, ledger);
            let text = || format!("{:?} is refused {rejection:?} without reason", observed.what);
            violations.require(right, "H2", observed.at, text);
        }
    }

    fn after(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        for effect in &observed.decision.effects {
            let Effect::DeferredAnswer { game, turn_index, answer } = effect else { continue };
            for open in self.open.values_mut().flatten().filter(|it| it.held == Some((*game, *turn_index))) {
                open.decided = Some((answer_brief((**answer).clone()), observed.seq));
                open.held = None;
            }
        }
        let Some((agent, word)) = asker(observed) else { return };
        // A log does not show the requests, so this is unknown.
        if self.open.is_empty() {
            return;
        }
        let handle = match &observed.what {
            Command::Desk(DeskCommand::RegisterAgent(new)) => Some(&new.handle),
            _ => ledger.people.get(&agent).map(|person| &person.handle),
        };
        let open = handle.and_then(|handle| self.open.get_mut(handle)).and_then(|open| {
            open.iter_mut()
                .find(|it| it.decided.is_none() && it.held.is_none() && means(&it.request, &observed.what))
        });
        let Some(open) = open else {
            return violations.report(
                "H1",
                observed.at,
                format!("{word} of {handle:?} is decided, and nobody asked"),
            );
        };
        match &observed.decision.answer {
            Ok(Reply::Room(RoomReply::Deferred { game, turn_index })) => {
                open.held = Some((*game, *turn_index))
            }
            answer => open.decided = Some((answer_brief(answer.clone()), observed.seq)),
        }
    }
}

impl History {
    fn heard(&mut self, handle: &Handle, number: u64, answer: &AnswerBrief, violations: &mut Violations) {
        let granted = match answer {
            AnswerBrief::Registered
            | AnswerBrief::Filed { .. }
            | AnswerBrief::Joined { .. }
            | AnswerBrief::Left
            | AnswerBrief::Moved { .. } => true,
            AnswerBrief::Posted => true,
            AnswerBrief::Refused { code, .. } if is_of_hall(code) => false,
            AnswerBrief::Refused { .. }
            | AnswerBrief::Lost
            | AnswerBrief::Challenged
            | AnswerBrief::Games(_)
            | AnswerBrief::View(_) => return,
        };
        let Some(open) = self.open.get_mut(handle) else { return };
        let own = open.iter().position(|it| it.number == number);
        let Some(asked) = own.and_then(|own| open.get(own)) else { return };
        let (request, read) = (Arc::clone(&asked.request), !asked.request.is_post());
        // A copy sent again may have been decided in the place of the one that was lost.
        let fits = |it: &OpenRequest| {
            it.request == request && it.decided.as_ref().is_some_and(|(known, _)| known == answer)
        };
        let place = own.filter(|own| open.get(*own).is_some_and(fits)).or_else(|| open.iter().position(fits));
        match place.and_then(|place| open.remove(place)) {
            Some(OpenRequest { decided: Some((_, seq)), .. }) if granted => {
                self.granted = self.granted.max(seq)
            }
            Some(_) => {}
            None if read => {}
            None => {
                let name = if granted { "H1" } else { "H2" };
                let text =
                    format!("{handle} is told {answer:?} for {}, which was not decided so", request.word());
                violations.report(name, self.now, text);
            }
        }
    }
}

/// Whether a refusal comes from the hall's state and not from the gate.
fn is_of_hall(code: &str) -> bool {
    let gate = code.starts_with("AUTH_") || code.starts_with("CHALLENGE_");
    !gate && !matches!(code, "LOW_DISK" | "OVERLOADED" | "STOPPING" | "UNAVAILABLE")
}

/// Whether this request becomes this command.
fn means(request: &AgentRequest, what: &Command) -> bool {
    match (request, what) {
        (AgentRequest::Register(new), Command::Desk(DeskCommand::RegisterAgent(asked))) => **new == *asked,
        (AgentRequest::File(filing), Command::Desk(DeskCommand::FileHomologation { filing: asked, .. })) => {
            **filing == *asked
        }
        (AgentRequest::Join(lobby), Command::Desk(DeskCommand::JoinLobby(asked)))
        | (AgentRequest::Leave(lobby), Command::Desk(DeskCommand::LeaveLobby(asked))) => lobby == asked,
        (AgentRequest::Post(kind, subject), Command::Desk(DeskCommand::PostFeedback(asked))) => {
            *kind == asked.kind && *subject == asked.subject
        }
        (AgentRequest::Move(request), Command::Room(RoomCommand::Submit(asked))) => {
            let choice = match &request.choice {
                Some(MoveText::Text(text)) => {
                    Some(Notation::parse(text).map_or(Choice::Unparsable, Choice::Notation))
                }
                Some(MoveText::Index(index)) => Some(Choice::Index(*index)),
                None => None,
            };
            let flags = (request.resign, request.draw_offer, request.draw_accept);
            request.game == asked.game
                && request.turn_index == asked.turn_index
                && choice == asked.choice
                && flags == (asked.resign, asked.draw_offer, asked.draw_accept)
                && request.commentary == asked.commentary
        }
        _ => false,
    }
}

/// Whether the state before the decision gives reason to refuse.
fn is_justified(rejection: &Rejection, observed: &Observed, ledger: &Ledger) -> bool {
    let Observed { at, what, .. } = observed;
    let agent = match observed.who {
        Caller::Agent(agent) => Some(agent),
        Caller::Operator | Caller::Hall => asker(observed).map(|(agent, _)| agent),
    };
    let of = |holds: &dyn Fn(&AgentId) -> bool| agent.as_ref().is_some_and(holds);
    let settings = ledger.settings.as_ref();
    let waits_in = |asked: &JoinLobby| {
        let named = (asked.game.as_str(), asked.variant.as_str(), asked.division);
        ledger.lobbies.iter().any(|(lobby, waiting)| {
            let own = (lobby.variant.game.as_str(), lobby.variant.variant.as_str(), lobby.division);
            own == named && agent.is_some_and(|agent| waiting.contains(&agent))
        })
    };
    match (rejection, what) {
        (Rejection::AgentSuspended, Command::Desk(DeskCommand::RegisterAgent(new))) => {
            ledger.banned.contains(&new.operator) || of(&|agent| ledger.is_suspended(agent))
        }
        (Rejection::AgentSuspended, _) => of(&|agent| ledger.is_suspended(agent)),
        (Rejection::HandleTaken, Command::Desk(DeskCommand::RegisterAgent(new))) => {
            ledger.handles.contains_key(&new.handle)
        }
        (Rejection::KeyAlreadyRegistered, _) => of(&|agent| ledger.people.contains_key(agent)),
        (Rejection::AgentNotFound, Command::Desk(DeskCommand::FileHomologation { agent: about, .. })) => {
            !ledger.people.contains_key(about)
        }
        (Rejection::NotYourAgent, Command::Desk(DeskCommand::FileHomologation { agent: about, .. })) => {
            of(&|agent| agent != about)
        }
        (Rejection::SeasonNotFound, Command::Desk(DeskCommand::FileHomologation { filing, .. })) => ledger
            .season
            .as_ref()
            .is_none_or(|open| filing.season_id != "current" && filing.season_id != open.as_str()),
        (Rejection::DivisionMismatch, Command::Desk(DeskCommand::FileHomologation { filing, .. })) => {
            filing.division == hall_core::Division::Pure && filing.tool_access != ToolAccess::Pure
        }
        (Rejection::GameUnknown, Command::Desk(DeskCommand::JoinLobby(asked))) => {
            ledger.games_offered.find(&asked.game).is_none()
        }
        (Rejection::VariantUnknown, Command::Desk(DeskCommand::JoinLobby(asked))) => {
            let game = ledger.games_offered.find(&asked.game);
            game.is_some_and(|game| game.describe().players_of(&asked.variant).is_none())
        }
        (Rejection::NotHomologated, Command::Desk(DeskCommand::JoinLobby(asked))) => {
            of(&|agent| ledger.standing_now(agent, asked.division).is_none())
        }
        (Rejection::AlreadyInLobby, Command::Desk(DeskCommand::JoinLobby(asked))) => waits_in(asked),
        (Rejection::NotInLobby, Command::Desk(DeskCommand::LeaveLobby(asked))) => !waits_in(asked),
        (Rejection::QuotaConcurrent, _) => of(&|agent| !ledger.is_under_cap(agent)),
        (Rejection::QuotaJoins { .. }, _) => of(&|agent| {
            let quota = settings.map_or(0, |settings| settings.joins_per_day);
            quota > 0 && Ledger::of_day(&ledger.joins, agent, *at) >= quota
        }),
        (Rejection::FeedbackQuota { .. }, _) => of(&|agent| {
            let quota = settings.map_or(0, |settings| settings.feedback_per_day);
            quota > 0 && Ledger::of_day(&ledger.posts, agent, *at) >= quota
        }),
        (Rejection::Room(rejection), Command::Room(RoomCommand::Submit(asked))) => {
            is_justified_of_move(rejection, asked, agent, observed, ledger)
        }
        (_, Command::Room(RoomCommand::Submit(_))) => false,
        // Refusals of the hall and its operator belong to no agent's history, and refusals about doorbells depend on
        // more than this ledger keeps; the reference hall judges both.
        (
            _,
            Command::Doorbell(DoorbellCommand::Register { .. })
            | Command::Doorbell(DoorbellCommand::BeginVerification)
            | Command::Doorbell(DoorbellCommand::Disable),
        ) => true,
        _ => agent.is_none(),
    }
}

/// Whether the state of the game gives reason to refuse a move.
fn is_justified_of_move(
    rejection: &RoomRejection,
    asked: &MoveSubmission,
    agent: Option<AgentId>,
    Observed { stamp, decision, .. }: &Observed,
    ledger: &Ledger,
) -> bool {
    let Some(game) = ledger.games.get(&asked.game) else {
        return matches!(rejection, RoomRejection::GameNotFound);
    };
    let player = agent.and_then(|agent| game.player_of(&agent));
    match rejection {
        RoomRejection::NotSeated => player.is_none(),
        RoomRejection::BodySignatureInvalid => asked.signature_check == SignatureCheck::Invalid,
        RoomRejection::GameNotLive(_) => !game.is_live(),
        RoomRejection::WrongTurn(_) => {
            let due = player.and_then(|player| game.deadline_of(player));
            asked.turn_index != game.turn
                || due.is_none_or(|deadline| *stamp > deadline)
                || player.is_some_and(|player| game.needs_chance(player, asked))
        }
        RoomRejection::IllegalMove(_) => decision
            .facts
            .iter()
            .filter_map(Fact::in_room)
            .any(|fact| matches!(fact.change, RoomChange::IllegalAttempted { .. })),
        RoomRejection::NoDrawOffer(_) => {
            let offered = game.offer.is_some_and(|(by, _)| Some(by) != player);
            asked.draw_accept && !offered
        }
        RoomRejection::DrawOfferImpossible => {
            let has_offers = game.terms.seats.len() == 2 && !game.position.is_simultaneous();
            asked.draw_offer && !has_offers
        }
        RoomRejection::MoveMissing => asked.choice.is_none() && !asked.resign,
        _ => false,
    }
}
