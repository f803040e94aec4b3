//! The items of an answer on their way to its reader.

use super::lines::{Last, Line, Refused};
use serde_json::Value;
use tokio::sync::mpsc;

/// Items on their way to a reader at most.
const ITEMS_WAITING: usize = 64;

/// Where items go: to the connection, as fast as it takes them.
#[derive(Clone)]
pub(super) struct ItemSink(mpsc::Sender<Line>);

impl ItemSink {
    /// A sink and its receiver.
    pub(super) fn new() -> (Self, mpsc::Receiver<Line>) {
        let (sender, receiver) = mpsc::channel(ITEMS_WAITING);
        (Self(sender), receiver)
    }

    /// Sends an item from a task.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub(super) async fn send(&self, item: Value) -> Result<(), Refused> {
        self.0.send(Line::Item { item }).await.map_err(|_| gone())
    }

    /// Ends the answer. Its reader may have gone away.
    pub(super) async fn end(&self, result: Result<Value, Refused>) {
        let _ = self.0.send(Line::Last(Last::from(result))).await;
    }

    /// Sends an item from a background thread.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub(super) fn item(&self, item: Value) -> Result<(), Refused> {
        let sent = self.0.blocking_send(Line::Item { item });
        sent.map_err(|_| gone())
    }
}

fn gone() -> Refused {
    Refused::new("GONE", "nobody reads the answer any more")
}
