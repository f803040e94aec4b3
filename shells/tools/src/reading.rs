//! Reading what any hall serves to anybody: a hall that is busy, or between two leaders, is asked again.

use hall_client::{Error, Fetched, fetch};
use std::time::Duration;

/// How often a hall is asked that is busy.
const TRIES: usize = 5;
/// How long a busy hall is left alone that does not say for how long.
const PAUSE: Duration = Duration::from_secs(2);
/// How long a busy hall is left alone at most, whatever it says.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Reads the document at an address, of at most `limit` bytes; each answer may take as long as `patience`. Where the
/// answer is that of a busy hall (RATE_LIMITED or UNAVAILABLE, SPEC 3), it is asked again after Retry-After, four times
/// at most; the last answer is returned, whatever it is.
///
/// # Errors
/// Those of [`fetch`].
pub(crate) async fn read(address: &str, limit: usize, patience: Duration) -> Result<Fetched, Error> {
    let mut tries = 1;
    loop {
        let fetched = fetch(address, limit, patience).await?;
        if !matches!(fetched.status, 429 | 503) || tries == TRIES {
            return Ok(fetched);
        }
        tokio::time::sleep(pause(&fetched)).await;
        tries += 1;
    }
}

fn pause(busy: &Fetched) -> Duration {
    let said = busy.header("retry-after").and_then(|seconds| seconds.parse().ok());
    said.map_or(PAUSE, Duration::from_secs).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// The status of what is read from a hall that is busy so many times, and how often it was asked.
    async fn read_from(busy: usize, status: u16) -> (u16, usize) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _ = stream.read(&mut [0; 1_024]).await.unwrap();
                let status = if count.fetch_add(1, Ordering::SeqCst) < busy { status } else { 200 };
                let head = format!("HTTP/1.1 {status} X\r\nRetry-After: 0\r\nConnection: close");
                stream.write_all(format!("{head}\r\nContent-Length: 0\r\n\r\n").as_bytes()).await.unwrap();
            }
        });
        let fetched = read(&address, 9, Duration::from_secs(10)).await.unwrap();
        (fetched.status, asked.load(Ordering::SeqCst))
    }

    #[tokio::test]
    async fn a_busy_hall_is_asked_again_and_not_for_ever() {
        for status in [429, 503] {
            assert_eq!(read_from(4, status).await, (200, 5));
            assert_eq!(read_from(5, status).await, (status, 5));
        }
    }

    #[tokio::test]
    async fn another_refusal_is_final() {
        for status in [302, 404, 409, 500] {
            assert_eq!(read_from(1, status).await, (status, 1));
        }
    }

    #[test]
    fn a_busy_hall_is_left_alone_as_long_as_it_says_and_for_ten_seconds_at_most() {
        let busy = |headers: &[(&str, &str)]| {
            let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            pause(&Fetched { status: 503, headers: headers.collect(), body: Vec::new().into() }).as_secs()
        };
        assert_eq!(busy(&[]), 2);
        assert_eq!(busy(&[("retry-after", "soon")]), 2);
        assert_eq!(busy(&[("retry-after", "7")]), 7);
        assert_eq!(busy(&[("retry-after", "3600")]), 10);
    }
}
