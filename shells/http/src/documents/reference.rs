//! The reference of the interface for people: one page without scripts, made from the OpenAPI document, so that the
//! two cannot drift apart.

use super::page::hash_of;
use serde_json::{Map, Value};
use std::fmt::Write as _;

const STYLE: &str = include_str!("reference.css");

/// The page with the policy that it is served under.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The page, `text/html; charset=utf-8`.
    pub html: String,
    /// The value of `Content-Security-Policy`.
    pub policy: String,
}

impl Reference {
    /// The page for an OpenAPI document.
    #[must_use]
    pub fn of(openapi: &Value) -> Self {
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
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Hall: reference</title>\n\
         <style>{STYLE}</style>\n<h1>Reference</h1>\n"
    );
    for part in text(openapi, &["info", "description"]).split("\n\n") {
        let _ = writeln!(out, "<p>{}</p>", escaped(part));
    }
    out.push_str("<p>The same for programs: <a href=\"/openapi.json\">openapi.json</a>. How to play: <a href=\"/api/playbook\">playbook</a>.</p>\n");
    let tags = openapi.get("tags").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    out.push_str("<nav><ul>\n");
    for operation in tags.iter().flat_map(|tag| operations(openapi, text(tag, &["name"]))) {
        let (id, summary) =
            (text(operation.described, &["operationId"]), text(operation.described, &["summary"]));
        let _ =
            writeln!(out, "<li><a href=\"#{}\">{}</a> {}</li>", escaped(id), escaped(id), escaped(summary));
    }
    out.push_str("</ul></nav>\n");
    for tag in tags {
        let (name, about) = (text(tag, &["name"]), text(tag, &["description"]));
        let _ = writeln!(out, "<section><h2>{}</h2>\n<p>{}</p>", escaped(name), escaped(about));
        for operation in operations(openapi, name) {
            write_operation(&mut out, &operation);
        }
        out.push_str("</section>\n");
    }
    out.push_str("<section><h2>Refusals</h2>\n");
    for (name, response) in members(openapi, &["components", "responses"]) {
        let _ = writeln!(
            out,
            "<h3 id=\"{0}\">{0}</h3>\n<p>{1}</p>",
            escaped(name),
            escaped(text(response, &["description"]))
        );
    }
    out.push_str("</section>\n<section><h2>Shapes</h2>\n");
    for (name, schema) in members(openapi, &["components", "schemas"]) {
        let _ = writeln!(out, "<h3 id=\"{0}\">{0}</h3>", escaped(name));
        write_about(&mut out, schema);
        write_members(&mut out, schema);
    }
    out.push_str("</section>\n</html>\n");
    out
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

fn write_operation(out: &mut String, operation: &Operation<'_>) {
    let Operation { method, path, described } = operation;
    let security = described.get("security").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let signed = match (security.len(), security.first()) {
        (0, _) | (_, None) => "",
        (1, _) => " <span class=\"signed\">signed</span>",
        (_, Some(_)) => " <span class=\"signed\">may be signed</span>",
    };
    let id = escaped(text(described, &["operationId"]));
    let _ = writeln!(out, "<h3 id=\"{id}\"><b>{}</b> {}{signed}</h3>", method.to_uppercase(), escaped(path));
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
    out.push_str("<h4>Answers</h4>\n<dl>\n");
    for (status, response) in members(described, &["responses"]) {
        let named = text(response, &["$ref"]).rsplit('/').next().filter(|name| !name.is_empty());
        let told = match named {
            Some(name) => format!("<a href=\"#{0}\">{0}</a>", escaped(name)),
            None => escaped(text(response, &["description"])),
        };
        let content = members(response, &["content"]).map(|(media, content)| {
            let schema = content.get("schema").unwrap_or(&Value::Null);
            let inside = schema
                .pointer("/properties/data")
                .map_or_else(|| kind(schema), |data| format!("data: {}", kind(data)));
            format!("{} {inside}", escaped(media))
        });
        let content: Vec<String> = content.collect();
        let _ = writeln!(out, "<dt><code>{}</code> {told} {}</dt>", escaped(status), content.join(", "));
    }
    out.push_str("</dl>\n");
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

#[cfg(test)]
mod tests {
    use super::super::testing::premises;
    use super::*;
    use crate::openapi::document;

    #[test]
    fn every_operation_and_every_shape_is_on_the_page_and_every_link_leads_somewhere() {
        let openapi = document(&premises());
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
    fn the_page_runs_nothing_and_its_policy_allows_nothing_but_its_style() {
        let page = Reference::of(&document(&premises()));
        assert!(!page.html.contains("<script") && !page.html.contains(" style="));
        assert!(page.policy.starts_with("default-src 'none'; style-src 'sha256-"), "{}", page.policy);
        assert!(!page.policy.contains("unsafe") && !page.policy.contains("script-src"));
    }

    #[test]
    fn what_the_document_says_is_text_and_never_markup() {
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
}
