//! Work that may take its time: flushing and compacting the store, snapshots, the walk over old records.
//!
//! On few cores such work would take whole time slices from the writer and delay every move that waits for it. So its
//! threads have a lower priority. A thread passes its priority on to threads that it starts.

/// The niceness added: about a tenth of a core is left for such work when everything is busy, several times what it
/// needs.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// Lowers the priority of the thread that calls this, for good. Does nothing where the system has no thread priorities
/// or does not allow it; the work then only slows down others.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "a thread in the background keeps its priority");
    }
}

/// Runs `work` on a thread of lower priority, which threads that it starts inherit, and waits for it.
///
/// # Errors
/// The thread cannot be started.
///
/// # Panics
/// If `work` panics.
pub(crate) fn from_a_background_thread<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let working = std::thread::Builder::new().spawn_scoped(scope, || {
            lower_priority();
            work()
        })?;
        Ok(working.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::from_a_background_thread;

    fn own_priority() -> i32 {
        rustix::process::getpriority_process(None).unwrap()
    }

    #[test]
    fn background_threads_pass_on_their_low_priority_and_the_caller_keeps_its_own() {
        let before = own_priority();
        let theirs = from_a_background_thread(|| std::thread::spawn(own_priority).join().unwrap()).unwrap();
        assert!(theirs > before || before >= super::NICE, "{theirs} is not behind {before}");
        assert_eq!(own_priority(), before);
    }
}
