//! The rounds that the games of a hall wait for: fetched, verified, and passed to the core as commands.

use super::chain::{DrandChain, RoundId, VerifiedRound};
use super::relays::Relays;
use super::schedule::RoundSchedule;
use super::watch::{RoundReport, run};
use futures_util::future::join3;
use hall_core::rooms::BeaconTerms;
use hall_core::{Caller, Command, Reply, RoomCommand, RoomReply};
use hall_driver::Engine;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// How often the games are asked which rounds they wait for. A round is due three seconds after its game began.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Verified rounds on their way to the core; those that do not fit are reported again.
const WAITING: usize = 64;

/// Fetches the rounds that the games of a hall wait for, and passes them on; `told` receives the progress. It never
/// completes; drop it to stop.
pub async fn serve_games(
    engine: Engine,
    chain: DrandChain,
    relays: Relays,
    mut told: impl FnMut(&RoundReport),
) {
    let (want, wanted) = watch::channel(BTreeSet::new());
    let (hand_over, arriving) = mpsc::channel(WAITING);
    let tell = move |report| {
        told(&report);
        if let RoundReport::Verified(round) = report {
            // What does not fit is reported again for as long as it is wanted.
            let _ = hand_over.try_send(round);
        }
    };
    let clock = engine.clone();
    let fetching = run(RoundSchedule::new([chain]), relays, move || clock.now(), wanted, tell);
    // One task, in this order: nothing is left to the runtime's scheduler.
    join3(look(engine.clone(), want), fetching, hand_to_games(engine, arriving)).await;
}

/// Repeatedly reports which rounds games wait for.
async fn look(engine: Engine, want: watch::Sender<BTreeSet<RoundId>>) {
    let round_of = |terms: BeaconTerms| RoundId { chain_hash: terms.chain_hash, round: terms.round };
    loop {
        let wanted: BTreeSet<RoundId> =
            engine.peek(|hall| hall.rooms().awaited_rounds().map(round_of).collect());
        want.send_if_modified(|known| {
            let changed = *known != wanted;
            if changed {
                *known = wanted;
            }
            changed
        });
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Passes verified rounds to the games that wait for them.
async fn hand_to_games(engine: Engine, mut arriving: mpsc::Receiver<VerifiedRound>) {
    while let Some(round) = arriving.recv().await {
        let mut after = None;
        loop {
            let command = Command::Room(RoomCommand::ReceiveBeacon {
                chain_hash: round.id().chain_hash,
                round: round.id().round,
                randomness: round.randomness(),
                signature: round.signature().to_owned(),
                after,
            });
            match engine.submit(engine.arrive(), Caller::Hall, command).await {
                Ok(Ok(Reply::Room(RoomReply::Continued { after: Some(last) }))) => after = Some(last),
                // A round that is refused now, because the disk is full, is reported again while games wait.
                Ok(_) | Err(_) => break,
            }
        }
    }
}
