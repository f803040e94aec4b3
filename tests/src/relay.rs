//! A relay of a drand beacon on this machine, which serves public rounds that were recorded.

use hall_outbound::fixtures::http::{read_request, response};
use hall_outbound::fixtures::quicknet::{self, IN_A_ROW};
use std::io;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

/// How a relay answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Honesty {
    /// With the recorded rounds.
    Honest,
    /// With each round, and the signature of the one before it.
    Forging,
}

/// A relay that runs until the process ends.
#[derive(Debug)]
pub struct Relay {
    /// Its base address.
    pub url: String,
}

impl Relay {
    /// Starts a relay.
    #[must_use]
    pub fn start(honesty: Honesty) -> Self {
        let address = crate::serve(move |stream| async move { drop(answer(stream, honesty).await) });
        Self { url: format!("http://{address}") }
    }
}

/// Answers the requests of one connection.
async fn answer(mut stream: TcpStream, honesty: Honesty) -> io::Result<()> {
    while let Some(request) = read_request(&mut stream).await? {
        let round =
            request.target.strip_prefix(&format!("/{}/public/", quicknet::HASH)).map(str::parse::<u64>);
        let place = IN_A_ROW.iter().position(|(known, _)| round == Some(Ok(*known)));
        let (status, body) = match place {
            Some(place) => {
                let signer = match honesty {
                    Honesty::Honest => place,
                    Honesty::Forging => place.checked_sub(1).unwrap_or(IN_A_ROW.len() - 1),
                };
                ("200 OK", quicknet::answer(IN_A_ROW[place].0, IN_A_ROW[signer].1))
            }
            None => ("404 Not Found", "{}".to_owned()),
        };
        let text = response(status, &[("content-type", "application/json")], &body);
        stream.write_all(text.as_bytes()).await?;
    }
    Ok(())
}
