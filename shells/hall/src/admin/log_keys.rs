//! Replacing the hall's keys, and accepting a restored backup: the journal first, then the signer, then the files.

use super::context::AdminContext;
use super::decisions::{reason as docket_reason, submit, unavailable_now};
use super::lines::Refused;
use super::request::Purpose;
use crate::keys::{self, HallSecrets, KeysError, ring_public_key};
use hall_core::{Command, HallCommand, KeyOccasion, KeyPurpose};
use hall_wire::message::key_succession;
use hall_wire::note::{key_name, next_origin, verifier_key};
use serde_json::{Value, json};
use std::fs::File;

/// Replaces the present key with a new one (decision 8.1).
pub(super) async fn rotate(context: &AdminContext, purpose: Purpose, reason: &str) -> Result<Value, Refused> {
    let reason = docket_reason(reason)?;
    let _alone = alone(context).await?;
    let present = settled(context).await?;
    let (purpose, old, replaces) = match purpose {
        Purpose::Log => (KeyPurpose::Log, &present.log, verifier_key(&present.origin, &present.log.public())),
        Purpose::Ring => (KeyPurpose::Ring, &present.ring, ring_public_key(&present.ring.public())),
    };
    let new = keys::prepare(&context.keys, purpose).map_err(|error| failed(&error))?;
    let public_key = match purpose {
        KeyPurpose::Log => verifier_key(&present.origin, &new.public()),
        KeyPurpose::Ring => ring_public_key(&new.public()),
    };
    let signature = old.sign(key_succession(purpose.as_str(), &public_key).as_bytes());
    let occasion = KeyOccasion::Rotation;
    let command = Command::Hall(HallCommand::ReplaceKey {
        purpose,
        public_key: public_key.clone(),
        replaces: Some(replaces),
        signature,
        occasion,
        reason,
    });
    // Checkpoints are published and turns are rung for under the new key as soon as the journal names it.
    match purpose {
        KeyPurpose::Log => context.log.signer.add(&present.origin, new.clone()),
        KeyPurpose::Ring => context.notifier.add_key(new.clone()),
    }
    submit_first(context, command).await?;
    match purpose {
        KeyPurpose::Log => context.log.signer.replace(&present.origin, new),
        KeyPurpose::Ring => context.notifier.replace_key(new),
    }
    settled(context).await?;
    Ok(json!({ "key": purpose.as_str(), "public_key": public_key }))
}

/// Lets a restored backup sign again, under the next name of its log (decision 8.3).
pub(super) async fn accept_restore(
    context: &AdminContext,
    number: Option<u32>,
    reason: &str,
) -> Result<Value, Refused> {
    if context.engine.is_signing() {
        let message = "there is no restore to accept: this hall signs checkpoints already";
        return Err(Refused::new("NOTHING_TO_CHANGE", message));
    }
    let reason = docket_reason(reason)?;
    let _alone = alone(context).await?;
    let present = settled(context).await?;
    let next = next_name(&present.origin, context.log.marked_origin.as_deref());
    let origin = match (number, next.rsplit_once('/')) {
        (None, _) | (_, None) => next,
        (Some(number), Some((base, least))) => {
            if least.parse::<u32>().is_ok_and(|least| number < least) {
                return Err(Refused::bad_request(format!("the number must be at least {least}")));
            }
            format!("{base}/{number}")
        }
    };
    let replaces = verifier_key(&present.origin, &present.log.public());
    let public_key = verifier_key(&origin, &present.log.public());
    let purpose = KeyPurpose::Log;
    let signature = present.log.sign(key_succession(purpose.as_str(), &public_key).as_bytes());
    let occasion = KeyOccasion::Restore;
    let command = Command::Hall(HallCommand::ReplaceKey {
        purpose,
        public_key: public_key.clone(),
        replaces: Some(replaces),
        signature,
        occasion,
        reason,
    });
    submit_first(context, command).await?;
    settled(context).await?;
    context.log.signer.replace(&origin, present.log);
    context.engine.begin_signing();
    Ok(json!({ "origin": origin, "public_key": public_key }))
}

/// Has the key replaced, unless another node was first.
async fn submit_first(context: &AdminContext, replacement: Command) -> Result<(), Refused> {
    let replaced = submit(&context.engine, replacement).await;
    replaced.map(drop).map_err(|refused| match refused.code.as_str() {
        "NOTHING_TO_CHANGE" => Refused::new(
            "KEY_REPLACED",
            "another node has replaced this key meanwhile: copy its folder of keys to this node and start it anew",
        ),
        _ => refused,
    })
}

/// The next name of a log that is called `present` here and was last called `marked` by what a mark knows: a name that
/// was given once is not given again.
fn next_name(present: &str, marked: Option<&str>) -> String {
    let next = next_origin(present);
    let Some(later) = marked.map(next_origin) else { return next };
    let number = |name: &str| {
        name.rsplit_once('/').and_then(|(base, number)| Some((base.to_owned(), number.parse::<u32>().ok()?)))
    };
    match (number(&next), number(&later)) {
        (Some((base, least)), Some((other, number))) if base == other && number > least => later,
        _ => next,
    }
}

/// The folder of the keys, until the value is dropped: a process that settled them meanwhile would take a key that the journal
/// does not name yet for one that it never will.
async fn alone(context: &AdminContext) -> Result<File, Refused> {
    let files = context.keys.clone();
    let locked = tokio::task::spawn_blocking(move || files.lock()).await;
    locked.map_err(|error| Refused::new("INTERNAL", error.to_string()))?.map_err(|error| failed(&error))
}

/// The keys and the name that the files hold, once they follow the journal.
async fn settled(context: &AdminContext) -> Result<HallSecrets, Refused> {
    let known = context.engine.read(|hall| hall.keys().cloned()).await.map_err(unavailable_now)?;
    let known = known.ok_or_else(|| Refused::new("INTERNAL", "the hall has no keys"))?;
    keys::settle(&context.keys, &context.data, &known).map_err(|error| failed(&error))?;
    let origin = key_name(&context.log.signer.public()).to_owned();
    let held = HallSecrets::load(&context.keys, false, None, &origin).map_err(|error| failed(&error))?;
    held.check(&known, &context.keys).map_err(|error| failed(&error))?;
    Ok(held)
}

fn failed(error: &KeysError) -> Refused {
    Refused::new("KEYS", error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_name_was_never_used_before() {
        for (present, marked, next) in [
            ("hall.example", None, "hall.example/2"),
            ("hall.example", Some("hall.example"), "hall.example/2"),
            ("hall.example", Some("hall.example/2"), "hall.example/3"),
            ("hall.example/4", Some("hall.example/2"), "hall.example/5"),
            ("hall.example", Some("other.example/7"), "hall.example/2"),
        ] {
            assert_eq!(next_name(present, marked), next, "{present} {marked:?}");
        }
    }
}
