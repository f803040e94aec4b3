//! The page that checks a replay in the reader's browser.

use super::{Framing, page, sent};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::endpoints::in_background;
use crate::response::Outcome;
use crate::shell::Shell;
use hall_core::KeyPurpose;
use hall_pages::VerifyView;
use std::sync::Arc;

pub(super) static VERIFY: Endpoint = page(
    Route::get("verify_page", "/verify", Access::Public, "Checks a replay in the reader's browser."),
    None,
    // The game that the address may name is for the script: the page is the same for all.
    |_| Ok(action(|call| async move { verify(&call.shell).await })),
);

async fn verify(shell: &Arc<Shell>) -> Outcome {
    let chain = shell.engine.read(|hall| hall.settings().and_then(|settings| settings.beacon)).await?;
    let chain = chain.zip(shell.beacon_public_key.as_ref()).map(|(chain, key)| {
        let genesis = chain.genesis.as_millis().div_euclid(1_000);
        format!("{}:{key}:{genesis}:{}", chain.chain_hash, chain.period.as_millis() / 1_000)
    });
    in_background(shell, move |shell| {
        let view = VerifyView { log_keys: shell.engine.log().keys(KeyPurpose::Log)?, chain };
        Ok(sent(shell, hall_pages::verify(&view), Framing::Nobody))
    })
    .await
}
