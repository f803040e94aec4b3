//! What acts once per hall: the beacon, the witnesses, the ringing of doorbells, the agents of the house. On several
//! machines the process that leads does it, and when the lead moves it moves along.

use crate::beacon::{BeaconClient, BeaconSource};
use crate::doorbell::Ringers;
use crate::hall_log::HallLog;
use crate::house::{HousePlayers, RunningHousePlayers};
use crate::settings::Settings;
use crate::start_failure::StartFailure;
use crate::witnesses::Witnesses;
use hall_driver::Engine;
use hall_http::{BeaconHealth, Shell};
use hall_outbound::doorbell::RingNotifier;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// How long to wait before what could not begin is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(5);

/// Everything that the duties need.
pub(crate) struct Duties {
    pub(crate) settings: Settings,
    pub(crate) engine: Engine,
    pub(crate) shell: Arc<Shell>,
    pub(crate) log: Arc<HallLog>,
    pub(crate) beacon: BeaconSource,
    pub(crate) beacon_health: Arc<BeaconHealth>,
    pub(crate) notifier: Arc<RingNotifier>,
    pub(crate) house_players: HousePlayers,
}

/// Duties that are done.
pub(crate) struct RunningDuties {
    house_players: Option<RunningHousePlayers>,
    others: Others,
}

/// Those that end when they are dropped.
type Others = (BeaconClient, Witnesses, Ringers);

impl Duties {
    /// Begins to do them.
    ///
    /// # Errors
    /// The agents of the house cannot be served.
    pub(crate) fn start(&self) -> Result<RunningDuties, StartFailure> {
        let Self { settings, engine, shell, log, beacon, beacon_health, notifier, house_players } = self;
        // First, because it alone can fail.
        let house_players = house_players.start(shell, engine)?;
        let beacon = beacon.fetch(engine, beacon_health);
        let witnesses = log.witness(settings, engine);
        let ringers = Ringers::start(Arc::clone(notifier), engine);
        Ok(RunningDuties { house_players, others: (beacon, witnesses, ringers) })
    }

    /// Does them from now on, as long as this process leads.
    ///
    /// # Errors
    /// As [`Duties::start`], where they begin at once.
    pub(crate) fn follow_the_lead(self, leads: LeadWatch) -> Result<MovingDuties, StartFailure> {
        let mut running = None;
        if leads.now() {
            running = Some(self.start()?);
        }
        let LeadWatch { mut leads, held } = leads;
        let (stop, mut stopped) = watch::channel(());
        let moving = tokio::spawn(async move {
            loop {
                let is_undone = running.is_none() && *leads.borrow();
                let is_over = tokio::select! {
                    () = sleep(RETRY_DELAY), if is_undone => false,
                    changed = leads.changed() => changed.is_err(),
                    _ = stopped.changed() => true,
                };
                let wanted = !is_over && *leads.borrow_and_update();
                match (wanted, running.take()) {
                    (true, None) => match self.start() {
                        Ok(started) => running = Some(started),
                        Err(error) => tracing::error!(%error, "what acts once per hall could not begin"),
                    },
                    (true, started) => running = started,
                    (false, Some(started)) => {
                        let others = started.stop_players().await;
                        if is_over {
                            return Some(others);
                        }
                    }
                    (false, None) if is_over => return None,
                    (false, None) => {}
                }
            }
        });
        Ok(MovingDuties { stop, moving, _held: held })
    }
}

impl RunningDuties {
    async fn stop_players(self) -> Others {
        if let Some(house_players) = self.house_players {
            house_players.stop().await;
        }
        self.others
    }
}

/// Duties that are done while this process leads.
pub(crate) struct MovingDuties {
    stop: watch::Sender<()>,
    moving: JoinHandle<Option<Others>>,
    _held: Option<watch::Sender<bool>>,
}

impl MovingDuties {
    /// Ends the play of the house. The rest ends when the result is dropped: answers that were accepted may wait for a round
    /// of the beacon.
    pub(crate) async fn stop_players(self) -> impl Sized {
        let _ = self.stop.send(());
        // If it panicked, it said so itself.
        self.moving.await.ok().flatten()
    }
}

/// Whether this process leads.
pub(crate) struct LeadWatch {
    leads: watch::Receiver<bool>,
    /// Keeps the other end of a process that always leads.
    held: Option<watch::Sender<bool>>,
}

impl LeadWatch {
    /// A process that always leads.
    pub(crate) fn always() -> Self {
        let (held, leads) = watch::channel(true);
        Self { leads, held: Some(held) }
    }

    /// A process that leads whenever the other end says so.
    pub(crate) fn channel() -> (watch::Sender<bool>, Self) {
        let (sender, leads) = watch::channel(false);
        (sender, Self { leads, held: None })
    }

    fn now(&self) -> bool {
        *self.leads.borrow()
    }
}
