//! Troubles of the hall and its machine, each at random times with its own mean.

use super::agenda::Event;
use super::network::GROUPS;
use super::world::World;
use hall_core::desk::Agent;
use hall_core::{
    BeaconChain, Command, DocketKind, GameVerdict, GovernanceCommand, RoomCommand, SeasonId, Timing,
};
use hall_driver::RawClocks as _;
use hall_wire::{Digest, Handle, OperatorId, Player, Span, Timestamp};

/// A fault or an act of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    /// The process is killed; what the system has of its writes stays.
    Kill,
    /// The machine loses its power.
    PowerCut,
    /// The process shuts down cleanly.
    Restart,
    /// The process stands still.
    Pause,
    /// A group of agents is cut off.
    Partition,
    /// The system clock jumps.
    ClockStep,
    /// The system clock stands still.
    ClockFreeze,
    /// A call of the disk will fail or be slow.
    DiskFault,
    /// The disk is damaged in a way that a journal need not survive.
    Corruption,
    /// The disk runs full.
    FullDisk,
    /// The operator steps in.
    OperatorAct,
    /// The operator maintains the log.
    LogAct,
    /// The operator takes a player out of a game.
    VacatedSeat,
}

/// How often a clean stop meets a faulty disk, in 1,000.
const FAULTY_STOPS_PERMILLE: u32 = 250;

const ALL: [Trouble; 13] = [
    Trouble::Kill,
    Trouble::PowerCut,
    Trouble::Restart,
    Trouble::Pause,
    Trouble::Partition,
    Trouble::ClockStep,
    Trouble::ClockFreeze,
    Trouble::DiskFault,
    Trouble::Corruption,
    Trouble::FullDisk,
    Trouble::OperatorAct,
    Trouble::LogAct,
    Trouble::VacatedSeat,
];

impl World {
    /// Plans the first trouble of each kind.
    pub(super) fn plan_troubles(&mut self) {
        for trouble in ALL {
            self.plan_next(trouble);
        }
    }

    fn plan_next(&mut self, trouble: Trouble) {
        let faults = &self.plan.faults;
        let mean = match trouble {
            Trouble::Kill => faults.kills,
            Trouble::PowerCut => faults.power_cuts,
            Trouble::Restart => faults.restarts,
            Trouble::Pause => faults.pauses,
            Trouble::Partition => faults.partitions,
            Trouble::ClockStep => faults.clock_steps,
            Trouble::ClockFreeze => faults.clock_freezes,
            Trouble::DiskFault => faults.disk_faults,
            Trouble::Corruption => faults.corruption,
            Trouble::FullDisk => faults.full_disks,
            Trouble::OperatorAct => faults.operator_acts,
            Trouble::LogAct => faults.log_acts,
            Trouble::VacatedSeat => faults.vacated_seats,
        };
        if let Some(mean) = mean {
            let dice = if trouble == Trouble::LogAct { &mut self.keeper.dice } else { &mut self.dice };
            let span = dice.span(Span::from_millis(1), Span::from_millis(mean.as_millis() * 2));
            self.after(span, Event::Fault(trouble));
        }
    }

    /// Lets a trouble happen, unless the time of troubles is over.
    pub(super) fn trouble(&mut self, trouble: Trouble) {
        if self.calm {
            return;
        }
        match trouble {
            Trouble::Kill => self.kill("kill"),
            Trouble::PowerCut => self.kill("power_cut"),
            Trouble::Restart => self.stop_and_start(),
            Trouble::Pause => {
                if self.host.is_some() {
                    self.report.fault("pause");
                }
                let span = self.dice.span(Span::from_millis(500), Span::from_secs(600));
                // Nothing of the process runs meanwhile; what arrives is stamped when it continues.
                self.pause(span);
            }
            Trouble::Partition => {
                self.report.fault("partition");
                let until = self.now() + self.dice.span(Span::from_secs(1), Span::from_secs(300));
                let group = self.dice.below(GROUPS);
                self.plan.network.cut(group, until);
            }
            Trouble::ClockStep => {
                self.report.fault("clock_step");
                let small = self.plan.faults.small_clock_steps && self.dice.permille(500);
                let most = Span::from_secs(if small { 2 } else { 86_400 });
                let size = self.dice.span(Span::from_millis(1), most).as_millis();
                let millis = i64::try_from(size).unwrap_or(0);
                self.clock.step_wall(if self.dice.permille(500) { millis } else { -millis });
            }
            Trouble::ClockFreeze => {
                self.report.fault("clock_freeze");
                self.clock.freeze_wall();
                let span = self.dice.span(Span::from_secs(1), Span::from_secs(300));
                self.after(span, Event::ThawClock);
            }
            Trouble::DiskFault => self.store.plan_fault(&mut self.dice),
            Trouble::Corruption => self.store.corrupt(&mut self.dice),
            // The best time for it is the append of a game's end: something is left to write for that game.
            Trouble::FullDisk if self.plan.faults.aimed_disk_faults && self.gap_dice.permille(500) => {
                self.store.fill_up_at_an_end();
            }
            Trouble::FullDisk => {
                self.store.fill_up();
                self.disk_is_full();
            }
            Trouble::OperatorAct => self.operator_act(),
            Trouble::LogAct => self.log_act(),
            Trouble::VacatedSeat => self.vacate_a_seat(),
        }
        self.plan_next(trouble);
    }

    /// The disk has run full, for some time.
    pub(super) fn disk_is_full(&mut self) {
        self.report.fault("full_disk");
        let span = self.dice.span(Span::from_secs(1), Span::from_secs(120));
        self.after(span, Event::FreeDisk);
        if self.plan.faults.stops_in_gaps && self.gap_dice.permille(500) {
            let stop = self.gap_dice.span(Span::from_millis(500), span);
            self.after(stop, Event::StopInGap);
        }
    }

    /// The hall goes down while a gap is not noted yet.
    pub(super) fn stop_in_gap(&mut self) {
        if self.calm || self.host.is_none() {
            return;
        }
        self.report.mark("hall", "down_in_a_gap");
        if self.gap_dice.permille(500) {
            self.kill("kill");
        } else {
            self.stop_and_start();
        }
    }

    /// The process ends without warning and is started again.
    fn kill(&mut self, name: &str) {
        self.aim();
        let Some(host) = self.host.take() else { return };
        self.report.fault(name);
        self.see_death(&host);
        for asked in host.die() {
            self.lose(asked);
        }
        if name == "power_cut" {
            self.store.lose_power(&mut self.dice);
        } else {
            self.store.process_died();
        }
        self.start_later();
    }

    fn stop_and_start(&mut self) {
        self.aim();
        let Some(mut host) = self.host.take() else { return };
        self.report.fault("restart");
        let drained = host.drain(&self.clock);
        self.host = Some(host);
        // What was decided while it stopped is released like anything else.
        self.released(false);
        let Some(host) = self.host.take() else { return };
        self.see_end(&host);
        // The last append of a process is one that no later one finds to have failed, or to have been slow.
        let faults = &self.plan.faults;
        let may_fail = faults.aimed_disk_faults && faults.disk_faults.is_some();
        if may_fail && self.gap_dice.permille(FAULTY_STOPS_PERMILLE) {
            self.store.plan_fault_of_a_stop(&mut self.dice);
        }
        let (waiting, ended) = host.end(&mut self.in_doubt);
        for asked in waiting {
            self.lose(asked);
        }
        if let Err(error) = drained.and(ended) {
            return self.journal_failed(&error.to_string());
        }
        self.store.process_died();
        self.start_later();
    }

    /// Before the hall goes down: some starts are aimed at what is due then, which the hall knows now.
    fn aim(&mut self) {
        self.aim = None;
        if self.calm || !self.plan.faults.aimed_starts || !self.dice.permille(400) {
            return;
        }
        let Some(host) = &self.host else { return };
        let due = host.peek(|hall| {
            let players = [Player::new(0), Player::new(1)];
            let turns = hall.rooms().iter().flat_map(|room| players.map(|player| room.deadline_of(player)));
            turns.flatten().chain(hall.next_deadline()).collect::<Vec<Timestamp>>()
        });
        let Some(due) = self.dice.pick(&due) else { return };
        // The hall goes by the system clock when it starts.
        let millis =
            due.as_millis() - self.clock.wall_millis() + i64::try_from(self.dice.below(3)).unwrap_or(0) - 1;
        let down = u64::try_from(millis).ok().map(Span::from_millis);
        self.aim = down.filter(|down| *down <= self.plan.longest_down);
    }

    pub(super) fn start_later(&mut self) {
        self.forget_step();
        let down = match self.aim.take() {
            Some(aimed) => {
                self.report.mark("hall", "start_aimed");
                aimed
            }
            None => match self.dice.below(4) {
                0 => Span::from_millis(self.dice.below(5)),
                1 => self.dice.span(Span::from_secs(60), self.plan.longest_down),
                _ => self.dice.span(Span::from_millis(100), Span::from_secs(20)),
            },
        };
        let faults = &self.plan.faults;
        if !self.calm && (faults.operator_acts.is_some() || faults.new_settings) && self.dice.permille(200) {
            self.change_settings();
        }
        self.after(down, Event::Start);
    }

    /// The hall will start with other caps and quotas, which may be below what an agent has used by then.
    fn change_settings(&mut self) {
        let mut one = |of: &[u32]| self.dice.pick(of).copied().unwrap_or(0);
        let (games, joins, posts) = (one(&[1, 2, 20]), one(&[0, 3, 50]), one(&[1, 20]));
        let settings = &mut self.start.settings;
        (settings.concurrent_games, settings.joins_per_day, settings.feedback_per_day) =
            (games, joins, posts);
        if self.plan.faults.new_settings {
            self.change_times();
        }
    }

    /// It will start with other times, and bind new games to another beacon or to none. Games that are under way keep
    /// theirs.
    fn change_times(&mut self) {
        self.report.fault("new_settings");
        let mut secs = |of: &[u64]| Span::from_secs(self.dice.pick(of).copied().unwrap_or(60));
        let (move_time, side_time, sweep_every) = (secs(&[5, 60, 90]), secs(&[60, 2_400]), secs(&[20, 300]));
        let side_time = Some(side_time).filter(|_| self.dice.permille(700));
        let own = self.plan.settings.beacon;
        let another = own.map(|chain| BeaconChain { chain_hash: Digest::of(b"another chain"), ..chain });
        let settings = &mut self.start.settings;
        settings.sweep_every = sweep_every;
        settings.timing.values_mut().for_each(|timing| *timing = Timing { move_time, side_time });
        settings.beacon = self.dice.pick(&[own, own, another, None]).copied().flatten();
    }

    /// The journal failed: nothing more leaves the process, and it ends.
    pub(super) fn journal_failed(&mut self, reason: &str) {
        self.report.mark("hall", "journal_failed");
        self.note_storage();
        self.see_failure();
        self.aim();
        if let Some(host) = self.host.take() {
            // Only the next start shows whether this became durable.
            self.in_doubt.extend(host.take_observed());
            for asked in host.die() {
                self.lose(asked);
            }
        }
        if self.store.is_corrupted() && self.failed_starts > 3 {
            self.report.halted = Some(reason.to_owned());
            return;
        }
        self.store.process_died();
        self.start_later();
    }

    fn operator_act(&mut self) {
        let (act, somebody) = (self.dice.below(12), self.some_handle());
        let pick = usize::try_from(self.dice.below(1_000)).unwrap_or(0);
        let Some(host) = &mut self.host else { return };
        // The agent that the operator acts on, if there is one.
        let handle = host.peek(|hall| {
            let desk = hall.desk();
            let fits = |agent: &&Agent| match act {
                0 => desk.lobbies_of(&agent.id).next().is_some(),
                1 | 3 => desk.is_suspended(&agent.id),
                _ => agent.handle == somebody,
            };
            let fitting: Vec<&Agent> = desk.agents().filter(fits).collect();
            let picked = pick.checked_rem(fitting.len()).and_then(|place| fitting.get(place));
            picked.map_or(somebody.clone(), |agent| agent.handle.clone())
        });
        let reason = "an act of the simulator".to_owned();
        let live = host.peek(|hall| {
            hall.rooms().iter().filter(|room| room.result().is_none()).map(|room| room.id()).next()
        });
        let (season, operator) = host.peek(|hall| {
            let operator = hall.desk().agent_by_handle(&handle).map(|agent| agent.operator);
            (hall.desk().current_season().cloned(), operator)
        });
        let next_season = SeasonId::parse(&format!("s{}", self.dice.below(1_000)));
        let command = match (act, live, season, operator, next_season) {
            (0, ..) => Some(Command::Governance(GovernanceCommand::SuspendAgent { handle, reason })),
            (1, ..) => Some(Command::Governance(GovernanceCommand::RestoreAgent { handle, reason })),
            (2, _, _, Some(operator), _) => {
                Some(Command::Governance(GovernanceCommand::SuspendOperator { operator, reason }))
            }
            (3, _, _, Some(operator), _) => {
                Some(Command::Governance(GovernanceCommand::RestoreOperator { operator, reason }))
            }
            (4, _, Some(season), ..) => Some(Command::Governance(GovernanceCommand::CloseSeason { season })),
            (5 | 4, _, None, _, Some(season)) => {
                Some(Command::Governance(GovernanceCommand::OpenSeason { season }))
            }
            // These must be refused: a second season, a used name, a season that is not open, an unknown operator.
            (7, _, Some(_), _, Some(season)) => {
                Some(Command::Governance(GovernanceCommand::OpenSeason { season }))
            }
            (7, ..) => Some(Command::Governance(GovernanceCommand::OpenSeason {
                season: self.plan.settings.first_season.clone(),
            })),
            (8, _, _, _, Some(season)) => {
                Some(Command::Governance(GovernanceCommand::CloseSeason { season }))
            }
            (9, ..) => {
                let operator = OperatorId::from_bytes(self.dice.bytes());
                Some(Command::Governance(GovernanceCommand::SuspendOperator { operator, reason }))
            }
            (6, Some(game), ..) => {
                let verdict = match self.dice.below(5) {
                    4 => GameVerdict::Winner(Player::new(7)),
                    0 => GameVerdict::Winner(Player::new(0)),
                    1 => GameVerdict::Winner(Player::new(1)),
                    2 => GameVerdict::Draw,
                    _ => GameVerdict::Abort,
                };
                Some(Command::Room(RoomCommand::Adjudicate { game, verdict, reason }))
            }
            _ => Some(Command::Governance(GovernanceCommand::AddDocketEntry {
                kind: DocketKind::Note,
                subject: "A \"note\" of \u{1}\u{8}\u{1f}\n, é and 😀".to_owned(),
                reason,
                disposition: None,
            })),
        };
        if let Some(command) = command
            && host.command(command).is_some()
        {
            self.report.fault("operator_act");
            self.step_at(self.now());
        }
    }

    /// Mostly at a table at which others play on, else where that must be refused. At times it is a player who is out by
    /// the rules and has no seat to leave.
    fn vacate_a_seat(&mut self) {
        let (pick, is_fit) = (usize::try_from(self.dice.below(1_000)).unwrap_or(0), self.dice.permille(900));
        let player = Player::new(u8::try_from(self.dice.below(5)).unwrap_or(0));
        let is_out = self.dice.permille(300);
        let Some(host) = &mut self.host else { return };
        let seat = host.peek(|hall| {
            let live = || hall.rooms().iter().filter(|room| room.result().is_none());
            let out = || live().find_map(|room| Some((room.id(), *room.position().eliminated().first()?)));
            let fit: Vec<_> = live().filter(|room| !is_fit || room.seats().len() > 2).collect();
            let picked = pick.checked_rem(fit.len()).and_then(|place| fit.get(place));
            is_out.then(out).flatten().or_else(|| picked.map(|room| (room.id(), player)))
        });
        let reason = "an act of the simulator".to_owned();
        let command = seat.map(|(game, player)| Command::Room(RoomCommand::Vacate { game, player, reason }));
        if command.is_some_and(|command| host.command(command).is_some()) {
            self.report.fault("vacated_seat");
            self.step_at(self.now());
        }
    }

    /// The handle of some agent.
    fn some_handle(&mut self) -> Handle {
        let place =
            usize::try_from(self.dice.below(u64::try_from(self.actors.len()).unwrap_or(0))).unwrap_or(0);
        self.actors.get(place).map_or_else(
            || Handle::parse("nobody").unwrap_or_else(|| unreachable!("a well-formed handle")),
            |actor| actor.identity().handle.clone(),
        )
    }
}
