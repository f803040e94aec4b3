//! Sequences of commands against the hall, with the reference hall as its model. A sequence that diverges is shrunk to
//! the few commands that it needs.

use crate::requests::{MOVE_TIME, NAMES, agent, filing, join, registration, request};
use crate::subject::feedback;
use crate::twin::Twin;
use hall_core::rooms::Phase;
use hall_core::{
    Caller, Choice, Command, DeskCommand, GameVerdict, GovernanceCommand, HallCommand, JoinLobby,
    MoveSubmission, RoomCommand, SeasonId,
};
use hall_sim::reference::Extent;
use hall_wire::{Handle, Player, Span};
use proptest::prelude::*;

/// A command. Agents and games are named by index, so that a shortened sequence keeps its meaning.
#[derive(Clone, Debug)]
enum Step {
    Register(usize),
    File(usize),
    Join(usize),
    Leave(usize),
    Play { game: usize, off_turn: bool, stale: bool, what: Play },
    Post(usize),
    Suspend(usize),
    Restore(usize),
    CloseSeason,
    OpenSeason,
    Adjudicate(usize, GameVerdict),
    Archive(usize),
    Wait(u64),
    Restart,
}

#[derive(Clone, Copy, Debug)]
enum Play {
    Move(prop::sample::Index),
    Illegal,
    NoSuchIndex,
    MoveAndOffer(prop::sample::Index),
    Offer,
    Accept,
    Resign,
}

fn step() -> impl Strategy<Value = Step> {
    let agent = || 0..NAMES.len();
    let game = || 0..3_usize;
    let verdict = prop::sample::select(vec![
        GameVerdict::Winner(Player::new(0)),
        GameVerdict::Winner(Player::new(2)),
        GameVerdict::Draw,
        GameVerdict::Abort,
    ]);
    let waits = [1, 500, MOVE_TIME.as_millis(), MOVE_TIME.as_millis() + 1, 300_000, 50_000_000];
    prop_oneof![
        2 => agent().prop_map(Step::Register),
        2 => agent().prop_map(Step::File),
        5 => agent().prop_map(Step::Join),
        1 => agent().prop_map(Step::Leave),
        16 => (game(), prop::bool::weighted(0.05), prop::bool::weighted(0.05), play())
            .prop_map(|(game, off_turn, stale, what)| Step::Play { game, off_turn, stale, what }),
        1 => agent().prop_map(Step::Post),
        1 => agent().prop_map(Step::Suspend),
        2 => agent().prop_map(Step::Restore),
        1 => Just(Step::CloseSeason),
        2 => Just(Step::OpenSeason),
        1 => (game(), verdict).prop_map(|(game, verdict)| Step::Adjudicate(game, verdict)),
        1 => game().prop_map(Step::Archive),
        4 => prop::sample::select(waits.to_vec()).prop_map(Step::Wait),
        1 => Just(Step::Restart),
    ]
}

fn play() -> impl Strategy<Value = Play> {
    prop_oneof![
        8 => any::<prop::sample::Index>().prop_map(Play::Move),
        3 => Just(Play::Illegal),
        1 => Just(Play::NoSuchIndex),
        2 => any::<prop::sample::Index>().prop_map(Play::MoveAndOffer),
        1 => Just(Play::Offer),
        1 => Just(Play::Accept),
        1 => Just(Play::Resign),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn no_sequence_of_commands_makes_the_hall_differ_from_its_model(steps in prop::collection::vec(step(), 1..60)) {
        let mut twin = Twin::new();
        // Two agents are registered in advance, or most sequences would be about registration.
        for name in ["ada", "bob"] {
            twin.ask(Caller::Hall, &registration(name)).unwrap();
            twin.ask(Caller::Agent(agent(name)), &filing(name)).unwrap();
        }
        let mut seasons = 1;
        for step in steps {
            twin.path.push(step.clone());
            twin.now = twin.now + Span::from_millis(7);
            take(&mut twin, &step, &mut seasons);
            twin.verify(Extent::LastStep);
        }
        twin.sweep();
        twin.verify(Extent::Whole);
    }
}

fn take(twin: &mut Twin<Step>, step: &Step, seasons: &mut u32) {
    let reason = || "a reason".to_owned();
    let handle = |place: usize| Handle::parse(NAMES[place]).unwrap();
    let season = |number: u32| SeasonId::parse(&format!("s{number}")).unwrap();
    let (who, what) = match step {
        Step::Register(place) => (Caller::Hall, registration(NAMES[*place])),
        Step::File(place) => (by(*place), filing(NAMES[*place])),
        Step::Join(place) => (by(*place), join()),
        Step::Leave(place) => {
            let Command::Desk(DeskCommand::JoinLobby(JoinLobby { game, variant, division })) = join() else {
                return;
            };
            (by(*place), Command::Desk(DeskCommand::LeaveLobby(JoinLobby { game, variant, division })))
        }
        Step::Play { game, off_turn, stale, what } => {
            let Some((who, request)) = submission(twin, *game, *off_turn, *stale, *what) else { return };
            (who, Command::Room(RoomCommand::Submit(request)))
        }
        Step::Post(place) => (by(*place), feedback()),
        Step::Suspend(place) => (
            Caller::Operator,
            Command::Governance(GovernanceCommand::SuspendAgent { handle: handle(*place), reason: reason() }),
        ),
        Step::Restore(place) => (
            Caller::Operator,
            Command::Governance(GovernanceCommand::RestoreAgent { handle: handle(*place), reason: reason() }),
        ),
        Step::CloseSeason => (
            Caller::Operator,
            Command::Governance(GovernanceCommand::CloseSeason { season: season(*seasons) }),
        ),
        Step::OpenSeason => {
            *seasons += u32::from(twin.hall.desk().current_season().is_none());
            (
                Caller::Operator,
                Command::Governance(GovernanceCommand::OpenSeason { season: season(*seasons) }),
            )
        }
        Step::Adjudicate(game, verdict) => {
            let Some(game) = twin.hall.rooms().iter().nth(*game).map(|room| room.id()) else { return };
            (
                Caller::Operator,
                Command::Room(RoomCommand::Adjudicate { game, verdict: *verdict, reason: reason() }),
            )
        }
        Step::Archive(game) => {
            let Some(game) = twin.hall.rooms().iter().nth(*game).map(|room| room.id()) else { return };
            (Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game }))
        }
        Step::Wait(millis) => {
            twin.now = twin.now + Span::from_millis(*millis);
            return;
        }
        Step::Restart => {
            twin.restart();
            return;
        }
    };
    // The gate admits only registered agents.
    if matches!(who, Caller::Agent(agent) if twin.hall.desk().agent(&agent).is_none()) {
        return;
    }
    // A refusal is an answer too: the model says which answer is right.
    let _ = twin.ask(who, &what);
}

/// The agent with this index, registered or not, as if its signature had been verified.
fn by(place: usize) -> Caller {
    Caller::Agent(agent(NAMES[place]))
}

/// A request by the player to move, or by its opponent.
fn submission(
    twin: &Twin<Step>,
    game: usize,
    off_turn: bool,
    stale: bool,
    what: Play,
) -> Option<(Caller, MoveSubmission)> {
    let room = twin.hall.rooms().iter().nth(game)?;
    let mover = if room.phase() == Phase::Ended { Player::new(0) } else { room.to_move().iter().next()? };
    let player = if off_turn { Player::new(1 - mover.seat()) } else { mover };
    let legal = room.legal_moves(mover);
    let pick = |index: prop::sample::Index| {
        (!legal.is_empty()).then(|| Choice::Notation(legal[index.index(legal.len())].notation))
    };
    let choice = match what {
        Play::Move(index) | Play::MoveAndOffer(index) => pick(index),
        Play::Illegal => Some(Choice::Unparsable),
        Play::NoSuchIndex => Some(Choice::Index(i64::try_from(legal.len()).unwrap())),
        Play::Offer | Play::Accept | Play::Resign => None,
    };
    let turn_index = room.turn_index().checked_sub(u32::from(stale)).unwrap_or(u32::MAX);
    let mut request = request(room.id(), turn_index, choice);
    request.draw_offer = matches!(what, Play::Offer | Play::MoveAndOffer(_));
    request.draw_accept = matches!(what, Play::Accept);
    request.resign = matches!(what, Play::Resign);
    Some((Caller::Agent(room.seat(player)?.seat.agent), request))
}
