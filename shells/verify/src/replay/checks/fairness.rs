//! The seed and the beacon: that nobody, the hall included, could know or choose the game's random numbers
//! (decision 6).

use super::same;
use crate::replay::document::{BeaconStatus, Replay};
use crate::replay::report::{ClaimId, Ledger};
use crate::replay::trust::{RoundCache, Trust};
use hall_wire::{Digest, Timestamp};
use std::collections::BTreeSet;

/// `cosigned` is when a trusted witness is known to have seen the game's commitment.
pub(super) fn check(
    replay: &Replay<'_>,
    trust: &Trust,
    rounds: &mut RoundCache,
    cosigned: Option<Timestamp>,
    ledger: &mut Ledger,
) {
    let committed = replay.seed.commitment(&replay.game_id);
    ledger.settle(ClaimId::Commitment, same("the commitment", &replay.commitment, &committed));
    let beacon = &replay.beacon;
    let (Some(chain_hash), Some(round)) = (beacon.chain, beacon.round) else {
        let off = beacon.status == BeaconStatus::Off && beacon.chain.is_none() && beacon.round.is_none();
        if off {
            ledger.leave(
                ClaimId::BeaconRound,
                "the hall ran without a beacon, so the game is bound to no round",
            );
        } else {
            ledger.fail(ClaimId::BeaconRound, "the beacon is not off, but chain or round is missing");
        }
        signature(replay, None, rounds, ledger);
        return;
    };
    if beacon.status == BeaconStatus::Off {
        ledger.fail(ClaimId::BeaconRound, "the beacon is off, but a chain and a round are named");
    }
    let chain = trust.chain(&chain_hash);
    match (chain, replay.formed()) {
        (None, _) => ledger.leave(ClaimId::BeaconRound, unknown(&chain_hash)),
        (Some(_), None) => {
            ledger.fail(ClaimId::BeaconRound, "there are no events, so nothing dates the game")
        }
        (Some(chain), Some(formed)) => {
            ledger.settle(ClaimId::BeaconRound, same("the round", &round, &chain.round_for(formed)));
            if cosigned.is_some_and(|cosigned| cosigned < chain.due(round)) {
                ledger.say(
                    ClaimId::BeaconRound,
                    "The game was bound to its drand round before that round was due: a witness has seen it.",
                );
            }
        }
    }
    signature(replay, chain.map(|chain| (chain, round)), rounds, ledger);
}

fn signature(
    replay: &Replay<'_>,
    bound: Option<(&crate::replay::TrustedChain, u64)>,
    rounds: &mut RoundCache,
    ledger: &mut Ledger,
) {
    let beacon = &replay.beacon;
    let turns = replay.moves.iter().map(|turn| (turn.turn_index, &turn.rolls));
    let acts = replay.chance.iter().flatten().map(|act| (act.turn_index, &act.rolls));
    let turns_with_rolls = turns.chain(acts).filter(|(_, rolls)| !rolls.is_empty()).map(|(turn, _)| turn);
    let turns_with_rolls = turns_with_rolls.collect::<BTreeSet<u32>>().len();
    let (randomness, signature) = match (beacon.status, beacon.randomness, beacon.signature) {
        (BeaconStatus::Verified, Some(randomness), Some(signature)) => (randomness, signature),
        (BeaconStatus::Verified, _, _) => {
            return ledger.fail(ClaimId::Beacon, "it is verified, but randomness or signature is missing");
        }
        (status, None, None) => {
            return ledger.leave(ClaimId::Beacon, without_round(status, turns_with_rolls));
        }
        (status, _, _) => {
            let reason = format!("it is {}, but randomness or signature is given", status.as_str());
            return ledger.fail(ClaimId::Beacon, reason);
        }
    };
    let Some(bytes) = hall_wire::text::decode_hex::<48>(signature) else {
        return ledger.fail(ClaimId::Beacon, "its signature is not 96 lowercase hexadecimal digits");
    };
    if Digest::of(&bytes) != randomness {
        return ledger.fail(ClaimId::Beacon, "its randomness is not the hash of its signature");
    }
    match (bound, beacon.chain) {
        (Some((chain, round)), _) if !rounds.is_signed(chain, round, &bytes) => {
            ledger
                .fail(ClaimId::Beacon, format!("its signature is not that of the chain over round {round}"));
        }
        (Some(_), _) => {}
        (None, Some(chain)) => ledger.leave(ClaimId::Beacon, unknown(&chain)),
        (None, None) => ledger.fail(ClaimId::Beacon, "it is verified, but no chain is named"),
    }
}

fn unknown(chain: &Digest) -> String {
    format!("the drand chain {chain} is not known here; its key must be given")
}

/// What is not shown without a round. Such rolls are never called fair.
fn without_round(status: BeaconStatus, turns_with_rolls: usize) -> String {
    let why = match status {
        BeaconStatus::Off => "the hall ran without a beacon",
        BeaconStatus::Missed => "the hall says that the round did not reach it in time",
        BeaconStatus::Waiting | BeaconStatus::Verified => "the game ended before its round was known",
    };
    match turns_with_rolls {
        0 => format!("{why}; no random number was drawn in this game"),
        1 => format!(
            "{why}; the random numbers of one turn come from the hall's seed alone, which the hall knew before"
        ),
        _ => format!(
            "{why}; the random numbers of {turns_with_rolls} turns come from the hall's seed alone, which the hall knew before"
        ),
    }
}
