//! `hall health`: asks a running hall how it is, where there is no other program that could, as in a container.

use crate::settings::{Settings, SettingsArgs};
use clap::Args;
use hall_client::fetch;
use hall_tools::exit::{FAILED, OK, REFUSED, Status};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// Bytes of an answer at most.
const MOST_ANSWER_BYTES: usize = 64 * 1024;

/// Ask a running hall whether it answers.
///
/// Asks /healthz at `server.admin_listen` of the settings, or at `server.listen` where that is off.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hall health --ready\n\
    Exit codes: 0 healthy, 1 unhealthy or no answer, 2 wrong usage or settings.")]
pub(crate) struct HealthArgs {
    #[command(flatten)]
    settings: SettingsArgs,
    /// Ask /readyz: whether the hall takes writes, too
    #[arg(long)]
    ready: bool,
    /// The hall's address, such as `https://hall.example`, instead of that of the settings
    #[arg(long)]
    url: Option<String>,
    /// How long to wait for the answer, in seconds
    #[arg(long, default_value_t = 5)]
    seconds: u64,
}

/// Asks; `outer` are the settings before the command.
pub(crate) fn run(args: HealthArgs, outer: SettingsArgs) -> Status {
    let path = if args.ready { "/readyz" } else { "/healthz" };
    let base = match args.url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => {
            match outer.with(args.settings).load().map_err(|error| error.to_string()).and_then(address_of) {
                Ok(base) => base,
                Err(error) => return fail(&error),
            }
        }
    };
    let asked = format!("{base}{path}");
    let patience = Duration::from_secs(args.seconds);
    match hall_tools::runtime().map(|runtime| runtime.block_on(fetch(&asked, MOST_ANSWER_BYTES, patience))) {
        Ok(Ok(answer)) => {
            println!("{asked}: {}", String::from_utf8_lossy(&answer.body).replace(char::is_control, " "));
            if answer.status == 200 { OK } else { REFUSED }
        }
        Ok(Err(error)) => {
            eprintln!("hall health: {asked}: {error}");
            REFUSED
        }
        Err(error) => fail(&error.to_string()),
    }
}

/// Where a hall with these settings answers on this machine.
fn address_of(settings: Settings) -> Result<String, String> {
    let address = match settings.admin_listen {
        Some(address) => address,
        None if settings.http.tls.is_some() => {
            return Err(
                "the hall serves TLS under a name that is not known here; set server.admin_listen, or \
                        name its address with --url https://NAME"
                    .to_owned(),
            );
        }
        None => settings.listen,
    };
    Ok(format!("http://{}", on_this_machine(address)))
}

/// An address that stands for all of a machine's is reached at the machine itself.
fn on_this_machine(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

fn fail(message: &str) -> Status {
    eprintln!("hall health: {message}");
    FAILED
}
