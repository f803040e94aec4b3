//! A hall driven by hand, with the reference beside it.

use hall_core::fixtures;
use hall_core::{
    Answer, BeaconChain, Caller, Choice, Command, Decision, DeskCommand, DeskFact, Division, Effect, Entropy,
    Fact, Filing, Hall, HallCommand, HallSettings, JoinLobby, MoveSubmission, NewAgent, Reply, RoomCommand,
    Timing, Word,
};
use hall_games::{CATALOG, Catalog};
use hall_sim::reference::{Divergence, Extent, Reference};
use hall_wire::{AgentId, Digest, GameId, Notation, Player, Span, Timestamp};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Noon of a day in November 2026.
pub(crate) const NOON: i64 = 1_795_176_000_000;

pub(crate) struct Dice(pub(crate) Pcg64Mcg);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.0.next_u64() % u64::try_from(n.max(1)).unwrap()).unwrap()
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

impl Entropy for Dice {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

/// A command in its circumstances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) at: Timestamp,
    pub(crate) stamp: Timestamp,
    pub(crate) who: Caller,
    pub(crate) what: &'a Command,
}

/// A recorded step, for falsification.
pub(crate) struct Taken {
    pub(crate) at: Timestamp,
    pub(crate) stamp: Timestamp,
    pub(crate) who: Caller,
    pub(crate) what: Command,
    /// The random bytes drawn.
    pub(crate) drawn: Vec<u8>,
    pub(crate) decision: Decision,
}

/// Entropy that remembers what was drawn.
struct Drawn<'a>(&'a mut Dice, Vec<u8>);

impl Entropy for Drawn<'_> {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill(bytes);
        self.1.extend_from_slice(bytes);
    }
}

pub(crate) struct World {
    pub(crate) hall: Hall,
    pub(crate) reference: Reference,
    pub(crate) now: Timestamp,
    /// How long before core time requests are stamped.
    pub(crate) lag: Span,
    entropy: Dice,
    /// Kinds of facts, answers and effects that occurred.
    pub(crate) seen: BTreeSet<String>,
    pub(crate) steps: u64,
    /// Everything that was decided.
    pub(crate) taken: Vec<Taken>,
}

pub(crate) fn word(text: &str) -> Word {
    Word::parse(text).unwrap()
}

pub(crate) fn settings() -> HallSettings {
    let chess = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(2_400)) };
    HallSettings { timing: BTreeMap::from([(word("chess"), chess)]), ..HallSettings::default() }
}

pub(crate) fn chain() -> BeaconChain {
    BeaconChain {
        chain_hash: Digest::of(b"chain"),
        genesis: Timestamp::from_millis(1_692_803_367_000),
        period: Span::from_secs(3),
    }
}

pub(crate) fn filing() -> Filing {
    Filing {
        model_id: "model \"quoted\" é".into(),
        endpoint_url: Some("https://agent.example/run".into()),
        ..fixtures::filing()
    }
}

pub(crate) fn lobby(division: Division) -> JoinLobby {
    JoinLobby { division, ..fixtures::lobby("chess") }
}

pub(crate) fn registration(name: &str, operator: u8) -> Command {
    Command::Desk(DeskCommand::RegisterAgent(NewAgent {
        operator_name: (!operator.is_multiple_of(3)).then(|| format!("operator of {name}")),
        ..fixtures::registration(name, operator)
    }))
}

impl World {
    pub(crate) fn new(settings: HallSettings, seed: u64) -> Self {
        Self::offering(CATALOG, settings, seed)
    }

    /// A hall that offers these games.
    pub(crate) fn offering(catalog: Catalog, settings: HallSettings, seed: u64) -> Self {
        let mut world = Self {
            hall: Hall::new(catalog, hall_driver::docket_wording),
            reference: Reference::with_catalog(catalog),
            now: Timestamp::from_millis(NOON),
            lag: Span::ZERO,
            entropy: Dice::new(seed),
            seen: BTreeSet::new(),
            steps: 0,
            taken: Vec::new(),
        };
        world
            .ask(Caller::Hall, Command::Hall(HallCommand::Start { settings, keys: fixtures::keys() }))
            .unwrap();
        world
    }

    /// Decides, follows, applies and compares. Panics at the first divergence.
    pub(crate) fn decide(&mut self, stamp: Timestamp, who: Caller, mut what: Command) -> Decision {
        if let Command::Room(RoomCommand::Submit(asked)) = &mut what {
            spell_out(asked);
        }
        let mut entropy = Drawn(&mut self.entropy, Vec::new());
        let decision = self.hall.decide(self.now, stamp, who, &what, &mut entropy);
        let drawn = entropy.1;
        self.steps += 1;
        let told = |place: &str, divergence: Divergence| -> ! {
            panic!("{what:#?}\n{decision:#?}\nstep {} {place}: {divergence}\n", self.steps)
        };
        if let Err(divergence) = self.reference.follow(self.now, stamp, who, &what, &decision) {
            told("decides otherwise", divergence);
        }
        for fact in &decision.facts {
            self.hall.apply(fact);
        }
        let extent = if self.steps.is_multiple_of(64) { Extent::Whole } else { Extent::LastStep };
        if let Err(divergence) = self.reference.compare(&self.hall, extent) {
            told("leaves another state", divergence);
        }
        self.seen.extend(marks(&decision));
        self.taken.push(Taken { at: self.now, stamp, who, what, drawn, decision: decision.clone() });
        decision
    }

    /// Applies time first, then decides the request.
    pub(crate) fn ask(&mut self, who: Caller, what: Command) -> Answer {
        let stamp = self.now - self.lag;
        self.sweep_to(stamp);
        self.decide(stamp, who, what).answer
    }

    /// Does what is due at `horizon`.
    pub(crate) fn sweep_to(&mut self, horizon: Timestamp) {
        while self.hall.next_deadline().is_some_and(|due| due <= horizon) {
            let decision = self.decide(horizon, Caller::Hall, Command::Hall(HallCommand::Sweep));
            assert!(!decision.facts.is_empty(), "what is due changes something");
        }
    }

    pub(crate) fn sweep(&mut self) {
        self.sweep_to(self.now);
    }

    pub(crate) fn wait(&mut self, millis: u64) {
        self.now = self.now + Span::from_millis(millis);
    }

    pub(crate) fn enroll(&mut self, name: &str, operator: u8) -> Answer {
        self.ask(Caller::Hall, registration(name, operator))
    }

    /// Registers an agent and files it for the open division.
    pub(crate) fn player(&mut self, name: &str, operator: u8) -> AgentId {
        let Ok(Reply::Registered { agent, .. }) = self.enroll(name, operator) else {
            panic!("{name} is registered")
        };
        self.ask(
            Caller::Agent(agent),
            Command::Desk(DeskCommand::FileHomologation { agent, filing: filing() }),
        )
        .unwrap();
        agent
    }

    pub(crate) fn join(&mut self, agent: AgentId) -> Answer {
        self.ask(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(lobby(Division::Open))))
    }

    /// A game between two agents that are not in a lobby.
    pub(crate) fn game(&mut self, one: AgentId, two: AgentId) -> GameId {
        self.join(one).unwrap();
        let Ok(Reply::Joined { game: Some(game), .. }) = self.join(two) else {
            panic!("two agents are paired")
        };
        game
    }

    pub(crate) fn agent(&self, game: GameId, player: u8) -> AgentId {
        self.hall.rooms().find(&game).unwrap().seat(Player::new(player)).unwrap().seat.agent
    }

    /// A request of the player to move.
    pub(crate) fn request(&self, game: GameId, text: &str) -> MoveSubmission {
        let turn_index = self.hall.rooms().find(&game).map_or(0, |room| room.turn_index());
        fixtures::submission(game, turn_index, Notation::parse(text).map(Choice::Notation))
    }

    pub(crate) fn send(&mut self, agent: AgentId, request: MoveSubmission) -> Answer {
        self.ask(Caller::Agent(agent), Command::Room(RoomCommand::Submit(request)))
    }

    /// Plays moves in turn.
    pub(crate) fn play(&mut self, game: GameId, moves: &str) {
        for text in moves.split_whitespace() {
            let mover = self.hall.rooms().find(&game).unwrap().to_move().iter().next().unwrap();
            let request = self.request(game, text);
            self.send(self.agent(game, mover.seat()), request).unwrap();
        }
    }
}

/// Lets the signed body say what is asked for, as that of an agent does.
pub(crate) fn spell_out(asked: &mut MoveSubmission) {
    let Some(signed) = &mut asked.signed else { return };
    let mut body = json!({ "game_id": asked.game.to_string(), "turn_index": asked.turn_index });
    let mut say = |name: &str, value: Value| body[name] = value;
    match &asked.choice {
        Some(Choice::Notation(notation)) => say("move", json!(notation.as_str())),
        Some(Choice::Index(index)) => say("move", json!({ "index": index })),
        Some(Choice::Unparsable) => say("move", json!("?")),
        None => {}
    }
    let flags =
        [("resign", asked.resign), ("draw_offer", asked.draw_offer), ("draw_accept", asked.draw_accept)];
    flags.into_iter().filter(|(_, is_set)| *is_set).for_each(|(name, _)| say(name, json!(true)));
    asked.commentary.iter().for_each(|words| say("commentary", json!(words)));
    signed.body = body.to_string();
    signed.sha256 = Digest::of(signed.body.as_bytes());
}

/// The kinds of facts, answers and effects in a decision, so that a test can require all of them.
fn marks(decision: &Decision) -> Vec<String> {
    // The kind alone: `Room(MoveTaken { … })` is a `MoveTaken`.
    let word = |text: String| {
        let owners = ["Room(", "Desk(", "Governance(", "Hall("];
        let own = owners.iter().find_map(|owner| text.strip_prefix(owner)).unwrap_or(&text);
        own.split([' ', '(', '{', ')']).next().unwrap_or_default().to_owned()
    };
    let mut marks = vec![match &decision.answer {
        Ok(reply) => word(format!("{reply:?}")),
        Err(rejection) => word(format!("{rejection:?}")),
    }];
    for fact in &decision.facts {
        marks.push(match fact.in_room() {
            Some(fact) => word(format!("{:?}", fact.change)),
            None => word(format!("{fact:?}")),
        });
        if let Some(hall_core::rooms::RoomChange::Ended { result, .. }) =
            fact.in_room().map(|fact| &fact.change)
        {
            marks.push(result.reason.as_str().to_owned());
        }
        if matches!(fact, Fact::Desk(DeskFact::LobbiesSwept { .. })) && decision.facts.len() != 1 {
            marks.push("a sweep that is not alone".into());
        }
    }
    let held = |effect: &&Effect| matches!(effect, Effect::DeferredAnswer { .. });
    marks.extend(decision.effects.iter().find(held).map(|_| "DeferredAnswer".to_owned()));
    marks
}
