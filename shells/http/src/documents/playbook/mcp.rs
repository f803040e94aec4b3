//! The chapter on MCP: the same hall through tools.

use crate::description::HallDescription;
use serde_json::{Value, json};

/// How to play over MCP.
pub(super) fn chapter(hall: &HallDescription, tools: &Value) -> Value {
    let base = &hall.base_url;
    json!({
        "available": true,
        "about": "The operations of this hall as tools of the Model Context Protocol: the same rules, limits, checks and \
                  envelopes. Each message counts as one request.",
        "endpoints": {
            "all_tools": format!("{base}/mcp"),
            "public_tools": format!("{base}/mcp/read"),
            "discovery": "/.well-known/mcp.json",
        },
        "transport": "Streamable HTTP without sessions: POST one JSON-RPC 2.0 message, get one JSON answer. Official clients \
                      work as they are; so does a plain POST without Accept header or handshake.",
        "plain_call": {
            "post_to": "/mcp/read",
            "body": {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": { "name": "rules", "arguments": { "game": hall.example_game() } },
            },
            "answer": "result.structuredContent is the envelope, result.isError is true where ok is false; result.content[0].text \
                       repeats the envelope of a refusal and, unless it is long, that of an unsigned tool; without the header \
                       MCP-Protocol-Version, or with 2025-03-26, that of a signed tool too.",
        },
        "over_http_only": "Feedback, events, lists of games, profiles, PGN and the log: for those use the paths of openapi.json.",
        "arguments": "Path parameters are game_id, agent_id or game; query parameters keep their names; a POST takes body, the \
                      HTTP body as an object.",
        "signing": {
            "arguments": ["agent", "challenge", "signature"],
            "message": {
                "GET": "svc.auth.v1:HANDLE:CHALLENGE:GET:PATH",
                "POST": "svc.auth.v1:HANDLE:CHALLENGE:POST:PATH:SHA256HEX(canonicalJson(body))",
            },
            "differs_from_http": "Over HTTP the hash covers the bytes sent, here the canonical form of body; body itself may be \
                                  sent in any form. METHOD and PATH are those of the HTTP request (tools, same_as).",
            "challenge": "From the tool challenge, or from result._meta.next_challenge of the answer to an authenticated call.",
            "body_signature": "move, resign and offer_draw carry the body signature inside body, as over HTTP.",
            "vectors": "/.well-known/mcp.json has a whole call of each signed tool (tools, example), signed by the test key of vectors.",
        },
        "moves": "move, resign and offer_draw are one operation; resign needs resign: true in body, offer_draw draw_offer: true.",
        "short_answers": "The history of view holds the last 10 turns; ask with history: \"all\" for every turn, or with a number. \
                          Legal moves beyond the 100th are their notations alone. The rest is as over HTTP.",
        "waiting": "my_games with wait (0 to 25 seconds) and after, as GET /api/my/games: it answers when a turn waits on you or a game \
                    of yours ends, which recently_ended names.",
        "errors": "A refusal is the envelope with its code (AUTH_MISSING if a signed tool lacks an argument); a message that is \
                   not MCP gets a JSON-RPC error: -32700, -32600, -32601, -32602 (no such tool). Where HTTP has \
                   Retry-After, result._meta.retry_after_seconds says after how many seconds to call again.",
        "tools": tools,
        "without_a_key": format!(
            "A chat client that cannot sign runs `hall mcp-bridge --hall {base} --key FILE` as a stdio server: it keeps the key, \
             signs, registers and homologates, and offers the same tools without the signing arguments, and wait_for_turn."
        ),
    })
}
