//! An agent in full control of every byte it signs and sends.

use crate::envelope::MARK;
use crate::hall::Hall;
use crate::http::{Reply, Request};
use hall_wire::json::canonical;
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Digest};
use serde_json::{Value, json};

/// A handle with its key. The operator is named by its token.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The handle; it contains [`MARK`].
    pub handle: String,
    /// The key, made from the handle.
    pub key: PrivateKey,
    /// The secret that names the operator.
    pub operator_token: String,
}

/// A signed request before it is signed: every part may be made wrong.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What is sent: method.
    pub method: String,
    /// What is sent: path and query.
    pub target: String,
    /// What is sent: the body of a POST.
    pub body: Option<Vec<u8>>,
    /// What is sent: the handle in the header.
    pub handle: String,
    /// What is sent: the challenge in the header.
    pub challenge: String,
    /// What is signed: the handle.
    pub signed_handle: String,
    /// What is signed: the challenge.
    pub signed_challenge: String,
    /// What is signed: the method.
    pub signed_method: String,
    /// What is signed: the path.
    pub signed_path: String,
    /// What is signed: the body whose hash is appended.
    pub signed_body: Option<Vec<u8>>,
    /// The prefix of the message.
    pub prefix: String,
    /// Who signs.
    pub key: PrivateKey,
}

impl Agent {
    /// The agent with this short name and its own operator.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self::of_operator(name, &format!("secret-canary-of-{name}"))
    }

    /// The agent with this short name, whose operator has this token.
    #[must_use]
    pub fn of_operator(name: &str, token: &str) -> Self {
        let handle = format!("{name}-{MARK}");
        let key = PrivateKey::from_seed(Digest::of(format!("key of {name}").as_bytes()).as_bytes());
        Self { handle, key, operator_token: token.to_owned() }
    }

    /// The agent's identifier, `a_…`.
    #[must_use]
    pub fn id(&self) -> String {
        AgentId::of_key(&self.key.public()).to_string()
    }

    /// The body of its registration.
    #[must_use]
    pub fn registration(&self) -> Value {
        json!({
            "handle": self.handle,
            "model_id": format!("model {MARK} <b>&\"'"),
            "pubkey": self.key.public().to_string(),
            "operator_token": self.operator_token,
            "adapter_kind": "scaffold",
            "operator_name": format!("operator {MARK} of {}", self.handle),
        })
    }

    /// The body of its homologation in the season that is open.
    #[must_use]
    pub fn filing(&self, division: &str) -> Value {
        json!({
            "season_id": "current",
            "division": division,
            "model_id": format!("model {MARK} filed"),
            "adapter_kind": "api",
            "endpoint_url": format!("https://{MARK}.example/agent"),
            "system_prompt_sha256": "0".repeat(64),
            "config_sha256": "f".repeat(64),
            "tool_access": "pure",
        })
    }

    /// Where it files its homologation.
    #[must_use]
    pub fn homologate_path(&self) -> String {
        format!("/api/agents/{}/homologate", self.id())
    }

    /// A request to be signed with `challenge`, correct in every part.
    #[must_use]
    pub fn draft(&self, challenge: &str, method: &str, target: &str, body: Option<&[u8]>) -> Draft {
        let path = target.split('?').next().unwrap().to_owned();
        Draft {
            method: method.to_owned(),
            target: target.to_owned(),
            body: body.map(<[u8]>::to_vec),
            handle: self.handle.clone(),
            challenge: challenge.to_owned(),
            signed_handle: self.handle.clone(),
            signed_challenge: challenge.to_owned(),
            signed_method: method.to_owned(),
            signed_path: path,
            signed_body: body.map(<[u8]>::to_vec),
            prefix: "svc.auth.v1".to_owned(),
            key: self.key.clone(),
        }
    }

    /// Attaches the body signature of a move, made for `game` and `turn_index`, whatever the body says.
    #[must_use]
    pub fn sign_move(&self, mut body: Value, game: &str, turn_index: u64) -> Value {
        let digest = Digest::of(canonical(&body).as_bytes());
        let message = format!("svc.move.v1:{game}:{turn_index}:{digest}");
        body["signature"] = self.key.sign(message.as_bytes()).to_string().into();
        body
    }
}

impl Draft {
    /// The text that is signed.
    #[must_use]
    pub fn message(&self) -> String {
        let mut text = format!(
            "{}:{}:{}:{}:{}",
            self.prefix, self.signed_handle, self.signed_challenge, self.signed_method, self.signed_path
        );
        if let Some(body) = &self.signed_body {
            text.push_str(&format!(":{}", Digest::of(body)));
        }
        text
    }

    /// Signs and returns the request.
    #[must_use]
    pub fn request(&self) -> Request {
        let signature = self.key.sign(self.message().as_bytes()).to_string();
        let mut request = Request::new(&self.method, &self.target)
            .with("X-Svc-Agent", &self.handle)
            .with("X-Svc-Challenge", &self.challenge)
            .with("X-Svc-Signature", &signature);
        if self.body.is_some() {
            request = request.with("Content-Type", "application/json");
        }
        request.body.clone_from(&self.body);
        request
    }
}

impl Hall {
    /// Gets a challenge for a handle.
    #[must_use]
    pub fn challenge(&self, handle: &str) -> String {
        let data = self.get(&format!("/api/auth/challenge?agent={handle}")).data();
        let challenge = data["challenge"].as_str().unwrap().to_owned();
        assert!(Challenge::parse(&challenge).is_some(), "{challenge}");
        challenge
    }

    /// A request with a fresh challenge, correct in every part.
    #[must_use]
    pub fn draft(&self, agent: &Agent, method: &str, target: &str, body: Option<&[u8]>) -> Draft {
        agent.draft(&self.challenge(&agent.handle), method, target, body)
    }

    /// A signed GET.
    #[must_use]
    pub fn ask(&self, agent: &Agent, target: &str) -> Reply {
        self.send(&self.draft(agent, "GET", target, None).request())
    }

    /// A signed POST.
    #[must_use]
    pub fn post(&self, agent: &Agent, target: &str, body: &Value) -> Reply {
        self.post_bytes(agent, target, body.to_string().as_bytes())
    }

    /// A signed POST of exactly these bytes.
    #[must_use]
    pub fn post_bytes(&self, agent: &Agent, target: &str, body: &[u8]) -> Reply {
        self.send(&self.draft(agent, "POST", target, Some(body)).request())
    }

    /// Registers an agent with this short name and its own operator.
    #[must_use]
    pub fn register(&self, name: &str) -> Agent {
        let agent = Agent::new(name);
        self.admit(&agent);
        agent
    }

    /// Registers an agent.
    pub fn admit(&self, agent: &Agent) {
        let data = self.post(agent, "/api/agents", &agent.registration()).data();
        assert_eq!(data["agent_id"], agent.id());
    }

    /// Registers an agent and files its homologation in both divisions.
    #[must_use]
    pub fn enter(&self, name: &str) -> Agent {
        let agent = self.register(name);
        self.homologate(&agent);
        agent
    }

    /// Files an agent's homologation in both divisions.
    pub fn homologate(&self, agent: &Agent) {
        for division in ["open", "pure"] {
            let filed = self.post(agent, &agent.homologate_path(), &agent.filing(division));
            assert_eq!(filed.data()["division"], division);
        }
    }

    /// Joins the lobby of chess in a division.
    #[must_use]
    pub fn join(&self, agent: &Agent, division: &str) -> Reply {
        self.join_game(agent, "chess", division)
    }

    /// Joins the lobby of a game in a division.
    #[must_use]
    pub fn join_game(&self, agent: &Agent, game: &str, division: &str) -> Reply {
        self.post(agent, "/api/lobby/join", &json!({ "game": game, "division": division }))
    }

    /// The caller's pulse entries.
    #[must_use]
    pub fn waiting_on(&self, agent: &Agent) -> Vec<Value> {
        self.ask(agent, "/api/pulse").data()["waiting_on_you"].as_array().unwrap().clone()
    }
}
