//! The hall over MCP: plain JSON-RPC, and calls signed by hand.

use crate::agent::Agent;
use crate::hall::Hall;
use crate::http::{Reply, Request};
use hall_wire::Digest;
use hall_wire::json::canonical;
use serde_json::{Value, json};

/// The revision without a handshake.
pub const STATELESS: &str = "2026-07-28";

/// A JSON-RPC request, as a client that knows only JSON-RPC sends it.
#[must_use]
pub fn message(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

/// The same, as a client of the revision without a handshake sends it.
#[must_use]
pub fn stateless(path: &str, method: &str, params: Value) -> Request {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = Request::new("POST", path)
        .json(&message(method, &params))
        .with("Accept", "application/json, text/event-stream")
        .with("MCP-Protocol-Version", STATELESS)
        .with("Mcp-Method", method);
    match params["name"].as_str() {
        Some(name) => request.with("Mcp-Name", name),
        None => request,
    }
}

/// The arguments of a signed call: `arguments`, which may hold `body`, and what signs the equal HTTP request.
#[must_use]
pub fn signed(agent: &Agent, challenge: &str, method: &str, path: &str, mut arguments: Value) -> Value {
    let mut text = format!("svc.auth.v1:{}:{challenge}:{method}:{path}", agent.handle);
    if method == "POST" {
        text.push_str(&format!(":{}", Digest::of(canonical(&arguments["body"]).as_bytes())));
    }
    arguments["agent"] = agent.handle.as_str().into();
    arguments["challenge"] = challenge.into();
    arguments["signature"] = agent.key.sign(text.as_bytes()).to_string().into();
    arguments
}

impl Hall {
    /// Posts a JSON-RPC request to `/mcp`, without any header but those of a JSON body.
    #[must_use]
    pub fn rpc(&self, method: &str, params: &Value) -> Reply {
        self.rpc_at("/mcp", method, params)
    }

    /// The same to another endpoint.
    #[must_use]
    pub fn rpc_at(&self, path: &str, method: &str, params: &Value) -> Reply {
        self.send(&Request::new("POST", path).json(&message(method, params)))
    }

    /// The listed tools of an endpoint.
    #[must_use]
    pub fn tools(&self, path: &str) -> Vec<Value> {
        let reply = self.rpc_at(path, "tools/list", &json!({}));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["result"]["tools"].as_array().unwrap().clone()
    }

    /// Calls a tool and gives its result, whose parts must agree: structured content, text and error flag. The text is the
    /// envelope, or, of a success that is not repeated, points to the structured content.
    #[must_use]
    pub fn call_tool(&self, name: &str, arguments: &Value) -> Value {
        self.call_tool_at("/mcp", name, arguments)
    }

    /// The same at another endpoint.
    #[must_use]
    pub fn call_tool_at(&self, path: &str, name: &str, arguments: &Value) -> Value {
        let reply = self.rpc_at(path, "tools/call", &json!({ "name": name, "arguments": arguments }));
        assert_eq!(reply.status, 200, "{}", reply.text());
        let answer = reply.json();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)), "{answer}");
        let result = answer["result"].clone();
        let content = result["content"].as_array().unwrap_or_else(|| panic!("no content: {answer}"));
        assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")), "{answer}");
        let (text, envelope) = (content[0]["text"].as_str().unwrap(), &result["structuredContent"]);
        match text.parse::<Value>() {
            Ok(text) => assert_eq!(text, *envelope, "the text says the same"),
            Err(_) => assert!(text.contains("structured content") && envelope["ok"] == true, "{answer}"),
        }
        assert_eq!(result["isError"], envelope["ok"] != true, "{answer}");
        result
    }

    /// Calls a signed tool, with a challenge from the tool `challenge`.
    #[must_use]
    pub fn call_signed(
        &self,
        agent: &Agent,
        name: &str,
        method: &str,
        path: &str,
        arguments: Value,
    ) -> Value {
        let issued = self.call_tool("challenge", &json!({ "agent": agent.handle }));
        let challenge = issued["structuredContent"]["data"]["challenge"].as_str().unwrap().to_owned();
        self.call_tool(name, &signed(agent, &challenge, method, path, arguments))
    }

    /// The `data` of a signed call that succeeds.
    #[must_use]
    pub fn tool_data(&self, agent: &Agent, name: &str, method: &str, path: &str, arguments: Value) -> Value {
        let result = self.call_signed(agent, name, method, path, arguments);
        assert_eq!(result["isError"], false, "{name}: {result}");
        result["structuredContent"]["data"].clone()
    }
}

/// The code of a call that was refused.
#[must_use]
pub fn code(result: &Value) -> &str {
    result["structuredContent"]["error"]["code"].as_str().unwrap_or_else(|| panic!("no refusal: {result}"))
}
