//! How endpoints take rings, and answer them.

use super::registry::{Attempt, Begun, Endpoint, EndpointKind, EndpointRegistry};
use hall_outbound::fixtures::http::{Request, read_request, response};
use hall_wire::GameId;
use serde_json::Value;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWriteExt as _, DuplexStream};
use tokio::time::{Instant, sleep};
use tokio_rustls::TlsAcceptor;

/// How long a mute endpoint keeps a connection: longer than anybody waits for it.
const MUTE: u64 = 30_000;
/// How often, in 1,000, a flapping one fails.
const FAILS: u32 = 600;

impl EndpointRegistry {
    /// A connection to an endpoint, for one ring.
    ///
    /// # Errors
    /// The process that rings is gone.
    pub(super) async fn meet(self, endpoint: Endpoint, begun: Begun, stream: DuplexStream) -> io::Result<()> {
        let mut stream = TlsAcceptor::from(Arc::clone(&self.identity().server)).accept(stream).await?;
        let Some(asked) = read_request(&mut stream).await? else { return Ok(()) };
        match turn_of(&asked) {
            Some((game, turn_index)) => {
                let (got, url) =
                    (Instant::now(), format!("https://{}{}", asked.header("host"), asked.target));
                let Endpoint { agent, kind, .. } = endpoint;
                self.got(Attempt { begun, got, agent, kind, url, game, turn_index });
            }
            None => self.got_malformed(format!("{} got {asked:?}", endpoint.agent)),
        }
        let (least, most) = match endpoint.kind {
            EndpointKind::Mute => (MUTE, MUTE),
            EndpointKind::Slow => (1_000, 6_000),
            EndpointKind::Good | EndpointKind::Flapping | EndpointKind::Failing => (1, 100),
        };
        sleep(Duration::from_millis(self.millis(least, most))).await;
        let fails = match endpoint.kind {
            EndpointKind::Failing => true,
            EndpointKind::Flapping => self.happens(FAILS),
            EndpointKind::Good | EndpointKind::Slow | EndpointKind::Mute => false,
        };
        let status = if fails { "500 Internal Server Error" } else { "200 OK" };
        stream.write_all(response(status, &[], "").as_bytes()).await?;
        stream.shutdown().await
    }
}

/// The turn that is rung for.
fn turn_of(asked: &Request) -> Option<(GameId, u32)> {
    let body: Value = serde_json::from_str(&asked.body).ok().filter(|_| asked.method == "POST")?;
    let turn_index = u32::try_from(body.get("turn_index")?.as_u64()?).ok()?;
    Some((GameId::parse(body.get("game_id")?.as_str()?)?, turn_index))
}
