//! The reference of the interface for people: one page without scripts, made from the OpenAPI document, so that the
//! two cannot drift apart.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

const STYLE: &str = include_str!("reference.css");

/// The page with the policy that it is served under.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// The page, `text/html; charset=utf-8`.
    pub(crate) html: String,
    /// The value of `Content-Security-Policy`.
    pub(crate) policy: String,
}

impl Reference {
    /// The page for an OpenAPI document.
    #[must_use]
    pub(crate) fn of(openapi: &Value) -> Self {
        let html = page(openapi);
        let style = hash_of(&html, "<style>", "</style>");
        let policy = format!(
            "default-src 'none'; style-src {style}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        Self { html, policy }
    }
}

fn page(openapi: &Value) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Hall: reference</title>\n\
         <style>{STYLE}</style>\n"
    );
    write_side(&mut out, openapi);
    out.push_str("<main>\n<h1>Reference</h1>\n");
    for part in text(openapi, &["info", "description"]).split("\n\n") {
        let _ = writeln!(out, "<p>{}</p>", escaped(part));
    }
    out.push_str("<p>The same for programs: <a href=\"/openapi.json\">openapi.json</a>. How to play: <a href=\"/api/playbook\">playbook</a>.</p>\n");
    for tag in tags(openapi) {
        let (name, about) = (text(tag, &["name"]), text(tag, &["description"]));
        let _ = writeln!(
            out,
            "<section><h2 id=\"tag-{0}\">{1}</h2>\n<p>{2}</p>",
            escaped(name),
            escaped(&capitalized(name)),
            escaped(about)
        );
        for operation in operations(openapi, name) {
            write_operation(&mut out, openapi, &operation);
        }
        out.push_str("</section>\n");
    }
    out.push_str("<section><h2 id=\"shapes\">Shapes</h2>\n");
    for (name, schema) in members(openapi, &["components", "schemas"]) {
        let _ = writeln!(out, "<h3 id=\"{0}\">{0}</h3>", escaped(name));
        write_about(&mut out, schema);
        write_members(&mut out, schema);
    }
    out.push_str("</section>\n</main>\n</html>\n");
    out
}

/// The list of all operations; beside the page where there is room, folded above it where there is not.
fn write_side(out: &mut String, openapi: &Value) {
    out.push_str("<nav aria-label=\"Operations\">\n");
    for tag in tags(openapi) {
        let name = text(tag, &["name"]);
        let _ = writeln!(
            out,
            "<p><a href=\"#tag-{}\">{}</a></p>\n<ul>",
            escaped(name),
            escaped(&capitalized(name))
        );
        for Operation { method, path, described } in operations(openapi, name) {
            let _ = writeln!(
                out,
                "<li><a href=\"#{}\"><b class=\"{method}\">{}</b> {}</a></li>",
                escaped(text(described, &["operationId"])),
                method.to_uppercase(),
                breakable(path)
            );
        }
        out.push_str("</ul>\n");
    }
    out.push_str("<p><a href=\"#shapes\">Shapes</a></p>\n</nav>\n");
}

fn tags(openapi: &Value) -> &[Value] {
    openapi.get("tags").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// A path as markup that may be broken before each of its segments.
fn breakable(path: &str) -> String {
    escaped(path).replace('/', "<wbr>/")
}

struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    described: &'a Value,
}

/// The operations under a tag.
fn operations<'a>(openapi: &'a Value, tag: &str) -> Vec<Operation<'a>> {
    let paths = openapi.get("paths").and_then(Value::as_object);
    let all = paths.into_iter().flatten().flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.map(move |(method, described)| Operation { method, path, described })
    });
    all.filter(|operation| text(operation.described, &["tags", "0"]) == tag).collect()
}

fn write_operation(out: &mut String, openapi: &Value, operation: &Operation<'_>) {
    let Operation { method, path, described } = operation;
    let signed = match demands(described) {
        Demands::Nothing => "",
        Demands::Signature => " <span class=\"signed\">signed</span>",
        Demands::Either => " <span class=\"signed\">may be signed</span>",
    };
    let id = escaped(text(described, &["operationId"]));
    let _ = writeln!(
        out,
        "<h3 id=\"{id}\"><b class=\"{method}\">{}</b> {}{signed}</h3>",
        method.to_uppercase(),
        breakable(path)
    );
    let _ = writeln!(out, "<p>{}</p>", escaped(text(described, &["summary"])));
    write_about(out, described);
    let parameters = described.get("parameters").and_then(Value::as_array);
    if let Some(parameters) = parameters {
        out.push_str("<h4>Parameters</h4>\n<dl>\n");
        for parameter in parameters {
            let place = text(parameter, &["in"]);
            let schema = parameter.get("schema").unwrap_or(&Value::Null);
            let _ = writeln!(
                out,
                "<dt><code>{}</code> ({place}) {}</dt>",
                escaped(text(parameter, &["name"])),
                kind(schema)
            );
            let _ = writeln!(out, "<dd>{}</dd>", escaped(text(parameter, &["description"])));
        }
        out.push_str("</dl>\n");
    }
    if let Some(schema) = described.pointer("/requestBody/content/application~1json/schema") {
        let _ = writeln!(out, "<h4>Body {}</h4>", kind(schema));
        write_about(out, schema);
        write_members(out, schema);
    }
    let _ = writeln!(out, "<h4>Example</h4>\n<pre>{}</pre>", escaped(&curl(openapi, operation)));
    write_answers(out, openapi, described);
}

/// What an operation demands of its caller.
enum Demands {
    Nothing,
    Signature,
    Either,
}

fn demands(described: &Value) -> Demands {
    let security = described.get("security").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    match security {
        [] => Demands::Nothing,
        [_] => Demands::Signature,
        [_, _, ..] => Demands::Either,
    }
}

/// The request of an operation's example, as a command.
fn curl(openapi: &Value, operation: &Operation<'_>) -> String {
    let Operation { method, path, described } = operation;
    let (mut target, mut query) = ((*path).to_owned(), String::new());
    for parameter in described.get("parameters").and_then(Value::as_array).into_iter().flatten() {
        let Some(example) = parameter.get("example") else { continue };
        let value = example.as_str().map_or_else(|| example.to_string(), str::to_owned);
        let name = text(parameter, &["name"]);
        if text(parameter, &["in"]) == "path" {
            target = target.replace(&format!("{{{name}}}"), &value);
        } else {
            let _ = write!(query, "{}{name}={value}", if query.is_empty() { '?' } else { '&' });
        }
    }
    let mut command = format!("curl '{}{target}{query}'", text(openapi, &["servers", "0", "url"]));
    if let Demands::Signature | Demands::Either = demands(described) {
        command.push_str(
            " \\\n  -H \"X-Svc-Agent: $AGENT\" -H \"X-Svc-Challenge: $CHALLENGE\" \\\n  -H \"X-Svc-Signature: $SIGNATURE\"",
        );
    }
    if *method == "post" {
        let body = described.pointer("/requestBody/content/application~1json/example");
        let body = body.map_or_else(|| "{}".to_owned(), ToString::to_string).replace('\'', "'\\''");
        let _ = write!(command, " \\\n  -H 'Content-Type: application/json' \\\n  -d '{body}'");
    }
    command
}

/// The answers of an operation: what succeeds with its example, and what is refused by code.
fn write_answers(out: &mut String, openapi: &Value, described: &Value) {
    out.push_str("<h4>Answers</h4>\n");
    for (status, response) in members(described, &["responses"]) {
        let named = text(response, &["$ref"]).strip_prefix('#').and_then(|pointer| openapi.pointer(pointer));
        let response = named.unwrap_or(response);
        let codes = response.pointer("/content/application~1json/schema").map(codes).unwrap_or_default();
        if !codes.is_empty() {
            let _ = writeln!(
                out,
                "<details><summary><code>{}</code> {}</summary>\n<ul>",
                escaped(status),
                escaped(&codes.join(", "))
            );
            for line in text(response, &["description"]).lines() {
                let _ = writeln!(out, "<li>{}</li>", escaped(line.trim_start_matches("- ")));
            }
            out.push_str("</ul></details>\n");
            continue;
        }
        let content = members(response, &["content"]).map(|(media, content)| {
            let schema = content.get("schema").unwrap_or(&Value::Null);
            let inside = schema
                .pointer("/properties/data")
                .map_or_else(|| kind(schema), |data| format!("data: {}", kind(data)));
            format!("{} {inside}", escaped(media))
        });
        let content: Vec<String> = content.collect();
        let told = escaped(text(response, &["description"]));
        let _ = writeln!(out, "<p><code>{}</code> {told} {}</p>", escaped(status), content.join(", "));
        for (_, content) in members(response, &["content"]) {
            write_example(out, content);
        }
    }
}

fn write_example(out: &mut String, content: &Value) {
    if let Some(example) = content.get("example") {
        let pretty = || serde_json::to_string_pretty(example).unwrap_or_default();
        let shown = example.as_str().map_or_else(pretty, str::to_owned);
        let _ = writeln!(
            out,
            "<details><summary>Example of the answer</summary><pre>{}</pre></details>",
            escaped(&shown)
        );
    }
    let at = text(content, &["examples", "document", "externalValue"]);
    if !at.is_empty() {
        let _ = writeln!(out, "<p>For example <a href=\"{0}\">{0}</a>.</p>", escaped(at));
    }
}

/// The codes of the errors that a schema describes.
fn codes(schema: &Value) -> Vec<&str> {
    let words = schema.pointer("/properties/error/properties/code/enum").and_then(Value::as_array);
    let of_branches = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten().flat_map(codes);
    words.into_iter().flatten().filter_map(Value::as_str).chain(of_branches).collect()
}

fn write_about(out: &mut String, of: &Value) {
    let about = text(of, &["description"]);
    if !about.is_empty() {
        let _ = writeln!(out, "<p>{}</p>", escaped(about));
    }
}

/// The members of an object, each with its kind and what it means.
fn write_members(out: &mut String, schema: &Value) {
    let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut properties = members(schema, &["properties"]).peekable();
    if properties.peek().is_none() {
        return;
    }
    out.push_str("<dl>\n");
    for (name, member) in properties {
        let optional = if required.iter().any(|known| known == name) { "" } else { ", optional" };
        let _ = writeln!(out, "<dt><code>{}</code> {}{optional}</dt>", escaped(name), kind(member));
        let about = text(member, &["description"]);
        if !about.is_empty() {
            let _ = writeln!(out, "<dd>{}</dd>", escaped(about));
        }
    }
    out.push_str("</dl>\n");
}

/// What a value is, in a few words, with links to named shapes.
fn kind(schema: &Value) -> String {
    let reference = text(schema, &["$ref"]);
    if let Some(name) = reference.rsplit('/').next().filter(|name| !name.is_empty()) {
        return format!("<a class=\"type\" href=\"#{0}\">{0}</a>", escaped(name));
    }
    for several in ["oneOf", "anyOf"] {
        if let Some(cases) = schema.get(several).and_then(Value::as_array) {
            return cases.iter().map(kind).collect::<Vec<_>>().join(" or ");
        }
    }
    if let Some(fixed) = schema.get("const") {
        return format!("<span class=\"type\">{}</span>", escaped(&fixed.to_string()));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = words.iter().map(|word| escaped(&word.to_string())).collect();
        return format!("<span class=\"type\">{}</span>", words.join(" | "));
    }
    if let Some(items) = schema.get("items") {
        return format!("<span class=\"type\">list of</span> {}", kind(items));
    }
    let names: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    let bounds = [("minLength", "from"), ("maxLength", "to"), ("minimum", "from"), ("maximum", "to")];
    let mut told = names.join(" or ");
    for (bound, word) in bounds {
        if let Some(value) = schema.get(bound) {
            let _ = write!(told, " {word} {value}");
        }
    }
    format!("<span class=\"type\">{}</span>", escaped(&told))
}

fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    let found = path.iter().try_fold(value, |value, name| match name.parse::<usize>() {
        Ok(index) => value.get(index),
        Err(_) => value.get(name),
    });
    found.and_then(Value::as_str).unwrap_or_default()
}

fn members<'a>(value: &'a Value, path: &[&str]) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let found = path.iter().try_fold(value, |value, name| value.get(name)).and_then(Value::as_object);
    found.into_iter().flat_map(Map::iter)
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

/// The hash source of the element between `open` and `close`; `'none'` if there is no such element.
fn hash_of(html: &str, open: &str, close: &str) -> String {
    let inside = html.split_once(open).and_then(|(_, rest)| rest.split_once(close)).map(|(inside, _)| inside);
    inside.map_or_else(
        || "'none'".to_owned(),
        |text| format!("'sha256-{}'", BASE64.encode(Sha256::digest(text))),
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::described_hall;
    use super::*;
    use crate::endpoints::ALL;
    use crate::openapi::document;

    #[test]
    fn every_operation_and_schema_is_on_the_page_and_every_link_resolves() {
        let openapi = document(ALL, &described_hall());
        let page = Reference::of(&openapi);
        let mut wanted = 0;
        for (_, item) in members(&openapi, &["paths"]) {
            for (_, operation) in item.as_object().unwrap() {
                wanted += 1;
                let id = format!("<h3 id=\"{}\">", text(operation, &["operationId"]));
                assert_eq!(page.html.matches(&id).count(), 1, "{id}");
            }
        }
        assert!(wanted > 30, "{wanted}");
        for (name, _) in members(&openapi, &["components", "schemas"]) {
            assert_eq!(page.html.matches(&format!("<h3 id=\"{name}\">")).count(), 1, "{name}");
        }
        for link in page.html.split("href=\"#").skip(1) {
            let target = link.split('"').next().unwrap();
            assert!(page.html.contains(&format!("id=\"{target}\"")), "{target}");
        }
    }

    #[test]
    fn the_page_has_no_script_and_its_policy_allows_only_its_style() {
        let page = Reference::of(&document(ALL, &described_hall()));
        assert!(!page.html.contains("<script") && !page.html.contains(" style="));
        assert!(page.policy.starts_with("default-src 'none'; style-src 'sha256-"), "{}", page.policy);
        assert!(!page.policy.contains("unsafe") && !page.policy.contains("script-src"));
    }

    #[test]
    fn the_page_escapes_the_texts_of_the_document() {
        let openapi = serde_json::json!({
            "info": { "description": "<b>&\"" }, "tags": [{ "name": "t<", "description": "d" }],
            "paths": { "/<x>": { "get": { "operationId": "o", "tags": ["t<"], "summary": "s<i>", "responses": {} } } },
        });
        let page = Reference::of(&openapi).html;
        for markup in ["<b>&\"", "t<<", "/<x>", "s<i>"] {
            assert!(!page.contains(markup), "{markup}");
        }
        assert!(page.contains("/&lt;x&gt;") && page.contains("&lt;b&gt;&amp;&quot;"));
    }

    #[test]
    fn every_operation_shows_a_command_and_its_answers_by_status() {
        let openapi = document(ALL, &described_hall());
        let page = Reference::of(&openapi).html;
        let operations: usize =
            members(&openapi, &["paths"]).map(|(_, item)| item.as_object().unwrap().len()).sum();
        assert_eq!(page.matches("<pre>curl 'http").count(), operations);
        assert!(!page.contains("Failure4"), "names that only a program needs");
        assert!(page.contains("<code>409</code>") && page.contains("ALREADY_IN_LOBBY"));
        let shown = page.matches("Example of the answer").count() + page.matches("For example <a").count();
        assert!(shown >= operations, "{shown} of {operations}");
    }
}
