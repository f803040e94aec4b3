//! Two halls that differ in a sealed bid have one export (invariant S1).

use super::*;
use hall_core::{
    AdapterKind, Caller, Choice, DeskCommand, DeskFact, Division, Entropy, FeedbackKind, Filing,
    GovernanceCommand, HallCommand, HallKeys, HallSettings, JoinLobby, MoveSubmission, NewAgent, NewFeedback,
    RoomCommand, SignatureCheck, SignedBody, Timing, ToolAccess, Withheld, Word,
};
use hall_games::sealed_bids::SEALED_BIDS;
use hall_games::{Catalog, GOOFSPIEL, Game};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Digest, Handle, Notation, OperatorId, Player, Span, Timestamp};

const GAMES: &[&dyn Game] = &[&SEALED_BIDS, &GOOFSPIEL];
const NOW: Timestamp = Timestamp::from_millis(1_795_000_000_000);

struct Counting(u8);

impl Entropy for Counting {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0 += 1;
        bytes.fill(self.0);
    }
}

/// A hall with its records.
struct World {
    hall: Hall,
    entropy: Counting,
    records: Vec<Record>,
}

impl World {
    /// A game of three in which the first player has tried an illegal bid, and then made a legal one.
    fn with_bid(bid: &str) -> Self {
        let mut world = Self::with_game("sealed_bids", "standard");
        world.bid(&format!("{bid}0"));
        world.bid(bid);
        world
    }

    /// A game of three that has begun.
    fn with_game(game: &str, variant: &str) -> Self {
        let hall = Hall::new(Catalog::new(GAMES), hall_driver::docket_wording);
        let mut world = Self { hall, entropy: Counting(0), records: Vec::new() };
        let keys = HallKeys { log: "hall.example+00000000+AA==".into(), ring: "whpk_AA==".into() };
        world.decide(Caller::Hall, Command::Hall(HallCommand::Start { settings: settings(), keys }));
        for (name, operator) in [("ada", 1), ("bob", 2), ("cid", 3)] {
            let key = PrivateKey::from_seed(Digest::of(name.as_bytes()).as_bytes()).public();
            let agent = AgentId::of_key(&key);
            world.decide(
                Caller::Hall,
                Command::Desk(DeskCommand::RegisterAgent(NewAgent {
                    handle: Handle::parse(name).unwrap(),
                    key,
                    operator: OperatorId::from_bytes([operator; 16]),
                    operator_name: None,
                    model_id: "model".into(),
                    adapter_kind: None,
                })),
            );
            world.decide(
                Caller::Agent(agent),
                Command::Desk(DeskCommand::FileHomologation { agent, filing: filing() }),
            );
            let (game, variant) = (game.into(), variant.into());
            let lobby = JoinLobby { game, variant, division: Division::Open };
            world.decide(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(lobby)));
        }
        world
    }

    fn bid(&mut self, text: &str) {
        self.submit(0, Some(text), None);
    }

    /// A player bids, or resigns.
    fn submit(&mut self, player: u8, bid: Option<&str>, commentary: Option<&str>) {
        let room = self.hall.rooms().iter().next().unwrap();
        let body = match commentary {
            Some(words) => format!("{{\"commentary\":\"{words}\"}}"),
            None => format!("{{\"move\":\"{}\"}}", bid.unwrap_or_default()),
        };
        let signed = SignedBody {
            sha256: Digest::of(body.as_bytes()),
            signature: PrivateKey::from_seed(&[7; 32]).sign(body.as_bytes()),
            challenge: Challenge::from_bytes([2; 32]),
            auth_signature: PrivateKey::from_seed(&[8; 32]).sign(body.as_bytes()),
            request_sha256: Digest::of(body.as_bytes()),
            body,
        };
        let submission = MoveSubmission {
            game: room.id(),
            turn_index: room.turn_index(),
            choice: bid.and_then(Notation::parse).map(Choice::Notation),
            resign: bid.is_none(),
            draw_offer: false,
            draw_accept: false,
            commentary: commentary.map(Into::into),
            signature_check: SignatureCheck::Valid,
            signed: Some(signed),
        };
        let agent = room.seat(Player::new(player)).unwrap().seat.agent;
        self.decide(Caller::Agent(agent), Command::Room(RoomCommand::Submit(submission)));
    }

    fn decide(&mut self, who: Caller, what: Command) {
        let decision = self.hall.decide(NOW, NOW, who, &what, &mut self.entropy);
        assert!(!decision.facts.is_empty(), "{what:?}: {:?}", decision.answer);
        decision.facts.iter().for_each(|fact| self.hall.apply(fact));
        let (entropy, facts) = (String::new(), decision.facts);
        let entry = JournalEntry { v: 1, at: NOW, stamp: NOW, who, what, entropy, facts, away_since: None };
        let seq = u64::try_from(self.records.len()).unwrap() + 1;
        self.records.push(Record { seq, chain: [0; 32], bytes: entry.encode() });
    }

    fn export(&self, with_secrets: bool) -> Vec<Value> {
        let bounds = Bounds::at(&self.hall, u64::MAX);
        self.records.iter().map(|record| item(record, &bounds, with_secrets).unwrap()).collect()
    }
}

#[test]
fn an_export_without_secrets_reveals_neither_a_sealed_bid_nor_an_illegal_one() {
    let (one, other) = (World::with_bid("1"), World::with_bid("2"));
    assert_ne!(one.export(true), other.export(true), "the bids are in the journal");
    for (one, other) in one.export(false).into_iter().zip(other.export(false)) {
        assert_eq!(one, other);
    }
}

#[test]
fn an_export_omits_the_words_that_the_operator_withholds_and_names_their_places() {
    let mut world = World::with_bid("1");
    let room = world.hall.rooms().iter().next().unwrap().clone();
    let agent = room.seat(Player::new(0)).unwrap().seat.agent;
    let post = NewFeedback {
        kind: FeedbackKind::Bug,
        subject: "slander".into(),
        body: "slander".into(),
        context: Some("{\"slander\":1}".into()),
    };
    world.decide(Caller::Agent(agent), Command::Desk(DeskCommand::PostFeedback(post)));
    let posted = world.records.iter().flat_map(|record| JournalEntry::decode(&record.bytes).unwrap().facts);
    let id = posted.filter_map(|fact| {
        if let Fact::Desk(DeskFact::FeedbackPosted { id, .. }) = fact { Some(id) } else { None }
    });
    let id = id.last().unwrap();
    let words =
        [Withheld::Agent(agent), Withheld::Feedback(id), Withheld::Turn { game: room.id(), turn_index: 0 }];
    for what in words {
        world.decide(
            Caller::Operator,
            Command::Governance(GovernanceCommand::Withhold { what, reason: "a reason".into() }),
        );
    }
    let exported = world.export(false);
    assert!(!Value::from(exported.clone()).to_string().contains("slander"));
    let places = |value: &Value| value["withheld"].as_array().unwrap().len();
    let of_agent =
        exported.iter().filter(|line| line["entry"]["who"] == json!({ "agent": agent })).map(places);
    assert_eq!(of_agent.collect::<Vec<_>>(), [2, 0, 2, 4, 6], "filing, lobby, illegal bid, bid, post");
    assert!(Value::from(world.export(true)).to_string().contains("slander"));
    // A turn in which nothing else is hidden still has hidden bodies.
    let turn = [Withheld::Turn { game: room.id(), turn_index: 0 }].into();
    let turn = WithheldWords { what: turn, ..WithheldWords::default() };
    let entries = world.records.iter().map(|record| JournalEntry::decode(&record.bytes).unwrap());
    let places: Vec<String> = entries.flat_map(|entry| withheld_places(&entry, &turn)).collect();
    let change = "/facts/0/room~11/change";
    let of_illegal =
        [format!("{change}/illegal_attempted/attempt/body/text"), "/what/submit_move/choice".to_owned()];
    let of_bid = [format!("{change}/move_played/body/text")];
    assert_eq!(places, [of_illegal.as_slice(), &of_bid].concat(), "an illegal move may be any word");
}

#[test]
fn an_export_omits_the_name_of_an_operator_wherever_it_stands_once_the_words_of_an_agent_are_withheld() {
    let mut world = World::with_game("sealed_bids", "standard");
    let register = |world: &mut World, name: &str| {
        let key = PrivateKey::from_seed(Digest::of(name.as_bytes()).as_bytes()).public();
        world.decide(
            Caller::Hall,
            Command::Desk(DeskCommand::RegisterAgent(NewAgent {
                handle: Handle::parse(name).unwrap(),
                key,
                operator: OperatorId::from_bytes([9; 16]),
                operator_name: Some("slander".into()),
                model_id: "model".into(),
                adapter_kind: None,
            })),
        );
        AgentId::of_key(&key)
    };
    register(&mut world, "dan");
    let agent = register(&mut world, "eve");
    let (what, reason) = (Withheld::Agent(agent), "a reason".into());
    world.decide(Caller::Operator, Command::Governance(GovernanceCommand::Withhold { what, reason }));
    assert!(!Value::from(world.export(false)).to_string().contains("slander"));
    assert!(Value::from(world.export(true)).to_string().contains("slander"));
}

#[test]
fn an_export_omits_what_was_said_in_a_shared_turn_while_it_is_sealed_and_when_it_is_withheld() {
    let mut world = World::with_game("goofspiel", "three");
    world.submit(0, Some("13"), Some("slander"));
    let said = |world: &World| Value::from(world.export(false)).to_string().contains("slander");
    assert!(!said(&world), "nobody else knows it before the turn is over");
    world.submit(1, None, Some("slander"));
    assert!(said(&world), "a resignation is known at once");
    let game = world.hall.rooms().iter().next().unwrap().id();
    let what = Withheld::Turn { game, turn_index: 0 };
    let withhold = GovernanceCommand::Withhold { what, reason: "a reason".into() };
    world.decide(Caller::Operator, Command::Governance(withhold));
    assert!(!said(&world));
    world.submit(2, Some("12"), None);
    assert!(!said(&world), "nor in what was revealed");
    let withheld = WithheldWords { what: [what].into(), ..WithheldWords::default() };
    let entries = world.records.iter().map(|record| JournalEntry::decode(&record.bytes).unwrap());
    let places: Vec<String> = entries.flat_map(|entry| withheld_places(&entry, &withheld)).collect();
    for place in ["move_sealed/action/body/text", "move_sealed/action/commentary", "seat_vacated/body/text"] {
        assert!(places.iter().any(|found| found.ends_with(place)), "{place}: {places:?}");
    }
}

fn settings() -> HallSettings {
    let timing = Timing { move_time: Span::from_secs(30), side_time: None };
    HallSettings {
        joins_per_day: 0,
        concurrent_games: 0,
        feedback_per_day: 0,
        timing: ["sealed_bids", "goofspiel"].map(|game| (Word::parse(game).unwrap(), timing)).into(),
        ..HallSettings::default()
    }
}

fn filing() -> Filing {
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
