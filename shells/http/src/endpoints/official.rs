//! The document that says which addresses and keys are official, signed with the log key.

use super::data;
use crate::description::SOFTWARE;
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action};
use crate::errors::ApiCode;
use crate::payload::{OfficialBeacon, OfficialData, OfficialLog};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;

pub(super) static OFFICIAL: Endpoint = Endpoint {
    route: Route::get(
        "official",
        "/api/official",
        Access::Public,
        "The official addresses and keys, signed.",
    ),
    details: |_| Details::answering::<OfficialData>("hall"),
    handling: Handling::Request(|_| Ok(action(|call| async move { document(&call.shell).await }))),
    tools: &[],
};

async fn document(shell: &Shell) -> Outcome {
    let (keys, chain) = shell
        .engine
        .read(|hall| (hall.keys().cloned(), hall.settings().and_then(|settings| settings.beacon)))
        .await?;
    let keys = keys.ok_or_else(|| Failure::from(ApiCode::Internal))?;
    let beacon = OfficialBeacon {
        chain_hash: chain.map(|chain| chain.chain_hash.to_string()),
        public_key: chain.and(shell.beacon_public_key.clone()),
        genesis: chain.map(|chain| chain.genesis.as_millis().div_euclid(1_000)),
        period: chain.map(|chain| chain.period.as_millis() / 1_000),
    };
    let log = OfficialLog { origin: shell.log.origin(), public_key: shell.log.public() };
    let base_url = shell.settings.base_url.clone();
    data(&OfficialData::signed(base_url, log, keys.ring, beacon, SOFTWARE.to_owned(), &shell.log))
}
