//! Where a replay is read from: a file, an address, standard input.

use crate::{reading, runtime};
use hall_client::Error;
use std::fs::File;
use std::io::{self, Read};
use std::time::Duration;

/// The largest replay that is read, in bytes: many times the longest game.
pub(super) const MAX_BYTES: u64 = 64 * 1_024 * 1_024;

/// How long the answer of a hall may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Why there are no bytes to check.
#[derive(Debug, thiserror::Error)]
pub(super) enum SourceError {
    #[error("{name}: {error}")]
    Io { name: String, error: io::Error },
    #[error("{name}: it is larger than {MAX_BYTES} bytes, so it is not a replay")]
    TooLarge { name: String },
    #[error("{name}: {error}")]
    Fetch { name: String, error: Error },
    #[error("{name}: the answer is HTTP {status}; redirects are not followed")]
    Moved { name: String, status: u16 },
}

/// Reads what `name` names.
pub(super) fn read(name: &str) -> Result<Vec<u8>, SourceError> {
    if name.starts_with("http://") || name.starts_with("https://") {
        return fetched(name);
    }
    let read = if name == "-" { limited(io::stdin().lock()) } else { File::open(name).and_then(limited) };
    match read {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(SourceError::TooLarge { name: name.to_owned() }),
        Err(error) => Err(SourceError::Io { name: name.to_owned(), error }),
    }
}

/// All bytes, or `None` if there are too many.
fn limited(from: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(u64::try_from(read).is_ok_and(|read| read <= MAX_BYTES).then_some(bytes))
}

fn fetched(name: &str) -> Result<Vec<u8>, SourceError> {
    let runtime = runtime().map_err(|error| SourceError::Io { name: name.to_owned(), error })?;
    let limit = usize::try_from(MAX_BYTES).unwrap_or(usize::MAX);
    match runtime.block_on(reading::read(name, limit, ANSWER_TIMEOUT)) {
        Ok(fetched) if (300..400).contains(&fetched.status) => {
            Err(SourceError::Moved { name: name.to_owned(), status: fetched.status })
        }
        // A refusal has an envelope, which says more than its status.
        Ok(fetched) => Ok(fetched.body.into()),
        Err(error) => Err(SourceError::Fetch { name: name.to_owned(), error }),
    }
}
