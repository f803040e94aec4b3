//! Name resolution and connections: those of this machine, or those of a simulator.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};

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
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolve;

impl Resolve for SystemResolve {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move { Ok(lookup_host((name, 0)).await?.map(|address| address.ip()).collect()) })
    }
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
