//! A hall with one game in it.

use super::super::*;
use crate::log_signer::LogSigner;
use hall_core::desk::LeaderboardFilter;
use hall_core::fixtures;
use hall_core::rooms::{Room, RoomFact};
use hall_core::{
    AdapterKind, Caller, Choice, Command, DeskCommand, Division, Fact, FeedbackKind, Filing, GameVariant,
    Hall, HallCommand, Lobby, MoveSubmission, NewAgent, RecordedEntropy, Rejection, Reply, RoomCommand,
    RoomRejection, SeasonId, ToolAccess, Word,
};
use hall_games::CATALOG;
use hall_wire::json::Value;
use hall_wire::key::PrivateKey;
use hall_wire::{AgentId, FeedbackId, GameId, Handle, Notation, Player, Span, Timestamp};
use serde::Serialize;
use std::convert::Infallible;
use std::sync::Arc;

/// A hall with two agents and one game between them.
pub(crate) struct World {
    pub(super) hall: Hall,
    pub(super) now: Timestamp,
    agents: Vec<AgentId>,
    /// All facts of the game.
    pub(super) facts: Vec<RoomFact>,
    entropy: u8,
}

impl World {
    /// Two agents are paired for a game of chess.
    pub(crate) fn started() -> Self {
        Self::started_in("chess")
    }

    /// Two agents are paired for this game.
    pub(super) fn started_in(game: &str) -> Self {
        let mut world = Self {
            hall: Hall::new(CATALOG, hall_driver::docket_wording),
            now: Timestamp::from_millis(1_795_000_000_000),
            agents: Vec::new(),
            facts: Vec::new(),
            entropy: 0,
        };
        let settings = crate::documents::testing::described_hall().settings;
        world
            .wish(Caller::Hall, Command::Hall(HallCommand::Start { settings, keys: fixtures::keys() }))
            .unwrap();
        for (number, name) in (1..).zip(["mark-ada", "mark-bob"]) {
            world.admit(number, name, game);
        }
        assert!(!world.facts.is_empty(), "the two are paired");
        world
    }

    /// One legal move, three illegal ones, and a resignation.
    pub(super) fn played() -> Self {
        let mut world = Self::started();
        world.play("e2e4", Some("mark of p0 at 0"));
        for _ in 0..3 {
            let refused =
                world.submit(Player::new(1), Some(Choice::Index(99)), false, Some("mark of an attempt"));
            assert!(matches!(refused, Err(Rejection::Room(RoomRejection::IllegalMove(_)))), "{refused:?}");
        }
        world.submit(Player::new(0), None, true, None).unwrap();
        world
    }

    fn admit(&mut self, number: u8, name: &str, game: &str) {
        let new = NewAgent {
            operator_name: Some(format!("mark operator {number}")),
            model_id: "mark model".to_owned(),
            adapter_kind: Some(AdapterKind::Scaffold),
            ..fixtures::registration(name, number)
        };
        let reply = self.wish(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new))).unwrap();
        let Reply::Registered { agent, .. } = reply else { panic!("{reply:?}") };
        self.agents.push(agent);
        let who = Caller::Agent(agent);
        self.wish(who, Command::Desk(DeskCommand::FileHomologation { agent, filing: filing() })).unwrap();
        self.wish(who, Command::Desk(DeskCommand::JoinLobby(fixtures::lobby(game)))).unwrap();
    }

    pub(crate) fn play(&mut self, notation: &str, commentary: Option<&str>) {
        let choice = Choice::Notation(Notation::parse(notation).unwrap());
        let player = self.room().to_move().iter().next().unwrap();
        self.submit(player, Some(choice), false, commentary).unwrap();
    }

    /// The first player to move plays the first of its legal moves.
    pub(super) fn submit_first_legal(&mut self) {
        let player = self.room().to_move().iter().next().unwrap();
        self.submit(player, Some(Choice::Index(0)), false, None).unwrap();
    }

    pub(super) fn submit(
        &mut self,
        player: Player,
        choice: Option<Choice>,
        resign: bool,
        commentary: Option<&str>,
    ) -> Result<Reply, Rejection> {
        let room = self.room();
        let commentary = commentary.map(str::to_owned);
        let asked = fixtures::submission(room.id(), room.turn_index(), choice);
        let submission = MoveSubmission { resign, commentary, ..asked };
        let agent = room.seat(player).unwrap().seat.agent;
        self.wish(Caller::Agent(agent), Command::Room(RoomCommand::Submit(submission)))
    }

    fn wish(&mut self, who: Caller, what: Command) -> Result<Reply, Rejection> {
        self.now = self.now + Span::from_millis(10);
        self.entropy += 1;
        let mut entropy = RecordedEntropy::new(vec![self.entropy; 4_096]);
        let decision = self.hall.decide(self.now, self.now, who, &what, &mut entropy);
        for fact in &decision.facts {
            self.hall.apply(fact);
            if let Fact::Room(fact) = fact {
                self.facts.push((**fact).clone());
            }
        }
        decision.answer
    }

    pub(super) fn game(&self) -> GameId {
        self.facts[0].game
    }

    pub(super) fn room(&self) -> Arc<Room> {
        self.hall.rooms().find(&self.game()).unwrap().clone()
    }

    /// What was said with the fact of this number.
    pub(super) fn said(&self, number: u32) -> Option<String> {
        let fact = self.facts.iter().find(|fact| fact.number == number);
        fact.and_then(|fact| fact.event.as_ref()?.commentary.clone())
    }

    pub(crate) fn history(&self, player: Player) -> History {
        let said = |number| Ok::<_, Infallible>(self.said(number));
        History::of(&self.room(), player, History::default(), said).unwrap()
    }

    /// The profile of the agent that had the first seat.
    pub(super) fn profile(&self) -> AgentData {
        let desk = self.hall.desk();
        let agent = desk.agent(&self.room().seats()[0].seat.agent).unwrap();
        let entry = desk.standing_entries(&agent.id).next().unwrap();
        let season = SeasonId::parse("s1").unwrap();
        let filed = HomologationRecord::of(entry.id, &season, &filing(), entry.hash, entry.created_at, None);
        AgentData::of(desk, agent, vec![filed])
    }

    /// Every payload that an answer can hold, with the paths listed for it.
    pub(super) fn payloads(&self) -> Vec<(&'static str, Value, Vec<String>)> {
        fn made<T: Serialize>(name: &'static str, payload: &T) -> (&'static str, Value, Vec<String>) {
            (name, serde_json::to_value(payload).unwrap(), untrusted_fields(payload))
        }
        let room = self.room();
        let player = Player::new(0);
        let desk = self.hall.desk();
        let agent = desk.agent(&self.agents[0]).unwrap();
        let filter = LeaderboardFilter::default();
        let events: Vec<EventElement> = self.facts.iter().filter_map(EventElement::of).collect();
        let board =
            GameVariant { game: Word::parse("chess").unwrap(), variant: Word::parse("standard").unwrap() };
        let lobby = Lobby { variant: board, division: Division::Open };
        let filters = LeaderboardFilters { game: None, variant: None, division: None, season: None };
        vec![
            made("game", &GameData { game: GameRecord::of(&room, &HouseAgents::default()) }),
            made(
                "games",
                &GamesData { games: vec![GameRecord::of(&room, &HouseAgents::default())], next_cursor: None },
            ),
            made(
                "my_games",
                &MyGamesData {
                    agent_id: agent.id,
                    status: "ended",
                    games: vec![MyGame::of(&room, player, &HouseAgents::default())],
                    next_cursor: None,
                    recently_ended: vec![RecentlyEnded {
                        game_id: room.id(),
                        result: room.result().unwrap().clone(),
                        ended_at: room.ended_at().unwrap(),
                    }],
                    waiting_tag: String::new(),
                },
            ),
            made("view", &ViewData { view: View::of(&room, player, self.history(player)) }),
            made("legal_moves", &LegalMovesData::of(&Self::started().room(), player)),
            made("report", &RoomReport::from(room.status(player))),
            made(
                "events",
                &EventsData { game_id: room.id(), since: 0, events, last_seq: room.last_seq(), live: false },
            ),
            made(
                "replay",
                &ReplayData { replay: ReplayRecord::of(&room, &self.facts, "https://hall.example", None) },
            ),
            made("profile", &self.profile()),
            made("registered", &RegisteredData::of(agent.id, agent.handle.clone(), agent.operator)),
            made(
                "leaderboards",
                &LeaderboardData {
                    filters,
                    leaderboard: desk
                        .leaderboard(&filter, None)
                        .map(|row| LeaderboardRow::of(desk, &row, &HouseAgents::default()))
                        .collect(),
                    next_cursor: None,
                },
            ),
            made("pulse", &PulseData::of(&self.hall, self.now)),
            made("joined", &JoinedData::of(lobby, Some(room.id()))),
            made("feedback", &FeedbackData { feedback: vec![self.feedback()], next_cursor: None }),
            made("official", &official(&PrivateKey::from_seed(&[7; 32]))),
        ]
    }

    fn feedback(&self) -> FeedbackRecord {
        FeedbackRecord {
            id: FeedbackId::from_bytes([1; 16]),
            agent_id: self.agents[0],
            handle: Authored(Handle::parse("mark-ada").unwrap()),
            kind: FeedbackKind::Bug,
            subject: Some(Authored("mark subject".to_owned())),
            body: Some(Authored("mark body".to_owned())),
            context: context_of(Some(r#"{"endpoint":"mark","deep":[{"er":"mark"}]}"#)),
            created_at: self.now,
        }
    }
}

fn filing() -> Filing {
    Filing {
        model_id: "mark model".to_owned(),
        adapter_kind: AdapterKind::Scaffold,
        endpoint_url: Some("https://mark.example/".to_owned()),
        tool_access: ToolAccess::EngineAssisted,
        ..fixtures::filing()
    }
}

/// The official document, signed with `key`.
pub(super) fn official(key: &PrivateKey) -> OfficialData {
    let log = OfficialLog { origin: "hall.example".to_owned(), public_key: "hall.example+0+A".to_owned() };
    let beacon = OfficialBeacon { chain_hash: None, public_key: None, genesis: None, period: None };
    OfficialData::signed(
        "https://hall.example".to_owned(),
        log,
        "whpk_A".to_owned(),
        beacon,
        "hall 0".to_owned(),
        &LogSigner::new("hall.example", key.clone()),
    )
}
