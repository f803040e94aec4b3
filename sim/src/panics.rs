//! Panics as findings: what a broken invariant said, and where.
//!
//! The core asserts what must hold, so a panic inside a world is something found and not the end of the program.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// How many calls of [`caught`] this thread is in, and what the last panic in one of them said.
    static CAUGHT: RefCell<(u32, Option<String>)> = const { RefCell::new((0, None)) };
}

static HOOK: Once = Once::new();

/// Runs something; if it panics, gives back the message with its place in the source instead of printing it.
///
/// Whatever was borrowed mutably may be half-changed afterwards: look at it for a report, and then let it go.
///
/// # Errors
/// It panicked.
pub fn caught<R>(run: impl FnOnce() -> R) -> Result<R, String> {
    HOOK.call_once(install);
    CAUGHT.with_borrow_mut(|(depth, _)| *depth += 1);
    let ended = catch_unwind(AssertUnwindSafe(run));
    let said = CAUGHT.with_borrow_mut(|(depth, said)| {
        *depth -= 1;
        said.take()
    });
    ended.map_err(|payload| {
        let payload = payload.downcast::<String>().map_or_else(
            |other| {
                other
                    .downcast::<&str>()
                    .map_or_else(|_| "a panic without words".to_owned(), |words| (*words).to_owned())
            },
            |words| *words,
        );
        // A panic that was resumed from another thread, or raised without a message, did not pass the hook.
        said.filter(|said| said.starts_with(&payload)).unwrap_or(payload)
    })
}

/// Panics outside of [`caught`] are printed as ever.
fn install() {
    let usual = take_hook();
    set_hook(Box::new(move |panic| {
        let inside = CAUGHT.with_borrow_mut(|(depth, said)| {
            if *depth > 0 {
                let words = panic.payload_as_str().unwrap_or("a panic without words");
                let place = panic.location().map(ToString::to_string).unwrap_or_default();
                *said = Some(format!("{words} ({place})"));
            }
            *depth > 0
        });
        if !inside {
            usual(panic);
        } else if std::env::var_os("RUST_BACKTRACE").is_some() {
            eprintln!("{panic}\n{}", Backtrace::force_capture());
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_returned_with_its_message_and_location() {
        assert_eq!(caught(|| 7), Ok(7));
        let said = caught(|| panic!("{} is odd", 2)).unwrap_err();
        assert!(said.starts_with("2 is odd (") && said.contains("panics.rs"), "{said}");
    }

    #[test]
    fn a_panic_that_bypassed_the_hook_is_returned_with_its_message_too() {
        let said = caught(|| {
            assert!(caught(|| panic!("seen by the hook")).is_err());
            std::panic::resume_unwind(Box::new("unseen"))
        });
        assert_eq!(said, Err::<(), _>("unseen".to_owned()));
    }

    #[test]
    fn a_caught_inner_panic_does_not_affect_the_message_of_the_outer_one() {
        let said = caught(|| {
            let inner = caught(|| panic!("inside")).unwrap_err();
            assert!(inner.starts_with("inside"));
            panic!("outside")
        });
        assert!(said.unwrap_err().starts_with("outside"));
    }
}
