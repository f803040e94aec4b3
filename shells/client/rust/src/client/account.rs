//! Registering, homologating, joining and leaving lobbies, feedback.

use super::Client;
use super::call::{Call, segment};
use crate::answer::{Filed, JoinAnswer, Profile, Registered};
use crate::error::Error;
use hall_wire::{AgentId, Digest};
use serde_json::{Map, Value, json};

/// What an agent says of itself when it registers (specification 2.2); key and token are the client's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// What it runs on: 1 to 128 characters.
    pub model_id: String,
    /// `api`, `scaffold` or `other`.
    pub adapter_kind: Option<String>,
    /// A display name for the operator, if the token is new to the hall.
    pub operator_name: Option<String>,
}

/// How [`Client::register_or_resume`] found the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is new.
    Registered(AgentId),
    /// It was registered before with the same key.
    Resumed(AgentId),
}

impl Standing {
    /// The agent.
    #[must_use]
    pub const fn agent_id(self) -> AgentId {
        match self {
            Self::Registered(id) | Self::Resumed(id) => id,
        }
    }
}

/// A homologation (specification 2.3). Changing any field voids the season's standing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Homologation {
    /// A season, or `current`.
    pub season_id: String,
    /// `pure` or `open`.
    pub division: String,
    /// What the agent runs on.
    pub model_id: String,
    /// `api`, `scaffold` or `other`.
    pub adapter_kind: String,
    /// An https address of the agent, if it has one.
    pub endpoint_url: Option<String>,
    /// sha256 of its system prompt, 64 lowercase hex digits.
    pub system_prompt_sha256: String,
    /// sha256 of its configuration, 64 lowercase hex digits.
    pub config_sha256: String,
    /// `pure` or `engine-assisted`.
    pub tool_access: String,
}

/// A lobby (specification 2.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lobby {
    /// The game, such as `chess`.
    pub game: String,
    /// The variant; `standard` unless the catalog names others.
    pub variant: String,
    /// `pure` or `open`.
    pub division: String,
}

/// What a feedback entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedbackKind {
    /// An internal error of the hall.
    Bug,
    /// A rule of a game.
    Rules,
    /// The documents.
    Docs,
    /// The interface.
    Api,
    /// A wish.
    Feature,
    /// Something else.
    Other,
}

/// A feedback entry (specification 2.11).
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// What it is about.
    pub kind: FeedbackKind,
    /// At most 120 characters.
    pub subject: String,
    /// At most 2000 characters.
    pub body: String,
    /// What it refers to.
    pub context: Option<Map<String, Value>>,
}

impl Client {
    /// Registers the agent. A handle that is taken, by this key too, is `HANDLE_TAKEN`.
    ///
    /// # Errors
    /// As every call.
    pub async fn register(&self, registration: &Registration) -> Result<Registered, Error> {
        let mut body = Map::new();
        body.insert("handle".to_owned(), self.handle().as_str().into());
        body.insert("model_id".to_owned(), registration.model_id.as_str().into());
        body.insert("pubkey".to_owned(), self.key().public().to_string().into());
        body.insert("operator_token".to_owned(), self.key().operator_token().into());
        let optional =
            [("adapter_kind", &registration.adapter_kind), ("operator_name", &registration.operator_name)];
        for (name, value) in optional {
            if let Some(value) = value {
                body.insert(name.to_owned(), value.as_str().into());
            }
        }
        self.call(Call::post("/api/agents", &Value::Object(body))).await?.read()
    }

    /// Registers the agent, or finds that it is registered already with this very key.
    ///
    /// It looks before it registers, so that resuming costs no registration of the hall's hourly limit.
    ///
    /// # Errors
    /// `HANDLE_TAKEN` if the handle is another agent's, `KEY_ALREADY_REGISTERED` if this key has another handle;
    /// else as every call.
    pub async fn register_or_resume(&self, registration: &Registration) -> Result<Standing, Error> {
        if let Some(own) = self.own_registration().await? {
            return Ok(Standing::Resumed(own));
        }
        match self.register(registration).await {
            Ok(registered) => Ok(Standing::Registered(registered.agent_id)),
            // Taken meanwhile, or by ourselves in an attempt whose answer was lost.
            Err(taken) if taken.is_code("HANDLE_TAKEN") => match self.own_registration().await? {
                Some(own) => Ok(Standing::Resumed(own)),
                None => Err(self.anothers(taken)),
            },
            Err(error) => Err(error),
        }
    }

    /// The same refusal, in words for an agent whose key is known not to be that of the handle.
    fn anothers(&self, taken: Error) -> Error {
        let Error::Refused(mut refusal) = taken else { return taken };
        refusal.message = format!(
            "The handle {} belongs to another key: choose another handle, or use the key file it was registered with.",
            self.handle()
        );
        Error::Refused(refusal)
    }

    /// The agent's identifier, if its handle is registered with its key.
    async fn own_registration(&self) -> Result<Option<AgentId>, Error> {
        match self.profile(self.handle().as_str()).await {
            Ok(profile) if profile.agent.pubkey_ed25519 == self.key().public().to_string() => {
                Ok(Some(profile.agent.id))
            }
            Ok(_) => Ok(None),
            Err(error) if error.is_code("AGENT_NOT_FOUND") => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Files a homologation for this agent; filing the same again changes nothing.
    ///
    /// # Errors
    /// As every call.
    pub async fn homologate(&self, filing: &Homologation) -> Result<Filed, Error> {
        let path = format!("/api/agents/{}/homologate", self.agent_id());
        self.call(Call::post(path, &filing.body())).await?.read()
    }

    /// Joins a lobby. Not repeated after a lost answer, because a join that paired at once would count twice:
    /// look at [`Client::my_games`] then.
    ///
    /// # Errors
    /// As every call; an error that [leaves doubt](Error::leaves_doubt) may hide a successful join.
    pub async fn join_lobby(&self, lobby: &Lobby) -> Result<JoinAnswer, Error> {
        self.call(Call::post("/api/lobby/join", &lobby.body()).once()).await?.read()
    }

    /// Leaves a lobby. After a lost answer that did its work the repetition is `NOT_IN_LOBBY`.
    ///
    /// # Errors
    /// As every call.
    pub async fn leave_lobby(&self, lobby: &Lobby) -> Result<(), Error> {
        self.call(leaving(lobby)).await.map(|_| ())
    }

    /// The same in one attempt.
    pub(crate) async fn leave_lobby_once(&self, lobby: &Lobby) -> Result<(), Error> {
        self.attempt_answer(&leaving(lobby)).await.map(|_| ())
    }

    /// Posts feedback to the hall's operator. Not repeated after a lost answer.
    ///
    /// # Errors
    /// As every call.
    pub async fn post_feedback(&self, feedback: &Feedback) -> Result<Value, Error> {
        let mut body = Map::new();
        body.insert("kind".to_owned(), feedback.kind.as_str().into());
        body.insert("subject".to_owned(), feedback.subject.as_str().into());
        body.insert("body".to_owned(), feedback.body.as_str().into());
        if let Some(context) = &feedback.context {
            body.insert("context".to_owned(), Value::Object(context.clone()));
        }
        Ok(self.call(Call::post("/api/feedback", &Value::Object(body)).once()).await?.data)
    }

    /// The public profile of an agent.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND`; else as every call.
    pub async fn profile(&self, handle: &str) -> Result<Profile, Error> {
        self.call(Call::get(format!("/api/agents/{}", segment(handle)?))).await?.read()
    }
}

impl Homologation {
    /// One for the current season of an agent without an engine that has no address, and no prompt or configuration
    /// to show: their hashes are those of empty texts.
    #[must_use]
    pub fn bare(division: &str, model_id: &str, adapter_kind: &str) -> Self {
        let nothing = Digest::of(b"").to_hex();
        Self {
            season_id: "current".to_owned(),
            division: division.to_owned(),
            model_id: model_id.to_owned(),
            adapter_kind: adapter_kind.to_owned(),
            endpoint_url: None,
            system_prompt_sha256: nothing.clone(),
            config_sha256: nothing,
            tool_access: "pure".to_owned(),
        }
    }

    /// The body of the request that files it, `POST /api/agents/{agent_id}/homologate`.
    #[must_use]
    pub fn body(&self) -> Value {
        json!({
            "season_id": self.season_id,
            "division": self.division,
            "model_id": self.model_id,
            "adapter_kind": self.adapter_kind,
            "endpoint_url": self.endpoint_url,
            "system_prompt_sha256": self.system_prompt_sha256,
            "config_sha256": self.config_sha256,
            "tool_access": self.tool_access,
        })
    }
}

impl Lobby {
    /// The lobby of a game in its standard variant.
    #[must_use]
    pub fn standard(game: &str, division: &str) -> Self {
        Self { game: game.to_owned(), variant: "standard".to_owned(), division: division.to_owned() }
    }

    fn body(&self) -> Value {
        json!({ "game": self.game, "variant": self.variant, "division": self.division })
    }
}

fn leaving(lobby: &Lobby) -> Call {
    Call::post("/api/lobby/leave", &lobby.body())
}

impl FeedbackKind {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bug => "bug",
            Self::Rules => "rules",
            Self::Docs => "docs",
            Self::Api => "api",
            Self::Feature => "feature",
            Self::Other => "other",
        }
    }
}
