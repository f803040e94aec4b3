//! The gate of the direct world: authenticates requests, and turns them into commands or reads of the state.

use crate::crypto::{Crypto, KnownKey};
use crate::dice::Dice;
use crate::protocol::{AgentRequest, AnswerBrief, GameBrief, MoveRequest, MoveText, RoomBrief, ViewBrief};
use hall_core::challenge::{ChallengeBook, ChallengeProblem, SpendProblem};
use hall_core::{
    Answer, Caller, Choice, Command, DeskCommand, Hall, MoveSubmission, NewFeedback, Rejection, Reply,
    RoomCommand, RoomRejection, RoomReply, SignedBody, TurnStatus,
};
use hall_driver::{Arrival, Engine, PendingAnswer, Unavailable};
use hall_wire::message::{self, Challenge};
use hall_wire::{AgentId, Digest, GameId, Handle, Notation, Signature, Span, Timestamp};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// How long a challenge is valid (specification 5.1).
pub(super) const VALIDITY: Span = Span::from_secs(300);

/// A request in transit.
#[derive(Clone, Debug)]
pub struct SignedRequest {
    /// What is asked for.
    pub what: Arc<AgentRequest>,
    /// About which agent, if not the one that asks.
    pub about: Option<AgentId>,
    /// In whose name.
    pub handle: Handle,
    /// Under which challenge; none for an unsigned request.
    pub challenge: Option<Challenge>,
    /// The header signature.
    pub signature: Signature,
    /// The path as sent.
    pub path: Arc<str>,
    /// The body of a POST, and the body signature. For a gate the text of a move does not contain the signature; over
    /// HTTP it is the whole body.
    pub body: Option<Arc<(String, Signature)>>,
}

impl SignedRequest {
    /// sha256 of the raw body, as a gate takes it.
    #[must_use]
    pub fn raw_digest(body: &(String, Signature)) -> Digest {
        Digest::of_parts(&[body.0.as_bytes(), body.1.as_bytes()])
    }

    /// What the header signature must cover at a gate.
    #[must_use]
    pub fn message(
        handle: &Handle,
        challenge: &Challenge,
        path: &str,
        body: Option<&(String, Signature)>,
    ) -> String {
        let digest = body.map(Self::raw_digest);
        let method = if body.is_some() { "POST" } else { "GET" };
        message::auth(handle, challenge, method, path, digest.as_ref())
    }
}

/// The result of a request at the gate.
#[derive(Debug)]
pub enum Gated {
    /// It is answered.
    Answered(AnswerBrief),
    /// It waits for the writer.
    Waiting(PendingAnswer),
}

/// The gate of one run of the hall. Its state is lost when the hall stops.
pub struct Gate {
    crypto: Crypto,
    challenges: ChallengeBook,
    known: BTreeMap<Handle, (AgentId, KnownKey)>,
}

impl Gate {
    /// A gate that has not issued a challenge yet.
    #[must_use]
    pub fn new(crypto: Crypto, dice: &mut Dice) -> Self {
        Self { crypto, challenges: ChallengeBook::new(&dice.bytes(), VALIDITY), known: BTreeMap::new() }
    }

    /// Issues a challenge.
    pub fn issue(&mut self, now: Timestamp, handle: &Handle) -> Challenge {
        self.challenges.issue(now, handle)
    }

    /// Bytes that the memory of spent challenges takes.
    #[must_use]
    pub fn spent_bytes(&self) -> usize {
        self.challenges.bytes()
    }

    /// Authenticates a request, and answers or enqueues it. Also says whether the challenge was consumed.
    pub fn pass(&mut self, engine: &Engine, arrival: Arrival, request: &SignedRequest) -> (Gated, bool) {
        let Some(challenge) = &request.challenge else {
            return (Gated::Answered(refused("AUTH_MISSING")), false);
        };
        let in_body;
        let (agent, key) = if let AgentRequest::Register(new) = &*request.what {
            if new.handle != request.handle {
                return (Gated::Answered(refused("AUTH_HANDLE_MISMATCH")), false);
            }
            in_body = KnownKey::new(self.crypto, new.key);
            (AgentId::of_key(&new.key), &in_body)
        } else {
            match known_agent(&mut self.known, self.crypto, engine, &request.handle) {
                Some((agent, key)) => (*agent, key),
                None => return (Gated::Answered(refused("AUTH_UNKNOWN_AGENT")), false),
            }
        };
        let stamp = arrival.stamp();
        match authenticate(&mut self.challenges, self.crypto, stamp, key, challenge, request) {
            Ok(()) => (carry_out(self.crypto, engine, arrival, (agent, key), request), true),
            Err(code) => (Gated::Answered(refused(code)), false),
        }
    }
}

/// Whether the request is signed with this key for a challenge that is valid; the challenge is spent then.
fn authenticate(
    challenges: &mut ChallengeBook,
    crypto: Crypto,
    stamp: Timestamp,
    key: &KnownKey,
    challenge: &Challenge,
    request: &SignedRequest,
) -> Result<(), &'static str> {
    let recognised = challenges.recognise(stamp, &request.handle, challenge).map_err(challenge_code)?;
    let message = SignedRequest::message(&request.handle, challenge, &request.path, request.body.as_deref());
    if !crypto.verifies(key, message.as_bytes(), &request.signature) {
        return Err("AUTH_SIGNATURE_INVALID");
    }
    challenges.spend_recognised(stamp, recognised).map_err(|problem| match problem {
        SpendProblem::Refused(problem) => challenge_code(problem),
        SpendProblem::Full => "UNAVAILABLE",
    })
}

/// Who has this handle, and the key to verify with. It is looked up in the state once; neither ever changes.
pub(crate) fn known_agent<'a>(
    known: &'a mut BTreeMap<Handle, (AgentId, KnownKey)>,
    crypto: Crypto,
    engine: &Engine,
    handle: &Handle,
) -> Option<&'a (AgentId, KnownKey)> {
    match known.entry(handle.clone()) {
        Entry::Occupied(known) => Some(known.into_mut()),
        Entry::Vacant(place) => {
            let found =
                engine.peek(|hall| hall.desk().agent_by_handle(handle).map(|agent| (agent.id, agent.key)));
            let (agent, key) = found?;
            Some(place.insert((agent, KnownKey::new(crypto, key))))
        }
    }
}

/// Answers a request, or enqueues it for the writer.
pub(crate) fn carry_out(
    crypto: Crypto,
    engine: &Engine,
    arrival: Arrival,
    (agent, key): (AgentId, &KnownKey),
    request: &SignedRequest,
) -> Gated {
    let by = Caller::Agent(agent);
    let (by, command) = match &*request.what {
        AgentRequest::Challenge => return Gated::Answered(AnswerBrief::Challenged),
        AgentRequest::MyGames => return Gated::Answered(engine.peek(|hall| my_games(hall, &agent))),
        AgentRequest::View(game) => return Gated::Answered(engine.peek(|hall| view(hall, &agent, game))),
        AgentRequest::Register(new) => {
            (Caller::Hall, Command::Desk(DeskCommand::RegisterAgent((**new).clone())))
        }
        AgentRequest::File(filing) => {
            let about = request.about.unwrap_or(agent);
            (by, Command::Desk(DeskCommand::FileHomologation { agent: about, filing: (**filing).clone() }))
        }
        AgentRequest::Join(lobby) => (by, Command::Desk(DeskCommand::JoinLobby(lobby.clone()))),
        AgentRequest::Leave(lobby) => (by, Command::Desk(DeskCommand::LeaveLobby(lobby.clone()))),
        AgentRequest::Post(kind, subject) => {
            let (subject, body) = (subject.clone(), "Nothing to add.".to_owned());
            (
                by,
                Command::Desk(DeskCommand::PostFeedback(NewFeedback {
                    kind: *kind,
                    subject,
                    body,
                    context: None,
                })),
            )
        }
        AgentRequest::Move(what) => match submission(crypto, key, request, what) {
            Some(submission) => (by, Command::Room(RoomCommand::Submit(submission))),
            None => return Gated::Answered(refused("AUTH_MISSING")),
        },
    };
    match engine.enqueue(arrival, by, command) {
        Ok(pending) => Gated::Waiting(pending),
        Err(unavailable) => Gated::Answered(unavailable_brief(unavailable)),
    }
}

/// A move as the writer gets it; `None` if it came without a body or a challenge.
fn submission(
    crypto: Crypto,
    key: &KnownKey,
    request: &SignedRequest,
    what: &MoveRequest,
) -> Option<MoveSubmission> {
    let body = request.body.as_ref()?;
    let sha256 = Digest::of(body.0.as_bytes());
    let message = message::game_move(&what.game, what.turn_index, &sha256);
    let signed = SignedBody {
        body: body.0.clone(),
        sha256,
        signature: body.1,
        challenge: request.challenge?,
        auth_signature: request.signature,
        request_sha256: SignedRequest::raw_digest(body),
    };
    Some(MoveSubmission {
        game: what.game,
        turn_index: what.turn_index,
        choice: what.choice.as_ref().map(|choice| match choice {
            MoveText::Text(text) => Notation::parse(text).map_or(Choice::Unparsable, Choice::Notation),
            MoveText::Index(index) => Choice::Index(*index),
        }),
        resign: what.resign,
        draw_offer: what.draw_offer,
        draw_accept: what.draw_accept,
        commentary: what.commentary.clone(),
        signature_check: crypto.verifies(key, message.as_bytes(), &body.1).into(),
        signed: Some(signed),
    })
}

pub(crate) const fn refused(code: &'static str) -> AnswerBrief {
    AnswerBrief::Refused { code, report: None }
}

pub(crate) const fn challenge_code(problem: ChallengeProblem) -> &'static str {
    match problem {
        ChallengeProblem::Unknown => "CHALLENGE_UNKNOWN",
        ChallengeProblem::Expired => "CHALLENGE_EXPIRED",
        ChallengeProblem::Spent => "CHALLENGE_SPENT",
    }
}

/// The answer to an agent when the hall accepts no commands.
#[must_use]
pub(crate) const fn unavailable_brief(unavailable: Unavailable) -> AnswerBrief {
    refused(match unavailable {
        Unavailable::LowDisk => "LOW_DISK",
        Unavailable::Overloaded => "OVERLOADED",
        Unavailable::Stopping => "STOPPING",
        Unavailable::Draining => "DRAINING",
        Unavailable::NoLeader => "NO_LEADER",
        Unavailable::Unknown => "UNKNOWN",
    })
}

pub(crate) fn my_games(hall: &Hall, agent: &AgentId) -> AnswerBrief {
    let games = hall.desk().live_games(agent).filter_map(|game| hall.rooms().find(&game));
    let briefs = games.map(|room| {
        let player = room.player_of(agent);
        GameBrief {
            game: room.id(),
            turn_index: room.turn_index(),
            mine: player.is_some_and(|player| room.to_move().contains(player)),
            deadline: player.and_then(|player| room.deadline_of(player)),
        }
    });
    AnswerBrief::Games(briefs.collect())
}

pub(crate) fn view(hall: &Hall, agent: &AgentId, game: &GameId) -> AnswerBrief {
    let Some(room) = hall.rooms().find(game) else { return refused("GAME_NOT_FOUND") };
    let Some(player) = room.player_of(agent) else { return refused("NOT_SEATED") };
    let mine = room.result().is_none() && room.to_move().contains(player);
    AnswerBrief::View(Box::new(ViewBrief {
        game: *game,
        turn_index: room.turn_index(),
        player,
        live: room.result().is_none(),
        mine,
        legal: room.notations(player),
        deadline: room.deadline_of(player),
        draw_offer: room.draw_offer(),
        strikes: room.seats().iter().map(|seat| seat.strikes).collect(),
    }))
}

/// The answer to an agent for the hall's reply to a command.
#[must_use]
pub(crate) fn answer_brief(answer: Answer) -> AnswerBrief {
    match answer {
        Ok(Reply::Registered { .. }) => AnswerBrief::Registered,
        Ok(Reply::Homologated { unchanged, .. }) => AnswerBrief::Filed { unchanged },
        Ok(Reply::Joined { game, .. }) => AnswerBrief::Joined { game },
        Ok(Reply::Left { .. }) => AnswerBrief::Left,
        Ok(Reply::Room(RoomReply::MoveTaken { turn_index, notation, state_hash, result })) => {
            AnswerBrief::Moved {
                turn_index,
                notation,
                state_hash: state_hash.map_or([0; 32], |hash| *hash.as_bytes()),
                ended: result.is_some(),
            }
        }
        Ok(Reply::FeedbackTaken { .. }) => AnswerBrief::Posted,
        Ok(
            Reply::Room(RoomReply::Deferred { .. })
            | Reply::DocketEntered { .. }
            | Reply::Room(RoomReply::Continued { .. })
            | Reply::DoorbellRegistered { .. }
            | Reply::DoorbellVerifying { .. }
            | Reply::DoorbellVerified { .. }
            | Reply::Done,
        ) => refused("INTERNAL"),
        Err(rejection) => refusal_brief(rejection),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only rooms tell of a game")]
fn refusal_brief(rejection: Rejection) -> AnswerBrief {
    let code = rejection_code(&rejection);
    let report = match rejection {
        Rejection::Room(rejection) => rejection.into_status().map(|report| Box::new(brief(*report))),
        _ => None,
    };
    AnswerBrief::Refused { code, report }
}

fn brief(report: TurnStatus) -> RoomBrief {
    RoomBrief {
        turn_index: report.turn_index,
        illegal_attempts: report.illegal_attempts,
        legal: report.legal_moves.map(|legal| legal.into_iter().map(|legal| legal.notation).collect()),
        live: report.result.is_none(),
    }
}

/// The code that an agent is told for a refusal: its name, except where the interface has one code for several.
#[must_use]
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest is known by its name")]
pub(super) const fn rejection_code(rejection: &Rejection) -> &'static str {
    match rejection {
        Rejection::DoorbellVerifications { .. } => "RATE_LIMITED",
        Rejection::Room(RoomRejection::BodySignatureInvalid) => "AUTH_SIGNATURE_INVALID",
        Rejection::Room(RoomRejection::MoveMissing) => "INVALID_BODY",
        rejection => rejection.name(),
    }
}
