//! What is checked of a request whose endpoint is known, however it came.
//!
//! A request over HTTP and a call of an MCP tool meet here, so that both pass the same checks in the same order
//! (decisions 2.1 and 11.2): the shape of body and query, a registered handle, the challenge, the signature, the
//! challenge consumed, and then the action. Rate, framing, size and the form of the credentials are checked before,
//! where they differ.

use crate::authentication::{self, Credentials, Signed};
use crate::endpoint::{Call, Endpoint, Handling, Params, Requirement, Sent};
use crate::errors::ApiCode;
use crate::negotiation::Accepts;
use crate::response::Outcome;
use crate::shell::Shell;
use futures_util::FutureExt as _;
use hall_core::rate::ClientKey;
use hall_driver::Arrival;
use hall_wire::Handle;
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
    /// Who asks, as it says; `None` where nobody has to say so.
    pub(crate) credentials: Option<Credentials>,
    /// When the request was here in full.
    pub(crate) arrival: Arrival,
    pub(crate) client: ClientKey,
    /// Whether only the head of the answer is wanted.
    pub(crate) head: bool,
    pub(crate) accepts: Accepts,
}

/// Checks what is left to check, and does what is asked for. `authenticated` becomes the handle of a caller whose
/// signature verified, whatever comes after.
pub(crate) async fn dispatch(
    shell: &Arc<Shell>,
    request: RoutedRequest<'_>,
    authenticated: &mut Option<Handle>,
) -> Outcome {
    let RoutedRequest { endpoint, params, method, path, query, body, signed_body, requirement, .. } = request;
    // A message of MCP is read by its library, before it comes to this.
    let Handling::Request(read) = endpoint.handling else { return Err(ApiCode::Internal.into()) };
    let action = read(Sent { params, query, body, requirement })?;
    let caller = match request.credentials {
        // Nothing that is decided waits for this request.
        None => {
            drop(request.arrival);
            None
        }
        Some(credentials) => {
            let signed = Signed { method, path, body: signed_body };
            let key = action.key_in_body.as_ref();
            let caller =
                authentication::authenticate(shell, credentials, key, signed, request.arrival).await?;
            *authenticated = Some(caller.handle.clone());
            Some(caller)
        }
    };
    let RoutedRequest { client, head, accepts, .. } = request;
    action.run(Call { shell: Arc::clone(shell), caller, client, head, accepts }).await
}

/// What comes of a request; INTERNAL if answering it panics, so that a fault of ours costs one answer only.
pub(crate) async fn guarded(answering: impl Future<Output = Outcome>) -> Outcome {
    AssertUnwindSafe(answering).catch_unwind().await.unwrap_or_else(|_| Err(ApiCode::Internal.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_answered_as_a_fault_of_the_hall() {
        let outcome = guarded(async { panic!("a panic that this test makes") }).await;
        assert_eq!(outcome.err().map(|failure| failure.code), Some(ApiCode::Internal));
    }
}
