//! The endpoints of MCP, which speak JSON-RPC 2.0 and not the envelope.

use super::bodies;
use super::operations::Details;
use serde_json::{Value, json};

/// A message and its answer, both JSON-RPC 2.0.
pub(super) fn endpoint() -> Details {
    let result = json!({
        "type": "object",
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer"] },
            "result": { "type": "object" },
        },
        "required": ["jsonrpc", "id", "result"],
    });
    let answer = json!({ "oneOf": [result, error()] });
    let details = Details::bare("mcp", "application/json", answer)
        .about(
            "Stateless Streamable HTTP: one message a request, every answer plain JSON, no Accept header needed, no \
             batches, no sessions. Revisions 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28. The tools are the \
             operations of this document: tools/list describes them, tools/call answers their envelope as structured \
             content and as text, isError where ok is false, with _meta.next_challenge after an authenticated call. \
             What MCP itself refuses is a JSON-RPC error: -32700 no JSON, -32600 no message, -32601 no such method, \
             -32602 no such tool. Each message counts as one request.",
        )
        .also(202, None, "A notification was taken.")
        .body(bodies::json_rpc());
    let refusals = [
        (403, "The Host or the Origin is not this hall's."),
        (404, "There is no such method, in revision 2026-07-28; in the others that is told with 200."),
        (406, "The client takes no JSON."),
    ];
    let refused =
        |details: Details, (status, about)| details.also(status, Some(("application/json", error())), about);
    refusals.into_iter().fold(details, refused)
}

/// An error of JSON-RPC 2.0.
pub(super) fn error() -> Value {
    json!({
        "type": "object",
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer", "null"] },
            "error": {
                "type": "object",
                "properties": { "code": { "type": "integer" }, "message": { "type": "string" } },
                "required": ["code", "message"],
            },
        },
        "required": ["jsonrpc", "error"],
    })
}
