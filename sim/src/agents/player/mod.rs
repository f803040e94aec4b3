//! The state machine of an agent: how it comes into the hall and looks around there; `hearing` is what it makes of
//! answers, `playing` how it deals with a turn.

mod hearing;
mod playing;

use super::profile::AgentProfile;
use crate::dice::Dice;
use crate::protocol::{AgentRequest, AnswerBrief, MoveRequest, SendMode};
use hall_core::{AdapterKind, Division, FeedbackKind, Filing, GameVariant, JoinLobby, NewAgent, ToolAccess};
use hall_wire::key::PrivateKey;
use hall_wire::{Digest, GameId, Handle, Notation, OperatorId, PublicKey, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// The permanent identity of an agent.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Its handle.
    pub handle: Handle,
    /// Its key.
    pub key: PrivateKey,
    /// The public half.
    pub public: PublicKey,
    /// Its operator.
    pub operator: OperatorId,
}

/// Something that happens to an agent.
#[derive(Clone, Copy, Debug)]
pub enum Stimulus<'a> {
    /// The time that it asked to be woken at has come.
    Woken,
    /// One of its requests was answered, or is known to be lost.
    Answered(&'a AgentRequest, SendMode, &'a AnswerBrief),
    /// A turn waits on it.
    Turn(GameId, u32, Timestamp),
    /// A game of it has ended.
    GameOver(GameId),
}

/// A request, how it is made, and after which time.
#[derive(Clone, Debug)]
pub struct PlannedRequest {
    /// How long it thinks first.
    pub after: Span,
    /// What it asks for.
    pub what: AgentRequest,
    /// How.
    pub mode: SendMode,
}

/// What an agent wants to do next.
#[derive(Clone, Debug, Default)]
pub struct Reaction {
    /// Its requests.
    pub requests: Vec<PlannedRequest>,
    /// When it wants to be woken.
    pub wake_after: Option<Span>,
}

/// An agent.
#[derive(Clone, Debug)]
pub struct VirtualAgent {
    identity: Identity,
    profile: AgentProfile,
    /// What it plays: one game, or any of several.
    games: Vec<GameVariant>,
    dice: Dice,
    registered: bool,
    filed: BTreeSet<Division>,
    waits: Vec<JoinLobby>,
    tables: BTreeMap<GameId, Table>,
}

/// What it remembers of a game.
#[derive(Clone, Debug, Default)]
struct Table {
    /// The last turn that it has dealt with or is dealing with.
    turn: Option<u32>,
    plies: u32,
    /// Illegal moves still to be tried in this turn.
    stubborn: u8,
    /// How often the same move was sent again.
    resent: u8,
    deadline: Option<Timestamp>,
    last: Option<Notation>,
    /// A move that it has sent for a later turn, and sends again when that is there.
    planned: Option<Box<MoveRequest>>,
}

impl VirtualAgent {
    /// An agent that is not registered yet.
    #[must_use]
    pub fn new(identity: Identity, profile: AgentProfile, games: Vec<GameVariant>, dice: Dice) -> Self {
        let (filed, waits, tables) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
        Self { identity, profile, games, dice, registered: false, filed, waits, tables }
    }

    /// Who it is.
    #[must_use]
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// How it behaves.
    #[must_use]
    pub const fn profile(&self) -> &AgentProfile {
        &self.profile
    }

    /// From now on it behaves correctly and on time, so that its games end.
    pub fn calm_down(&mut self) {
        let name = self.profile.name;
        let games_wanted = self.profile.games_wanted.min(1);
        self.profile = AgentProfile { name, games_wanted, ..AgentProfile::swift() };
    }

    /// From now on it joins no lobby.
    pub const fn retire(&mut self) {
        self.profile.games_wanted = 0;
    }

    /// What it does about something, when the hall's clock shows `now`.
    pub fn react(&mut self, now: Timestamp, stimulus: Stimulus<'_>) -> Reaction {
        let mut reaction = Reaction::default();
        match stimulus {
            Stimulus::Woken => self.look_around(&mut reaction),
            Stimulus::Answered(what, mode, answer) => self.hear(now, what, mode, answer, &mut reaction),
            Stimulus::Turn(game, turn, deadline) => {
                let table = self.tables.entry(game).or_default();
                if table.turn.is_none_or(|known| known < turn) {
                    (table.turn, table.stubborn, table.resent) = (Some(turn), 0, 0);
                    table.deadline = Some(deadline);
                    self.take_turn(now, game, turn, &mut reaction);
                }
            }
            Stimulus::GameOver(game) => {
                if self.tables.remove(&game).is_some() && self.dice.permille(300) {
                    self.look_around(&mut reaction);
                }
            }
        }
        reaction
    }

    fn look_around(&mut self, reaction: &mut Reaction) {
        let around = self.profile.looks_around.as_millis();
        reaction.wake_after = Some(if self.profile.floods {
            self.dice.span(Span::from_millis(200), Span::from_secs(5))
        } else {
            Span::from_millis(self.dice.between(around / 2, around + around / 2))
        });
        if self.dice.permille(self.profile.forgets) {
            (self.registered, self.filed, self.waits) = (false, BTreeSet::new(), Vec::new());
            self.tables.clear();
        }
        if !self.registered {
            return self.register(reaction);
        }
        if !self.tables.is_empty() || self.dice.permille(100) {
            reaction.now(AgentRequest::MyGames);
        }
        self.seek_game(reaction);
        if self.profile.injects && self.dice.permille(300) {
            let game = self.games.first().map(|played| played.game.to_string()).unwrap_or_default();
            let capital = game.to_uppercase();
            let named = [("snap", "standard"), (&game, "960"), (&capital, "standard"), ("", "")];
            let (game, variant) = *self.dice.pick(&named).unwrap_or(&("", ""));
            let (game, variant, division) = (game.to_owned(), variant.to_owned(), Division::Pure);
            reaction.now(AgentRequest::Join(JoinLobby { game, variant, division }));
        }
        if self.dice.permille(self.profile.guesses) {
            self.guess(reaction);
        }
        if self.dice.permille(self.profile.posts) {
            let subject = if self.profile.injects {
                self.odd_words()
            } else {
                format!("It is {}", self.dice.below(1_000))
            };
            reaction.now(AgentRequest::Post(FeedbackKind::Bug, subject));
        }
    }

    /// A lobby of a division in which it may wait. Nothing is drawn where it plays one game only.
    fn lobby(&mut self, division: Division) -> JoinLobby {
        let played = match self.games.as_slice() {
            [only] => Some(only),
            many => self.dice.pick(many),
        };
        let (game, variant) =
            played.map(|played| (played.game.to_string(), played.variant.to_string())).unwrap_or_default();
        JoinLobby { game, variant, division }
    }

    /// It waits in this lobby, or does not any more.
    fn note_waiting(&mut self, lobby: &JoinLobby, is_waiting: bool) {
        self.waits.retain(|known| known != lobby);
        if is_waiting {
            self.waits.push(lobby.clone());
        }
    }

    fn divisions(&self) -> &'static [Division] {
        if self.profile.everywhere { Division::ALL } else { Division::ALL.get(..1).unwrap_or_default() }
    }

    fn register(&self, reaction: &mut Reaction) {
        reaction.now(AgentRequest::Register(Box::new(self.registration(self.identity.operator))));
    }

    fn registration(&self, operator: OperatorId) -> NewAgent {
        NewAgent {
            handle: self.identity.handle.clone(),
            key: self.identity.public,
            operator,
            operator_name: self.is_even().then(|| format!("The people of \"{}\"", self.identity.handle)),
            model_id: format!("sim/{}", self.profile.name),
            adapter_kind: Some(AdapterKind::Api),
        }
    }

    /// Asks for what is another's.
    fn guess(&mut self, reaction: &mut Reaction) {
        if self.dice.permille(500) {
            let operator = OperatorId::from_bytes(self.dice.bytes());
            return reaction.now(AgentRequest::Register(Box::new(self.registration(operator))));
        }
        let what = AgentRequest::File(Box::new(self.filing(Division::Open)));
        reaction.requests.push(PlannedRequest { after: Span::ZERO, what, mode: SendMode::ForAnother });
    }

    fn file(&mut self, division: Division, reaction: &mut Reaction) {
        reaction.now(AgentRequest::File(Box::new(self.filing(division))));
    }

    fn filing(&mut self, division: Division) -> Filing {
        let config = self.dice.below(3).to_be_bytes();
        // No agent with an engine is in the pure division.
        let cheats = (self.profile.refiles > 0 || self.profile.everywhere) && self.dice.permille(200);
        let tool_access = if cheats { ToolAccess::EngineAssisted } else { ToolAccess::Pure };
        Filing {
            season_id: "current".to_owned(),
            division,
            model_id: format!("sim/{}", self.profile.name),
            adapter_kind: self.dice.pick(AdapterKind::ALL).copied().unwrap_or(AdapterKind::Api),
            endpoint_url: self.endpoint(),
            system_prompt_sha256: Digest::of(b"prompt"),
            config_sha256: Digest::of(&config),
            tool_access,
        }
    }

    /// Some have an endpoint, which only the hall may know.
    fn endpoint(&self) -> Option<String> {
        self.is_even().then(|| format!("https://{}.endpoints.example/turn", self.identity.handle))
    }

    /// This separates one half of them from the other.
    fn is_even(&self) -> bool {
        self.identity.public.as_bytes().first().is_some_and(|byte| byte % 2 == 0)
    }

    fn seek_game(&mut self, reaction: &mut Reaction) {
        for division in self.divisions() {
            let lobby = self.lobby(*division);
            let waits = self.waits.contains(&lobby);
            if !self.filed.contains(division) || waits && self.dice.permille(self.profile.refiles) {
                self.file(*division, reaction);
            } else if waits && self.dice.permille(self.profile.leaves) {
                reaction.now(AgentRequest::Leave(lobby));
            } else if self.tables.len() < self.profile.games_wanted || self.profile.floods {
                reaction.now(AgentRequest::Join(lobby));
            }
        }
    }
}

impl Reaction {
    fn now(&mut self, what: AgentRequest) {
        self.requests.push(PlannedRequest { after: Span::from_millis(0), what, mode: SendMode::Honest });
    }
}
