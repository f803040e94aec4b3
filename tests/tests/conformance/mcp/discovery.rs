//! Discovery before connecting.

use hall_tests::{Hall, json};

#[test]
fn the_endpoints_are_found_from_every_document() {
    let hall = Hall::start();
    let discovery = hall.get("/.well-known/mcp.json");
    assert_eq!(discovery.header("Access-Control-Allow-Origin"), Some("*"));
    let discovery = discovery.json();
    let card = hall.get("/mcp/server-card");
    assert_eq!(card.header("Content-Type"), Some("application/mcp-server-card+json"));
    let card = card.json();
    for (name, value) in card.as_object().unwrap() {
        assert_eq!(discovery[name], *value, "the discovery document is a card, and more");
    }
    assert_eq!(card["name"], "test.hall/hall");
    let remotes: Vec<&str> =
        card["remotes"].as_array().unwrap().iter().map(|remote| remote["url"].as_str().unwrap()).collect();
    assert_eq!(remotes, ["http://hall.test/mcp", "http://hall.test/mcp/read"]);
    let versions = json!(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
    assert_eq!(card["remotes"][0]["supportedProtocolVersions"], versions);
    let catalog = hall.get("/.well-known/ai-catalog.json");
    assert_eq!(catalog.header("Content-Type"), Some("application/ai-catalog+json"));
    let catalog = catalog.json();
    assert_eq!(catalog["entries"][0]["url"], "http://hall.test/mcp/server-card");
    assert_eq!(catalog["entries"][0]["type"], "application/mcp-server-card+json");
    assert_eq!(hall.get("/").data()["links"]["mcp"], "/mcp");
    assert!(hall.get("/llms.txt").text().contains("http://hall.test/mcp/read"));
    assert_eq!(hall.get("/api/playbook").data()["mcp"]["available"], true);
}

#[test]
fn the_listed_tools_are_the_existing_ones() {
    let hall = Hall::start();
    let listed = hall.get("/.well-known/mcp.json").json()["tools"].take();
    for endpoint in ["/mcp", "/mcp/read"] {
        let here = listed
            .as_array()
            .unwrap()
            .iter()
            .filter(|tool| tool["endpoints"].as_array().unwrap().iter().any(|known| known == endpoint));
        let names: Vec<_> = here.map(|tool| tool["name"].clone()).collect();
        let tools: Vec<_> = hall.tools(endpoint).iter().map(|tool| tool["name"].clone()).collect();
        assert_eq!(names, tools, "{endpoint}");
    }
}
