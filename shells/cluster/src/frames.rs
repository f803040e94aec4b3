//! Messages over a connection: length-delimited frames, the records of batches behind their message.

use crate::messages::{BatchHead, ToFollower};
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt as _};
use hall_driver::Committed;
use hall_journal::Head;
use hall_wire::text::{decode_hex, encode_hex};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf};
use tokio_util::codec::{FramedRead, FramedWrite, LengthDelimitedCodec};

/// The largest frame in bytes: a batch holds at most a quarter of this, and so does what is gathered for one message.
const FRAME_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of frames gathered before they are written: a message is written with all of its records, as far as they fit.
const WRITE_BYTES: usize = 256 * 1024;

/// Any connection between two nodes.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin + 'static> Stream for S {}

/// The end of a connection that messages come from.
pub(crate) struct Incoming<S>(FramedRead<ReadHalf<S>, LengthDelimitedCodec>);

/// The end of a connection that messages go to.
pub(crate) struct Outgoing<S>(FramedWrite<WriteHalf<S>, LengthDelimitedCodec>);

/// Both ends.
pub(crate) fn split<S: Stream>(stream: S) -> (Incoming<S>, Outgoing<S>) {
    let codec = || LengthDelimitedCodec::builder().max_frame_length(FRAME_BYTES).new_codec();
    let (reading, writing) = tokio::io::split(stream);
    let mut outgoing = FramedWrite::new(writing, codec());
    outgoing.set_backpressure_boundary(WRITE_BYTES);
    (Incoming(FramedRead::new(reading, codec())), Outgoing(outgoing))
}

impl<S: Stream> Incoming<S> {
    async fn frame(&mut self) -> io::Result<Bytes> {
        match self.0.next().await {
            Some(frame) => Ok(frame?.freeze()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// The next message.
    pub(crate) async fn message<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        let frame = self.frame().await?;
        serde_json::from_slice(&frame).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// The batches that a message of the leader announces.
    pub(crate) async fn batches(&mut self, heads: &[BatchHead]) -> io::Result<Vec<Committed>> {
        let mut batches = Vec::with_capacity(heads.len());
        for BatchHead { first, records: count, chain } in heads {
            let mut records = Vec::new();
            for _ in 0..*count {
                records.push(self.frame().await?.to_vec());
            }
            let seq = first.saturating_add(u64::try_from(*count).unwrap_or(0)).saturating_sub(1);
            let chain = decode_hex(chain).ok_or(io::ErrorKind::InvalidData)?;
            batches.push(Committed { first: *first, records, head: Head { seq, chain } });
        }
        Ok(batches)
    }
}

impl<S: Stream> Outgoing<S> {
    /// Sends a message.
    pub(crate) async fn message<T: Serialize>(&mut self, message: &T) -> io::Result<()> {
        self.0.send(encoded(message)?).await
    }

    /// Sends a message of the leader with these batches.
    pub(crate) async fn with_batches(
        &mut self,
        mut message: ToFollower,
        batches: &[Arc<Committed>],
    ) -> io::Result<()> {
        let head = |batch: &Arc<Committed>| BatchHead {
            first: batch.first,
            records: batch.records.len(),
            chain: encode_hex(&batch.head.chain),
        };
        message.batches = batches.iter().map(head).collect();
        self.0.feed(encoded(&message)?).await?;
        for record in batches.iter().flat_map(|batch| &batch.records) {
            self.0.feed(Bytes::copy_from_slice(record)).await?;
        }
        SinkExt::<Bytes>::flush(&mut self.0).await
    }
}

fn encoded<T: Serialize>(message: &T) -> io::Result<Bytes> {
    Ok(serde_json::to_vec(message)?.into())
}
