//! The game with hidden bids by its second rules: turns that several share, acts of nature, and seats that others leave.

use crate::beacon::with_beacon;
use crate::world::{as_data, kind, settings};
use hall_core::fixtures::{World, illegal, submission, wrong_turn};
use hall_core::rooms::{BeaconStatus, ForcedCause, Phase, Room, RoomChange, SealedAction};
use hall_core::{
    AddressCheck, Answer, Caller, Choice, Command, DeskCommand, Division, DoorbellCommand, GameVerdict,
    GapCause, HallSettings, JoinLobby, MoveSubmission, Rejection, Reply, RingFailure, RingOutcome,
    RingReport, RoomCommand, RoomRejection, RoomReply, Timing, Word,
};
use hall_games::sealed_bids::SEALED_BIDS_2;
use hall_games::{BySeat, Catalog, Game};
use hall_wire::message::Challenge;
use hall_wire::roll::Rolls;
use hall_wire::{AgentId, GameId, Notation, Player, Signature, Span};
use std::sync::Arc;

const GAMES: &[&dyn Game] = &[&SEALED_BIDS_2];
const CATALOG: Catalog = Catalog::new(GAMES);

/// A table of the bidding game.
struct Auction {
    world: World,
    game: GameId,
    agents: Vec<AgentId>,
}

impl Auction {
    fn of_three() -> Self {
        Self::with(settings(), "standard", 3)
    }

    fn of_four() -> Self {
        Self::with(settings(), "four", 4)
    }

    fn with(settings: HallSettings, variant: &str, seats: usize) -> Self {
        Self::at((CATALOG, "sealed_bids"), settings, variant, seats)
    }

    /// A table at which a missed bid is a random card, which nobody can bid again.
    fn of_cards() -> Self {
        Self::at((hall_games::CATALOG, "goofspiel"), settings(), "three", 3)
    }

    fn at((catalog, game): (Catalog, &str), settings: HallSettings, variant: &str, seats: usize) -> Self {
        let mut world = World::new(catalog, as_data, settings, 7);
        let names = [("ada", 1), ("bob", 2), ("cid", 3), ("dan", 4)];
        let agents: Vec<AgentId> =
            names.into_iter().take(seats).map(|(name, operator)| world.register(name, operator)).collect();
        let lobby = JoinLobby { variant: variant.to_owned(), ..hall_core::fixtures::lobby(game) };
        let joined = agents.iter().map(|agent| {
            match world.granted(Caller::Agent(*agent), Command::Desk(DeskCommand::JoinLobby(lobby.clone()))) {
                Reply::Joined { game, .. } => game,
                other => panic!("{other:?}"),
            }
        });
        let game = joined.last().flatten().expect("a full table makes a game");
        let room = world.room(game);
        let agents = room.seats().iter().map(|seat| seat.seat.agent).collect();
        Self { world, game, agents }
    }

    /// Gives an agent a doorbell that rings.
    fn ringing(&mut self, agent: AgentId) -> Challenge {
        let (url, address) = ("https://bell.example/".into(), AddressCheck::Permitted);
        let register = Command::Doorbell(DoorbellCommand::Register { url, address });
        let Reply::DoorbellRegistered { challenge, .. } = self.world.granted(Caller::Agent(agent), register)
        else {
            panic!("it is registered")
        };
        let signature = Signature::from_bytes([7; 64]);
        let confirm = DoorbellCommand::Confirm { agent, challenge: challenge.into(), signature };
        self.world.granted(Caller::Hall, Command::Doorbell(confirm));
        challenge
    }

    fn room(&self) -> Arc<Room> {
        self.world.room(self.game)
    }

    fn ask(&mut self, seat: usize, change: impl FnOnce(&mut MoveSubmission)) -> Answer {
        let mut asked = submission(self.game, self.room().turn_index(), None);
        change(&mut asked);
        self.world.ask(Caller::Agent(self.agents[seat]), Command::Room(RoomCommand::Submit(asked)))
    }

    fn bid(&mut self, seat: usize, text: &str) -> Answer {
        let choice = Notation::parse(text).map(Choice::Notation);
        self.ask(seat, |asked| asked.choice = choice)
    }

    fn resign(&mut self, seat: usize) -> Answer {
        self.ask(seat, |asked| asked.resign = true)
    }

    /// All who are to move bid this.
    fn all_bid(&mut self, text: &str) {
        for player in self.room().to_move().iter() {
            self.bid(player.index(), text).unwrap();
        }
    }

    /// Time passes, and the hall does what is due.
    fn pass(&mut self, millis: u64) {
        self.world.advance(millis);
        self.world.sweep();
    }

    fn to_move(&self) -> Vec<u8> {
        self.room().to_move().iter().map(Player::seat).collect()
    }

    /// The kinds of the changes from the last `turns` on.
    fn kinds(&self) -> Vec<&'static str> {
        self.world.changes(self.game).iter().map(|fact| kind(&fact.change)).collect()
    }

    fn after(&self, facts: usize) -> Vec<&'static str> {
        self.kinds().split_off(facts)
    }

    fn places(&self) -> Vec<u8> {
        self.room().result().unwrap().places.clone().unwrap().0
    }
}

fn taken(answer: Answer) -> (u32, Option<Notation>, bool) {
    match answer.unwrap() {
        Reply::Room(RoomReply::MoveTaken { turn_index, notation, state_hash, .. }) => {
            (turn_index, notation, state_hash.is_some())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn nature_acts_before_anybody_can_move_and_its_draws_belong_to_the_turn_that_begins() {
    let auction = Auction::of_three();
    assert_eq!(auction.kinds(), ["started", "nature", "nature"]);
    let facts = auction.world.changes(auction.game);
    let room = auction.room();
    let event = |place: usize| facts[place].event.as_ref().unwrap().leaf.clone();
    assert!(
        event(0).contains(r#""deadline_utc":null"#) && event(0).contains(r#""to_move":[]"#),
        "{}",
        event(0)
    );
    assert!(event(1).contains(r#""outcome":"round 1""#) && event(1).contains(r#""deadline_utc":null"#));
    assert!(event(2).contains(r#""outcome":null"#) && event(2).contains(r#""to_move":["p0","p1","p2"]"#));
    let (RoomChange::Started(started), RoomChange::NatureActed { rolls, complete, turn_index, .. }) =
        (&facts[0].change, &facts[2].change)
    else {
        panic!("{facts:?}");
    };
    let mut expected = Rolls::new(auction.game, 0, &started.seed, "");
    assert_eq!((complete.as_str(), *turn_index), (format!("die {}", expected.below(12)).as_str(), 0));
    assert_eq!(*rolls, expected.taken());
    assert_eq!(room.deadline(), Some(room.started_at() + room.timing().move_time));
}

#[test]
fn while_the_round_is_not_known_nature_waits_and_nobody_is_to_move() {
    let mut auction = Auction::with(with_beacon(), "standard", 3);
    assert_eq!(auction.kinds(), ["started", "nature", "waits"]);
    let room = auction.room();
    assert_eq!((room.phase(), room.deadline(), auction.to_move()), (Phase::AwaitingBeacon, None, vec![]));
    let status = wrong_turn(auction.bid(0, "1"));
    assert_eq!((status.turn_index, status.deadline), (0, None));
    auction.pass(9_999);
    assert_eq!(auction.after(3), Vec::<&str>::new());
    auction.pass(1);
    assert_eq!(auction.after(3), ["beacon", "nature"]);
    assert_eq!((auction.room().beacon_status(), auction.to_move()), (BeaconStatus::Missed, vec![0, 1, 2]));
    let began = auction.room().seat(Player::new(0)).unwrap().open.unwrap().started_at;
    assert_eq!(began, auction.world.changes(auction.game)[4].at, "the turn begins at the last act");
}

#[test]
fn a_verdict_while_nature_waits_is_of_a_turn_that_began_with_the_last_gap() {
    let mut auction = Auction::with(with_beacon(), "standard", 3);
    let from = auction.world.now;
    auction.world.advance(2_000);
    let until = auction.world.now;
    let gap = RoomCommand::ExtendForGap { from, until, cause: GapCause::Restart, after: None };
    auction.world.granted(Caller::Hall, Command::Room(gap));
    auction.world.advance(3_000);
    let (game, verdict) = (auction.game, GameVerdict::Abort);
    let command = RoomCommand::Adjudicate { game, verdict, reason: "why".to_owned() };
    auction.world.granted(Caller::Operator, Command::Room(command));
    assert_eq!(auction.kinds(), ["started", "nature", "waits", "waits", "ended"]);
    let facts = auction.world.changes(auction.game);
    assert!(facts[3].event.is_none(), "no event tells of the second wait");
    let resolution = facts[4].change.resolution().unwrap();
    assert_eq!((resolution.started_at, resolution.deadline), (until, None));
}

#[test]
fn a_shared_turn_resolves_once_when_the_last_has_acted() {
    let mut auction = Auction::of_three();
    let facts = auction.kinds().len();
    assert_eq!(taken(auction.bid(2, "3")), (0, Notation::parse("3"), false));
    assert_eq!((auction.to_move(), auction.room().turn_index()), (vec![0, 1], 0));
    assert_eq!(taken(auction.bid(0, "1")), (0, Notation::parse("1"), false));
    assert_eq!(auction.after(facts), ["sealed", "sealed"]);
    let status = wrong_turn(auction.bid(0, "2"));
    assert_eq!(status.your_last.unwrap().notation, Notation::parse("1"), "it is its own");
    assert_eq!((status.turn_index, status.last_move), (0, None));
    assert_eq!(taken(auction.bid(1, "2")), (0, Notation::parse("2"), true));
    assert_eq!(
        auction.after(facts),
        ["sealed", "sealed", "sealed", "move", "move", "move", "nature", "nature"]
    );
    let room = auction.room();
    assert_eq!((room.turn_index(), room.turns().len()), (1, 3));
    let told: Vec<_> =
        room.turns().iter().map(|turn| (turn.turn_index, turn.player.unwrap().seat())).collect();
    assert_eq!(told, [(0, 0), (0, 1), (0, 2)]);
    let facts = auction.world.changes(auction.game);
    let resolved: Vec<_> = facts.iter().filter_map(|fact| fact.change.resolution()).collect();
    assert!(resolved.iter().all(|it| it.state_hash == resolved[0].state_hash && it.to_move.is_empty()));
    assert_eq!(room.last_turn().unwrap().player, Some(Player::new(2)), "the highest seat's");
    assert!(room.position().state_string().contains("points 0,0,1"));
}

#[test]
fn a_board_text_names_those_of_a_shared_turn_who_have_not_acted() {
    let mut auction = Auction::of_cards();
    assert!(auction.room().board_text(Player::new(0)).contains("\nTurn: p0 p1 p2\n"));
    auction.bid(0, "1").unwrap();
    let text = auction.room().board_text(Player::new(0));
    assert!(text.contains("\nTurn: p1 p2\n"), "{text}");
}

#[test]
fn nothing_that_is_sealed_is_in_an_event_before_the_turn_resolves() {
    let mut auction = Auction::of_three();
    let said = "I bid three.";
    auction
        .ask(1, |asked| {
            (asked.choice, asked.commentary) =
                (Notation::parse("3").map(Choice::Notation), Some(said.to_owned()))
        })
        .unwrap();
    let facts = auction.world.changes(auction.game);
    let sealed = facts.last().unwrap();
    let RoomChange::MoveSealed { action: SealedAction { body: Some(body), .. }, .. } = &sealed.change else {
        panic!("{sealed:?}");
    };
    let event = sealed.event.as_ref().unwrap();
    assert_eq!(event.commentary, None);
    assert!(
        !event.leaf.contains(&body.sha256.to_hex()) && !event.leaf.contains("notation"),
        "{}",
        event.leaf
    );
    for seat in [0, 2] {
        let status = illegal(auction.bid(seat, "99"));
        assert_eq!((status.last_move, status.your_last), (None, None));
    }
    auction.bid(0, "1").unwrap();
    auction.bid(2, "1").unwrap();
    let moves = auction.world.changes(auction.game);
    let told = moves.iter().filter_map(|fact| fact.event.as_ref()?.commentary.clone()).collect::<Vec<_>>();
    assert_eq!(told, [said]);
}

#[test]
fn deadlines_attempts_and_strikes_are_each_players_own() {
    let mut auction = Auction::of_three();
    for _ in 0..3 {
        illegal(auction.bid(1, "99"));
    }
    let room = auction.room();
    let own = room.last_of(Player::new(1)).unwrap();
    assert_eq!((own.turn_index, own.forced), (0, Some(ForcedCause::IllegalMoves)), "a random bid is sealed");
    assert_eq!((room.turn_index(), auction.to_move()), (0, vec![0, 2]));
    auction.bid(0, "1").unwrap();
    let deadline = room.deadline_of(Player::new(2)).unwrap();
    auction.pass(deadline.since(auction.world.now).as_millis() + 1);
    let room = auction.room();
    assert_eq!((room.turn_index(), auction.to_move()), (1, vec![0, 1, 2]));
    let strikes: Vec<u8> = room.seats().iter().map(|seat| seat.strikes).collect();
    assert_eq!(strikes, [0, 1, 1]);
    let passed = room.turns().last().unwrap();
    assert_eq!((passed.notation.unwrap().as_str(), passed.forced), ("pass", Some(ForcedCause::Deadline)));
    assert_eq!(passed.at, deadline, "what the hall sealed in its place is dated by its deadline");
}

#[test]
fn a_shared_turn_whose_rings_failed_is_missed_when_the_player_has_acted_in_it() {
    let mut auction = Auction::of_three();
    let agent = auction.agents[0];
    let challenge = auction.ringing(agent);
    let failed = |turn_index, attempt| {
        let outcome = RingOutcome::Failed(RingFailure::Unreachable);
        let challenge = challenge.into();
        let game = auction.game;
        Command::Doorbell(DoorbellCommand::ReportRing(RingReport {
            agent,
            challenge,
            game,
            turn_index,
            attempt,
            outcome,
        }))
    };
    let reports = [failed(0, 1), failed(0, 2)];
    let missed = |auction: &Auction| {
        let doorbell = auction.world.hall.desk().doorbell(&agent).unwrap();
        (doorbell.bell.as_ref().unwrap().failures_in_row, doorbell.ringing.len())
    };
    let [first, late] = reports;
    auction.world.granted(Caller::Hall, first);
    assert_eq!(missed(&auction), (0, 1));
    auction.bid(0, "1").unwrap();
    assert_eq!(missed(&auction), (1, 0), "it is over for this player");
    auction.world.granted(Caller::Hall, late);
    auction.bid(1, "1").unwrap();
    auction.bid(2, "1").unwrap();
    assert_eq!(missed(&auction), (1, 0), "and is counted once");
}

#[test]
fn a_player_who_resigns_leaves_and_the_hall_plays_its_default_action_from_then_on() {
    let mut auction = Auction::of_four();
    let facts = auction.kinds().len();
    let (turn_index, notation, resolved) = taken(auction.resign(1));
    assert_eq!((turn_index, notation.unwrap().as_str(), resolved), (0, "pass", false));
    assert_eq!(auction.after(facts), ["vacated", "sealed"]);
    assert_eq!(auction.to_move(), [0, 2, 3]);
    auction.all_bid("1");
    assert_eq!(auction.to_move(), [0, 2, 3], "the vacant seat has acted already when the next turn begins");
    let facts = auction.world.changes(auction.game);
    let begins = facts.iter().rfind(|fact| matches!(fact.change, RoomChange::NatureActed { .. })).unwrap();
    let told = format!(r#""deadline_utc":"{}""#, auction.room().deadline().unwrap());
    let leaf = &begins.event.as_ref().unwrap().leaf;
    assert!(leaf.contains(&told), "the others learn by when they must act: {leaf}");
    let own: Vec<_> =
        auction.room().turns().iter().filter(|turn| turn.player == Some(Player::new(1))).collect();
    assert_eq!(own.len(), 1);
    assert_eq!(own[0].forced, Some(ForcedCause::Vacated));
    let facts = auction.world.changes(auction.game);
    let bodies: Vec<_> = facts
        .iter()
        .filter_map(|fact| fact.change.resolution().filter(|it| it.player == Some(Player::new(1))))
        .map(|resolution| resolution.body.is_some())
        .collect();
    assert_eq!(bodies, [true], "its own turn holds the signed resignation");
    let status = wrong_turn(auction.bid(1, "1"));
    assert_eq!(status.turn_index, 1);
}

#[test]
fn a_turn_that_a_vacant_seat_takes_began_when_it_was_taken() {
    let mut auction = Auction::of_four();
    auction.resign(1).unwrap();
    auction.world.advance(10_000);
    auction.all_bid("1");
    let facts = auction.world.changes(auction.game);
    let sealed = facts.iter().rev().find_map(|fact| match &fact.change {
        RoomChange::MoveSealed { turn_index: 1, action, .. } => Some((action.started_at, fact.at)),
        _ => None,
    });
    let (started_at, at) = sealed.unwrap();
    assert_eq!(started_at, at);
}

#[test]
fn who_leaves_is_answered_with_the_move_of_that_turn_and_not_with_what_its_seat_does_next() {
    let mut auction = Auction::of_cards();
    auction.bid(0, "1").unwrap();
    auction.bid(2, "1").unwrap();
    let (turn_index, notation, resolved) = taken(auction.resign(1));
    let room = auction.room();
    let own = room.turns().iter().find(|turn| turn.player == Some(Player::new(1))).unwrap();
    assert_eq!((turn_index, notation, resolved), (0, own.notation, true));
    assert_ne!(room.last_of(Player::new(1)).unwrap().notation, notation, "its seat has bid once more");
}

#[test]
fn a_third_strike_is_answered_with_the_move_of_that_turn_too() {
    let mut auction = Auction::of_cards();
    for turn in 0..3 {
        let card = (turn + 1).to_string();
        auction.bid(0, &card).unwrap();
        auction.bid(2, &card).unwrap();
        illegal(auction.bid(1, "99"));
        illegal(auction.bid(1, "99"));
        let applied = illegal(auction.bid(1, "99")).applied.unwrap();
        assert_eq!(applied.turn_index, turn);
    }
    assert!(auction.room().is_vacant(Player::new(1)));
}

#[test]
fn the_clocks_of_a_turn_run_once_the_vacant_seats_have_acted() {
    let mut auction = Auction::of_four();
    auction.resign(1).unwrap();
    auction.world.advance(1_000);
    auction.all_bid("1");
    let facts = auction.world.changes(auction.game);
    let last = facts.last().unwrap();
    let RoomChange::MoveSealed { player, action, turns, .. } = &last.change else { panic!("{last:?}") };
    assert_eq!((player.seat(), action.forced, action.body.is_none()), (1, Some(ForcedCause::Vacated), true));
    assert_eq!(turns.iter().map(|open| open.player.seat()).collect::<Vec<_>>(), [0, 2, 3]);
    assert!(turns.iter().all(|open| open.started_at == last.at));
    assert_eq!(action.started_at, last.at, "the turn of the vacant seat begins when the hall acts for it");
    let resolved: Vec<_> = facts.iter().filter_map(|fact| fact.change.resolution()).collect();
    assert_eq!(resolved.len(), 4);
    assert!(resolved.iter().all(|turn| turn.turns.is_empty()), "no move tells of clocks that do not run yet");
}

#[test]
fn when_one_player_is_left_the_game_ends_in_its_favour_and_who_left_first_is_last() {
    let mut auction = Auction::of_four();
    auction.resign(2).unwrap();
    auction.resign(0).unwrap();
    auction.resign(3).unwrap();
    let room = auction.room();
    let result = room.result().unwrap();
    assert_eq!((result.winners.clone(), result.reason.as_str()), (vec![Player::new(1)], "resignation"));
    assert_eq!(auction.places(), [3, 1, 4, 2]);
    assert_eq!(result.points, Some(BySeat(vec![0, 0, 0, 0])));
    assert_eq!(auction.kinds().last(), Some(&"ended"));
}

#[test]
fn a_vacant_seat_is_last_at_equal_points_and_the_others_share_first_place() {
    let mut auction = Auction::of_cards();
    auction.resign(2).unwrap();
    while auction.room().result().is_none() {
        // Equal bids discard every prize.
        let card = auction.room().sealed_by(Player::new(2)).unwrap().notation;
        auction.all_bid(card.as_str());
    }
    let room = auction.room();
    let result = room.result().unwrap();
    assert_eq!(
        (result.draw, result.reason.as_str(), auction.places()),
        (false, "equal_points", vec![1, 1, 3])
    );
    assert_eq!(result.winners, [Player::new(0), Player::new(1)]);
    assert_eq!(result.points, Some(BySeat(vec![0, 0, 0])));
}

#[test]
fn who_is_out_by_the_rules_ranks_before_vacant_seats_and_behind_who_is_left() {
    let mut auction = Auction::of_four();
    // Everybody but p3 wins a round; p3 passes three times and is out.
    for winner in 0..3 {
        for seat in 0..4 {
            let bid = if seat == winner { "3" } else { ["1", "1", "1", "pass"][seat] };
            auction.bid(seat, bid).unwrap();
        }
    }
    assert_eq!((auction.to_move(), auction.room().seated().iter().count()), (vec![0, 1, 2], 3));
    auction.resign(0).unwrap();
    auction.resign(1).unwrap();
    assert_eq!(auction.places(), [4, 3, 1, 2]);
}

#[test]
fn a_third_strike_vacates_the_seat_and_the_others_play_on() {
    let mut auction = Auction::of_three();
    for bids in [["3", "1"], ["1", "3"], ["pass", "pass"]] {
        auction.bid(0, bids[0]).unwrap();
        auction.bid(1, bids[1]).unwrap();
        let facts = auction.kinds().len();
        auction.pass(30_001);
        let missed = auction.after(facts);
        let expected: &[_] =
            if bids[0] == "pass" { &["strike", "vacated", "sealed"] } else { &["strike", "sealed"] };
        assert!(missed.starts_with(expected), "{missed:?}");
    }
    let room = auction.room();
    assert_eq!((room.result(), auction.to_move()), (None, vec![0, 1]));
    assert_eq!((room.is_vacant(Player::new(2)), room.seat(Player::new(2)).unwrap().strikes), (true, 3));
    let facts = auction.world.changes(auction.game);
    let mut resolutions = facts.iter().filter_map(|fact| fact.change.resolution());
    let last = resolutions.rfind(|it| it.player == Some(Player::new(2))).unwrap();
    assert_eq!(Some(last.at), last.deadline, "the missed deadline dates what the hall does in its turn");
}

#[test]
fn if_everybody_is_out_at_one_instant_the_game_is_drawn() {
    let mut auction = Auction::of_three();
    for _ in 0..2 {
        auction.pass(30_001);
    }
    assert_eq!(auction.room().turn_index(), 2, "all have missed two deadlines");
    let facts = auction.kinds().len();
    auction.pass(30_001);
    assert_eq!(auction.after(facts), ["strike", "strike", "strike", "ended"]);
    let room = auction.room();
    let result = room.result().unwrap();
    assert_eq!((result.draw, result.reason.as_str(), auction.places()), (true, "strikes", vec![1, 1, 1]));
}

#[test]
fn who_run_out_of_time_together_are_all_charged() {
    let mut settings = settings();
    let timing = Timing { move_time: Span::from_secs(30), side_time: Some(Span::from_secs(20)) };
    settings.timing.insert(Word::parse("sealed_bids").unwrap(), timing);
    let mut auction = Auction::with(settings, "standard", 3);
    auction.pass(20_001);
    let room = auction.room();
    let result = room.result().unwrap();
    assert_eq!((result.draw, result.reason.as_str()), (true, "clock"));
    assert_eq!(room.clocks(), Some(vec![Span::ZERO; 3]));
}

#[test]
fn actions_that_are_sealed_when_the_game_ends_are_void() {
    let mut auction = Auction::of_three();
    auction.bid(0, "3").unwrap();
    auction.resign(1).unwrap();
    auction.resign(2).unwrap();
    let room = auction.room();
    assert_eq!(room.result().unwrap().winners, [Player::new(0)]);
    assert!(room.seats().iter().all(|seat| seat.sealed.is_none()));
    assert_eq!(room.turns().len(), 1, "only the resignation that ended it");
}

#[test]
fn tables_of_more_than_two_have_no_draw_offers() {
    let mut auction = Auction::of_three();
    let offered = auction.ask(0, |asked| {
        (asked.choice, asked.draw_offer) = (Notation::parse("1").map(Choice::Notation), true);
    });
    assert_eq!(offered, Err(Rejection::Room(RoomRejection::DrawOfferImpossible)));
    let accepted = auction.ask(0, |asked| asked.draw_accept = true);
    assert!(matches!(accepted, Err(Rejection::Room(RoomRejection::NoDrawOffer(_)))), "{accepted:?}");
}

#[test]
fn the_operator_can_take_a_player_out_while_two_others_play_on() {
    let mut auction = Auction::of_three();
    let vacate = |auction: &mut Auction, player: u8| {
        let command =
            RoomCommand::Vacate { game: auction.game, player: Player::new(player), reason: "why".to_owned() };
        auction.world.ask(Caller::Operator, Command::Room(command))
    };
    assert_eq!(vacate(&mut auction, 7), Err(Rejection::Room(RoomRejection::PlayerUnknown)));
    vacate(&mut auction, 1).unwrap();
    assert_eq!(auction.to_move(), [0, 2]);
    assert_eq!(
        vacate(&mut auction, 1),
        Err(Rejection::Room(RoomRejection::SeatNeeded)),
        "it is vacant already"
    );
    assert_eq!(vacate(&mut auction, 0), Err(Rejection::Room(RoomRejection::SeatNeeded)), "one would be left");
}

#[test]
fn no_verdict_makes_a_player_win_who_has_left() {
    let mut auction = Auction::of_three();
    auction.resign(1).unwrap();
    let mut adjudicate = |winner| {
        let (game, verdict) = (auction.game, GameVerdict::Winner(Player::new(winner)));
        let command = RoomCommand::Adjudicate { game, verdict, reason: "why".to_owned() };
        auction.world.ask(Caller::Operator, Command::Room(command))
    };
    assert_eq!(adjudicate(1), Err(Rejection::Room(RoomRejection::PlayerUnknown)));
    adjudicate(2).unwrap();
    assert_eq!(auction.room().result().unwrap().winners, [Player::new(2)]);
}

#[test]
fn a_table_of_more_than_two_is_rated_as_one_game() {
    let mut auction = Auction::of_three();
    auction.resign(2).unwrap();
    auction.resign(1).unwrap();
    let rated = auction.agents.clone().into_iter().map(|agent| {
        let desk = auction.world.hall.desk();
        let entry = desk.standing(&agent, desk.current_season().unwrap(), Division::Open);
        entry.and_then(|entry| entry.rating(auction.room().variant()).copied())
    });
    let rated: Vec<_> = rated.map(|rating| rating.expect("it is rated")).collect();
    assert_eq!(
        rated.iter().map(|rating| (rating.wins, rating.losses)).collect::<Vec<_>>(),
        [(1, 0), (0, 1), (0, 1)]
    );
    let points: Vec<i32> = rated.iter().map(|rating| rating.rating).collect();
    assert!(points[0] > points[1] && points[1] == 150_000 && points[2] < points[1], "{points:?}");
}

#[test]
fn a_room_is_restored_in_the_middle_of_a_shared_turn() {
    let mut auction = Auction::of_four();
    auction.resign(3).unwrap();
    auction.bid(1, "3").unwrap();
    let saved = auction.world.hall.save();
    let restored = hall_core::Hall::restore(CATALOG, as_data, &saved).unwrap();
    assert_eq!(restored.digest(), auction.world.hall.digest());
    let room = restored.rooms().find(&auction.game).unwrap();
    assert_eq!(room.sealed_by(Player::new(1)).unwrap().notation.as_str(), "3");
    assert!(room.is_vacant(Player::new(3)));
}
