use super::arguments::{Arguments, Raw};
use super::tools::{Served, Tools};
use super::words::{Example, instructions};
use crate::documents::TEST_SEED;
use crate::documents::testing::described_hall;
use crate::endpoint::{Access, ToolSet, Verb};
use crate::endpoints::ALL;
use hall_wire::json::{Value, canonical};
use hall_wire::key::PrivateKey;
use hall_wire::{Digest, Signature, message};
use serde_json::json;
use zeroize::Zeroizing;

fn tools(set: ToolSet) -> Tools {
    Tools::new(ALL, set, &described_hall())
}

fn names(set: ToolSet) -> Vec<&'static str> {
    tools(set).iter().map(|tool| tool.tool.name).collect()
}

#[test]
fn the_tools_of_the_specification_are_there_in_its_order() {
    let expected = "register homologate lobby_join lobby_leave my_games pulse view legal_moves move resign offer_draw \
                    game replay leaderboard rules docket challenge";
    assert_eq!(names(ToolSet::Full), expected.split_whitespace().collect::<Vec<_>>());
    assert_eq!(
        names(ToolSet::Read),
        ["pulse", "game", "replay", "leaderboard", "rules", "docket", "challenge"]
    );
}

#[test]
fn every_signed_tool_has_an_example_whose_signatures_verify_and_that_the_discovery_document_prints() {
    let discovery = super::discovery(ALL, &described_hall());
    let key = PrivateKey::from_seed(&TEST_SEED).public();
    let mut verified = 0;
    for tool in tools(ToolSet::Full).iter().filter(|tool| tool.access != Access::Public) {
        let Example { arguments, message: signed } =
            Example::of(tool.tool, &tool.endpoint.route, &tool.in_path).unwrap();
        let signature = Signature::parse(arguments["signature"].as_str().unwrap()).unwrap();
        assert!(key.verifies(signed.as_bytes(), &signature), "{}", tool.tool.name);
        let listed = discovery["tools"].as_array().unwrap().iter();
        let printed = &listed.clone().find(|row| row["name"] == tool.tool.name).unwrap()["example"];
        assert_eq!(*printed, json!({ "arguments": arguments, "signs": signed }));
        assert_eq!(
            tool.endpoint.route.verb == Verb::Post,
            arguments.contains_key("body"),
            "{}",
            tool.tool.name
        );
        if let Some(body) = arguments.get("body") {
            let covered = Digest::of(canonical(body).as_bytes()).to_hex();
            assert!(signed.ends_with(&format!(":POST:{}:{covered}", path_of(tool, &arguments))), "{signed}");
        }
        if tool.tool.name == "move" {
            let mut body = arguments["body"].as_object().unwrap().clone();
            let inner = Signature::parse(body.remove("signature").unwrap().as_str().unwrap()).unwrap();
            let game = hall_wire::GameId::parse(body["game_id"].as_str().unwrap()).unwrap();
            let digest = Digest::of(canonical(&Value::Object(body)).as_bytes());
            assert!(key.verifies(message::game_move(&game, 7, &digest).as_bytes(), &inner));
        }
        verified += 1;
    }
    assert_eq!(verified, 11);
}

fn path_of(tool: &Served, arguments: &hall_wire::json::Map<String, Value>) -> String {
    let values: Vec<&str> = tool.in_path.iter().map(|name| arguments[*name].as_str().unwrap()).collect();
    tool.path_with(&values)
}

#[test]
fn the_examples_are_arguments_that_their_tools_take() {
    for tool in tools(ToolSet::Full).iter().filter(|tool| tool.access != Access::Public) {
        let example = Example::of(tool.tool, &tool.endpoint.route, &tool.in_path).unwrap();
        let text = Value::Object(example.arguments.clone()).to_string();
        let arguments = Arguments::read(&Raw::Sent(Zeroizing::new(text.into_bytes()))).unwrap();
        arguments.check_names(tool).unwrap();
        assert!(arguments.credentials(tool.access).unwrap().is_some(), "{}", tool.tool.name);
        let required = tool.shown.input_schema["required"].as_array().unwrap();
        for name in required {
            assert!(example.arguments.contains_key(name.as_str().unwrap()), "{}: {name}", tool.tool.name);
        }
    }
}

#[test]
fn only_reading_tools_are_marked_read_only_and_the_read_endpoint_has_no_signed_tools() {
    for tool in tools(ToolSet::Full).iter() {
        let hints = tool.shown.annotations.as_ref().unwrap();
        assert_eq!(hints.read_only_hint, Some(tool.endpoint.route.verb == Verb::Get), "{}", tool.tool.name);
        assert_eq!(
            hints.destructive_hint == Some(true),
            ["resign", "homologate"].contains(&tool.tool.name),
            "{}",
            tool.tool.name
        );
    }
    for tool in tools(ToolSet::Read).iter() {
        assert_eq!(tool.endpoint.route.verb, Verb::Get);
        let properties = tool.shown.input_schema["properties"].as_object().unwrap();
        for name in ["signature", "wait", "body"] {
            assert!(!properties.contains_key(name), "{}: {name}", tool.tool.name);
        }
    }
}

#[test]
fn schemas_contain_no_references() {
    for tool in tools(ToolSet::Full).iter() {
        let output = tool.shown.output_schema.as_deref().unwrap();
        assert_eq!(output["type"], "object", "{}", tool.tool.name);
        for schema in [tool.shown.input_schema.as_ref(), output] {
            assert!(!Value::Object(schema.clone()).to_string().contains("$ref"), "{}", tool.tool.name);
        }
    }
}

#[test]
fn the_list_of_tools_fits_a_context_window() {
    for set in [ToolSet::Full, ToolSet::Read] {
        let list: Vec<_> = tools(set).iter().map(|tool| tool.shown.clone()).collect();
        let bytes = serde_json::to_vec(&list).unwrap().len();
        assert!(bytes < 23 * 1024, "{set:?}: {bytes} bytes");
    }
}

#[test]
fn each_description_names_the_message_that_its_example_signs() {
    for tool in tools(ToolSet::Full).iter().filter(|tool| tool.access != Access::Public) {
        let Example { arguments, message } =
            Example::of(tool.tool, &tool.endpoint.route, &tool.in_path).unwrap();
        let description = tool.shown.description.as_deref().unwrap();
        let template = description.split_once("svc.auth.v1:").unwrap().1.split(&[' ', ';']).next().unwrap();
        let mut filled = format!("svc.auth.v1:{template}")
            .replace("HANDLE", arguments["agent"].as_str().unwrap())
            .replace("CHALLENGE", arguments["challenge"].as_str().unwrap());
        for name in &tool.in_path {
            filled = filled.replace(&name.to_ascii_uppercase(), arguments[*name].as_str().unwrap());
        }
        if let Some(body) = arguments.get("body") {
            let digest = Digest::of(canonical(body).as_bytes()).to_hex();
            filled = filled.replace("SHA256HEX(canonicalJson(body))", &digest);
        }
        assert_eq!(filled, message, "{}", tool.tool.name);
    }
}

#[test]
fn the_instructions_explain_how_to_sign_calls_with_two_examples() {
    let text = instructions(ALL, ToolSet::Full);
    for tool in tools(ToolSet::Full).iter().filter(|tool| ["my_games", "move"].contains(&tool.tool.name)) {
        let Example { arguments, message } =
            Example::of(tool.tool, &tool.endpoint.route, &tool.in_path).unwrap();
        let printed = canonical(&Value::Object(arguments));
        assert!(
            text.contains(&format!("\n{}: these arguments\n{printed}\nsign\n{message}\n", tool.tool.name))
        );
    }
    assert!(text.len() < 4 * 1024, "{} bytes", text.len());
    let read = instructions(ALL, ToolSet::Read);
    assert!(!read.contains("challenge") && read.contains("untrusted_fields"), "{read}");
}

#[test]
fn the_history_of_a_view_has_ten_turns_unless_the_call_says_otherwise() {
    let tools = tools(ToolSet::Full);
    let view = tools.find("view").unwrap();
    for (text, query) in [
        (r#"{}"#, Some("history=10")),
        (r#"{"history":"all"}"#, Some("")),
        (r#"{"history":0}"#, Some("history=0")),
        (r#"{"history":25}"#, Some("history=25")),
        (r#"{"history":"25"}"#, Some("history=25")),
        (r#"{"history":null}"#, None),
        (r#"{"history":"some"}"#, None),
    ] {
        let arguments = Arguments::read(&Raw::Sent(Zeroizing::new(text.as_bytes().to_vec()))).unwrap();
        assert_eq!(arguments.query(view).ok().as_deref(), query, "{text}");
    }
    let arguments = Arguments::read(&Raw::Absent).unwrap();
    assert_eq!(arguments.query(tools.find("my_games").unwrap()).ok().as_deref(), Some(""));
}

#[test]
fn required_fields_are_required_in_the_schemas_of_tools() {
    for (name, field) in [("resign", "resign"), ("offer_draw", "draw_offer")] {
        let tools = tools(ToolSet::Full);
        let body = &tools.find(name).unwrap().shown.input_schema["properties"]["body"];
        assert_eq!(body["properties"][field]["const"], true);
        assert!(body["required"].as_array().unwrap().iter().any(|required| required == field));
    }
}

#[test]
fn arguments_are_read_by_the_rules_of_bodies() {
    let read = |text: &str| Arguments::read(&Raw::Sent(Zeroizing::new(text.as_bytes().to_vec())));
    for text in [r#"{"a":1,"a":2}"#, r#"{"body":{"a":1,"a":2}}"#, r#"{"a":"\ud800"}"#, "{"] {
        assert_eq!(read(text).err().map(|failure| failure.code.as_str()), Some("INVALID_JSON"), "{text}");
    }
    assert_eq!(read("[]").err().map(|failure| failure.code.as_str()), Some("INVALID_BODY"));
    let arguments = read(r#"{"body": {"b":1.0, "a" : "é"}}"#).unwrap();
    assert_eq!(arguments.body.as_slice(), r#"{"b":1.0, "a" : "é"}"#.as_bytes(), "as it was sent");
}

#[test]
fn query_arguments_cannot_add_parameters() {
    let tools = tools(ToolSet::Full);
    let tool = tools.find("leaderboard").unwrap();
    let arguments = |text: &str| {
        Arguments::read(&Raw::Sent(Zeroizing::new(text.as_bytes().to_vec()))).unwrap().query(tool)
    };
    assert_eq!(
        arguments(r#"{"game":"a&limit=1 é","limit":3}"#).unwrap(),
        "game=a%26limit%3D1%20%C3%A9&limit=3"
    );
    for text in [r#"{"limit":null}"#, r#"{"limit":[1]}"#, r#"{"limit":true}"#, r#"{"limit":1.5}"#] {
        assert_eq!(
            arguments(text).err().map(|failure| failure.code.as_str()),
            Some("INVALID_QUERY"),
            "{text}"
        );
    }
}
