//! Hostile agents: they play as honest ones do, and on many of their turns they first do what no honest client would.
//!
//! What they send goes over real HTTP, byte for byte as they like it. For each action the specification and the
//! decisions say which answers there may be; every other answer is a violation. What must not have happened is noted
//! and looked for in the journal at the end.
//!
//! What it refuses to know: how the hall tells them from honest ones.
//!
//! | module | what it owns |
//! |---|---|
//! | `behaviour` | what kinds there are, and who is which |
//! | `wire` | hostile requests, and their answers |
//! | `rules` | which answers there may be, and what is wrong with others |
//! | `gate` | replayed and forged requests, and registrations that must fail |
//! | `flood` | far more than anybody needs, and connections on which no request comes |
//! | `hoard` | requests and challenges that are kept until the hall has restarted |
//! | `moves` | races, illegal moves, and moves that are not one's own to make |
//! | `visitor` | somebody who does not play, and tries the limits |
//! | `words` | texts that a reader might take for markup or instructions |

mod behaviour;
mod flood;
mod gate;
mod hoard;
mod moves;
mod rules;
mod visitor;
mod wire;
mod words;

pub(super) use behaviour::Hostility;
pub(super) use hoard::Hoard;
pub(super) use rules::IllegalCount;
pub(super) use visitor::{VISITOR, Visitor};

use super::agent::Site;
use crate::dice::Dice;
use behaviour::Behaviour;
use hall_client::answer::View;
use hall_client::wire::Handle;
use hall_client::{Choice, Key};
use std::sync::Arc;
use tokio::sync::Notify;
use wire::Wire;

/// The hostile actions of one run of an agent's program.
pub(super) struct Mischief {
    hostility: Hostility,
    dice: Dice,
    wire: Wire,
    hoard: Hoard,
    /// Tells the agent's program that it walks away.
    away: Arc<Notify>,
}

/// The turn in which it happens.
#[derive(Clone, Copy)]
struct Scene<'a> {
    view: &'a View,
    /// What the agent will play afterwards, as an honest one would.
    choice: &'a Choice,
}

impl Mischief {
    /// Those of the agent with this number, handle and key, which has kept this so far.
    pub(super) fn new(
        hostility: Hostility,
        dice: Dice,
        number: usize,
        (handle, key): (&Handle, &Key),
        site: &Site,
        hoard: Hoard,
    ) -> Self {
        let wire = Wire::new(number, handle, key, site, hostility.excuses);
        Self { hostility, dice, wire, hoard, away: Arc::default() }
    }

    /// Hears when the agent walks away.
    pub(super) fn away(&self) -> Arc<Notify> {
        Arc::clone(&self.away)
    }

    /// What the agent does before it plays `choice`. An answer that was lost ends it: nothing follows from it.
    pub(super) async fn before(&mut self, view: &View, choice: &Choice) {
        if !self.dice.permille(self.hostility.often) {
            return;
        }
        let scene = Scene { view, choice };
        // The result of an action is judged where it is done.
        let _ = match self.hostility.mode {
            Behaviour::Racer => self.race(scene).await,
            Behaviour::Replayer => self.replay(scene).await,
            Behaviour::Forger => self.forge(scene).await,
            Behaviour::Illegal => self.move_illegally(scene).await,
            Behaviour::Walker => {
                self.wire.mark("walked_away");
                self.away.notify_one();
                std::future::pending().await
            }
            Behaviour::Sharer => self.share(scene).await,
            Behaviour::Injector => self.inject(scene).await,
            Behaviour::Flooder => self.flood(scene).await,
        };
    }
}
