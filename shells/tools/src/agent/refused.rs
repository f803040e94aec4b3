//! Why an agent cannot play at a hall, in one sentence that says what to do.

use hall_client::wire::Handle;
use hall_client::{Error, Origin, Refusal};
use std::path::Path;

/// An agent that cannot play, with its hall and its key file, for the sentence.
pub(super) struct Refused<'a> {
    pub(super) hall: &'a Origin,
    pub(super) handle: &'a Handle,
    pub(super) key: &'a Path,
}

impl Refused<'_> {
    /// The sentence for `error`.
    pub(super) fn by(&self, error: &Error) -> String {
        match error {
            Error::Refused(refusal) => self.by_hall(refusal),
            Error::Transport(why) => {
                format!(
                    "no hall answers at {} ({why}): start one with `hall`, or name another with --hall URL",
                    self.hall
                )
            }
            Error::Timeout(_) => format!(
                "the hall at {} does not answer: try again, or name another with --hall URL",
                self.hall
            ),
            Error::Protocol { .. }
            | Error::TooLarge { .. }
            | Error::Request(_)
            | Error::Key(_)
            | Error::Origin(_)
            | Error::Randomness(_) => error.to_string(),
        }
    }

    fn by_hall(&self, refusal: &Refusal) -> String {
        let Self { hall, handle, key } = self;
        let key = key.display();
        match refusal.code.as_str() {
            "HANDLE_TAKEN" => format!(
                "the handle {handle} belongs to another key at {hall}: choose another with --handle, or name the file with its key with --key FILE (this one was {key})"
            ),
            "KEY_ALREADY_REGISTERED" => format!(
                "the key in {key} is registered at {hall} under another handle: name that one with --handle, or name another key \
                 file with --key FILE"
            ),
            "AGENT_SUSPENDED" => {
                format!(
                    "{handle} or its operator is suspended at {hall} and cannot play; {hall}/api/docket says why"
                )
            }
            "SEASON_NOT_FOUND" => {
                format!("no season is open at {hall}: try again when its operator has opened one")
            }
            "RATE_LIMITED" => {
                let seconds = refusal.retry_after.map_or(60, |wait| wait.as_secs());
                format!(
                    "{hall} accepts no more requests from this address for now: try again in {seconds} seconds"
                )
            }
            _ => format!("{hall} refuses: {refusal}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_client::{Client, Key, Link, RetryPolicy, SystemRandomness};
    use std::sync::Arc;

    #[tokio::test]
    async fn an_agent_without_a_hall_is_told_the_address_and_the_option() {
        let hall = Origin::parse("http://127.0.0.1:1").unwrap();
        let handle = Handle::parse("ada").unwrap();
        let key = Key::generate(&hall, &SystemRandomness).unwrap();
        let policy = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
        let client = Client::over(Link::http(), handle.clone(), key, policy, Arc::new(SystemRandomness));
        let error = client.profile("ada").await.unwrap_err();
        let told = Refused { hall: &hall, handle: &handle, key: Path::new("k.json") }.by(&error);
        for words in ["no hall answers at http://127.0.0.1:1", "--hall URL"] {
            assert!(told.contains(words), "{told}");
        }
    }
}
