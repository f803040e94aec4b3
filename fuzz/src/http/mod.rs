//! Requests through the whole pipeline: bytes of a connection, the HTTP library, the gate, the writer, the journal.

mod answer;
mod world;

use answer::FirstAnswer;
use std::cell::RefCell;
use world::{Genuine, World};

thread_local! {
    /// A hall is reused until something has changed it.
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
}

/// Sends a request to a hall that has a game. The first byte selects what the rest is:
///
/// 0. bytes of a connection, in which `{game}` stands for the game;
/// 1. which genuine request of an agent is sent, and how its signed parts are damaged: each three bytes are
///    a position and a change;
/// 2. the body of a request that an agent signs, whatever it says, to a path that the next byte chooses.
///
/// # Panics
/// If something panics; if an answer has no envelope; if a request without a valid signature, or a refused one,
/// changes the hall; if a genuine one does not, or a well-formed one has no answer; if an invariant of the hall no longer
/// holds.
pub fn pipeline(bytes: &[u8]) {
    let Some((way, rest)) = bytes.split_first() else { return };
    WORLD.with(|kept| {
        let mut kept = kept.borrow_mut();
        let world = kept.get_or_insert_with(World::new);
        let before = world.digest();
        match way % 3 {
            0 => {
                let sent = world.naming_the_game(rest);
                let told = world.send(&sent);
                told.check(&sent);
                assert_eq!(world.digest(), before, "unsigned bytes changed the hall: {told:?}");
            }
            1 => {
                let Some((which, damage)) = rest.split_first() else { return };
                let mut genuine = world.genuine(*which);
                let damaged = genuine.damage(damage);
                let (told, sent) = deliver(world, &genuine);
                told.check(&sent);
                let changed = world.digest() != before;
                assert_eq!(changed, !damaged, "only a request without damage changes the hall: {told:?}");
            }
            _ => {
                let Some((path, body)) = rest.split_first() else { return };
                let genuine = world.signed(*path, body);
                let (told, sent) = deliver(world, &genuine);
                told.check(&sent);
                assert!(told.is_there(), "no answer to a well-formed request");
                let counts = told.code().is_none_or(|code| code == "illegal_move");
                assert!(counts || world.digest() == before, "a refused request changed the hall: {told:?}");
            }
        }
        world.check();
        if world.digest() != before {
            *kept = None;
        }
    });
}

fn deliver(world: &World, genuine: &Genuine) -> (FirstAnswer, Vec<u8>) {
    let sent = genuine.bytes();
    (world.send(&sent), sent)
}
