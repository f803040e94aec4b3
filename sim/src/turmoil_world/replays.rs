//! Replays, checked like a stranger does: with the library that does not know the hall's internals (G9).

use hall_core::BeaconChain;
use hall_outbound::fixtures::quicknet;
use hall_verify::note::VerifierKey;
use hall_verify::replay::{ClaimId, RoundCache, Trust, TrustedChain, Verdict, verify_with};
use hall_wire::GameId;
use serde_json::Value;

/// Whom a stranger trusts in a world: the key of the hall's log, and the chain whose rounds are due when the world says.
///
/// # Panics
/// Never: the key is the hall's, and the chain is quicknet but for its times.
pub(super) fn trust(log_key: &str, chain: Option<&BeaconChain>) -> Trust {
    let chain = chain.map(|terms| {
        let (genesis, period) = (terms.genesis.as_millis() / 1_000, terms.period.as_millis() / 1_000);
        let text = format!("{}:{}:{genesis}:{period}", terms.chain_hash, quicknet::PUBLIC_KEY);
        TrustedChain::parse(&text).expect("the chain of a world")
    });
    let log_keys = vec![VerifierKey::parse(log_key).expect("the key of a log")];
    Trust { log_keys, chains: chain.into_iter().collect(), ..Trust::default() }
}

/// The first fault that a stranger finds in the replay of a game, or whether it is in the log.
///
/// # Errors
/// What is wrong.
pub(super) fn judge(
    id: GameId,
    replay: &Value,
    trust: &Trust,
    rounds: &mut RoundCache,
) -> Result<bool, String> {
    let report = verify_with(replay.to_string().as_bytes(), trust, rounds)
        .map_err(|unreadable| format!("{id}: its replay is none: {unreadable}"))?;
    if report.game_id() != id.to_string() {
        return Err(format!("{id}: its replay is that of {}", report.game_id()));
    }
    if let Some(claim) = report.first_failing() {
        return Err(format!("{id}: its replay fails by {}: {:?}", claim.id, claim.verdict));
    }
    Ok(report.verdict(ClaimId::LogSignature) == Some(&Verdict::Holds))
}
