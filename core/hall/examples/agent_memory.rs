//! Prints how much memory a registered agent takes in the core, before and after it has filed a homologation.
//!
//! What is counted is what the allocator has given and not got back; the facts are not kept.

use hall_core::fixtures::{self, Seeded};
use hall_core::{
    Caller, Command, DeskCommand, DocketMatter, DocketText, Hall, HallCommand, HallSettings, Reply,
};
use hall_games::CATALOG;
use hall_wire::{AgentId, Timestamp};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// When everything happens.
const NOW: Timestamp = Timestamp::from_millis(1_795_211_400_000);
const AGENTS: usize = 20_000;
/// Operators, among which the agents are divided.
const OPERATORS: usize = 250;

fn main() {
    let mut hall = Hall::new(CATALOG, nothing_said);
    let mut entropy = Seeded::new(1);
    let mut ask = |who, what| {
        let decision = hall.decide(NOW, NOW, who, &what, &mut entropy);
        decision.facts.iter().for_each(|fact| hall.apply(fact));
        decision.answer.expect("what is asked for is granted")
    };
    let settings = HallSettings::default();
    ask(Caller::Hall, Command::Hall(HallCommand::Start { settings, keys: fixtures::keys() }));
    let mut agents: Vec<AgentId> = Vec::with_capacity(AGENTS);
    let before = PeakAlloc.current_usage();
    let each = |now: usize| now.saturating_sub(before) / AGENTS;
    for number in 0..AGENTS {
        let operator = u8::try_from(number % OPERATORS).unwrap_or(0);
        let new = fixtures::registration(&format!("idle-agent-{number}"), operator);
        let answer = ask(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new)));
        let Reply::Registered { agent, .. } = answer else { panic!("{answer:?}") };
        agents.push(agent);
    }
    let registered = each(PeakAlloc.current_usage());
    for agent in agents {
        let filing = fixtures::filing();
        ask(Caller::Agent(agent), Command::Desk(DeskCommand::FileHomologation { agent, filing }));
    }
    let filed = each(PeakAlloc.current_usage());
    println!("{registered} bytes a registered agent, {filed} with a homologation");
}

fn nothing_said(_: &DocketMatter<'_>) -> DocketText {
    DocketText { subject: String::new(), reason: String::new(), disposition: None }
}
