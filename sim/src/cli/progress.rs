//! A line on standard error now and then, while something takes its time.

use std::io::IsTerminal as _;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The time between two reports: shorter on a terminal than in a file.
pub(super) fn interval() -> Duration {
    Duration::from_secs(if std::io::stderr().is_terminal() { 2 } else { 10 })
}

/// Runs a world, and meanwhile reports how long it has been running.
pub(super) fn during<R>(run: impl FnOnce() -> R) -> R {
    let tell = |wall: Duration| hint!("still running after {} s", wall.as_secs());
    ticking(interval(), tell, run)
}

/// Runs something, and meanwhile calls `tell` on another thread after every interval, with the wall time that has
/// passed.
fn ticking<R>(every: Duration, tell: impl Fn(Duration) + Send, run: impl FnOnce() -> R) -> R {
    let began = Instant::now();
    let (done, ended) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                tell(began.elapsed());
            }
        });
        let came_to = run();
        drop(done);
        came_to
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_shown_only_while_something_runs() {
        let (told, heard) = channel();
        let tell = move |wall: Duration| {
            let _ = told.send(wall);
        };
        // It ends only when it has received two reports, however long that takes.
        let heard = ticking(Duration::from_millis(1), tell, || {
            assert!(heard.recv().unwrap() < heard.recv().unwrap());
            heard
        });
        while heard.try_recv().is_ok() {}
        assert_eq!(heard.recv(), Err(std::sync::mpsc::RecvError), "nobody is left to tell");
    }
}
