//! A hall driven by hand: time stands still until told, randomness is seeded, every step is checked.

use hall_core::rooms::{Room, RoomChange, RoomFact, SignatureCheck};
use hall_core::{
    Answer, Caller, Choice, Command, Decision, DeskCommand, Division, DocketMatter, DocketText, Effect,
    Entropy, Fact, Filing, Hall, HallCommand, HallKeys, HallSettings, JoinLobby, MoveSubmission, NewAgent,
    Rejection, Reply, RoomCommand, RoomRejection, SignedBody, Timing, ToolAccess, TurnStatus, Word,
};
use hall_games::sealed_bids::SEALED_BIDS;
use hall_games::{CHESS, Catalog, Game};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{
    AgentId, Digest, GameId, Handle, Notation, OperatorId, Player, PublicKey, Signature, Span, Timestamp,
};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};
use std::collections::BTreeMap;
use std::sync::Arc;

const GAMES: &[&dyn Game] = &[&CHESS, &SEALED_BIDS];

/// The games of these tests: the catalog's, and the one with hidden bids.
pub(crate) const CATALOG: Catalog = Catalog::new(GAMES);

pub(crate) const P0: Player = Player::new(0);
pub(crate) const P1: Player = Player::new(1);

/// Docket entries in tests of the core show the matter itself: the words are a shell's. Every hall begins with the
/// first of them, which golden data has in the words of the production shell.
pub(crate) fn as_data(matter: &DocketMatter<'_>) -> DocketText {
    let (subject, reason) = match matter {
        DocketMatter::FirstSeasonOpened { season } => {
            (format!("Season {season} opened"), "The hall opened its first season.".to_owned())
        }
        _ => (format!("{matter:?}"), String::new()),
    };
    DocketText { subject, reason, disposition: None }
}

pub(crate) struct Seeded(Pcg64Mcg);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }
}

impl Entropy for Seeded {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

pub(crate) struct World {
    pub(crate) hall: Hall,
    pub(crate) now: Timestamp,
    pub(crate) facts: Vec<Fact>,
    pub(crate) effects: Vec<Effect>,
    entropy: Seeded,
}

/// A game between two fresh agents.
pub(crate) struct Table {
    pub(crate) world: World,
    pub(crate) game: GameId,
}

pub(crate) fn settings() -> HallSettings {
    let chess = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(2_400)) };
    let bids = Timing { move_time: Span::from_secs(30), side_time: None };
    let word = |text| Word::parse(text).unwrap();
    HallSettings {
        timing: BTreeMap::from([(word("chess"), chess), (word(SEALED_BIDS.describe().id), bids)]),
        ..HallSettings::default()
    }
}

impl World {
    pub(crate) fn with(settings: HallSettings, seed: u64) -> Self {
        Self::offering(CATALOG, settings, seed)
    }

    pub(crate) fn offering(catalog: Catalog, settings: HallSettings, seed: u64) -> Self {
        let mut world = Self {
            hall: Hall::new(catalog, as_data),
            now: Timestamp::from_millis(1_795_000_000_000),
            facts: Vec::new(),
            effects: Vec::new(),
            entropy: Seeded::new(seed),
        };
        let keys = HallKeys { log: "hall.example+00000000+AA==".into(), ring: "whpk_AA==".into() };
        world.granted(Caller::Hall, Command::Hall(HallCommand::Start { settings, keys }));
        world
    }

    /// Decides a request stamped now, after time was applied, and applies what it changes.
    pub(crate) fn ask(&mut self, who: Caller, what: Command) -> Answer {
        self.sweep();
        self.decide(who, what).answer
    }

    pub(crate) fn granted(&mut self, who: Caller, what: Command) -> Reply {
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
    pub(crate) fn sweep(&mut self) {
        while self.hall.next_deadline().is_some_and(|due| due <= self.now) {
            let decision = self.decide(Caller::Hall, Command::Hall(HallCommand::Sweep));
            assert!(!decision.facts.is_empty(), "what is due changes something");
        }
    }

    pub(crate) fn advance(&mut self, millis: u64) {
        self.now = self.now + Span::from_millis(millis);
    }

    pub(crate) fn register(&mut self, name: &str, operator: u8) -> AgentId {
        let key = key_of(name);
        let agent = NewAgent {
            handle: Handle::parse(name).unwrap(),
            key,
            operator: OperatorId::from_bytes([operator; 16]),
            operator_name: None,
            model_id: "model".into(),
            adapter_kind: None,
        };
        let agent = match self.granted(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(agent))) {
            Reply::Registered { agent, .. } => agent,
            other => panic!("{other:?}"),
        };
        self.file(agent, Division::Open);
        agent
    }

    pub(crate) fn file(&mut self, agent: AgentId, division: Division) {
        let filing = Filing {
            season_id: "current".into(),
            division,
            model_id: "model".into(),
            adapter_kind: hall_core::AdapterKind::Api,
            endpoint_url: None,
            system_prompt_sha256: Digest::of(b"prompt"),
            config_sha256: Digest::of(b"config"),
            tool_access: ToolAccess::Pure,
        };
        self.granted(Caller::Agent(agent), Command::Desk(DeskCommand::FileHomologation { agent, filing }));
    }

    pub(crate) fn join(&mut self, agent: AgentId, game: &str) -> Option<GameId> {
        self.join_in(agent, game, Division::Open)
    }

    pub(crate) fn join_in(&mut self, agent: AgentId, game: &str, division: Division) -> Option<GameId> {
        let lobby = JoinLobby { game: game.into(), variant: "standard".into(), division };
        match self.granted(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(lobby))) {
            Reply::Joined { game, .. } => game,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn room(&self, game: GameId) -> Arc<Room> {
        Arc::clone(self.hall.rooms().find(&game).unwrap())
    }

    /// What happened in a game so far.
    pub(crate) fn changes(&self, game: GameId) -> Vec<RoomFact> {
        let of_game = |fact: &Fact| match fact {
            Fact::Room(fact) if fact.game == game => Some((**fact).clone()),
            _ => None,
        };
        self.facts.iter().filter_map(of_game).collect()
    }
}

pub(crate) fn key_of(name: &str) -> PublicKey {
    PrivateKey::from_seed(Digest::of(name.as_bytes()).as_bytes()).public()
}

impl Table {
    pub(crate) fn chess() -> Self {
        Self::with(settings())
    }

    pub(crate) fn with(settings: HallSettings) -> Self {
        let mut world = World::with(settings, 1);
        let (ada, bob) = (world.register("ada", 1), world.register("bob", 2));
        assert_eq!(world.join(ada, "chess"), None);
        let game = world.join(bob, "chess").expect("two agents are paired at once");
        Self { world, game }
    }

    pub(crate) fn room(&self) -> Arc<Room> {
        self.world.room(self.game)
    }

    pub(crate) fn agent(&self, player: Player) -> AgentId {
        self.room().seat(player).unwrap().seat.agent
    }

    /// A request with the current turn and a good signature, ready to be changed.
    pub(crate) fn request(&self, text: &str) -> MoveSubmission {
        submission(self.game, self.room().turn_index(), Notation::parse(text).map(Choice::Notation))
    }

    pub(crate) fn submit(&mut self, player: Player, submission: MoveSubmission) -> Answer {
        let agent = self.agent(player);
        self.world.ask(Caller::Agent(agent), Command::Room(RoomCommand::Submit(submission)))
    }

    pub(crate) fn try_move(&mut self, player: Player, text: &str) -> Answer {
        self.submit(player, self.request(text))
    }

    /// Plays moves in turn, beginning with whoever is to move.
    pub(crate) fn play(&mut self, moves: &str) {
        for text in moves.split_whitespace() {
            let player = self.room().to_move().iter().next().expect("somebody is to move");
            self.try_move(player, text).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
        }
    }

    pub(crate) fn change_kinds(&self) -> Vec<&'static str> {
        self.world.changes(self.game).iter().map(|fact| kind(&fact.change)).collect()
    }
}

pub(crate) fn submission(game: GameId, turn_index: u32, choice: Option<Choice>) -> MoveSubmission {
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

pub(crate) fn kind(change: &RoomChange) -> &'static str {
    match change {
        RoomChange::Started(_) => "started",
        RoomChange::MovePlayed(_) => "move",
        RoomChange::IllegalAttempted { .. } => "illegal",
        RoomChange::StrikeGiven { .. } => "strike",
        RoomChange::DrawOffered { .. } => "offered",
        RoomChange::DrawDeclined { .. } => "declined",
        RoomChange::DeadlineExtended { .. } => "extended",
        RoomChange::PenaltyDeferred { .. } => "held",
        RoomChange::BeaconSettled { .. } => "beacon",
        RoomChange::Ended { .. } => "ended",
    }
}

pub(crate) fn wrong_turn(answer: Answer) -> TurnStatus {
    match answer {
        Err(Rejection::Room(RoomRejection::WrongTurn(report))) => *report,
        other => panic!("not wrong_turn: {other:?}"),
    }
}

pub(crate) fn illegal(answer: Answer) -> TurnStatus {
    match answer {
        Err(Rejection::Room(RoomRejection::IllegalMove(report))) => *report,
        other => panic!("not illegal_move: {other:?}"),
    }
}
