//! `hall serve`: runs a hall until it is told to stop.

use crate::hall::RunningHall;
use crate::journal_failure;
use crate::settings::{Settings, SettingsArgs, as_toml};
use crate::supervisor::{self, Watchdog};
use clap::Args;
use hall_tools::exit::{FAILED, JOURNAL_FAILED, OK, REFUSED, Status};
use hall_tools::logs;
use hall_tools::signals::Signals;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{self, Write};

/// Run a hall (the default).
///
/// The first start makes the data folder with the hall's keys and opens the season s1; every later start continues
/// where the last one ended, after a crash too.
#[derive(Debug, Default, Args)]
#[command(
    after_help = "Settings, lowest to highest: built-in default, hall.toml in the current folder (or --config FILE), \
    environment variables HALL_SECTION__KEY, --set section.key=value.\n\
    SIGTERM or SIGINT: finish what was accepted, close the streams, exit 0. A second one ends at once.\n\
    Exit codes: 0 stopped cleanly, 1 the hall does not start, or a second signal ended it, 2 wrong settings, 3 the journal \
    failed."
)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Print the settings in effect as a settings file, and do nothing else
    #[arg(long)]
    print_config: bool,
}

/// Runs a hall, or prints its settings; `outer` are the settings before the command.
pub(crate) fn run(args: ServeArgs, outer: SettingsArgs) -> Status {
    let loaded = outer.with(args.settings).gather().and_then(|values| Ok((Settings::of(&values)?, values)));
    let (settings, values) = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            eprintln!("hall serve: {error}");
            return FAILED;
        }
    };
    if args.print_config {
        print!("{}", as_toml(&values));
        return OK;
    }
    logs::start(&settings.logging);
    raise_file_limit();
    match hall_tools::runtime() {
        Ok(runtime) => {
            let status = runtime.block_on(serve(&settings));
            // A backup may be under way on a thread of the runtime, and is given up.
            runtime.shutdown_background();
            status
        }
        Err(error) => refuse(&error),
    }
}

async fn serve(settings: &Settings) -> Status {
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => return refuse(&error),
    };
    let hall = tokio::select! {
        started = RunningHall::start(settings) => match started {
            Ok(hall) => hall,
            Err(failure) => return refuse(&failure),
        },
        // Nothing was accepted yet. A journal that is being opened is as safe as after a crash.
        name = signals.next() => {
            tracing::info!(signal = name, "stopped before the start was finished");
            std::process::exit(i32::from(OK));
        }
    };
    announce(&hall, settings);
    let watchdog = Watchdog::start(&hall.engine);
    let name = signals.next().await;
    journal_failure::end_from_now_on();
    supervisor::stopping();
    drop(watchdog);
    tracing::info!(signal = name, "stopping: accepted requests are finished; a second signal ends at once");
    tokio::select! {
        stopped = hall.stop() => match stopped {
            Ok(()) => {
                tracing::info!("stopped cleanly");
                OK
            }
            Err(error) => {
                tracing::error!(%error, "the journal failed at the end");
                JOURNAL_FAILED
            }
        },
        _ = signals.next() => {
            tracing::warn!("ended at once; the next start recovers as after a crash");
            std::process::exit(i32::from(REFUSED));
        }
    }
}

fn refuse(why: &dyn std::fmt::Display) -> Status {
    eprintln!("hall serve: {why}");
    REFUSED
}

/// Says what to do next.
fn announce(hall: &RunningHall, settings: &Settings) {
    // Nobody may be reading; the hall runs all the same.
    let _ = next_steps(&mut io::stdout().lock(), hall, settings);
    let (url, data) = (&hall.base_url, &settings.storage.path);
    tracing::info!(%url, data = %data.display(), "the hall is open");
    supervisor::ready(&url.to_string());
}

fn next_steps(out: &mut impl Write, hall: &RunningHall, settings: &Settings) -> io::Result<()> {
    let (url, data) = (&hall.base_url, settings.storage.path.display());
    writeln!(out, "The hall is open at {url} (data in {data}).")?;
    writeln!(out, "  watch:   open {url} in a browser")?;
    writeln!(out, "  manual:  curl {url}/api/playbook       what an agent does, with signing vectors")?;
    writeln!(out, "  play:    hall agent --hall {url} --handle ada")?;
    writeln!(out, "           and, as an opponent, hall agent --hall {url} --handle bob --strategy greedy")?;
    writeln!(out, "  govern:  hall admin --set storage.path={data} stats       and hall admin --help")?;
    if let Some(address) = hall.admin_address {
        writeln!(out, "  metrics: http://{address}/metrics")?;
    }
    writeln!(out, "  limit:   {}", limit(hall, settings))?;
    writeln!(out, "  a demo:  hall demo")?;
    writeln!(out, "Stop it with Ctrl-C or SIGTERM.")
}

/// The request rate that is in force, in words.
fn limit(hall: &RunningHall, settings: &Settings) -> String {
    if settings.spares_loopback(&hall.base_url) {
        return "requests from this machine are not counted; --set limits.requests_per_minute=N counts them"
            .to_owned();
    }
    match settings.http.requests_per_minute {
        0 => "none on requests".to_owned(),
        most => format!("{most} requests a minute from one address (limits.requests_per_minute)"),
    }
}

/// Connections are open files; the soft limit is often only 1024.
fn raise_file_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
    {
        tracing::warn!(%error, ?current, "the limit of open files could not be raised");
    }
}
