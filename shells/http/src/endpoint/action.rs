//! Actions: how a request becomes what its endpoint does.

use super::route::Params;
use super::tool::Requirement;
use crate::authentication::Caller;
use crate::errors::ApiCode;
use crate::negotiation::Accepts;
use crate::requests::Query;
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hall_core::rate::ClientKey;
use hall_wire::{AgentId, Handle, PublicKey};
use std::sync::Arc;

/// What a request to an endpoint consists of, before its shape is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent<'a> {
    pub(crate) params: &'a Params,
    pub(crate) query: Option<&'a str>,
    /// The body as it was sent.
    pub(crate) body: &'a [u8],
    /// What the tool that was called requires of the body.
    pub(crate) requirement: Option<Requirement>,
}

impl Sent<'_> {
    /// The value of the only parameter of the path.
    pub(crate) fn param(&self) -> String {
        self.params.only().to_owned()
    }

    /// The values of both parameters of the path.
    pub(crate) fn both_params(&self) -> [String; 2] {
        [0, 1].map(|place| self.params.at(place).to_owned())
    }

    /// The query, decoded.
    pub(crate) fn query(&self) -> Query {
        Query::parse(self.query)
    }
}

/// A request with the right shape, whose caller is authenticated if its access requires that.
pub(crate) struct Call {
    pub(crate) shell: Arc<Shell>,
    /// The caller, if the request is signed. Reads drop it immediately, because only commands are waited for.
    pub(crate) caller: Option<Caller>,
    /// The client that the request comes from.
    pub(crate) client: ClientKey,
    /// Whether only the head of the answer is wanted.
    pub(crate) head: bool,
    pub(crate) accepts: Accepts,
}

impl Call {
    /// The shell and the caller, for an endpoint that only signed requests reach.
    pub(crate) fn signed(self) -> Result<(Arc<Shell>, Caller), Failure> {
        let caller = self.caller.ok_or_else(|| Failure::from(ApiCode::Internal))?;
        Ok((self.shell, caller))
    }

    /// Like [`Self::signed`], for actions that need only the agent; the request is no longer in flight.
    pub(crate) fn signed_agent(self) -> Result<(Arc<Shell>, AgentId), Failure> {
        self.signed().map(|(shell, caller)| (shell, caller.agent))
    }
}

/// The action for a request with the right shape.
pub(crate) struct Action {
    /// The handle and the key that must have signed the request, if they are in its body.
    pub(crate) key_in_body: Option<(Handle, PublicKey)>,
    run: Box<dyn FnOnce(Call) -> BoxFuture<'static, Outcome> + Send>,
}

impl Action {
    /// The same for a request that is signed by the key in its body.
    pub(crate) fn signed_by(self, handle: Handle, key: PublicKey) -> Self {
        Self { key_in_body: Some((handle, key)), ..self }
    }

    /// Runs the action.
    pub(crate) async fn run(self, call: Call) -> Outcome {
        (self.run)(call).await
    }
}

/// The action that `run` is.
pub(crate) fn action<F>(run: impl FnOnce(Call) -> F + Send + 'static) -> Action
where
    F: Future<Output = Outcome> + Send + 'static,
{
    Action { key_in_body: None, run: Box::new(|call| run(call).boxed()) }
}
