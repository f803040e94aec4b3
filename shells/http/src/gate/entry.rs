//! The second half of the gate: what is checked of a request whose route is known, however it came.
//!
//! A request over HTTP and a call of an MCP tool meet here, so that both pass the same checks in the same order
//! (decisions 2.1 and 11.2): the shape of body and query, a registered handle, the challenge, the signature, the
//! challenge consumed, and then the operation. Rate, framing, size and the form of the credentials are checked
//! before, where they differ.

use crate::answer::{Failure, Outcome};
use crate::authentication::{self, Credentials, Signed};
use crate::errors::ApiCode;
use crate::negotiation::Accepts;
use crate::operations::{self, Call};
use crate::requests::{self, Request as Asked};
use crate::routes::{Params, Route};
use crate::shell::Shell;
use hall_core::rate::ClientKey;
use hall_driver::Arrival;
use hall_wire::Handle;
use std::sync::Arc;

/// What a call must say besides what its operation demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// `resign: true`.
    Resign,
    /// `draw_offer: true`.
    DrawOffer,
}

impl Demand {
    /// The field of the body that must be true.
    pub(crate) const fn field(self) -> &'static str {
        match self {
            Self::Resign => "resign",
            Self::DrawOffer => "draw_offer",
        }
    }
}

/// A request whose route is known.
pub(crate) struct Entry<'a> {
    pub(crate) route: &'static Route,
    pub(crate) params: &'a Params,
    pub(crate) method: &'a str,
    /// The path as it was sent, without the query.
    pub(crate) path: &'a str,
    pub(crate) query: Option<&'a str>,
    /// The body as it was sent.
    pub(crate) body: &'a [u8],
    /// The bytes that the header signature covers: the body itself, over MCP its canonical form.
    pub(crate) signed_body: &'a [u8],
    pub(crate) demand: Option<Demand>,
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
pub(crate) async fn enter(
    shell: &Arc<Shell>,
    entry: Entry<'_>,
    authenticated: &mut Option<Handle>,
) -> Outcome {
    let Entry { route, params, method, path, query, body, signed_body, demand, credentials, .. } = entry;
    let asked = requests::read(route.operation, params, query, body)?;
    meet(demand, &asked)?;
    if credentials.is_none() && matches!(asked, Asked::Pulse { wait: Some(_) }) {
        let rule = "needs the three headers of a signed request";
        return Err(requests::single_problem(ApiCode::InvalidQuery, "wait", rule));
    }
    let caller = match credentials {
        // Nothing that is decided waits for this request.
        None => {
            drop(entry.arrival);
            None
        }
        Some(credentials) => {
            let signed = Signed { method, path, body: signed_body };
            let caller =
                authentication::authenticate(shell, credentials, &asked, signed, entry.arrival).await?;
            *authenticated = Some(caller.handle.clone());
            Some(caller)
        }
    };
    let Entry { client, head, accepts, .. } = entry;
    operations::answer(shell, Call { asked, caller, client, head, accepts }).await
}

/// Whether the request says what it must.
fn meet(demand: Option<Demand>, asked: &Asked) -> Result<(), Failure> {
    let (Some(demand), Asked::Move(asked)) = (demand, asked) else { return Ok(()) };
    let met = match demand {
        Demand::Resign => asked.resign,
        Demand::DrawOffer => asked.draw_offer,
    };
    if met {
        return Ok(());
    }
    Err(requests::single_problem(ApiCode::InvalidBody, demand.field(), "must be true for this tool"))
}
