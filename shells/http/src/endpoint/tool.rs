//! The tools of MCP that an endpoint is.

use hall_wire::json::Value;
use hall_wire::key::PrivateKey;

/// Which tools an endpoint of MCP has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolSet {
    /// `/mcp`: every tool.
    Full,
    /// `/mcp/read`: what anybody may read.
    Read,
}

/// What a tool requires of the body besides what its endpoint requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// `resign: true`.
    Resign,
    /// `draw_offer: true`.
    DrawOffer,
}

impl Requirement {
    /// The field of the body that must be true.
    pub(crate) const fn field(self) -> &'static str {
        match self {
            Self::Resign => "resign",
            Self::DrawOffer => "draw_offer",
        }
    }
}

/// Where the answers of a tool contain legal moves, which are shortened for tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegalMovesAt {
    /// `data.legal_moves`.
    Data,
    /// `data.view.legal_moves`.
    View,
}

/// What a tool is besides its endpoint. Method, path, access, parameters, body and answers are the endpoint's.
#[derive(Debug)]
pub(crate) struct Tool {
    /// Its place in the list of tools, which is the order of the specification and not that of the endpoints.
    pub(crate) place: u8,
    pub(crate) name: &'static str,
    /// What it is for in one sentence, where that is not the summary of the endpoint.
    pub(crate) summary: Option<&'static str>,
    /// What the summary does not say and a caller must know.
    pub(crate) note: &'static str,
    pub(crate) requirement: Option<Requirement>,
    /// Whether anybody may call it: then it is on `/mcp/read` too.
    pub(crate) is_public: bool,
    /// Whether a call may be irreversible: a resigned game, a voided homologation.
    pub(crate) is_destructive: bool,
    /// Whether the call is idempotent.
    pub(crate) is_idempotent: bool,
    /// Query parameters that only signed callers may send.
    pub(crate) signed_query: &'static [&'static str],
    pub(crate) legal_moves: Option<LegalMovesAt>,
    /// The message that the body's own signature signs, in words.
    pub(crate) body_signature: Option<&'static str>,
    /// A body that the endpoint takes, sent by the owner of this key.
    pub(crate) example: Option<fn(Option<Requirement>, &PrivateKey) -> Value>,
}

impl Tool {
    /// A tool that is called with a signature.
    pub(crate) const fn signed(place: u8, name: &'static str) -> Self {
        Self {
            place,
            name,
            summary: None,
            note: "",
            requirement: None,
            is_public: false,
            is_destructive: false,
            is_idempotent: false,
            signed_query: &[],
            legal_moves: None,
            body_signature: None,
            example: None,
        }
    }

    /// A tool that anybody may call.
    pub(crate) const fn public(place: u8, name: &'static str) -> Self {
        Self { is_public: true, ..Self::signed(place, name) }
    }
}
