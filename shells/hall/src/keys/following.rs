//! The keys of a node that runs, which another node has replaced.
//!
//! The journal names the new key at once. The node that replaced it has changed the files in its folder; where nodes share
//! that folder, or the operator has copied the files, this node takes the key from them.

use super::{HallSecrets, KeyFiles};
use crate::hall_log::HallLog;
use hall_core::HallKeys;
use hall_driver::Engine;
use hall_outbound::doorbell::RingNotifier;
use hall_wire::note::key_name;
use std::sync::Arc;
use std::time::Duration;

/// How often a node looks whether a key was replaced.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Follows the keys that the journal names, until the hall stops. `held` are those with which this process began; one may
/// have been replaced since it read them.
pub(crate) async fn follow(
    engine: Engine,
    held: HallKeys,
    files: KeyFiles,
    log: Arc<HallLog>,
    notifier: Arc<RingNotifier>,
) {
    let mut stop = engine.stopping();
    let mut present = Some(held);
    let mut missing = None;
    loop {
        tokio::select! {
            () = stop.wait() => return,
            () = tokio::time::sleep(POLL_INTERVAL) => {}
        }
        let Some(named) =
            engine.peek(|hall| hall.keys().cloned()).filter(|keys| present.as_ref() != Some(keys))
        else {
            continue;
        };
        match HallSecrets::load(&files, false, None, key_name(&named.log)) {
            Ok(secrets) if secrets.public() == named => {
                take(secrets, &named, &engine, &log, &notifier);
                tracing::info!("a key of the hall was replaced, and this node has the new one");
                present = Some(named);
            }
            Ok(_) | Err(_) => {
                if missing.replace(named.clone()).as_ref() != Some(&named) {
                    tracing::warn!(
                        folder = %files.folder().display(),
                        "a key of the hall was replaced at another node, and the new one is not in this node's folder: copy \
                         the keys from there, or checkpoints cannot be served and doorbells cannot be rung here"
                    );
                }
            }
        }
    }
}

fn take(secrets: HallSecrets, named: &HallKeys, engine: &Engine, log: &HallLog, notifier: &RingNotifier) {
    // The node that replaced the key has done this already.
    let before = log.signer.public();
    if before != named.log {
        log.signer.replace(&secrets.origin, secrets.log);
    }
    notifier.replace_key(secrets.ring);
    // The log has its next name because a restore was accepted.
    if key_name(&before) != key_name(&named.log) {
        engine.begin_signing();
    }
}
