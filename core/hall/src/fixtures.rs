//! Worlds for tests: a hall driven by hand. Time stands still until it is told to advance, randomness is seeded, and the
//! invariants of the state are checked after every step.
//!
//! Other crates build their tests, models and fuzz targets from these parts; no program needs them.
#![expect(
    clippy::unwrap_used,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::wildcard_enum_match_arm,
    reason = "in a test, what does not come about as told is a failure of the test"
)]

use crate::{
    AdapterKind, Answer, Caller, Choice, Command, Decision, DeskCommand, Division, DocketWording, Effect,
    Entropy, Fact, Filing, Hall, HallCommand, HallKeys, HallSettings, JoinLobby, MoveSubmission, NewAgent,
    Rejection, Reply, RoomCommand, RoomRejection, SignatureCheck, SignedBody, ToolAccess, TurnStatus,
};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_games::Catalog;
use hall_rooms::{Room, RoomFact};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{
    AgentId, Digest, GameId, Handle, Notation, OperatorId, Player, PublicKey, Signature, Span, Timestamp,
};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};

/// The player of the first seat.
pub const P0: Player = Player::new(0);
/// The player of the second seat.
pub const P1: Player = Player::new(1);

/// Randomness from a seed.
#[derive(Debug)]
pub struct Seeded(Pcg64Mcg);

impl Seeded {
    /// The generator of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }
}

impl Entropy for Seeded {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

/// A hall with its current time and everything that happened in it.
#[derive(Debug)]
pub struct World {
    /// Its state.
    pub hall: Hall,
    /// Core time.
    pub now: Timestamp,
    /// Every fact, in order.
    pub facts: Vec<Fact>,
    /// Every effect, in order.
    pub effects: Vec<Effect>,
    entropy: Seeded,
}

/// A game between two fresh agents.
#[derive(Debug)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Table {
    pub world: World,
    pub game: GameId,
}

/// The public keys of a hall.
#[must_use]
pub fn keys() -> HallKeys {
    HallKeys { log: "hall.example+00000000+AA==".into(), ring: "whpk_AA==".into() }
}

/// What an agent of this name says when it registers. Its key follows from the name.
#[must_use]
pub fn registration(name: &str, operator: u8) -> NewAgent {
    NewAgent {
        handle: Handle::parse(name).unwrap(),
        key: key_of(name),
        operator: OperatorId::from_bytes([operator; 16]),
        operator_name: None,
        model_id: "model".into(),
        adapter_kind: None,
    }
}

/// A homologation for the open division of the open season.
#[must_use]
pub fn filing() -> Filing {
    Filing {
        season_id: "current".into(),
        division: Division::Open,
        model_id: "model".into(),
        adapter_kind: AdapterKind::Api,
        endpoint_url: None,
        system_prompt_sha256: Digest::of(b"prompt"),
        config_sha256: Digest::of(b"config"),
        tool_access: ToolAccess::Pure,
    }
}

/// The open division of a game's standard variant.
#[must_use]
pub fn lobby(game: &str) -> JoinLobby {
    JoinLobby { game: game.into(), variant: "standard".into(), division: Division::Open }
}

impl World {
    /// A hall that has started, with its first season open.
    pub fn new(catalog: Catalog, wording: DocketWording, settings: HallSettings, seed: u64) -> Self {
        let mut world = Self {
            hall: Hall::new(catalog, wording),
            now: Timestamp::from_millis(1_795_000_000_000),
            facts: Vec::new(),
            effects: Vec::new(),
            entropy: Seeded::new(seed),
        };
        world.granted(Caller::Hall, Command::Hall(HallCommand::Start { settings, keys: keys() }));
        world
    }

    /// Decides a request stamped now, after time was applied, and applies what it changes.
    pub fn ask(&mut self, who: Caller, what: Command) -> Answer {
        self.sweep();
        self.decide(who, what).answer
    }

    /// The same for what is granted.
    pub fn granted(&mut self, who: Caller, what: Command) -> Reply {
        self.ask(who, what).unwrap()
    }

    fn decide(&mut self, who: Caller, what: Command) -> Decision {
        let decision = self.hall.decide(self.now, self.now, who, &what, &mut self.entropy);
        for fact in &decision.facts {
            self.hall.apply(fact);
        }
        self.facts.extend(decision.facts.iter().cloned());
        self.effects.extend(decision.effects.iter().cloned());
        self.hall.check();
        decision
    }

    /// Does everything that is due now.
    pub fn sweep(&mut self) {
        while self.hall.next_deadline().is_some_and(|due| due <= self.now) {
            let decision = self.decide(Caller::Hall, Command::Hall(HallCommand::Sweep));
            assert!(!decision.facts.is_empty(), "what is due changes something");
        }
    }

    /// Advances the time by so many milliseconds, without sweeping.
    pub fn advance(&mut self, millis: u64) {
        self.now = self.now + Span::from_millis(millis);
    }

    /// Registers an agent and files its homologation.
    pub fn register(&mut self, name: &str, operator: u8) -> AgentId {
        let agent = registration(name, operator);
        let agent = match self.granted(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(agent))) {
            Reply::Registered { agent, .. } => agent,
            other => panic!("{other:?}"),
        };
        self.file(agent, Division::Open);
        agent
    }

    /// Files a homologation for a division.
    pub fn file(&mut self, agent: AgentId, division: Division) {
        let filing = Filing { division, ..filing() };
        self.granted(Caller::Agent(agent), Command::Desk(DeskCommand::FileHomologation { agent, filing }));
    }

    /// Joins the open lobby of a game; the game, if the agent is paired immediately.
    pub fn join(&mut self, agent: AgentId, game: &str) -> Option<GameId> {
        self.join_in(agent, game, Division::Open)
    }

    /// The same for a division.
    pub fn join_in(&mut self, agent: AgentId, game: &str, division: Division) -> Option<GameId> {
        let lobby = JoinLobby { division, ..lobby(game) };
        match self.granted(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(lobby))) {
            Reply::Joined { game, .. } => game,
            other => panic!("{other:?}"),
        }
    }

    /// The room of a game in memory.
    #[must_use]
    pub fn room(&self, game: GameId) -> Arc<Room> {
        Arc::clone(self.hall.rooms().find(&game).unwrap())
    }

    /// What happened in a game so far.
    #[must_use]
    pub fn changes(&self, game: GameId) -> Vec<RoomFact> {
        let of_game = |fact: &Fact| match fact {
            Fact::Room(fact) if fact.game == game => Some((**fact).clone()),
            _ => None,
        };
        self.facts.iter().filter_map(of_game).collect()
    }
}

/// The public key of the agent of this name.
#[must_use]
pub fn key_of(name: &str) -> PublicKey {
    PrivateKey::from_seed(Digest::of(name.as_bytes()).as_bytes()).public()
}

impl Table {
    /// Two agents of two operators, `ada` and `bob`, join the open lobby of `game` and are paired.
    pub fn start(mut world: World, game: &str) -> Self {
        let (ada, bob) = (world.register("ada", 1), world.register("bob", 2));
        assert_eq!(world.join(ada, game), None);
        let game = world.join(bob, game).expect("two agents are paired at once");
        Self { world, game }
    }

    /// The room of the game.
    #[must_use]
    pub fn room(&self) -> Arc<Room> {
        self.world.room(self.game)
    }

    /// Who sits in a seat.
    #[must_use]
    pub fn agent(&self, player: Player) -> AgentId {
        self.room().seat(player).unwrap().seat.agent
    }

    /// A request with the current turn and a good signature, ready to be changed.
    #[must_use]
    pub fn request(&self, text: &str) -> MoveSubmission {
        submission(self.game, self.room().turn_index(), Notation::parse(text).map(Choice::Notation))
    }

    /// Submits a move for a seat.
    pub fn submit(&mut self, player: Player, submission: MoveSubmission) -> Answer {
        let agent = self.agent(player);
        self.world.ask(Caller::Agent(agent), Command::Room(RoomCommand::Submit(submission)))
    }

    /// Plays a notation for a seat.
    pub fn try_move(&mut self, player: Player, text: &str) -> Answer {
        self.submit(player, self.request(text))
    }

    /// Plays moves in turn, beginning with the player to move.
    pub fn play(&mut self, moves: &str) {
        for text in moves.split_whitespace() {
            let player = self.room().to_move().iter().next().expect("somebody is to move");
            self.try_move(player, text).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
        }
    }
}

/// A move whose signature holds.
#[must_use]
pub fn submission(game: GameId, turn_index: u32, choice: Option<Choice>) -> MoveSubmission {
    let body = format!("{{\"game_id\":\"{game}\",\"turn_index\":{turn_index}}}");
    MoveSubmission {
        game,
        turn_index,
        choice,
        resign: false,
        draw_offer: false,
        draw_accept: false,
        commentary: None,
        signature_check: SignatureCheck::Valid,
        signed: Some(SignedBody {
            sha256: Digest::of(body.as_bytes()),
            body,
            signature: Signature::from_bytes([1; 64]),
            challenge: Challenge::from_bytes([2; 32]),
            auth_signature: Signature::from_bytes([3; 64]),
            request_sha256: Digest::of(b"request"),
        }),
    }
}

/// The state of the turn in a refusal as `wrong_turn`.
pub fn wrong_turn(answer: Answer) -> TurnStatus {
    match answer {
        Err(Rejection::Room(RoomRejection::WrongTurn(report))) => *report,
        other => panic!("not wrong_turn: {other:?}"),
    }
}

/// The state of the turn in a refusal as `illegal_move`.
pub fn illegal(answer: Answer) -> TurnStatus {
    match answer {
        Err(Rejection::Room(RoomRejection::IllegalMove(report))) => *report,
        other => panic!("not illegal_move: {other:?}"),
    }
}
