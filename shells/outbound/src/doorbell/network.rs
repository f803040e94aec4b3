//! Name resolution and connections: those of this machine, or those of a simulator.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::Semaphore;

/// A look-up under way.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;
/// A connection under way.
pub type Dialing<'a> = Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send + 'a>>;

/// Finds the addresses of names.
pub trait Resolve: Send + Sync {
    /// Every address of `name`, in the order in which they are to be tried.
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a>;
}

/// Connects to addresses.
pub trait Dial: Send + Sync {
    /// Connects to exactly this address.
    fn dial(&self, address: SocketAddr) -> Dialing<'_>;
}

/// A connection.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// The resolver of this machine, without a cache.
///
/// A look-up blocks a thread until the machine's resolver gives up, which may be long after the caller has. It keeps its place
/// until then, so that name servers that say nothing take a bounded share of the threads, which the rest of the hall needs, too.
#[derive(Clone, Debug)]
pub struct SystemResolve {
    places: Arc<Semaphore>,
}

impl SystemResolve {
    /// A resolver with at most so many look-ups at the same time.
    #[must_use]
    pub fn new(at_once: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(at_once)) }
    }
}

impl Resolve for SystemResolve {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        let name = name.to_owned();
        Box::pin(in_a_place(&self.places, async move {
            Ok(lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
        }))
    }
}

/// Waits for a place, and for what is done in it. If nobody waits any more, it goes on and keeps the place.
async fn in_a_place<T: Send + 'static>(
    places: &Arc<Semaphore>,
    work: impl Future<Output = io::Result<T>> + Send + 'static,
) -> io::Result<T> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let done = tokio::spawn(async move {
        let _place = place;
        work.await
    });
    done.await.map_err(io::Error::other)?
}

/// The network of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDial;

impl Dial for SystemDial {
    fn dial(&self, address: SocketAddr) -> Dialing<'_> {
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let stream: Box<dyn Stream> = Box::new(stream);
            Ok(stream)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::sync::oneshot;
    use tokio::time::timeout;

    #[tokio::test(start_paused = true)]
    async fn a_look_up_that_nobody_waits_for_any_more_keeps_its_place_until_it_ends() {
        let places = Arc::new(Semaphore::new(1));
        let (answer, answered) = oneshot::channel();
        let silent = in_a_place(&places, async { answered.await.map_err(io::Error::other) });
        assert!(timeout(Duration::from_secs(5), silent).await.is_err());
        let next = in_a_place(&places, async { Ok(2) });
        assert!(timeout(Duration::from_secs(5), next).await.is_err(), "the place is taken");
        answer.send(1).unwrap();
        let next = in_a_place(&places, async { Ok(2) });
        assert_eq!(timeout(Duration::from_secs(5), next).await.unwrap().unwrap(), 2);
    }
}
