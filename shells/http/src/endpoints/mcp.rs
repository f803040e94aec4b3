//! The endpoints of MCP, which speak JSON-RPC 2.0 and not the envelope.

use crate::endpoint::body::Body;
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, ToolSet, body};
use crate::openapi::json_rpc_error;
use serde_json::json;

pub(super) static MCP: Endpoint = Endpoint {
    route: Route::post("mcp", "/mcp", Access::Public, "The MCP endpoint."),
    details: |_| details(),
    handling: Handling::Mcp(ToolSet::Full),
    tools: &[],
};

pub(super) static MCP_READ: Endpoint = Endpoint {
    route: Route::post("mcp_read", "/mcp/read", Access::Public, "The read-only MCP endpoint."),
    details: |_| details(),
    handling: Handling::Mcp(ToolSet::Read),
    tools: &[],
};

/// A message and its answer, both JSON-RPC 2.0.
fn details() -> Details {
    let result = json!({
        "type": "object",
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer"] },
            "result": { "type": "object" },
        },
        "required": ["jsonrpc", "id", "result"],
    });
    let answer = json!({ "oneOf": [result, json_rpc_error()] });
    let details = Details::bare("mcp", "application/json", answer)
        .about(
            "Stateless Streamable HTTP: one message a request, every answer plain JSON, no Accept header needed, no \
             batches, no sessions. Revisions 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28. The tools are the \
             operations of this document: tools/list describes them, tools/call answers their envelope as structured \
             content, isError where ok is false. Its text repeats the envelope of a refusal and, unless it is long, that \
             of an unsigned tool; a request without MCP-Protocol-Version, or with 2025-03-26, gets that of a signed tool \
             as text too. _meta has next_challenge after an authenticated call, and retry_after_seconds where HTTP has \
             Retry-After. An error of MCP itself is a JSON-RPC error: -32700 not JSON, -32600 not a message, -32601 no \
             such method, -32602 no such tool. Each message counts as one request.",
        )
        .also(202, None, "The notification was accepted.")
        .body(message());
    let refusals = [
        (403, "The Host or the Origin is not this hall's."),
        (404, "There is no such method, in revision 2026-07-28; the others report that with 200."),
        (406, "The client does not accept JSON."),
    ];
    let refused = |details: Details, (status, about)| {
        details.also(status, Some(("application/json", json_rpc_error())), about)
    };
    refusals.into_iter().fold(details, refused)
}

fn message() -> Body {
    let members = json!({
        "jsonrpc": { "const": "2.0" },
        "id": { "type": ["string", "integer"] },
        "method": { "type": "string" },
        "params": { "type": "object" },
    });
    let mut body = body::object("A JSON-RPC 2.0 message of MCP.", members, &["jsonrpc", "method"]);
    if let Some(schema) = body.schema.as_object_mut() {
        schema.remove("additionalProperties");
    }
    body
}
