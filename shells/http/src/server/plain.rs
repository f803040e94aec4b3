//! Accepting plain TCP connections: small writes go out at once, because events and answers are small.

use salvo::conn::tcp::TcpCoupler;
use salvo::conn::{Accepted, Acceptor, ConnCtrl, Holding, StraightStream};
use salvo::fuse::{ArcFusePolicy, FuseAction, FuseInfo, TransProto};
use salvo::http::Version;
use salvo::http::uri::Scheme;
use std::io;
use tokio::net::{TcpListener, TcpStream};

/// An acceptor over a socket that listens already.
#[derive(Debug)]
pub(super) struct Plain {
    listener: TcpListener,
    holdings: [Holding; 1],
}

impl Plain {
    /// Accepts from `listener`.
    pub(super) fn new(listener: TcpListener) -> io::Result<Self> {
        let local_addr = listener.local_addr()?.into();
        let holding =
            Holding { local_addr, http_versions: vec![Version::HTTP_11], http_scheme: Scheme::HTTP };
        Ok(Self { listener, holdings: [holding] })
    }
}

impl Acceptor for Plain {
    type Coupler = TcpCoupler<Self::Stream>;
    type Stream = StraightStream<TcpStream>;

    fn holdings(&self) -> &[Holding] {
        &self.holdings
    }

    async fn accept(
        &mut self,
        policy: Option<ArcFusePolicy>,
    ) -> io::Result<Accepted<Self::Coupler, Self::Stream>> {
        loop {
            let (stream, remote_addr) = self.listener.accept().await?;
            let local_addr: salvo::conn::SocketAddr = stream.local_addr()?.into();
            let remote_addr: salvo::conn::SocketAddr = remote_addr.into();
            // A socket that does not take the option still works.
            let _ = stream.set_nodelay(true);
            let fuse_config = match &policy {
                None => None,
                Some(policy) => {
                    let info = FuseInfo {
                        trans_proto: TransProto::Tcp,
                        remote_addr: remote_addr.clone(),
                        local_addr: local_addr.clone(),
                    };
                    match policy.decide(&info).await {
                        FuseAction::Accept(config) => Some(config),
                        FuseAction::Reject => continue,
                    }
                }
            };
            let conn_ctrl = ConnCtrl::new();
            let stream = StraightStream::new(stream, fuse_config, conn_ctrl.clone(), None);
            let (coupler, http_scheme) = (TcpCoupler::new(), Scheme::HTTP);
            return Ok(Accepted {
                coupler,
                stream,
                fuse_config,
                conn_ctrl,
                local_addr,
                remote_addr,
                http_scheme,
            });
        }
    }
}
