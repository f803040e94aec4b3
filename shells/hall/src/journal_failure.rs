//! What the process does when its journal has failed: nothing may leave it any more, not even an answer that is being written.

use hall_tools::exit::JOURNAL_FAILED;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, exit};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process was told to stop, so that it must not begin anew.
static IS_TOLD_TO_STOP: AtomicBool = AtomicBool::new(false);

/// From now on a failure ends the process in any case: it was told to stop.
pub(crate) fn end_from_now_on() {
    IS_TOLD_TO_STOP.store(true, Ordering::Release);
}

/// Ends the process: an operator is to see what is wrong with the disk.
pub(crate) fn end_process(reason: &str) {
    tracing::error!(
        reason,
        "the hall ends at once, because what is on disk is unknown; start it again to find out"
    );
    exit(i32::from(JOURNAL_FAILED));
}

/// Replaces the process by a new one of the same program, with the same id, because a database that was away comes back
/// (decision 14.4). The new one waits for it, and then follows or leads. It listens where this one did (`bound`) also if any
/// port was asked for (`configured`). A process that was told to stop ends instead.
pub(crate) fn begin_anew(reason: &str, configured: SocketAddr, bound: SocketAddr) {
    if IS_TOLD_TO_STOP.load(Ordering::Acquire) {
        return end_process(reason);
    }
    tracing::error!(
        reason,
        "the hall begins anew at once, because what the database holds is unknown: it waits for it, and then follows or leads"
    );
    let arguments = arguments_anew(std::env::args_os(), configured, bound);
    // It returns only if it fails, as when the program was removed from the disk.
    let failed = std::env::current_exe().map(|program| Command::new(program).args(arguments).exec());
    let error = failed.unwrap_or_else(|error| error);
    tracing::error!(%error, "the program cannot be started again, so the hall ends");
    exit(i32::from(JOURNAL_FAILED));
}

/// The arguments of the new process, from those of this one, of which the first is the program.
fn arguments_anew(
    own: impl Iterator<Item = OsString>,
    configured: SocketAddr,
    bound: SocketAddr,
) -> Vec<OsString> {
    let listen = (configured.port() == 0).then(|| ["--set".into(), format!("server.listen={bound}").into()]);
    own.skip(1).chain(listen.into_iter().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_process_gets_the_same_arguments_and_listens_at_the_same_port() {
        let own = ["hall", "serve", "--set", "server.listen=127.0.0.1:0"];
        let anew = |configured: &str| {
            let own = own.into_iter().map(OsString::from);
            let (configured, bound) = (configured.parse().unwrap(), "127.0.0.1:4321".parse().unwrap());
            arguments_anew(own, configured, bound)
        };
        assert_eq!(anew("127.0.0.1:4321"), own[1..]);
        let last = ["--set", "server.listen=127.0.0.1:4321"];
        assert_eq!(anew("127.0.0.1:0"), [&own[1..], &last].concat());
    }
}
