//! Random worlds: agents that do anything at all, the operator, gaps, beacons, and time at every pace.

use super::world::*;
use hall_core::fixtures;
use hall_core::rooms::{BeaconTerms, GapCause, Phase, SignatureCheck};
use hall_core::*;
use hall_core::{DeskCommand, GovernanceCommand, HallCommand, RoomCommand};
use hall_wire::{AgentId, Digest, GameId, Notation, OperatorId, Player, Span};

const DAY: u64 = 86_400_000;
/// Texts that are not legal moves, but often another spelling of one.
const OTHER_SPELLINGS: &[&str] =
    &["e4", "e5", "Nf3", "Nf6+", "O-O", "0-0-0", "E2E4", "E7-E5", "exd5", "Qxd5#", "a8", "bxa1=N", "Kg1"];

pub(crate) struct Chaos {
    pub(crate) world: World,
    dice: Dice,
    names: Vec<String>,
    agents: Vec<AgentId>,
    seasons: u32,
}

impl Chaos {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let pick = |dice: &mut Dice, from: &[u64]| from[dice.below(from.len())];
        let mut settings = settings();
        settings.joins_per_day = u32::try_from(pick(&mut dice, &[0, 2, 5, 50])).unwrap();
        settings.concurrent_games = u32::try_from(pick(&mut dice, &[0, 1, 2, 20])).unwrap();
        settings.feedback_per_day = u32::try_from(pick(&mut dice, &[0, 1, 20])).unwrap();
        settings.sweep_every = Span::from_millis(pick(&mut dice, &[0, 10_000, 300_000]));
        let side = pick(&mut dice, &[0, 90_000, 300_000, 2_400_000]);
        let timing = Timing {
            move_time: Span::from_millis(pick(&mut dice, &[1_000, 20_000, 60_000])),
            side_time: (side > 0).then_some(Span::from_millis(side)),
        };
        settings.timing.insert(word("chess"), timing);
        settings.beacon = dice.one_in(2).then(chain);
        let mut world = World::new(settings, seed);
        if dice.one_in(2) {
            world.wait(DAY / 2 - 20_000);
        }
        let mut chaos = Self { world, dice, names: Vec::new(), agents: Vec::new(), seasons: 1 };
        for number in 0..(3 + chaos.dice.below(6)) {
            let name = format!("agent{number}");
            let operator = u8::try_from(chaos.dice.below(4)).unwrap();
            let agent = chaos.world.player(&name, operator);
            chaos.names.push(name);
            chaos.agents.push(agent);
        }
        chaos
    }

    fn agent(&mut self) -> AgentId {
        self.agents[self.dice.below(self.agents.len())]
    }

    fn some_game(&mut self) -> Option<GameId> {
        let games: Vec<GameId> = self.world.hall.rooms().iter().map(|room| room.id()).collect();
        let place = self.dice.below(games.len());
        games.get(place).copied()
    }

    pub(crate) fn step(&mut self) {
        let lags = [0, 0, 0, 1, 40, 1_500];
        self.world.lag = Span::from_millis(lags[self.dice.below(lags.len())]);
        let pauses = [0, 0, 1, 137, 1_100, 9_000, 30_000, 60_001];
        let long = self.dice.one_in(12);
        let pause = pauses[self.dice.below(if long { 8 } else { 5 })];
        self.world.wait(pause);
        if self.dice.one_in(400) {
            self.world.wait(DAY / 3);
        }
        if !self.dice.one_in(20) {
            self.world.sweep();
        }
        if self.dice.one_in(30) {
            let horizon = self.world.now - self.world.lag;
            self.world.decide(horizon, Caller::Hall, Command::Hall(HallCommand::Sweep));
        }
        match self.dice.below(100) {
            0..70 => self.play(),
            70..84 => self.join(),
            84..88 => self.leave_or_post(),
            88..91 => self.file(),
            91..93 => self.gap(),
            93..96 => self.beacon(),
            _ => self.govern(),
        }
    }

    fn join(&mut self) {
        let agent = self.agent();
        let asked = lobby(if self.dice.one_in(3) { Division::Pure } else { Division::Open });
        let asked = match self.dice.below(12) {
            0 => JoinLobby { game: "shogi".into(), ..asked },
            1 => JoinLobby { variant: "odd".into(), ..asked },
            _ => asked,
        };
        let _ = self.world.ask(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(asked)));
    }

    fn leave_or_post(&mut self) {
        let agent = self.agent();
        let what = if self.dice.one_in(2) {
            Command::Desk(DeskCommand::LeaveLobby(lobby(Division::Open)))
        } else {
            let context = self.dice.one_in(2).then(|| "{\"game\":\"chess\"}".to_owned());
            let (subject, body) = ("a subject".to_owned(), "a\nbody".to_owned());
            Command::Desk(DeskCommand::PostFeedback(NewFeedback {
                kind: FeedbackKind::Docs,
                subject,
                body,
                context,
            }))
        };
        let who = if self.dice.one_in(20) { Caller::Hall } else { Caller::Agent(agent) };
        let _ = self.world.ask(who, what);
    }

    fn file(&mut self) {
        let (agent, other) = (self.agent(), self.agent());
        let mut filing = filing();
        if self.dice.one_in(2) {
            filing.division = Division::Pure;
        }
        match self.dice.below(6) {
            0 => filing.model_id = "another".into(),
            1 => filing.tool_access = ToolAccess::EngineAssisted,
            2 => filing.endpoint_url = None,
            3 => filing.season_id = format!("s{}", 1 + self.dice.below(3)),
            _ => {}
        }
        let path = if self.dice.one_in(10) { other } else { agent };
        let _ = self
            .world
            .ask(Caller::Agent(agent), Command::Desk(DeskCommand::FileHomologation { agent: path, filing }));
    }

    fn play(&mut self) {
        let Some(game) = self.some_game() else { return self.join() };
        let room = self.world.hall.rooms().find(&game).unwrap().clone();
        if room.phase() == Phase::Ended && self.dice.one_in(3) {
            let _ = self.world.ask(Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game }));
            return;
        }
        let mover = room.to_move().iter().next().unwrap_or(Player::new(0));
        let off_turn = self.dice.one_in(15);
        let player = if off_turn { 1 - mover.seat() } else { mover.seat() };
        let agent = if self.dice.one_in(60) { self.agent() } else { self.world.agent(game, player) };
        let legal = room.legal_moves(mover);
        let place = self.dice.below(legal.len());
        let mut request =
            self.world.request(game, legal.get(place).map_or("e2e4", |entry| entry.notation.as_str()));
        if self.dice.one_in(4) {
            request.choice = Some(Choice::Index(i64::try_from(place).unwrap()));
        }
        match self.dice.below(60) {
            0..8 => request.choice = Some(Choice::Unparsable),
            8..12 => {
                let text = OTHER_SPELLINGS[place % OTHER_SPELLINGS.len()];
                request.choice = Notation::parse(text).map(Choice::Notation);
            }
            12 => request.choice = Some(Choice::Index(-1)),
            13 => request.choice = Some(Choice::Index(i64::try_from(legal.len()).unwrap())),
            14..19 => request.draw_offer = true,
            19 => request.draw_accept = true,
            20 => (request.choice, request.draw_offer) = (None, true),
            21 => (request.resign, request.choice) = (true, None),
            22 => request.signature_check = SignatureCheck::Invalid,
            23 => request.turn_index = request.turn_index.wrapping_sub(1),
            24 => request.turn_index += 1,
            25..30 => request.commentary = Some("words \u{1F600} \"and\" more".into()),
            30 => request.commentary = Some(String::new()),
            _ => {}
        }
        let _ = self.world.send(agent, request);
    }

    fn gap(&mut self) {
        let from = self.world.now - Span::from_millis(u64::try_from(self.dice.below(3_000)).unwrap());
        self.world.wait([0, 100, 6_000, 70_000, 3_600_000][self.dice.below(5)]);
        let until = self.world.now;
        if self.dice.one_in(2) {
            self.world.wait(17);
        }
        let stamp = self.world.now;
        let what =
            Command::Room(RoomCommand::ExtendForGap { from, until, cause: GapCause::Restart, after: None });
        let _ = self.world.decide(stamp, Caller::Hall, what);
    }

    fn beacon(&mut self) {
        let Some(game) = self.some_game() else { return };
        let terms = self.world.hall.rooms().find(&game).unwrap().beacon_terms().copied();
        let Some(BeaconTerms { chain_hash, round }) = terms else { return };
        let round = if self.dice.one_in(5) { round + 1 } else { round };
        let randomness = Digest::of(&round.to_be_bytes());
        let signature = "ab".repeat(48);
        let what = Command::Room(RoomCommand::ReceiveBeacon {
            chain_hash,
            round,
            randomness,
            signature,
            after: None,
        });
        let stamp = self.world.now;
        let _ = self.world.decide(stamp, Caller::Hall, what);
    }

    fn govern(&mut self) {
        let name = self.names[self.dice.below(self.names.len())].clone();
        let handle = hall_wire::Handle::parse(&name).unwrap();
        let operator = OperatorId::from_bytes([u8::try_from(self.dice.below(5)).unwrap(); 16]);
        let reason = "a reason".to_owned();
        let what = match self.dice.below(16) {
            0 => Command::Governance(GovernanceCommand::SuspendAgent { handle, reason }),
            1 | 2 => Command::Governance(GovernanceCommand::RestoreAgent { handle, reason }),
            3 => Command::Governance(GovernanceCommand::SuspendOperator { operator, reason }),
            4..7 => Command::Governance(GovernanceCommand::RestoreOperator { operator, reason }),
            7 => Command::Governance(GovernanceCommand::CloseSeason {
                season: SeasonId::parse(&format!("s{}", self.seasons)).unwrap(),
            }),
            8 | 9 => {
                self.seasons += u32::from(self.world.hall.desk().current_season().is_none());
                Command::Governance(GovernanceCommand::OpenSeason {
                    season: SeasonId::parse(&format!("s{}", self.seasons)).unwrap(),
                })
            }
            10 => {
                let disposition = Some("so be it".to_owned());
                Command::Governance(GovernanceCommand::AddDocketEntry {
                    kind: DocketKind::Note,
                    subject: "a note".into(),
                    reason,
                    disposition,
                })
            }
            11 | 12 => {
                let Some(game) = self.some_game() else { return };
                let verdict = match self.dice.below(5) {
                    0 | 1 => GameVerdict::Winner(Player::new(u8::try_from(self.dice.below(3)).unwrap())),
                    2 => GameVerdict::Draw,
                    _ => GameVerdict::Abort,
                };
                Command::Room(RoomCommand::Adjudicate { game, verdict, reason })
            }
            13 => Command::Hall(HallCommand::Stop),
            14 => {
                let mut settings = self.world.hall.settings().unwrap().clone();
                settings.concurrent_games = 1 + u32::try_from(self.dice.below(4)).unwrap();
                Command::Hall(HallCommand::Start { settings, keys: fixtures::keys() })
            }
            _ => {
                let number = self.names.len() - self.dice.below(2);
                let name = format!("agent{number}");
                let operator = u8::try_from(self.dice.below(4)).unwrap();
                if let Ok(Reply::Registered { agent, .. }) = self.world.enroll(&name, operator) {
                    self.names.push(name);
                    self.agents.push(agent);
                }
                return;
            }
        };
        let by_agent = self.dice.one_in(10);
        let who = if by_agent { Caller::Agent(self.agents[0]) } else { Caller::Operator };
        let _ = self.world.ask(who, what);
    }
}

#[test]
fn the_reference_follows_random_worlds_step_by_step() {
    let setting = |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (first, seeds) = (setting("REFERENCE_FIRST", 0), setting("REFERENCE_SEEDS", 40));
    let mut seen = std::collections::BTreeMap::<String, u32>::new();
    let mut steps = 0;
    for seed in first..first + seeds {
        let mut chaos = Chaos::new(seed);
        for _ in 0..1_500 {
            chaos.step();
        }
        for mark in &chaos.world.seen {
            *seen.entry(mark.clone()).or_default() += 1;
        }
        steps += chaos.world.steps;
    }
    println!("{steps} steps, {seen:?}");
}
