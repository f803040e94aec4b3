//! Which servers are refused, and why: those that lose what they have acknowledged, and those that accept no writes.

use crate::error::OpenError;
use tokio_postgres::Client;

/// The oldest version whose behaviour is known: 12.
const OLDEST: u32 = 12;

/// What a server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Server {
    version_number: i32,
    version: String,
    in_recovery: bool,
    fsync: String,
    full_page_writes: String,
    data_sync_retry: Option<String>,
    synchronous_commit: String,
    synchronous_standby_names: String,
}

impl Server {
    pub(crate) async fn ask(client: &Client) -> Result<Self, tokio_postgres::Error> {
        let row = client
            .query_typed_one(
                "select current_setting('server_version_num')::int, current_setting('server_version'), \
                 pg_is_in_recovery(), current_setting('fsync'), current_setting('full_page_writes'), \
                 current_setting('data_sync_retry', true), current_setting('synchronous_commit'), \
                 current_setting('synchronous_standby_names')",
                &[],
            )
            .await?;
        Ok(Self {
            version_number: row.try_get(0)?,
            version: row.try_get(1)?,
            in_recovery: row.try_get(2)?,
            fsync: row.try_get(3)?,
            full_page_writes: row.try_get(4)?,
            data_sync_retry: row.try_get(5)?,
            synchronous_commit: row.try_get(6)?,
            synchronous_standby_names: row.try_get(7)?,
        })
    }

    /// Refuses a server that is unfit to keep a journal. Returns the `synchronous_commit` to which sessions are pinned,
    /// so that no later change of the configuration weakens them.
    ///
    /// Decision: where no standby is named, `local` and `remote_write` wait for the primary's disk as `on` does, and are
    /// accepted; the pin makes them `on` for the day that a standby is named. Where one is named, they are refused: with
    /// `local` a commit does not wait for it, and with `remote_write` only for its memory, so that a primary that is
    /// lost together with the power of the standby takes acknowledged moves along.
    pub(crate) fn check(&self, place: &str) -> Result<&'static str, OpenError> {
        if self.version_number / 10_000 < i32::try_from(OLDEST).unwrap_or(i32::MAX) {
            let found = self.version.clone();
            return Err(OpenError::TooOld { place: place.to_owned(), found, needed: OLDEST });
        }
        if self.in_recovery {
            return Err(OpenError::Standby { place: place.to_owned() });
        }
        let has_standbys = !self.synchronous_standby_names.trim().is_empty();
        let level = self.synchronous_commit.as_str();
        let refused = |setting, value: &str, why, advice| {
            Err(OpenError::Unsafe { place: place.to_owned(), setting, value: value.to_owned(), why, advice })
        };
        if self.fsync != "on" {
            let why = "a crash of the machine loses or destroys what was committed";
            return refused("fsync", &self.fsync, why, "Set fsync = on and restart the server.");
        }
        if self.full_page_writes != "on" {
            let why = "a crash of the machine can leave pages that are torn and cannot be repaired";
            return refused("full_page_writes", &self.full_page_writes, why, RELOAD);
        }
        if self.data_sync_retry.as_deref() == Some("on") {
            let why = "a write that the disk refused is reported as done when it is tried again";
            return refused(
                "data_sync_retry",
                "on",
                why,
                "Set data_sync_retry = off and restart the server.",
            );
        }
        match level {
            "off" => refused("synchronous_commit", level, "a commit does not wait for the disk", ROLES),
            "local" if has_standbys => {
                let why = "a commit does not wait for the standbys in synchronous_standby_names";
                refused("synchronous_commit", level, why, ROLES)
            }
            "remote_write" if has_standbys => {
                let why = "a commit waits for the memory of a standby and not for its disk";
                refused("synchronous_commit", level, why, ROLES)
            }
            "remote_apply" => Ok("remote_apply"),
            _ => Ok("on"),
        }
    }
}

const RELOAD: &str = "Set full_page_writes = on and reload the server's configuration.";
const ROLES: &str =
    "Set synchronous_commit = on, for the server and for the hall's role and database, and reload.";

#[cfg(test)]
mod tests {
    use super::*;

    fn sound() -> Server {
        Server {
            version_number: 150_018,
            version: "15.18".to_owned(),
            fsync: "on".to_owned(),
            full_page_writes: "on".to_owned(),
            data_sync_retry: Some("off".to_owned()),
            synchronous_commit: "on".to_owned(),
            ..Server::default()
        }
    }

    fn with(change: impl FnOnce(&mut Server)) -> Server {
        let mut server = sound();
        change(&mut server);
        server
    }

    fn committing(level: &str, standbys: &str) -> Server {
        with(|server| {
            level.clone_into(&mut server.synchronous_commit);
            standbys.clone_into(&mut server.synchronous_standby_names);
        })
    }

    #[test]
    fn a_server_that_keeps_what_it_acknowledges_is_accepted_and_pinned() {
        let accepted = [
            (sound(), "on"),
            (with(|server| server.data_sync_retry = None), "on"),
            (with(|server| server.version_number = 120_000), "on"),
            (committing("on", "ANY 1 (a, b)"), "on"),
            (committing("remote_apply", "a"), "remote_apply"),
            (committing("local", ""), "on"),
            (committing("remote_write", " "), "on"),
        ];
        for (server, pinned) in accepted {
            assert_eq!(server.check("here").unwrap(), pinned, "{server:?}");
        }
    }

    #[test]
    fn a_server_that_loses_acknowledged_writes_is_refused_by_the_name_of_the_setting() {
        let off = || "off".to_owned();
        let refused = [
            (with(|server| server.fsync = off()), "fsync = off"),
            (with(|server| server.full_page_writes = off()), "full_page_writes = off"),
            (with(|server| server.data_sync_retry = Some("on".to_owned())), "data_sync_retry = on"),
            (committing("off", ""), "synchronous_commit = off"),
            (committing("local", "a"), "synchronous_commit = local"),
            (committing("remote_write", "a"), "synchronous_commit = remote_write"),
            (with(|server| server.in_recovery = true), "is a standby"),
            (with(|server| server.version_number = 110_022), "12 or newer is needed"),
            (with(|server| server.version_number = 90_624), "12 or newer is needed"),
        ];
        for (server, expected) in refused {
            let told = server.check("here").unwrap_err().to_string();
            assert!(told.contains(expected), "{told}");
        }
    }
}
