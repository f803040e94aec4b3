//! Requests through the whole pipeline: bytes of a connection, the HTTP library, the gate, the writer, the journal.

mod answer;
mod world;

use answer::Told;
use std::cell::RefCell;
use world::{Genuine, World};

thread_local! {
    /// A hall is reused until something has changed it.
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
}

/// Sends a request to a hall that has a game. The first byte selects what the rest is:
///
/// 0. bytes of a connection, sent unchanged;
/// 1. which genuine request of an agent is sent, and how its signed parts are damaged: each three bytes are
///    a position and a change;
/// 2. the body of a request that an agent signs, whatever it says, to a path that the next byte chooses.
///
/// # Panics
/// If something panics; if an answer has no envelope; if a request without a valid signature, or a refused one,
/// changes the hall; if an invariant of the hall no longer holds.
pub fn pipeline(bytes: &[u8]) {
    let Some((way, rest)) = bytes.split_first() else { return };
    WORLD.with(|kept| {
        let mut kept = kept.borrow_mut();
        let world = kept.get_or_insert_with(World::new);
        let before = world.digest();
        match way % 3 {
            0 => {
                let told = world.send(rest);
                told.check(rest);
                assert_eq!(world.digest(), before, "unsigned bytes changed the hall: {told:?}");
            }
            1 => {
                let Some((which, damage)) = rest.split_first() else { return };
                let mut genuine = world.genuine(*which);
                let damaged = genuine.damage(damage);
                let (told, sent) = deliver(world, &genuine);
                told.check(&sent);
                assert!(!damaged || world.digest() == before, "a damaged request changed the hall: {told:?}");
            }
            _ => {
                let Some((path, body)) = rest.split_first() else { return };
                let genuine = world.signed(*path, body);
                let (told, sent) = deliver(world, &genuine);
                told.check(&sent);
                let counts = told.code().is_none_or(|code| code == "ILLEGAL_MOVE");
                assert!(counts || world.digest() == before, "a refused request changed the hall: {told:?}");
            }
        }
        world.check();
        if world.digest() != before {
            *kept = None;
        }
    });
}

fn deliver(world: &World, genuine: &Genuine) -> (Told, Vec<u8>) {
    let sent = genuine.bytes();
    (world.send(&sent), sent)
}
