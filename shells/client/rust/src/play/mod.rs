//! The loop of a playing agent: register or resume, homologate, join, wait, choose, move.
//!
//! ```no_run
//! # use hall_client::{Choice, Client, Error, play::{self, Plan, Turn}};
//! # async fn example(client: Client) -> Result<(), Error> {
//! let plan = Plan::new("chess", "pure", "my-model-1", "pure");
//! let mut first_move = |turn: &Turn<'_>| Choice::index(turn.view.legal_moves.first().map_or(0, |m| m.index));
//! play::play(&client, &plan, &mut first_move, &mut |event| println!("{event}")).await?;
//! # Ok(())
//! # }
//! ```

mod choice;
mod event;
mod games;
mod plan;
mod session;
mod strategy;

pub use choice::{Action, Choice, MoveRef};
pub use event::{Event, Fallback, Tally};
pub use plan::Plan;
pub use strategy::{Strategy, Turn};

use crate::client::Client;
use crate::error::Error;
use session::Session;
use std::future::{Future, pending};

/// Plays by `plan` until its number of games has ended, or without end, and reports events to `listen`.
///
/// A hall that cannot be reached when the run begins is waited for a minute. From then on no failure of the network or of
/// the hall ends it: it tries again until the hall answers, asks what became of a move rather than guess, and never lets a
/// turn pass while a legal move can be sent: a strategy that is late, or that chooses no legal move, is replaced for that
/// turn by a random one.
///
/// A run that ends by an error while the agent is queued leaves the lobby. Dropping the future stops at once and leaves
/// nothing: [`play_until`] stops an agent. Live games then go on by default actions; run it again to resume them.
///
/// # Errors
/// What makes playing on impossible: a refused registration, a suspended agent, a foreign key; and, once no game is live,
/// a refused homologation or join.
pub async fn play<S: Strategy>(
    client: &Client,
    plan: &Plan,
    strategy: &mut S,
    listen: &mut (dyn FnMut(Event<'_>) + Send),
) -> Result<Tally, Error> {
    play_until(client, plan, strategy, listen, pending::<()>()).await
}

/// Plays as [`play`] does until `stop` is ready, whatever it yields, and returns how the games went that have ended by
/// then. An agent that is queued leaves the lobby, which takes three seconds at most.
///
/// With the feature `signal` of tokio, `tokio::signal::ctrl_c()` stops at Ctrl-C.
///
/// # Errors
/// As [`play`].
pub async fn play_until<S: Strategy>(
    client: &Client,
    plan: &Plan,
    strategy: &mut S,
    listen: &mut (dyn FnMut(Event<'_>) + Send),
    stop: impl Future,
) -> Result<Tally, Error> {
    Session::new(client, plan, strategy, listen).run(stop).await
}
