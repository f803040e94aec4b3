//! SIGKILL at random moments under load: no acknowledged result is lost, and nothing is done twice.

use crate::ledger::{Ledger, Served, Told};
use crate::player::{Player, Role};
use hall_tests::{Agent, Dice, Hall, Settings, Value};
use std::collections::BTreeSet;
use std::time::Duration;

/// Agents that play all the time; in each round another one registers.
const PLAYERS: usize = 6;

#[test]
fn nothing_acknowledged_is_lost_by_a_kill() {
    let kills = crate::setting("HALL_KILLS", 20);
    let mut dice = Dice::from_environment("HALL_SEED", 0x5eed);
    let settings = Settings::default()
        .set("limits.joins_per_day=0")
        .set("limits.feedback_per_day=0")
        .set("limits.concurrent_games=0")
        .set("games.chess.move_seconds=86400");
    let mut hall = Hall::with(settings);
    let agents: Vec<Agent> = (0..PLAYERS).map(|number| Agent::new(&format!("player-{number}"))).collect();
    let mut games = BTreeSet::new();
    let mut counts = Counts::default();
    let mut checkpoint = None;
    for round in 0..kills {
        let newcomer = (round > 0).then(|| Agent::new(&format!("newcomer-{round}")));
        let ledgers = load_and_kill(&mut hall, &agents, newcomer.as_ref(), round == 0, &mut dice);
        checkpoint = crate::log::grown(&hall, checkpoint);
        let mut served = Served::default();
        for ledger in &ledgers {
            ledger.check(&hall, &mut served);
            ledger.replay_requests(&hall);
            ledger.settle(&hall);
            counts.add(ledger);
        }
        games.extend(ledgers.iter().flat_map(|ledger| ledger.told.iter().filter_map(game_of)));
    }
    counts.print(kills);
    for game in &games {
        check_history(&hall, game);
    }
    let (folder, status) = hall.stop();
    assert!(status.success(), "{status}");
    let verified = hall_tests::hall::verify_journal(&folder);
    assert!(verified.status.success(), "{verified:?}");
}

/// Lets all agents play for a random time, kills the hall, restarts it, and returns the answers that the agents got.
fn load_and_kill(
    hall: &mut Hall,
    agents: &[Agent],
    newcomer: Option<&Agent>,
    all_new: bool,
    dice: &mut Dice,
) -> Vec<Ledger> {
    let address = hall.address();
    let moment = Duration::from_micros(20_000 + dice.below(600_000));
    let start = |agent: &Agent, role: Role, seed: u64| {
        let agent = agent.clone();
        std::thread::spawn(move || Player::play(address, agent, role, seed))
    };
    let role = if all_new { Role::NewPlayer } else { Role::Player };
    let mut players: Vec<_> = agents.iter().map(|agent| start(agent, role, dice.number())).collect();
    players.extend(newcomer.map(|agent| start(agent, Role::Newcomer, dice.number())));
    // The moment of the kill is the random input of this test, not a wait for something to happen.
    std::thread::sleep(moment);
    hall.kill_and_restart_in_place();
    players.into_iter().map(|player| player.join().unwrap()).collect()
}

/// The whole history of a game: turns without a gap, and only strikes that a player caused.
fn check_history(hall: &Hall, game: &str) {
    let events = crate::ledger::read_events(hall, game);
    let mut turn = 0;
    for event in events.iter().map(|event| &event["event"]) {
        match event["type"].as_str().unwrap() {
            "move" => {
                assert_eq!(event["data"]["turn_index"], turn, "{game}");
                turn += 1;
            }
            "strike" => assert_eq!(event["data"]["cause"], "illegal_moves", "{game}: a strike for a kill"),
            "game_ended" => {
                let applied = event["data"]["turn_index"].as_u64().unwrap() + 1 == turn;
                assert!(applied || event["data"]["turn_index"] == turn, "{game}: {event}");
            }
            _ => {}
        }
    }
    let record: Value = hall.get(&format!("/api/games/{game}")).data()["game"].take();
    if record["status"] == "live" {
        assert_eq!(record["turn_index"], turn, "{game}");
    } else {
        let replay = hall.get(&format!("/api/games/{game}/replay")).data()["replay"].take();
        assert_eq!(
            replay["moves"].as_array().map(Vec::len),
            record["turn_index"].as_u64().map(|n| usize::try_from(n).unwrap())
        );
    }
}

fn game_of(told: &Told) -> Option<String> {
    match told {
        Told::Moved(game, _) | Told::Illegal(game, ..) | Told::Deadline(game, ..) | Told::Events(game, _) => {
            Some(game.clone())
        }
        Told::Registered | Told::Filed(_) | Told::Posted(_) | Told::LogSize(_) | Told::Checkpoint(_) => None,
    }
}

/// The number of acknowledged results, so that a run that tested nothing is noticed.
#[derive(Debug, Default)]
struct Counts {
    registrations: usize,
    moves: usize,
    illegal: usize,
    posts: usize,
    checkpoints: usize,
    lost: usize,
}

impl Counts {
    fn add(&mut self, ledger: &Ledger) {
        for told in &ledger.told {
            match told {
                Told::Registered => self.registrations += 1,
                Told::Moved(..) => self.moves += 1,
                Told::Illegal(..) => self.illegal += 1,
                Told::Posted(_) => self.posts += 1,
                Told::Checkpoint(_) => self.checkpoints += 1,
                Told::Filed(_) | Told::LogSize(_) | Told::Deadline(..) | Told::Events(..) => {}
            }
        }
        self.lost += usize::from(ledger.lost.is_some());
    }

    fn print(&self, kills: usize) {
        println!("{kills} kills: {self:?}");
        let enough = self.moves > kills && self.lost > kills / 2;
        let of_each = [self.registrations, self.illegal, self.posts, self.checkpoints];
        assert!(
            enough && of_each.iter().all(|count| *count > 0),
            "too little happened to say anything: {self:?}"
        );
    }
}
