//! The desk through its two doors: commands decided, facts applied. Every step checks every invariant.
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at the kinds of facts that it is about")]

mod admitting;
mod governance;
mod joining;
mod random;
mod sizes;
mod standing;
mod writing;

use super::*;
use crate::command::{Caller, Command};
use crate::decision::Decision;
use crate::entropy::Entropy;
use crate::fact::{Fact, HallFact};
use crate::rejection::Rejection;
use crate::reply::Reply;
use crate::settings::HallSettings;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_games::{Catalog, GameResult, Reason};
use hall_rooms::{
    Division, EndedGame, EndedSeat, GameVariant, RoomChange, RoomFact, SeasonId, Started, Word,
};
use hall_wire::key::PrivateKey;
use hall_wire::{AgentId, Digest, GameId, Handle, OperatorId, Player, Span, Timestamp};

/// A desk with time, settings and a counter for entropy.
#[derive(Clone)]
struct World {
    desk: Desk,
    at: Timestamp,
    settings: HallSettings,
    catalog: Catalog,
    entropy: Counting,
    /// Every fact applied, in order.
    facts: Vec<Fact>,
}

/// Docket entries in tests of the core show the matter itself: the words are a shell's.
fn as_data(matter: &DocketMatter<'_>) -> DocketText {
    DocketText { subject: format!("{matter:?}"), reason: String::new(), disposition: None }
}

#[derive(Clone)]
struct Counting(u64);

impl Entropy for Counting {
    fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            self.0 += 1;
            *byte = Digest::of(&self.0.to_be_bytes()).as_bytes()[0];
        }
    }
}

const DAY: i64 = 86_400_000;
/// Noon of some day.
const NOON: i64 = 20_000 * DAY + DAY / 2;

impl World {
    /// An empty desk with season `s1` open.
    fn new() -> Self {
        let mut world = Self {
            desk: Desk::default(),
            at: Timestamp::from_millis(NOON),
            settings: settings(),
            catalog: hall_games::CATALOG,
            entropy: Counting(0),
            facts: Vec::new(),
        };
        world.govern(Command::Governance(GovernanceCommand::OpenSeason { season: season("s1") }));
        world
    }

    fn context(&self) -> DeskContext<'_> {
        DeskContext { at: self.at, settings: &self.settings, catalog: &self.catalog, wording: as_data }
    }

    fn apply(&mut self, facts: &[Fact]) {
        for fact in facts {
            self.desk.apply(fact);
            self.desk.check();
        }
        self.facts.extend_from_slice(facts);
    }

    fn decide(&self, who: Caller, what: &Command) -> Decision {
        let mut entropy = self.entropy.clone();
        decide(&self.desk, &self.context(), who, what, &mut entropy)
    }

    /// Decides and applies. A refusal changes nothing.
    fn wish(&mut self, who: Caller, what: Command) -> Result<Reply, Rejection> {
        let context =
            DeskContext { at: self.at, settings: &self.settings, catalog: &self.catalog, wording: as_data };
        let decision = decide(&self.desk, &context, who, &what, &mut self.entropy);
        assert!(decision.answer.is_ok() || decision.changes_nothing(), "a refusal changes nothing");
        self.apply(&decision.facts);
        decision.answer
    }

    fn govern(&mut self, what: Command) {
        self.wish(Caller::Operator, what).unwrap();
    }

    /// Registers an agent under operator number `operator`.
    fn register(&mut self, name: &str, operator: u8) -> AgentId {
        match self.wish(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new_agent(name, operator)))) {
            Ok(Reply::Registered { agent, .. }) => agent,
            other => panic!("{name} was not registered: {other:?}"),
        }
    }

    /// Registers an agent and files a homologation for division open.
    fn player(&mut self, name: &str, operator: u8) -> AgentId {
        let agent = self.register(name, operator);
        self.file(agent, filing()).unwrap();
        agent
    }

    fn file(&mut self, agent: AgentId, filing: Filing) -> Result<Reply, Rejection> {
        self.wish(Caller::Agent(agent), Command::Desk(DeskCommand::FileHomologation { agent, filing }))
    }

    /// Joins the open chess lobby; the game formed for the agent, if one was.
    fn join(&mut self, agent: AgentId) -> Result<Option<GameId>, Rejection> {
        match self.wish(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(asked()))) {
            Ok(Reply::Joined { game, .. }) => Ok(game),
            Ok(other) => panic!("no reply to a join: {other:?}"),
            Err(rejection) => Err(rejection),
        }
    }

    fn leave(&mut self, agent: AgentId) -> Result<Reply, Rejection> {
        self.wish(Caller::Agent(agent), Command::Desk(DeskCommand::LeaveLobby(asked())))
    }

    /// A game between two agents that are not waiting, both under the same board.
    fn game(&mut self, one: AgentId, two: AgentId) -> GameId {
        assert_eq!(self.join(one), Ok(None), "nobody else waits");
        self.join(two).unwrap().expect("they are paired")
    }

    /// The terms that a game began with.
    fn terms(&self, game: GameId) -> &Started {
        let started = self.facts.iter().find_map(|fact| match fact {
            Fact::Room(fact) if fact.game == game => match &fact.change {
                RoomChange::Started(started) => Some(started),
                _ => None,
            },
            _ => None,
        });
        started.expect("the game has begun")
    }

    /// Ends a game as the hall does: the room's fact, then the rating, then the archive.
    fn end(&mut self, game: GameId, winner: Option<AgentId>, strikes: u8) {
        let seats = self.terms(game).seats.clone();
        let variant = self.terms(game).variant;
        let seats: Vec<EndedSeat> = seats
            .iter()
            .zip(0..)
            .map(|(seat, place)| EndedSeat {
                player: Player::new(place),
                agent: seat.agent,
                homologation: seat.homologation,
                strikes,
            })
            .collect();
        let winners =
            seats.iter().filter(|seat| Some(seat.agent) == winner).map(|seat| seat.player).collect();
        let result = GameResult::new(winners, winner.is_none(), Reason::RESIGNATION);
        let rated = self.desk.rate(self.at, &EndedGame { game, variant, seats, result: result.clone() });
        self.end_unrated(game, result);
        self.apply(&rated.into_iter().collect::<Vec<_>>());
        self.apply(&[Fact::Hall(HallFact::GameArchived { at: self.at, game })]);
    }

    fn end_unrated(&mut self, game: GameId, result: GameResult) {
        let change = RoomChange::Ended { result, resolution: None };
        let fact = RoomFact { game, number: 2, at: self.at, change, event: None };
        self.apply(&[Fact::Room(fact.into())]);
    }

    /// Sweeps until the desk says that nothing is due any more; how often it changed something.
    fn sweep(&mut self) -> usize {
        let mut times = 0;
        loop {
            let context = DeskContext {
                at: self.at,
                settings: &self.settings,
                catalog: &self.catalog,
                wording: as_data,
            };
            let Some(decision) = self.desk.sweep(&context, &mut self.entropy) else { return times };
            assert!(!decision.changes_nothing(), "a due sweep changes something");
            self.apply(&decision.facts);
            times += 1;
        }
    }

    fn pass(&mut self, time: Span) {
        self.at = self.at + time;
    }

    /// Kinds of the facts applied since there were `since` of them.
    fn kinds_since(&self, since: usize) -> Vec<&'static str> {
        self.facts[since..].iter().map(kind).collect()
    }
}

fn kind(fact: &Fact) -> &'static str {
    match fact {
        Fact::Desk(DeskFact::LobbyJoined { .. }) => "joined",
        Fact::Desk(DeskFact::LobbyLeft { .. }) => "left",
        Fact::Desk(DeskFact::LobbiesSwept { .. }) => "swept",
        Fact::Desk(DeskFact::HomologationFiled { .. }) => "filed",
        Fact::Governance(GovernanceFact::SeasonOpened { .. }) => "opened",
        Fact::Governance(GovernanceFact::SeasonClosed { .. }) => "closed",
        Fact::Governance(GovernanceFact::AgentSuspended { .. })
        | Fact::Governance(GovernanceFact::OperatorSuspended { .. }) => "suspended",
        Fact::Governance(GovernanceFact::AgentRestored { .. })
        | Fact::Governance(GovernanceFact::OperatorRestored { .. }) => "restored",
        Fact::Governance(GovernanceFact::DocketEntered { .. }) => "docket",
        Fact::Room(_) => "room",
        _ => "other",
    }
}

fn settings() -> HallSettings {
    HallSettings::default()
}

fn new_agent(name: &str, operator: u8) -> NewAgent {
    NewAgent {
        handle: handle(name),
        key: PrivateKey::from_seed(Digest::of(name.as_bytes()).as_bytes()).public(),
        operator: OperatorId::from_bytes([operator; 16]),
        operator_name: Some(format!("operator {operator}")),
        model_id: "model-1".to_string(),
        adapter_kind: Some(AdapterKind::Api),
    }
}

fn filing() -> Filing {
    Filing {
        season_id: "current".to_string(),
        division: Division::Open,
        model_id: "model-1".to_string(),
        adapter_kind: AdapterKind::Api,
        endpoint_url: Some("https://agent.example/run".to_string()),
        system_prompt_sha256: Digest::of(b"prompt"),
        config_sha256: Digest::of(b"config"),
        tool_access: ToolAccess::EngineAssisted,
    }
}

fn asked() -> JoinLobby {
    JoinLobby { game: "chess".to_string(), variant: "standard".to_string(), division: Division::Open }
}

fn lobby() -> Lobby {
    Lobby { variant: chess(), division: Division::Open }
}

fn chess() -> GameVariant {
    GameVariant { game: Word::parse("chess").unwrap(), variant: Word::parse("standard").unwrap() }
}

fn handle(name: &str) -> Handle {
    Handle::parse(name).unwrap()
}

fn season(name: &str) -> SeasonId {
    SeasonId::parse(name).unwrap()
}

/// Decides a command that is the desk's.
fn decide(
    desk: &Desk,
    context: &DeskContext<'_>,
    who: Caller,
    what: &Command,
    entropy: &mut dyn Entropy,
) -> Decision {
    match what {
        Command::Desk(what) => desk.decide(context, who, what, entropy),
        Command::Governance(what) => desk.govern(context, who, what),
        other => panic!("not the desk's: {other:?}"),
    }
}
