//! Starter agents: two complete ones without a package, and a minimal one for each client package.
//!
//! The commands run as printed, one after the other, in an empty folder: `tests/interop/cold_start.py` takes them from
//! here and runs them.

use crate::description::HallDescription;
use serde_json::{Value, json};

/// The address in the printed agents.
const PRINTED_ADDRESS: &str = "http://127.0.0.1:8080";

/// A whole agent in Python without a package of the hall.
pub(super) fn python(hall: &HallDescription) -> Value {
    let base = &hall.base_url;
    json!({
        "language": "Python 3, with the package cryptography",
        "about": "A whole agent that plays random moves. Start it twice with different tokens and it plays itself.",
        "commands": [
            "python3 -m venv venv",
            "venv/bin/pip install cryptography",
            format!(
                "curl -s {base}/api/playbook | venv/bin/python -c 'import json, sys; \
                 print(json.load(sys.stdin)[\"data\"][\"example\"][\"source\"])' > random_agent.py"
            ),
            format!("venv/bin/python random_agent.py {base} my-example-agent my-example-agent.key 'a secret that you invent'"),
        ],
        "source": include_str!("random_agent.py"),
    })
}

/// A whole agent in JavaScript without any package.
pub(super) fn javascript(hall: &HallDescription) -> Value {
    let base = &hall.base_url;
    json!({
        "language": "JavaScript, Node 18 or later, without packages",
        "about": "The same agent as example.",
        "commands": [
            format!(
                "node -e 'fetch(\"{base}/api/playbook\").then((answer) => answer.json()).then(({{ data }}) => \
                 console.log(data.example_javascript.source))' > random_agent.mjs"
            ),
            format!("node random_agent.mjs {base} my-javascript-agent my-javascript-agent.pem 'a secret that you invent'"),
        ],
        "source": include_str!("random_agent.mjs"),
    })
}

/// The chapter about client packages.
pub(super) fn chapter(hall: &HallDescription) -> Value {
    let agent = |source: &str| source.replace(PRINTED_ADDRESS, &hall.base_url);
    json!({
        "about": "No package is needed: example and example_javascript are whole agents, with the commands that run them in an \
                  empty folder. Client packages do the tedious parts: keys bound to one hall, signatures, challenges, bounded \
                  retries, lost answers, the pace of the request limit, and a loop that plays. You write choose.",
        "where": "In the folder shells/client of the source repository of the hall's software, which the operator of a hall can \
                  name; they are in no package registry. HALL in the commands is the folder of that repository. Under MIT OR \
                  Apache-2.0, at your choice.",
        "how": "In an empty folder: save agent as file (replace what is there), and run commands one after the other. Replace the \
                printed handle with your own.",
        "key_files": "One format for all of them and for hall agent. Agents of one operator share an operator token, so that \
                      they are never paired with each other; a new key file gets a new token.",
        "packages": [
            {
                "language": "Python 3.10 or later",
                "package": "hall_agent",
                "folder": "shells/client/python",
                "commands": [
                    "python3 -m venv venv",
                    "venv/bin/pip install \"$HALL/shells/client/python\"",
                    "venv/bin/python agent.py",
                ],
                "file": "agent.py",
                "agent": agent(include_str!("package_agent.py")),
            },
            {
                "language": "JavaScript and TypeScript: Node 20 or later, Deno, Bun",
                "package": "hall-agent",
                "folder": "shells/client/typescript",
                "commands": [
                    "npm --prefix \"$HALL/shells/client/typescript\" run build",
                    "npm init --yes",
                    "npm install \"$HALL/shells/client/typescript\"",
                    "node agent.mjs",
                ],
                "in_typescript": "Name it agent.mts and write ({ view }: Turn), with type Turn from hall-agent. Bun, Deno and \
                                  tsx run it as it is.",
                "file": "agent.mjs",
                "agent": agent(include_str!("package_agent.mjs")),
            },
            {
                "language": "Rust 1.95 or later",
                "package": "hall-client",
                "folder": "shells/client/rust",
                "commands": [
                    "cargo init --name my-rust-agent",
                    "cargo add --path \"$HALL/shells/client/rust\"",
                    "cargo add tokio --features macros,rt-multi-thread,signal",
                    "cargo run",
                ],
                "dependencies": "hall-client = { path = \"HALL/shells/client/rust\" }\n\
                                 tokio = { version = \"1\", features = [\"macros\", \"rt-multi-thread\", \"signal\"] }",
                "file": "src/main.rs",
                "agent": agent(include_str!("package_agent.rs")),
            },
        ],
        "a_language_model": {
            "about": "The Python package lets a language model play, over any OpenAI-compatible chat endpoint. The model sees \
                      the rules, the board and the list of legal moves; only legal moves are sent. After two useless answers, or \
                      when time runs out, it plays a random one. It prints the tokens of each game.",
            "command": format!(
                "venv/bin/python -m hall_agent.language_model {} my-model-agent --endpoint http://127.0.0.1:11434/v1 --model llama3.1",
                hall.base_url
            ),
            "key": "The API key is read from the environment variable OPENAI_API_KEY, or the one that --key-variable names.",
            "files": "model_id is the model's name; system_prompt_sha256 and config_sha256 are the hashes of its system prompt and \
                      settings, so a different prompt or temperature is a different contestant.",
        },
        "over_mcp": "A chat client that cannot sign needs none of these: see mcp.without_a_key.",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::testing::described_hall;

    const OVERVIEW: &str = include_str!("../../../../client/README.md");
    const READMES: [&str; 3] = [
        include_str!("../../../../client/python/README.md"),
        include_str!("../../../../client/typescript/README.md"),
        include_str!("../../../../client/rust/README.md"),
    ];

    #[test]
    fn packages_are_installed_and_used_as_their_readmes_say() {
        let mut hall = described_hall();
        hall.base_url = PRINTED_ADDRESS.to_owned();
        let chapter = chapter(&hall);
        let packages = chapter["packages"].as_array().unwrap();
        assert_eq!(packages.len(), READMES.len());
        for (package, readme) in packages.iter().zip(READMES) {
            let agent = package["agent"].as_str().unwrap();
            let commands = package["commands"].as_array().unwrap().iter();
            let console: String =
                commands.map(|command| format!("$ {}\n", command.as_str().unwrap())).collect();
            for text in [readme, OVERVIEW] {
                assert!(text.contains(&format!("\n```console\n{console}```\n")), "{console}");
                assert!(text.contains(&format!("\n{agent}```\n")), "{agent}");
            }
        }
    }

    #[test]
    fn every_printed_agent_and_command_is_for_this_hall() {
        let hall = described_hall();
        let texts = [python(&hall), javascript(&hall), chapter(&hall)].map(|text| text.to_string());
        assert!(texts.iter().all(|text| !text.contains(PRINTED_ADDRESS)));
        assert_eq!(texts.map(|text| text.matches("https://hall.example").count()), [2, 2, 4]);
    }
}
