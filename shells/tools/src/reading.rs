//! Reading what any hall serves to anybody: a hall that is busy, or between two leaders, is asked again.

use hall_client::{Error, Fetched, fetch};
use std::time::Duration;

/// How often a hall is asked that is busy.
const TRIES: usize = 5;
/// How long a busy hall is left alone that does not say for how long.
const PAUSE: Duration = Duration::from_secs(2);
/// A hall that wants to be left alone for longer is not waited for.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Reads the document at an address, of at most `limit` bytes; each answer may take as long as `patience`. Where the
/// answer is that of a busy hall (RATE_LIMITED or UNAVAILABLE), it is asked again after Retry-After, four times at most,
/// if that is soon; the last answer is returned, whatever it is.
///
/// # Errors
/// Those of [`fetch`].
pub(crate) async fn read(address: &str, limit: usize, patience: Duration) -> Result<Fetched, Error> {
    let mut tries = 1;
    loop {
        let fetched = fetch(address, limit, patience).await?;
        let pause = pause(&fetched);
        if !matches!(fetched.status, 429 | 503) || tries == TRIES || pause > LONGEST_PAUSE {
            return Ok(fetched);
        }
        tokio::time::sleep(pause).await;
        tries += 1;
    }
}

fn pause(busy: &Fetched) -> Duration {
    let said = busy.header("retry-after").and_then(|seconds| seconds.parse().ok());
    said.map_or(PAUSE, Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// The status of what is read from a hall that is busy so many times, and how often it was asked.
    async fn read_from(busy: usize, status: u16, retry_after: u64) -> (u16, usize) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _ = stream.read(&mut [0; 1_024]).await.unwrap();
                let status = if count.fetch_add(1, Ordering::SeqCst) < busy { status } else { 200 };
                let head = format!("HTTP/1.1 {status} X\r\nRetry-After: {retry_after}\r\nConnection: close");
                stream.write_all(format!("{head}\r\nContent-Length: 0\r\n\r\n").as_bytes()).await.unwrap();
            }
        });
        let fetched = read(&address, 9, Duration::from_secs(10)).await.unwrap();
        (fetched.status, asked.load(Ordering::SeqCst))
    }

    #[tokio::test]
    async fn a_busy_hall_is_asked_again_and_not_for_ever() {
        for status in [429, 503] {
            assert_eq!(read_from(4, status, 0).await, (200, 5));
            assert_eq!(read_from(5, status, 0).await, (status, 5));
        }
    }

    #[tokio::test]
    async fn another_refusal_is_final() {
        for status in [302, 404, 409, 500] {
            assert_eq!(read_from(1, status, 0).await, (status, 1));
        }
    }

    #[tokio::test]
    async fn a_hall_that_is_busy_for_long_is_not_waited_for() {
        assert_eq!(read_from(1, 429, 11).await, (429, 1));
    }

    #[test]
    fn a_busy_hall_is_left_alone_as_long_as_it_says() {
        let busy = |headers: &[(&str, &str)]| {
            let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            pause(&Fetched { status: 503, headers: headers.collect(), body: Vec::new().into() }).as_secs()
        };
        assert_eq!((busy(&[]), busy(&[("retry-after", "soon")]), busy(&[("retry-after", "7")])), (2, 2, 7));
    }
}
