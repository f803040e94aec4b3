//! An agent with its line to the hall: one request at a time, signed with the challenge that it has.

use super::gate::{SignedRequest, VALIDITY};
use super::wording::{Body, Wording};
use crate::agents::{Identity, VirtualAgent};
use crate::crypto::Crypto;
use crate::dice::Dice;
use crate::protocol::{AgentRequest, AnswerBrief, SendMode};
use hall_wire::key::PrivateKey;
use hall_wire::message::{self, Challenge};
use hall_wire::{AgentId, Digest, Handle, Signature, Span, Timestamp};
use std::collections::VecDeque;
use std::sync::Arc;

/// How often a request is signed again after its challenge was refused.
const SIGNED_ANEW: u8 = 3;

/// How often an agent may be planned to be woken. It plans that at each look around, and it looks around at the end of
/// many a game: without a bound one that plays on and on would ask ever more often, until hardly any time passes.
const WAKES: u32 = 64;
/// The same for one that asks as often as it can: every few seconds at each of them.
const FLOODING_WAKES: u32 = 4;

/// Requests that may stand in the line of one agent.
const OUTBOX: usize = 64;

/// Signed requests that a hoarder keeps.
const HOARD: usize = 32;

/// An agent with its line.
pub(crate) struct Actor {
    pub(crate) player: VirtualAgent,
    crypto: Crypto,
    wording: Wording,
    challenge: Option<(Challenge, Timestamp)>,
    outbox: VecDeque<(AgentRequest, SendMode)>,
    under_way: Option<UnderWay>,
    number: u64,
    /// How many signed requests it keeps, to send one of them again.
    keeps: usize,
    /// Those, the last one first. They outlive the hall's process.
    kept: VecDeque<SignedRequest>,
    signed_anew: u8,
    /// How often it is to be woken, as it is planned.
    wakes: u32,
}

/// The request that waits for its answer.
struct UnderWay {
    number: u64,
    what: Arc<AgentRequest>,
    mode: SendMode,
    copies: u8,
    best: Option<AnswerBrief>,
}

/// A request that leaves now.
pub(crate) struct Sent {
    pub(crate) number: u64,
    pub(crate) request: SignedRequest,
    pub(crate) mode: SendMode,
    pub(crate) copies: u8,
}

/// What everybody can know of an agent, and what a thief has of it.
#[derive(Clone)]
pub(crate) struct Face {
    id: AgentId,
    handle: Handle,
    challenge: Option<Challenge>,
}

impl Actor {
    pub(crate) fn new(player: VirtualAgent, crypto: Crypto) -> Self {
        let profile = player.profile();
        let keeps = if profile.hoards { HOARD } else { usize::from(profile.replays > 0) };
        Self {
            player,
            crypto,
            wording: Wording::Gate,
            challenge: None,
            outbox: VecDeque::new(),
            under_way: None,
            number: 0,
            keeps,
            kept: VecDeque::new(),
            signed_anew: 0,
            wakes: 0,
        }
    }

    /// The same with requests that are sent over HTTP.
    pub(crate) fn over_http(self) -> Self {
        Self { wording: Wording::Http, ..self }
    }

    pub(crate) const fn identity(&self) -> &Identity {
        self.player.identity()
    }

    pub(crate) fn public_face(&self) -> Face {
        let challenge = self.challenge.as_ref().map(|(challenge, _)| *challenge);
        Face { id: self.id(), handle: self.identity().handle.clone(), challenge }
    }

    fn id(&self) -> AgentId {
        AgentId::of_key(&self.identity().public)
    }

    /// Whether it is to be woken once more than is planned already.
    pub(super) const fn plan_wake(&mut self) -> bool {
        let most = if self.player.profile().floods { FLOODING_WAKES } else { WAKES };
        let plans = self.wakes < most;
        if plans {
            self.wakes += 1;
        }
        plans
    }

    /// It is woken.
    pub(super) const fn wake(&mut self) {
        self.wakes = self.wakes.saturating_sub(1);
    }

    /// Puts a request into the line. Who asks faster than it is answered forgets what no longer fits.
    pub(crate) fn queue(&mut self, what: AgentRequest, mode: SendMode) {
        if self.outbox.len() < OUTBOX {
            self.outbox.push_back((what, mode));
        }
    }

    /// Whether the next request takes something of another agent.
    pub(super) fn next_is_of_another(&self) -> bool {
        let mode = self.outbox.front().map(|(_, mode)| *mode);
        matches!(mode, Some(SendMode::OtherHandle | SendMode::OthersChallenge | SendMode::ForAnother))
    }

    /// The next request, if none is under way and there is something to ask.
    pub(crate) fn next_request(
        &mut self,
        now: Timestamp,
        other: Option<Face>,
        dice: &mut Dice,
    ) -> Option<Sent> {
        if self.under_way.is_some() {
            return None;
        }
        self.outbox.front()?;
        // A challenge that is about to expire is no longer used.
        let fresh = self.challenge.filter(|(_, since)| now.since(*since) + Span::from_secs(20) < VALIDITY);
        self.number += 1;
        let number = self.number;
        let Some((challenge, _)) = fresh else {
            let what = Arc::new(AgentRequest::Challenge);
            let request = self.unsigned(&what);
            self.under_way = Some(UnderWay { number, what, mode: SendMode::Honest, copies: 1, best: None });
            return Some(Sent { number, request, mode: SendMode::Honest, copies: 1 });
        };
        let (what, mode) = self.outbox.pop_front()?;
        let what = Arc::new(what);
        let request = self.signed(&what, mode, challenge, other, dice);
        let copies = if let SendMode::Race(copies) = mode { copies } else { 1 };
        self.under_way = Some(UnderWay { number, what, mode, copies, best: None });
        if self.keeps > 0 {
            self.kept.truncate(self.keeps - 1);
            self.kept.push_front(request.clone());
        }
        Some(Sent { number, request, mode, copies })
    }

    /// A question for its games, signed with a challenge that it was given for it.
    pub(super) fn with_challenge(&self, challenge: Challenge, dice: &mut Dice) -> SignedRequest {
        self.signed(&Arc::new(AgentRequest::MyGames), SendMode::Honest, challenge, None, dice)
    }

    pub(super) fn unsigned(&self, what: &Arc<AgentRequest>) -> SignedRequest {
        SignedRequest {
            what: Arc::clone(what),
            about: None,
            handle: self.identity().handle.clone(),
            challenge: None,
            signature: Signature::from_bytes([0; 64]),
            path: self.wording.path(what, || self.id()),
            body: None,
        }
    }

    fn signed(
        &self,
        what: &Arc<AgentRequest>,
        mode: SendMode,
        challenge: Challenge,
        other: Option<Face>,
        dice: &mut Dice,
    ) -> SignedRequest {
        if mode == SendMode::Replay
            && let Some(kept) = self.one_kept(dice)
        {
            return kept.clone();
        }
        let identity = self.identity();
        let stranger = (mode == SendMode::OtherKey).then(|| PrivateKey::from_seed(&[0x77; 32]));
        let (key, public) = match &stranger {
            Some(stranger) => (stranger, stranger.public()),
            None => (&identity.key, identity.public),
        };
        let handle = match (mode, &other) {
            (SendMode::OtherHandle, Some(other)) => other.handle.clone(),
            _ => identity.handle.clone(),
        };
        let challenge = match (mode, &other) {
            (SendMode::OthersChallenge, Some(Face { challenge: Some(theirs), .. })) => *theirs,
            (SendMode::InventedChallenge, _) => Challenge::from_bytes(dice.bytes()),
            _ => challenge,
        };
        let body = what.is_post().then(|| Arc::new(self.body(what, mode)));
        let about = other.as_ref().filter(|_| mode == SendMode::ForAnother).map(|other| other.id);
        let path = self.wording.path(what, || about.unwrap_or_else(|| self.id()));
        let signed_path = if mode == SendMode::OtherPath { "/api/feedback/else" } else { &path };
        let digest = body.as_deref().map(|body| self.wording.digest(body));
        let method = if body.is_some() { "POST" } else { "GET" };
        let text = message::auth(&handle, &challenge, method, signed_path, digest.as_ref());
        let mut signature = self.crypto.sign(key, &public, text.as_bytes());
        if mode == SendMode::ForgedHeader {
            signature = turned(&signature, dice);
        }
        SignedRequest {
            what: Arc::clone(what),
            about,
            handle,
            challenge: Some(challenge),
            signature,
            path,
            body,
        }
    }

    /// A signed request that it has kept.
    fn one_kept(&self, dice: &mut Dice) -> Option<&SignedRequest> {
        // Of one there is nothing to draw.
        let count = u64::try_from(self.kept.len()).unwrap_or(1);
        let place = if self.keeps > 1 { dice.below(count.max(1)) } else { 0 };
        self.kept.get(usize::try_from(place).unwrap_or(0))
    }

    /// The body's text with its signature.
    fn body(&self, what: &AgentRequest, mode: SendMode) -> Body {
        self.wording.body(what, |what, text| {
            let message = message::game_move(&what.game, what.turn_index, &Digest::of(text.as_bytes()));
            let identity = self.identity();
            let signature = self.crypto.sign(&identity.key, &identity.public, message.as_bytes());
            if mode != SendMode::ForgedBody {
                return signature;
            }
            let mut bytes = *signature.as_bytes();
            bytes[3] ^= 4;
            Signature::from_bytes(bytes)
        })
    }

    /// The request that is under way is sent once more, signed anew.
    pub(crate) fn again(&mut self) {
        self.challenge = None;
        let Some(UnderWay { what, mode, .. }) = self.under_way.take() else { return };
        // What a challenge is asked for stands in the line.
        if *what != AgentRequest::Challenge {
            self.outbox.push_front(((*what).clone(), mode));
        }
    }

    /// Handles an answer. Returns the answer for the agent, once all copies are answered.
    pub(crate) fn hear(
        &mut self,
        now: Timestamp,
        number: u64,
        answer: AnswerBrief,
        next: Option<Challenge>,
    ) -> Option<(Arc<AgentRequest>, SendMode, AnswerBrief)> {
        let under_way = self.under_way.as_mut().filter(|under_way| under_way.number == number)?;
        if let Some(next) = next {
            self.challenge = Some((next, now));
        }
        // One of several copies may be accepted; the others only learn that the challenge is spent.
        let better =
            under_way.best.as_ref().is_none_or(|best| is_about_challenge(best) || *best == AnswerBrief::Lost);
        if better {
            under_way.best = Some(answer);
        }
        under_way.copies -= 1;
        if under_way.copies > 0 {
            return None;
        }
        let UnderWay { what, mode, best, .. } = self.under_way.take()?;
        let answer = best?;
        if is_about_challenge(&answer) || answer == AnswerBrief::Lost {
            self.challenge = None;
        }
        if is_about_challenge(&answer) && mode == SendMode::Honest && self.signed_anew < SIGNED_ANEW {
            self.signed_anew += 1;
            self.outbox.push_front(((*what).clone(), mode));
            return None;
        }
        self.signed_anew = 0;
        match (&*what, &answer) {
            // The answer that mattered was lost with the challenge: the request is still in the outbox.
            (AgentRequest::Challenge, AnswerBrief::Lost) => {
                let (what, mode) = self.outbox.pop_front()?;
                Some((Arc::new(what), mode, AnswerBrief::Lost))
            }
            (AgentRequest::Challenge, _) => None,
            _ => Some((what, mode, answer)),
        }
    }
}

fn is_about_challenge(answer: &AnswerBrief) -> bool {
    matches!(answer, AnswerBrief::Refused { code, .. } if code.starts_with("CHALLENGE_"))
}

fn turned(signature: &Signature, dice: &mut Dice) -> Signature {
    let mut bytes = *signature.as_bytes();
    let place = usize::try_from(dice.below(64)).unwrap_or(0);
    if let Some(byte) = bytes.get_mut(place) {
        *byte ^= 1 << dice.below(8);
    }
    Signature::from_bytes(bytes)
}
