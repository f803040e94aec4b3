//! Prints what a page of a leaderboard and a profile cost in a hall with so many agents, as JSON, beside a hall with a
//! thousand: `list_cost [AGENTS]`, by default a million. Each agent has filed a homologation and has lost or won one game.

use hall_core::desk::{LeaderboardCursor, LeaderboardFilter};
use hall_core::fixtures::{self, Seeded};
use hall_core::{
    Answer, Caller, Command, DeskCommand, DocketMatter, DocketText, Hall, HallCommand, HallSettings, Reply,
    RoomCommand,
};
use hall_games::CATALOG;
use hall_http::payload::{AgentData, HouseAgents, LeaderboardRow};
use hall_wire::{Handle, Span, Timestamp};
use std::hint::black_box;
use std::time::{Duration, Instant};

const NOW: Timestamp = Timestamp::from_millis(1_795_211_400_000);
/// Operators, among which the agents are divided; neighbours have different ones.
const OPERATORS: usize = 250;
/// Rows of a page.
const ROWS: usize = 50;
/// How often each is read.
const ROUNDS: usize = 200;
/// The hall beside which the other one is measured.
const FEW: usize = 1_000;

fn main() {
    let agents = std::env::args().nth(1).map_or(1_000_000, |text| text.parse().expect("a number of agents"));
    println!(
        "| agents | first page of a leaderboard, µs | a page in its middle, µs | a profile, µs |\n|---|---|---|---|"
    );
    for agents in [FEW, agents] {
        let hall = played(agents);
        let first = time(|| page(&hall, None));
        let middle = hall.desk().leaderboard(&LeaderboardFilter::default(), None).nth(agents / 2);
        let middle = middle.expect("every agent is on the leaderboard").cursor();
        let inside = time(|| page(&hall, Some(middle)));
        let handle = Handle::parse(&handle(agents / 2)).expect("a handle");
        let profile = time(|| profile(&hall, &handle));
        println!("| {agents} | {:.1} | {:.1} | {:.1} |", micros(first), micros(inside), micros(profile));
    }
}

fn handle(number: usize) -> String {
    format!("agent-{number}")
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The median time of one reading.
fn time(read: impl Fn() -> Vec<u8>) -> Duration {
    let one = || {
        let begun = Instant::now();
        black_box(read());
        begun.elapsed()
    };
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| one()).collect();
    times.sort_unstable();
    times.get(ROUNDS / 2).copied().unwrap_or_default()
}

fn page(hall: &Hall, after: Option<LeaderboardCursor>) -> Vec<u8> {
    let house = HouseAgents::default();
    let rows = hall.desk().leaderboard(&LeaderboardFilter::default(), after).take(ROWS);
    let rows: Vec<LeaderboardRow> = rows.map(|row| LeaderboardRow::of(hall.desk(), &row, &house)).collect();
    assert_eq!(rows.len(), ROWS, "a whole page");
    serde_json::to_vec(&rows).expect("plain values")
}

fn profile(hall: &Hall, handle: &Handle) -> Vec<u8> {
    let agent = hall.desk().agent_by_handle(handle).expect("an agent that was registered");
    serde_json::to_vec(&AgentData::of(hall.desk(), agent, Vec::new())).expect("plain values")
}

/// A hall in which each agent has played one game, which one of the two has resigned.
fn played(agents: usize) -> Hall {
    let mut world = World { hall: Hall::new(CATALOG, nothing_said), now: NOW, entropy: Seeded::new(1) };
    let settings = HallSettings::default();
    world.ask(Caller::Hall, Command::Hall(HallCommand::Start { settings, keys: fixtures::keys() }));
    for number in 0..agents {
        let operator = u8::try_from(number % OPERATORS).unwrap_or(0);
        let new = fixtures::registration(&handle(number), operator);
        let answer = world.ask(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new)));
        let Reply::Registered { agent, .. } = answer else { panic!("{answer:?}") };
        let filing = DeskCommand::FileHomologation { agent, filing: fixtures::filing() };
        world.ask(Caller::Agent(agent), Command::Desk(filing));
        let join = DeskCommand::JoinLobby(fixtures::lobby("chess"));
        let answer = world.ask(Caller::Agent(agent), Command::Desk(join));
        let Reply::Joined { game, .. } = answer else { panic!("{answer:?}") };
        // Every other agent is paired with the one before it.
        let Some(room) = game.and_then(|game| world.hall.rooms().find(&game).cloned()) else { continue };
        let mover = room.to_move().iter().next().and_then(|player| room.seat(player));
        let mover = mover.expect("somebody is to move").seat.agent;
        let mut resigned = fixtures::submission(room.id(), 0, None);
        resigned.resign = true;
        world.ask(Caller::Agent(mover), Command::Room(RoomCommand::Submit(resigned)));
    }
    world.hall
}

struct World {
    hall: Hall,
    now: Timestamp,
    entropy: Seeded,
}

impl World {
    /// Does what is due, and then what is asked for, a millisecond after what came before.
    fn ask(&mut self, who: Caller, what: Command) -> Reply {
        self.now = self.now + Span::from_millis(1);
        while self.hall.next_deadline().is_some_and(|due| due <= self.now) {
            let _ = self.decide(Caller::Hall, &Command::Hall(HallCommand::Sweep));
        }
        self.decide(who, &what).expect("what is asked for is granted")
    }

    fn decide(&mut self, who: Caller, what: &Command) -> Answer {
        let decision = self.hall.decide(self.now, self.now, who, what, &mut self.entropy);
        decision.facts.iter().for_each(|fact| self.hall.apply(fact));
        decision.answer
    }
}

fn nothing_said(_: &DocketMatter<'_>) -> DocketText {
    DocketText { subject: String::new(), reason: String::new(), disposition: None }
}
