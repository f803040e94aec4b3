use super::testing::described_hall;
use super::*;
use crate::endpoints::{ALL, routes};
use crate::errors::ApiCode;
use crate::{mcp, openapi};
use hall_core::SeasonId;
use serde_json::Value;

#[test]
fn every_path_that_a_document_names_is_a_route() {
    let hall = described_hall();
    let named = [
        playbook(&hall, &mcp::tool_rows(ALL)).to_string(),
        front_door(&hall, None).to_string(),
        llms_txt(&hall),
        mcp::discovery(ALL, &hall).to_string(),
        openapi::document(ALL, &hall)["info"].to_string(),
        ApiCode::ALL.iter().map(|code| code.message()).collect::<Vec<_>>().join("\n"),
    ];
    let mut seen = 0;
    for text in named {
        for path in paths_in(&text) {
            seen += 1;
            assert!(routes().any(|route| leads_to(route.path, &path)), "{path} is no route");
        }
    }
    assert!(seen > 60, "only {seen} paths were found");
}

#[test]
fn every_document_states_the_limits_that_are_in_force() {
    let mut hall = described_hall();
    hall.requests_per_minute = 4_321;
    hall.settings.joins_per_day = 0;
    assert!(llms_txt(&hall).contains("requests per minute and address: 4321"));
    assert!(llms_txt(&hall).contains("lobby joins per agent and UTC day: no limit"));
    assert_eq!(front_door(&hall, None)["limits"]["requests_per_minute"], 4_321);
    assert_eq!(front_door(&hall, None)["limits"]["lobby_joins_per_day"], Value::Null);
    assert!(
        playbook(&hall, &mcp::tool_rows(ALL))["sections"].to_string().contains("from one address: 4321.")
    );
    assert!(openapi::document(ALL, &hall)["info"]["description"].as_str().unwrap().contains("4321"));
}

#[test]
fn the_front_door_names_the_open_season() {
    let season = SeasonId::parse("s7").unwrap();
    assert_eq!(front_door(&described_hall(), Some(&season))["season_id"], "s7");
    assert_eq!(front_door(&described_hall(), None)["season_id"], Value::Null);
}

#[test]
fn documents_state_the_address_of_this_hall() {
    let hall = described_hall();
    assert!(llms_txt(&hall).contains("https://hall.example/api/playbook"));
    assert_eq!(playbook(&hall, &mcp::tool_rows(ALL))["base_url"], "https://hall.example");
    assert_eq!(mcp::discovery(ALL, &hall)["endpoints"][0]["url"], "https://hall.example/mcp");
    assert_eq!(openapi::document(ALL, &hall)["servers"][0]["url"], "https://hall.example");
}

#[test]
fn the_playbook_lists_every_type_of_event_that_the_dictionary_explains() {
    let documents = dictionary().documents;
    let event = documents.iter().find(|document| document.name == "event").unwrap();
    let of_type =
        event.fields.iter().filter_map(|field| field.path.strip_prefix("event[")?.strip_suffix(']'));
    let playbook = playbook(&described_hall(), &mcp::tool_rows(ALL));
    assert_eq!(playbook["spectators"]["types"], of_type.collect::<Value>());
}

#[test]
fn the_playbook_tells_of_shared_turns_larger_tables_and_the_whole_result() {
    let playbook = playbook(&described_hall(), &mcp::tool_rows(ALL));
    for (chapter, entry, word) in [
        ("moves", "shared_turns", "move_sealed"),
        ("moves", "vacant_seats", "seat_vacated"),
        ("illegal_moves_and_strikes", "forfeit", "vacant"),
        ("results", "shape", "points?, places?"),
    ] {
        assert!(playbook[chapter][entry].to_string().contains(word), "{entry} of {chapter}");
    }
}

#[test]
fn the_playbook_states_what_a_missed_deadline_plays_and_where_draws_can_be_offered() {
    let playbook = playbook(&described_hall(), &mcp::tool_rows(ALL));
    for (chapter, entry, words) in [
        ("clocks", "missed", "default action (default_action in the catalog), else a random legal move"),
        (
            "draws_and_resigning",
            "offer",
            "at a table of two whose turns are not shared; elsewhere it is INVALID_BODY",
        ),
    ] {
        let text = playbook[chapter][entry].as_str().unwrap();
        assert!(text.contains(words), "{entry} of {chapter}: {text}");
    }
}

#[test]
fn the_manual_in_prose_says_that_an_offer_accepts_a_draw_offer() {
    let playbook = playbook(&described_hall(), &mcp::tool_rows(ALL));
    let sections = playbook["sections"].to_string();
    assert!(sections.contains("`draw_accept: true` or `draw_offer: true` on your turn accepts one"));
}

#[test]
fn what_is_said_of_mcp_names_what_comes_as_text_and_where_retry_after_is() {
    let hall = described_hall();
    let playbook = playbook(&hall, &mcp::tool_rows(ALL))["mcp"].to_string();
    let openapi = openapi::document(ALL, &hall);
    for text in [&playbook, openapi["paths"]["/mcp"]["post"]["description"].as_str().unwrap()] {
        for word in [
            "repeats the envelope of a refusal",
            "MCP-Protocol-Version",
            "Retry-After",
            "retry_after_seconds",
        ] {
            assert!(text.contains(word), "{word}: {text}");
        }
    }
}

/// Every path below `/api/` in a text, up to the first character that cannot be part of it.
fn paths_in(text: &str) -> Vec<String> {
    let parts = text.split("/api/").skip(1);
    let path = |rest: &str| {
        let end = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || "/_{}".contains(letter)));
        let path = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        format!("/api/{}", path.trim_end_matches('/'))
    };
    parts.map(path).filter(|path| path != "/api/").collect()
}

/// Whether `named` is `template` with any values for its parameters, or the beginning of such a path that a program
/// completes.
fn leads_to(template: &str, named: &str) -> bool {
    let (template, named): (Vec<&str>, Vec<&str>) =
        (template.split('/').collect(), named.split('/').collect());
    let fits = template.iter().zip(&named).all(|(part, name)| part.starts_with('{') || part == name);
    fits && (template.len() == named.len()
        || (template.len() == named.len() + 1 && template.last().is_some_and(|part| part.starts_with('{'))))
}
