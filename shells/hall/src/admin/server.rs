//! The answering end of the admin socket, inside the running hall.

use super::context::AdminContext;
use super::items::ItemSink;
use super::lines::Refused;
use super::request::Request;
use super::socket::Socket;
use super::{
    backup, decisions, drain, feedback, games_export, journal_export, lists, log_keys, nodes, redaction,
    stats,
};
use serde_json::Value;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

/// Bytes of one request at most.
const REQUEST_BYTES: u64 = 64 * 1024;
/// Bytes of a longer one that are read and thrown away.
const DISCARDED_BYTES: u64 = 1024 * 1024;

/// The admin socket of a running hall; it is gone when this is dropped.
pub(crate) struct AdminServer {
    accepting: JoinHandle<()>,
}

impl AdminServer {
    /// Starts answering.
    ///
    /// # Errors
    /// The socket cannot be made.
    pub(crate) fn start(context: AdminContext) -> std::io::Result<Self> {
        let socket = Socket::listen(&context.data)?;
        let listener = UnixListener::from_std(socket.listener.try_clone()?)?;
        let context = Arc::new(context);
        let accepting = tokio::spawn(async move {
            let _socket = socket;
            accept(&listener, &context).await;
        });
        Ok(Self { accepting })
    }
}

impl Drop for AdminServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: &UnixListener, context: &Arc<AdminContext>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let context = Arc::clone(context);
                tokio::spawn(async move {
                    if let Err(error) = converse(stream, &context).await {
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

async fn converse(stream: UnixStream, context: &Arc<AdminContext>) -> std::io::Result<()> {
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
        let (sink, mut lines) = ItemSink::new();
        let context = Arc::clone(context);
        let working = tokio::spawn(async move {
            let result = if whole { answer(&context, &request, &sink).await } else { Err(cut_off()) };
            sink.end(result).await;
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

async fn answer(context: &Arc<AdminContext>, request: &[u8], sink: &ItemSink) -> Result<Value, Refused> {
    let request: Request = serde_json::from_slice(request)
        .map_err(|error| Refused::bad_request(format!("this is not a request: {error}")))?;
    tracing::info!(command = name(&request), "admin request");
    match request {
        Request::Stats {} => stats::collect(context).await,
        Request::ExportJournal { with_secrets } => {
            let bounds = journal_export::Bounds::of(&context.engine).await?;
            in_background(context, sink, move |context, sink| {
                journal_export::export(
                    context.engine.archive().reader().as_ref(),
                    &bounds,
                    with_secrets,
                    sink,
                )
            })
            .await
        }
        Request::ExportGames { format, since } => {
            let range = games_export::range_of(since.as_deref())?;
            in_background(context, sink, move |context, sink| {
                games_export::export(context, format, range, sink)
            })
            .await
        }
        Request::Feedback { limit } => {
            in_background(context, sink, move |context, sink| {
                feedback::list(context.engine.archive(), limit, sink)
            })
            .await
        }
        Request::Backup { to } => {
            in_background(context, sink, move |context, _| backup::write(context, &to)).await
        }
        Request::RedactGame { game, turn, reason } => redaction::turn(context, &game, turn, &reason).await,
        Request::RedactFeedback { feedback, reason } => {
            redaction::feedback(context, &feedback, &reason).await
        }
        Request::RedactAgent { handle, reason } => redaction::agent(context, &handle, &reason).await,
        Request::RotateKey { purpose, reason } => log_keys::rotate(context, purpose, &reason).await,
        Request::AcceptRestore { number, reason } => log_keys::accept_restore(context, number, &reason).await,
        Request::Drain { wait } => drain::begin(context, wait, sink).await,
        Request::Resume {} => drain::end(context).await,
        Request::Nodes {} => nodes::list(context),
        Request::Lead {} => nodes::lead(context).await,
        Request::Agents(filter) => {
            let hall = lists::state(context).await?;
            in_background(context, sink, move |context, sink| lists::agents(context, &hall, &filter, sink))
                .await
        }
        Request::Operators(filter) => {
            let hall = lists::state(context).await?;
            in_background(context, sink, move |_, sink| lists::operators(&hall, &filter, sink)).await
        }
        Request::Games(filter) => {
            let hall = lists::state(context).await?;
            in_background(context, sink, move |context, sink| lists::games(context, &hall, &filter, sink))
                .await
        }
        Request::AgentShow { handle } => {
            let hall = lists::state(context).await?;
            in_background(context, sink, move |context, _| lists::agent(context, &hall, &handle)).await
        }
        Request::DocketAdd { .. }
        | Request::SeasonOpen { .. }
        | Request::SeasonClose { .. }
        | Request::AgentSuspend { .. }
        | Request::AgentRestore { .. }
        | Request::OperatorSuspend { .. }
        | Request::OperatorRestore { .. }
        | Request::GameAdjudicate { .. }
        | Request::GameVacate { .. } => decisions::decide(&context.engine, &request).await,
    }
}

/// Runs what reads or writes much on a thread where it holds nobody up.
async fn in_background(
    context: &Arc<AdminContext>,
    sink: &ItemSink,
    work: impl FnOnce(&AdminContext, &ItemSink) -> Result<Value, Refused> + Send + 'static,
) -> Result<Value, Refused> {
    let (context, sink) = (Arc::clone(context), sink.clone());
    let working = tokio::task::spawn_blocking(move || work(&context, &sink));
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
        Request::GameVacate { .. } => "game_vacate",
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
        Request::Nodes {} => "nodes",
        Request::Lead {} => "lead",
        Request::Agents(_) => "agents",
        Request::Operators(_) => "operators",
        Request::Games(_) => "games",
        Request::AgentShow { .. } => "agent_show",
    }
}
