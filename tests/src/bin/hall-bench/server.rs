//! The hall under load, and what its process has used.

use crate::{Plan, cores};
use hall_tests::{Hall, Settings};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// A hall whose limits are lifted, because all load comes from one address and few agents.
pub(crate) struct Server {
    hall: Hall,
    plan: Plan,
}

/// Processor time that a process has used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuClock(u32);

impl Server {
    /// Starts one on an empty folder.
    pub(crate) fn start(plan: &Plan) -> Self {
        Self::with(plan, Settings::default())
    }

    /// The same with more settings.
    pub(crate) fn with(plan: &Plan, settings: Settings) -> Self {
        // No deadline may pass while something else is measured.
        let settings = settings
            .set("limits.joins_per_day=0")
            .set("limits.concurrent_games=0")
            .set("limits.feedback_per_day=0")
            .set("games.chess.move_seconds=86400")
            .set("games.chess.side_seconds=0");
        let hall = cores::on_first_core(plan, || Hall::with(settings));
        Self { hall, plan: plan.clone() }
    }

    /// Where it listens.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.hall.address()
    }

    /// The hall itself.
    pub(crate) const fn hall(&self) -> &Hall {
        &self.hall
    }

    /// Its processor time.
    pub(crate) fn clock(&self) -> CpuClock {
        CpuClock(u32::try_from(self.hall.pid().as_raw_nonzero().get()).unwrap())
    }

    /// Its resident memory in bytes, when it has settled.
    pub(crate) fn settled_memory(&self) -> u64 {
        let mut last = self.memory();
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(200));
            let now = self.memory();
            if now.abs_diff(last) < 64 * 1024 {
                return now;
            }
            last = now;
        }
        last
    }

    fn memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.clock().0)).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// Stops it and starts it again on the same folder.
    pub(crate) fn restart(self) -> Self {
        let Self { hall, plan } = self;
        let hall = cores::on_first_core(&plan, || hall.restart());
        Self { hall, plan }
    }

    /// Kills it and starts it again; the time from the start of the process until it is ready.
    pub(crate) fn kill_and_time_restart(self) -> (Self, Duration) {
        let Self { hall, plan } = self;
        let settings = hall.settings().clone();
        let folder = hall.kill();
        let begun = Instant::now();
        let hall = cores::on_first_core(&plan, || Hall::on(folder, settings));
        (Self { hall, plan }, begun.elapsed())
    }
}

impl CpuClock {
    /// The clock of a process.
    pub(crate) const fn of(pid: u32) -> Self {
        Self(pid)
    }

    /// User and system time so far, to a hundredth of a second.
    pub(crate) fn used(&self) -> Duration {
        Stat::read(&self.0.to_string()).unwrap().used
    }

    /// The same by threads, those whose names differ by a number only taken together.
    pub(crate) fn by_thread(&self) -> BTreeMap<String, Duration> {
        let mut threads = BTreeMap::new();
        for entry in std::fs::read_dir(format!("/proc/{}/task", self.0)).unwrap() {
            let thread = entry.unwrap().file_name().into_string().unwrap();
            if let Some(stat) = Stat::read(&format!("{}/task/{thread}", self.0)) {
                let name =
                    stat.name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '-');
                *threads.entry(name.to_owned()).or_default() += stat.used;
            }
        }
        threads
    }

    /// The time of the process and all its children, also of those that have ended.
    pub(crate) fn used_with_children(&self) -> Duration {
        let children = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let stat = Stat::read(entry.unwrap().file_name().to_str()?)?;
            (stat.parent == self.0).then_some(stat.used)
        });
        let own = Stat::read(&self.0.to_string()).unwrap();
        own.used + own.used_by_ended_children + children.sum::<Duration>()
    }
}

/// What the system knows of a process or of a thread.
struct Stat {
    name: String,
    parent: u32,
    used: Duration,
    used_by_ended_children: Duration,
}

impl Stat {
    /// Reads it from its folder in `/proc`; `None` where there is none.
    fn read(folder: &str) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{folder}/stat")).ok()?;
        // The name in parentheses may hold spaces; what follows is counted from field 3.
        let (before, after) = text.rsplit_once(')')?;
        let fields: Vec<&str> = after.split_whitespace().collect();
        let time = |fields: &[&str]| {
            let ticks: u64 = fields.iter().map(|field| field.parse::<u64>().unwrap()).sum();
            Duration::from_millis(ticks * 1_000 / rustix::param::clock_ticks_per_second())
        };
        Some(Self {
            name: before.split_once('(')?.1.to_owned(),
            parent: fields[1].parse().unwrap(),
            used: time(&fields[11..13]),
            used_by_ended_children: time(&fields[13..15]),
        })
    }
}
