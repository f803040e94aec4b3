//! Two halls, and the comparison of all their answers.

use crate::actions::{Action, Difference, SECRET_SEAT};
use crate::hall::{Asked, TestHall};
use crate::questions::of_route;
use crate::storage::{HAND_SEAT, copy, with_another_hand, with_other_seeds};
use hall_core::{Caller, Command, GameVerdict, RoomCommand};
use hall_http::{Access, Route, page_routes, routes};
use hall_journal::MemoryStorage;
use hall_wire::{AgentId, Player};

/// The secret in which two halls differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secret {
    /// The seeds of their games.
    Seeds,
    /// The bid of one player, by this difference.
    Bid(usize),
    /// Rounds of the beacon that no game is bound to.
    StrayRound,
    /// What one player of this only game was dealt.
    Hand(&'static [&'static str; 1]),
    /// The card that one player of goofspiel has sealed.
    Card,
}

impl Secret {
    /// What is played.
    const fn games(self) -> &'static [&'static str] {
        match self {
            Self::Seeds | Self::Bid(_) | Self::StrayRound => &["chess", "sealed_bids"],
            Self::Hand(game) => game,
            Self::Card => &["goofspiel"],
        }
    }

    /// The game and the seat of the player that may know it.
    const fn insider(self) -> Option<(&'static str, u8)> {
        match self {
            Self::Seeds | Self::StrayRound => None,
            Self::Bid(_) => Some(("sealed_bids", SECRET_SEAT)),
            Self::Card => Some(("goofspiel", SECRET_SEAT)),
            Self::Hand([game]) => Some((game, HAND_SEAT)),
        }
    }
}

/// Two halls that differ in a secret.
pub(crate) struct Pair {
    secret: Secret,
    halls: [TestHall; 2],
    /// The agent that may know the secret.
    insider: Option<AgentId>,
}

impl Pair {
    pub(crate) fn new(secret: Secret, beacon: bool) -> Self {
        let storage = MemoryStorage::new();
        let first = TestHall::start(&storage, beacon, secret.games());
        first.fill();
        first.stop();
        let other = match secret {
            Secret::Seeds => with_other_seeds(&storage),
            Secret::Hand(_) => with_another_hand(&storage),
            Secret::Bid(_) | Secret::StrayRound | Secret::Card => copy(&storage),
        };
        let halls = [storage, other].map(|storage| {
            let mut hall = TestHall::start(&storage, beacon, secret.games());
            hall.pass(2_000);
            for room in hall.rooms() {
                hall.follow(room.id());
            }
            hall
        });
        let insider = secret
            .insider()
            .map(|(game, seat)| halls[0].room(game).seat(Player::new(seat)).unwrap().seat.agent);
        Self { secret, halls, insider }
    }

    /// Performs the action in both halls, and compares them. False once a game has ended or something was shown: the
    /// secret is revealed then.
    pub(crate) fn go_on(&self, action: &Action) -> bool {
        let [one, other] = &self.halls;
        let shift = match self.secret {
            Secret::Bid(shift) => shift,
            Secret::Card => 1,
            Secret::Seeds | Secret::StrayRound | Secret::Hand(_) => 0,
        };
        let differences = [Difference::default(), Difference { bid_shift: shift, stray: 1 }];
        let said = [action.act(one, differences[0]), action.act(other, differences[1])];
        let to = said[0].as_ref().and_then(|(player, game, _)| {
            let room = one.rooms().into_iter().find(|room| room.id() == *game);
            room?.seat(*player).map(|seat| seat.seat.agent)
        });
        // The answer to what reveals the secret tells it as well.
        let games = self.secret.games();
        let is_revealed = games.iter().any(|game| self.halls.iter().any(|hall| self.is_shown(hall, game)));
        if !is_revealed && (to.is_none() || to != self.insider) {
            let texts = said.map(|said| said.map(|(_, _, bytes)| shown(&bytes)));
            assert_eq!(texts[0], texts[1], "the answer to {action:?}");
        }
        self.halls.iter().for_each(|hall| hall.pass(1_500));
        let live = self.secret.games().iter().all(|game| {
            let ended = self.halls.each_ref().map(|hall| hall.room(game).result().is_some());
            assert_eq!(ended[0], ended[1], "{game} has ended in one hall only");
            !ended[0] && !self.halls.iter().any(|hall| self.is_shown(hall, game))
        });
        if live {
            self.compare(action);
        }
        live
    }

    /// Whether the secret of a player was shown to all by the rules of the game.
    fn is_shown(&self, hall: &TestHall, game: &str) -> bool {
        let room = hall.room(game);
        match self.secret {
            Secret::Seeds | Secret::Bid(_) | Secret::StrayRound => false,
            Secret::Card => room.turn_index() > 0,
            Secret::Hand(_) => {
                let path = format!("/api/games/{}/events?limit=1000", room.id());
                shown(&hall.ask(None, &Asked::get(path))).contains("\"type\":\"shown\"")
            }
        }
    }

    /// Sends every request to both halls.
    fn compare(&self, after: &Action) {
        let [one, other] = &self.halls;
        for route in routes().chain(page_routes()) {
            for (number, agent) in one.agents.iter().enumerate() {
                let asked = of_route(route, one, agent);
                let in_other = of_route(route, other, &other.agents[number]);
                assert_eq!(asked.len(), in_other.len(), "the questions are the same");
                for (asked, in_other) in asked.into_iter().zip(in_other) {
                    let same = (&asked.path, &asked.body) == (&in_other.path, &in_other.body);
                    assert!(same, "{asked:?} is not asked in both halls alike: {in_other:?}");
                    for signed in ways(route) {
                        let by = [&one.agents, &other.agents].map(|agents| signed.then(|| &agents[number]));
                        let told = [one.ask(by[0], &asked), other.ask(by[1], &asked)];
                        let is_insider = signed && self.insider == Some(agent.id);
                        let who = if signed { agent.handle.as_str() } else { "anybody" };
                        assert!(
                            is_insider || told[0] == told[1],
                            "after {after:?} {who} is told the secret {:?} by {asked:?}:\n{}\n{}",
                            self.secret,
                            shown(&told[0]),
                            shown(&told[1]),
                        );
                        // Every request gets an answer, successful or not, and no connection is dropped.
                        let answered = told[0].starts_with(b"HTTP/1.1 ");
                        let broken = told[0].starts_with(b"HTTP/1.1 500 ");
                        assert!(answered && !broken, "{asked:?}: {}", shown(&told[0]));
                    }
                }
                if route.access == Access::Public {
                    break;
                }
            }
        }
        for path in ["/metrics", "/healthz", "/readyz"] {
            let told = self.halls.each_ref().map(|hall| hall.ask_admin(path));
            let [one, other] = told.each_ref().map(|text| without_machine_time(text));
            let differing: Vec<_> = one.iter().zip(&other).filter(|(one, other)| one != other).collect();
            assert!(
                differing.is_empty() && one.len() == other.len(),
                "the operator's {path}: {differing:#?}"
            );
        }
        for (one, other) in one.heard().zip(other.heard()) {
            assert_eq!((one.0, shown(&one.1)), (other.0, shown(&other.1)), "a stream");
        }
    }

    /// Ends the games. Returns the replays of each hall, which reveal the secret.
    pub(crate) fn reveal(self) -> [String; 2] {
        self.halls.map(|hall| {
            let mut revealed = String::new();
            for room in hall.rooms() {
                if room.result().is_none() {
                    let reason = "The test is over.".to_owned();
                    let verdict = GameVerdict::Abort;
                    let decide = Command::Room(RoomCommand::Adjudicate { game: room.id(), verdict, reason });
                    hall.command(Caller::Operator, decide).unwrap();
                }
                let path = format!("/api/games/{}/replay", room.id());
                revealed += &shown(&hall.ask(None, &Asked::get(path)));
            }
            hall.stop();
            revealed
        })
    }
}

/// Whether a request is sent unsigned, and whether signed.
fn ways(route: &Route) -> Vec<bool> {
    match route.access {
        Access::Public => vec![false],
        Access::OptionallySigned | Access::Signed | Access::KeyInBody => vec![false, true],
    }
}

/// Sorted, because counters are listed in the order of a hash table, which differs in every process.
fn without_machine_time(metrics: &str) -> Vec<&str> {
    let machine_time = ["hall_commit_seconds", "process_", "content-length"];
    let is_machine_time = |line: &str| machine_time.iter().any(|name| line.starts_with(name));
    let mut lines: Vec<&str> = metrics.lines().filter(|line| !is_machine_time(line)).collect();
    lines.sort_unstable();
    lines
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
