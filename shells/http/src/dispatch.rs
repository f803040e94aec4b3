//! The checks of a request whose endpoint is known, over HTTP or MCP.
//!
//! A request over HTTP and a call of an MCP tool meet here, so that both pass the same checks in the same order
//! (decisions 2.1 and 11.2): the shape of body and query, a registered handle, the challenge, the signature, the
//! challenge consumed, and then the action. Rate, framing, size and the form of the credentials are checked before,
//! where they differ.

use crate::authentication::{self, Credentials, SignedParts};
use crate::endpoint::{Call, Endpoint, Handling, Params, ReadRequest, Requirement, Sent};
use crate::errors::ApiCode;
use crate::negotiation::Accepts;
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use futures_util::FutureExt as _;
use hall_core::rate::ClientKey;
use hall_driver::Arrival;
use hall_wire::Handle;
use salvo::http::header;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// A request whose endpoint is known.
pub(crate) struct RoutedRequest<'a> {
    pub(crate) endpoint: &'static Endpoint,
    pub(crate) params: &'a Params,
    pub(crate) method: &'a str,
    /// The path as it was sent, without the query.
    pub(crate) path: &'a str,
    pub(crate) query: Option<&'a str>,
    /// The body as it was sent.
    pub(crate) body: &'a [u8],
    /// The bytes that the header signature covers: the body itself, over MCP its canonical form.
    pub(crate) signed_body: &'a [u8],
    pub(crate) requirement: Option<Requirement>,
    /// The credentials that the caller sent; `None` where none are needed.
    pub(crate) credentials: Option<Credentials>,
    /// The arrival of the request's last byte.
    pub(crate) arrival: Arrival,
    pub(crate) client: ClientKey,
    /// Whether only the head of the answer is wanted.
    pub(crate) head: bool,
    pub(crate) accepts: Accepts,
}

/// Runs the remaining checks and the action. `authenticated` is set to the handle of a caller whose signature
/// verified, whatever the outcome.
pub(crate) async fn dispatch(
    shell: &Arc<Shell>,
    request: RoutedRequest<'_>,
    authenticated: &mut Option<Handle>,
) -> Outcome {
    let RoutedRequest { endpoint, params, method, path, query, body, signed_body, requirement, .. } = request;
    let read = reading(endpoint, &request.accepts)?;
    let action = read(Sent { params, query, body, requirement })?;
    let caller = match request.credentials {
        // No decision waits for this request.
        None => {
            drop(request.arrival);
            None
        }
        Some(credentials) => {
            let signed = SignedParts { method, path, body: signed_body };
            let key = action.key_in_body.as_ref();
            let caller =
                authentication::authenticate(shell, credentials, key, signed, request.arrival).await?;
            *authenticated = Some(caller.handle.clone());
            Some(caller)
        }
    };
    let RoutedRequest { client, head, accepts, .. } = request;
    let outcome = action.run(Call { shell: Arc::clone(shell), caller, client, head, accepts }).await;
    match endpoint.handling {
        Handling::Page { .. } => outcome.map(|answer| answer.with_header(header::VARY, "Accept")),
        Handling::Request(_) | Handling::Mcp(_) => outcome,
    }
}

/// How the request is read: of a page, by what the client accepts.
fn reading(endpoint: &'static Endpoint, accepts: &Accepts) -> Result<ReadRequest, Failure> {
    match endpoint.handling {
        Handling::Request(read) => Ok(read),
        Handling::Page { read, .. } if accepts.html => Ok(read),
        Handling::Page { counterpart: Some(other), .. } => reading(other, accepts),
        Handling::Page { read, counterpart: None } if accepts.any_html => Ok(read),
        Handling::Page { counterpart: None, .. } => Err(Failure {
            status: Some(406),
            ..Failure::saying(
                ApiCode::BadRequest,
                "This is a page for people and has no other form. Accept text/html.",
            )
        }),
        // A message of MCP is read by its library before it gets here.
        Handling::Mcp(_) => Err(ApiCode::Internal.into()),
    }
}

/// The outcome of a request; INTERNAL if answering it panics, so that a bug costs only one answer.
pub(crate) async fn guarded(answering: impl Future<Output = Outcome>) -> Outcome {
    AssertUnwindSafe(answering).catch_unwind().await.unwrap_or_else(|_| Err(ApiCode::Internal.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_answered_as_an_internal_error() {
        let outcome = guarded(async { panic!("a panic that this test makes") }).await;
        assert_eq!(outcome.err().map(|failure| failure.code), Some(ApiCode::Internal));
    }
}
