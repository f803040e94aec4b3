//! The way of a client to the nodes: connections, on which every answer is judged.

use super::exchange::{HttpAnswer, Line, read_head, send};
use crate::cluster_world::connection::troubles;
use crate::cluster_world::network::Port;
use crate::cluster_world::plan::Weakness;
use crate::cluster_world::world::World;
use crate::dice::Dice;
use std::io;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::time::timeout;

/// How long a client waits for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// The number of the first client in the network, where machines have lower ones.
const FIRST: usize = 1_000;

/// A client.
#[derive(Clone)]
pub(in super::super) struct Caller {
    world: Rc<World>,
    number: usize,
}

impl Caller {
    /// The client with this number.
    pub(in super::super) fn new(world: Rc<World>, number: usize) -> Self {
        Self { world, number: FIRST + number }
    }

    /// Where it lives.
    pub(in super::super) const fn world(&self) -> &Rc<World> {
        &self.world
    }

    /// Connects to any node. The number of its machine, and the connection.
    ///
    /// # Errors
    /// No node can be reached.
    pub(super) async fn connect(&self, dice: &mut Dice) -> io::Result<(usize, Line)> {
        let world = &self.world;
        let odds = if world.is_calm.get() { 0 } else { world.connection_troubles };
        let troubles = troubles(odds, dice);
        let node = world.some_node(dice).ok_or(io::ErrorKind::ConnectionRefused)?;
        let connecting = world.hall.network.connect((self.number, node.machine), Port::Http, troubles);
        Ok((node.machine, BufReader::new(connecting.await?)))
    }

    /// Asks any node.
    ///
    /// # Errors
    /// No whole answer came in time.
    pub(in super::super) async fn ask(&self, text: &str, dice: &mut Dice) -> io::Result<HttpAnswer> {
        let asking = async {
            let (_, mut line) = self.connect(dice).await?;
            self.ask_on(&mut line, text).await
        };
        timeout(ANSWER_TIMEOUT, asking).await?
    }

    /// Asks on a connection.
    ///
    /// # Errors
    /// No whole answer came in time.
    pub(super) async fn ask_on(&self, line: &mut Line, text: &str) -> io::Result<HttpAnswer> {
        self.world.judge().report.requests += 1;
        let mut answer = timeout(ANSWER_TIMEOUT, send(line, text)).await??;
        if self.world.hall.weakness == Some(Weakness::InternalErrors) && answer.head.status == 503 {
            answer.head.status = 500;
        }
        self.world.hears(&answer);
        Ok(answer)
    }

    /// Asks on a connection, and reads only the head of the answer.
    ///
    /// # Errors
    /// No head came in time.
    pub(super) async fn open_on(&self, line: &mut Line, text: &str) -> io::Result<HttpAnswer> {
        self.world.judge().report.requests += 1;
        let opening = async {
            line.write_all(text.as_bytes()).await?;
            read_head(line, text).await
        };
        let answer = timeout(ANSWER_TIMEOUT, opening).await??;
        self.world.hears(&answer);
        Ok(answer)
    }
}
