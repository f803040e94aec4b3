//! A call of a tool: the corresponding HTTP request, through the same dispatch, without a socket.

use super::arguments::{Arguments, Raw};
use super::tools::Served;
use crate::access_log;
use crate::dispatch::{RoutedRequest, dispatch, guarded};
use crate::endpoint::{self, Access, Match, Params, Verb};
use crate::errors::ApiCode;
use crate::lock::lock;
use crate::negotiation::Accepts;
use crate::network::Origin;
use crate::paths::is_canonical;
use crate::payload::{LEGAL_MOVES_IN_FULL, NOT_REPEATED, repeated, shorten_legal_moves};
use crate::response::{Content, Failure, Outcome, Response};
use crate::settings::limits;
use crate::shell::Shell;
use hall_driver::Arrival;
use hall_wire::Handle;
use http::uri::PathAndQuery;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

/// The parts of a message that bypass the protocol's library on the way to its call.
pub(super) struct CallContext {
    pub(super) shell: Arc<Shell>,
    pub(super) origin: Origin,
    pub(super) request_id: String,
    pub(super) arguments: Raw,
    /// The arrival of the message's last byte, until the call takes it.
    pub(super) arrival: Mutex<Option<Arrival>>,
    /// Whether the client may know only the text of a result.
    pub(super) may_know_only_text: bool,
}

/// Calls a tool.
pub(super) async fn call(context: &CallContext, tool: &Served) -> CallToolResult {
    let mut authenticated = None;
    let outcome = guarded(run(context, tool, &mut authenticated)).await;
    let code = outcome.as_ref().err().map(|failure| failure.code.as_str());
    if let Some(code) = code {
        context.shell.metrics.failed(code);
    }
    let told = access_log::Entry {
        request_id: &context.request_id,
        origin: context.origin,
        agent: authenticated.as_ref().map(Handle::as_str),
        code,
    };
    context.shell.access_log.tool_call(&told, tool.tool.name);
    result(context, tool, outcome, authenticated.as_ref())
}

async fn run(context: &CallContext, tool: &Served, authenticated: &mut Option<Handle>) -> Outcome {
    let arrival = lock(&context.arrival).take().unwrap_or_else(|| context.shell.engine.arrive());
    let arguments = Arguments::read(&context.arguments)?;
    let found = match arguments.in_path(tool) {
        Some(values) => Some(find(tool, tool.path_with(&values))?),
        None => None,
    };
    if arguments.body.len() > limits::BODY_BYTES {
        return Err(ApiCode::BodyTooLarge.into());
    }
    let credentials = arguments.credentials(tool.access)?;
    arguments.check_names(tool)?;
    let query = arguments.query(tool)?;
    // The names were checked, so everything in the path is there.
    let (path, params) = found.ok_or_else(|| Failure::from(ApiCode::Internal))?;
    let route = &tool.endpoint.route;
    let request = RoutedRequest {
        endpoint: tool.endpoint,
        params: &params,
        method: route.verb.as_str(),
        path: &path,
        query: Some(&query),
        body: &arguments.body,
        signed_body: if route.verb == Verb::Post { arguments.signed_body.as_bytes() } else { b"" },
        requirement: tool.tool.requirement,
        credentials,
        arrival,
        client: context.origin.key(),
        head: false,
        accepts: Accepts::default(),
    };
    dispatch(&context.shell, request, authenticated).await
}

/// The route of the path, which must be that of the tool: an argument is exactly one segment.
fn find(tool: &Served, path: String) -> Result<(String, Params), Failure> {
    let is_whole = PathAndQuery::try_from(path.as_str())
        .is_ok_and(|read| read.as_str() == path && read.query().is_none());
    if !is_whole || !is_canonical(&path) {
        return Err(ApiCode::BadRequest.into());
    }
    let wanted = &tool.endpoint.route;
    match endpoint::find(tool.endpoints, wanted.verb.as_str(), &path) {
        Match::Found(found, params) if found.route.id == wanted.id => Ok((path, params)),
        Match::Found(..) | Match::OtherMethod { .. } | Match::Nothing => Err(ApiCode::NotFound.into()),
    }
}

/// The envelope as structured content, and what text goes with it.
fn result(
    context: &CallContext,
    tool: &Served,
    outcome: Outcome,
    authenticated: Option<&Handle>,
) -> CallToolResult {
    let mut meta = Map::new();
    if let Some(handle) = authenticated
        && let Ok((challenge, _)) = context.shell.issue_challenge(handle)
    {
        meta.insert("next_challenge".to_owned(), json!(challenge.to_string()));
    }
    let (status, bytes) = match outcome {
        Ok(Response { status, body: Content::Whole(bytes), .. }) => (status, bytes),
        // No tool answers with a stream or with nothing.
        Ok(_) => {
            let failure = Failure::from(ApiCode::Internal);
            (failure.status(), failure.envelope())
        }
        Err(failure) => {
            if let Some(seconds) = failure.retry_after {
                meta.insert("retry_after_seconds".to_owned(), json!(seconds));
            }
            (failure.status(), failure.envelope())
        }
    };
    meta.insert("http_status".to_owned(), json!(status.as_u16()));
    let mut envelope: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    shorten_legal_moves(&mut envelope, LEGAL_MOVES_IN_FULL);
    let is_error = envelope.get("ok") != Some(&Value::Bool(true));
    let text = text(context, tool, &envelope, is_error);
    let mut result = CallToolResult::structured(envelope);
    result.content = vec![ContentBlock::text(text)];
    result.is_error = Some(is_error);
    result.meta = Some(MetaObject(meta));
    result
}

/// What stands beside the structured content. A signed tool is called by a program, which reads structured content:
/// of such a tool only refusals are repeated, unless the client may know only the text.
fn text(context: &CallContext, tool: &Served, envelope: &Value, is_error: bool) -> String {
    let by_program = matches!(tool.access, Access::Signed | Access::KeyInBody);
    let needs_text = is_error || !by_program || context.may_know_only_text;
    if needs_text { repeated(envelope) } else { NOT_REPEATED.to_owned() }
}
