//! The answering end of the admin socket, inside the running hall.

use super::lines::{Last, Line, Refused};
use super::request::Request;
use super::socket::Socket;
use super::{
    backup, decisions, drain, feedback, games_export, journal_export, lists, log_keys, redaction, stats,
};
use crate::log_side::LogSide;
use hall_driver::Engine;
use hall_http::payload::House;
use hall_journal::Backups;
use hall_outbound::doorbell::RingNotifier;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Bytes of one request at most.
const REQUEST_BYTES: u64 = 64 * 1024;
/// Bytes of a longer one that are read and thrown away.
const DISCARDED_BYTES: u64 = 1024 * 1024;
/// Items on their way to a reader at most.
const ITEMS_WAITING: usize = 64;

/// What requests work on.
pub(crate) struct Premises {
    /// The running hall.
    pub(crate) engine: Engine,
    /// Writes backups of its journal.
    pub(crate) backups: Backups,
    /// Its log: keys, witnesses, mark.
    pub(crate) log: LogSide,
    /// Who rings the doorbells of its agents.
    pub(crate) notifier: Arc<RingNotifier>,
    /// Its data folder.
    pub(crate) data: PathBuf,
    /// Its public address, as games that are exported name it.
    pub(crate) base_url: String,
    /// The agents of the house.
    pub(crate) house: House,
    /// Since when the hall runs.
    pub(crate) since: Instant,
}

/// The admin socket of a running hall; it is gone when this is dropped.
pub(crate) struct AdminServer {
    accepting: JoinHandle<()>,
}

impl AdminServer {
    /// Starts answering.
    ///
    /// # Errors
    /// The socket cannot be made.
    pub(crate) fn start(premises: Premises) -> std::io::Result<Self> {
        let socket = Socket::listen(&premises.data)?;
        let listener = UnixListener::from_std(socket.listener.try_clone()?)?;
        let premises = Arc::new(premises);
        let accepting = tokio::spawn(async move {
            let _socket = socket;
            accept(&listener, &premises).await;
        });
        Ok(Self { accepting })
    }
}

impl Drop for AdminServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: &UnixListener, premises: &Arc<Premises>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let premises = Arc::clone(premises);
                tokio::spawn(async move {
                    if let Err(error) = converse(stream, &premises).await {
                        tracing::debug!(%error, "an admin connection broke off");
                    }
                });
            }
            Err(error) => {
                tracing::warn!(%error, "the admin socket could not accept");
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        }
    }
}

async fn converse(stream: UnixStream, premises: &Arc<Premises>) -> std::io::Result<()> {
    let (reading, mut writing) = stream.into_split();
    let mut reading = BufReader::new(reading);
    loop {
        let mut request = Vec::new();
        (&mut reading).take(REQUEST_BYTES).read_until(b'\n', &mut request).await?;
        if request.is_empty() {
            return Ok(());
        }
        let whole = request.ends_with(b"\n");
        if !whole {
            // A connection that is closed with bytes unread loses its answer too.
            (&mut reading).take(DISCARDED_BYTES).read_until(b'\n', &mut Vec::new()).await?;
        }
        let (sink, mut lines) = Sink::new();
        let premises = Arc::clone(premises);
        let working = tokio::spawn(async move {
            let result = if whole { answer(&premises, &request, &sink).await } else { Err(cut_off()) };
            // Whoever asked may have gone away.
            let _ = sink.0.send(Line::Last(Last::from(result))).await;
        });
        while let Some(line) = lines.recv().await {
            let mut text = serde_json::to_vec(&line)?;
            text.push(b'\n');
            writing.write_all(&text).await?;
        }
        working.await?;
        if !whole {
            return Ok(());
        }
    }
}

fn cut_off() -> Refused {
    Refused::bad_request(format!("a request is one line of at most {REQUEST_BYTES} bytes"))
}

async fn answer(premises: &Arc<Premises>, request: &[u8], sink: &Sink) -> Result<Value, Refused> {
    let request: Request = serde_json::from_slice(request)
        .map_err(|error| Refused::bad_request(format!("this is no request: {error}")))?;
    tracing::info!(command = name(&request), "admin request");
    match request {
        Request::Stats {} => stats::collect(premises).await,
        Request::ExportJournal { with_secrets } => {
            let bounds = journal_export::Bounds::of(&premises.engine).await?;
            in_background(premises, sink, move |premises, sink| {
                journal_export::export(
                    premises.engine.archive().reader().as_ref(),
                    &bounds,
                    with_secrets,
                    sink,
                )
            })
            .await
        }
        Request::ExportGames { format, since } => {
            let range = games_export::range_of(since.as_deref())?;
            in_background(premises, sink, move |premises, sink| {
                games_export::export(premises, format, range, sink)
            })
            .await
        }
        Request::Feedback { limit } => {
            in_background(premises, sink, move |premises, sink| {
                feedback::list(premises.engine.archive(), limit, sink)
            })
            .await
        }
        Request::Backup { to } => {
            in_background(premises, sink, move |premises, _| backup::write(premises, &to)).await
        }
        Request::RedactGame { game, turn, reason } => redaction::turn(premises, &game, turn, &reason).await,
        Request::RedactFeedback { feedback, reason } => {
            redaction::feedback(premises, &feedback, &reason).await
        }
        Request::RedactAgent { handle, reason } => redaction::agent(premises, &handle, &reason).await,
        Request::RotateKey { purpose, reason } => log_keys::rotate(premises, purpose, &reason).await,
        Request::AcceptRestore { number, reason } => {
            log_keys::accept_restore(premises, number, &reason).await
        }
        Request::Drain { wait } => drain::begin(premises, wait, sink).await,
        Request::Resume {} => drain::end(premises).await,
        Request::Agents(filter) => {
            let hall = lists::state(premises).await?;
            in_background(premises, sink, move |premises, sink| lists::agents(premises, &hall, &filter, sink))
                .await
        }
        Request::Operators(filter) => {
            let hall = lists::state(premises).await?;
            in_background(premises, sink, move |_, sink| lists::operators(&hall, &filter, sink)).await
        }
        Request::Games(filter) => {
            let hall = lists::state(premises).await?;
            in_background(premises, sink, move |premises, sink| lists::games(premises, &hall, &filter, sink))
                .await
        }
        Request::AgentShow { handle } => {
            let hall = lists::state(premises).await?;
            in_background(premises, sink, move |premises, _| lists::agent(premises, &hall, &handle)).await
        }
        Request::DocketAdd { .. }
        | Request::SeasonOpen { .. }
        | Request::SeasonClose { .. }
        | Request::AgentSuspend { .. }
        | Request::AgentRestore { .. }
        | Request::OperatorSuspend { .. }
        | Request::OperatorRestore { .. }
        | Request::GameAdjudicate { .. } => decisions::decide(&premises.engine, &request).await,
    }
}

/// Runs what reads or writes much on a thread where it holds nobody up.
async fn in_background(
    premises: &Arc<Premises>,
    sink: &Sink,
    work: impl FnOnce(&Premises, &Sink) -> Result<Value, Refused> + Send + 'static,
) -> Result<Value, Refused> {
    let (premises, sink) = (Arc::clone(premises), sink.clone());
    let working = tokio::task::spawn_blocking(move || work(&premises, &sink));
    working.await.unwrap_or_else(|error| Err(Refused::new("INTERNAL", format!("it failed: {error}"))))
}

const fn name(request: &Request) -> &'static str {
    match request {
        Request::DocketAdd { .. } => "docket_add",
        Request::SeasonOpen { .. } => "season_open",
        Request::SeasonClose { .. } => "season_close",
        Request::AgentSuspend { .. } => "agent_suspend",
        Request::AgentRestore { .. } => "agent_restore",
        Request::OperatorSuspend { .. } => "operator_suspend",
        Request::OperatorRestore { .. } => "operator_restore",
        Request::GameAdjudicate { .. } => "game_adjudicate",
        Request::Feedback { .. } => "feedback",
        Request::Stats {} => "stats",
        Request::Backup { .. } => "backup",
        Request::RedactGame { .. } => "redact_game",
        Request::RedactFeedback { .. } => "redact_feedback",
        Request::RedactAgent { .. } => "redact_agent",
        Request::RotateKey { .. } => "rotate_key",
        Request::AcceptRestore { .. } => "accept_restore",
        Request::ExportJournal { .. } => "export_journal",
        Request::ExportGames { .. } => "export_games",
        Request::Drain { .. } => "drain",
        Request::Resume {} => "resume",
        Request::Agents(_) => "agents",
        Request::Operators(_) => "operators",
        Request::Games(_) => "games",
        Request::AgentShow { .. } => "agent_show",
    }
}

/// Where items go: to the connection, as fast as it takes them.
#[derive(Clone)]
pub(super) struct Sink(mpsc::Sender<Line>);

impl Sink {
    /// A sink and what comes out of it.
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
