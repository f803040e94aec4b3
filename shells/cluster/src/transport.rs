//! How nodes reach each other: over TCP and TLS, or over whatever a simulator has.

use crate::frames::Stream;
use crate::identity::Identity;
use crate::serve::within;
use futures_util::future::BoxFuture;
use std::io;
use tokio::net::{TcpListener, TcpStream};

/// A connection of two nodes that both hold the hall's key.
pub type Connection = Box<dyn Stream>;

/// A connection that is being made.
pub type Connecting = BoxFuture<'static, io::Result<Connection>>;

/// How nodes reach each other.
pub trait Transport: Send + Sync {
    /// The next connection that another node begins. What it has to prove first is left to the second future, so that
    /// a stranger holds up nobody.
    ///
    /// # Errors
    /// None can be taken now.
    fn accept(&self) -> BoxFuture<'_, io::Result<Connecting>>;

    /// Connects to the node that listens there.
    fn connect(&self, address: &str) -> Connecting;
}

/// TCP, encrypted, between those that hold the hall's key.
pub struct SecureTcp {
    /// What listens for other nodes.
    pub listener: TcpListener,
    /// Who may connect, and who this node is.
    pub identity: Identity,
}

impl Transport for SecureTcp {
    fn accept(&self) -> BoxFuture<'_, io::Result<Connecting>> {
        Box::pin(async {
            let (stream, _) = self.listener.accept().await?;
            let acceptor = self.identity.acceptor.clone();
            let connecting: Connecting = Box::pin(async move {
                // Small messages that somebody waits for.
                stream.set_nodelay(true)?;
                let stream = within(acceptor.accept(stream)).await;
                stream.map(|stream| -> Connection { Box::new(stream) }).inspect_err(
                    |error| tracing::warn!(%error, "somebody without the hall's key tried the link"),
                )
            });
            Ok(connecting)
        })
    }

    fn connect(&self, address: &str) -> Connecting {
        let (connector, address) = (self.identity.connector.clone(), address.to_owned());
        Box::pin(async move {
            let stream = within(TcpStream::connect(address)).await?;
            stream.set_nodelay(true)?;
            let stream: Connection = Box::new(within(connector.connect(Identity::name(), stream)).await?);
            Ok(stream)
        })
    }
}
