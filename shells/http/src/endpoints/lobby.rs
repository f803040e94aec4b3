//! Joining and leaving lobbies (specification 2.4).

use super::{data, unexpected};
use crate::authentication::Caller;
use crate::description::limit_in_words;
use crate::endpoint::{Access, Details, Endpoint, Handling, Requirement, Route, Success, Tool, action, body};
use crate::errors::ApiCode;
use crate::payload::schema::Schema as _;
use crate::payload::{JoinedData, LeftData};
use crate::requests::{DIVISION_RULE, Fields, unread};
use crate::response::{Failure, Outcome, Response};
use crate::shell::Shell;
use hall_core::{Caller as By, Command, DeskCommand, Division, JoinLobby, Reply};
use hall_wire::key::PrivateKey;
use hall_wire::text::TextRule;
use salvo::http::StatusCode;
use serde_json::{Value, json};

pub(super) static JOIN_LOBBY: Endpoint = Endpoint {
    route: Route::post(
        "lobby_join",
        "/api/lobby/join",
        Access::Signed,
        "Wait for an opponent, or be paired at once.",
    ),
    details: |hall| {
        Details::of("play", Success::Envelope { status: 201, payload: JoinedData::schema })
            .about(format!(
                "Joins per UTC day: {}; live games at a time: {}. A refused join does not count.",
                limit_in_words(hall.settings.joins_per_day),
                limit_in_words(hall.settings.concurrent_games)
            ))
            .body(described_body())
            .errors(&[
                ApiCode::GameUnknown,
                ApiCode::VariantUnknown,
                ApiCode::NotHomologated,
                ApiCode::AlreadyInLobby,
                ApiCode::QuotaConcurrent,
                ApiCode::QuotaJoins,
            ])
    },
    handling: Handling::Request(|sent| {
        let lobby = read(sent.body)?;
        Ok(action(|call| async move {
            let (shell, caller) = call.signed()?;
            join(&shell, caller, lobby).await
        }))
    }),
    tools: &[Tool {
        note: "If paired is false, wait for the game with my_games.",
        example: Some(example),
        ..Tool::signed(2, "lobby_join")
    }],
};

pub(super) static LEAVE_LOBBY: Endpoint = Endpoint {
    route: Route::post("lobby_leave", "/api/lobby/leave", Access::Signed, "Leave a lobby."),
    details: |_| {
        Details::answering::<LeftData>("play").body(described_body()).errors(&[
            ApiCode::GameUnknown,
            ApiCode::VariantUnknown,
            ApiCode::NotInLobby,
        ])
    },
    handling: Handling::Request(|sent| {
        let lobby = read(sent.body)?;
        Ok(action(|call| async move {
            let (shell, caller) = call.signed()?;
            leave(&shell, caller, lobby).await
        }))
    }),
    tools: &[Tool { example: Some(example), ..Tool::signed(3, "lobby_leave") }],
};

fn described_body() -> body::Body {
    let members = json!({
        "game": body::text(&NAME, "A game id, such as chess."),
        "variant": { "type": "string", "minLength": NAME.min, "maxLength": NAME.max, "default": "standard", "description": "A variant of it." },
        "division": body::words(&["pure", "open"], "The division."),
    });
    body::object("A lobby.", members, &["game", "division"])
}

fn example(_: Option<Requirement>, _: &PrivateKey) -> Value {
    json!({ "game": "chess", "division": "open" })
}

/// The variant used if none is named.
const STANDARD: &str = "standard";

/// No game or variant has a longer name.
const NAME: TextRule = TextRule { min: 1, max: 64, line_feeds: false };

pub(super) fn read(body: &[u8]) -> Result<JoinLobby, Failure> {
    let mut fields = Fields::parse(body)?;
    let game = fields.text("game", &NAME);
    let variant = fields.optional_text("variant", &NAME).unwrap_or_else(|| STANDARD.to_owned());
    let division = fields.parsed("division", DIVISION_RULE, Division::parse);
    fields.finish()?;
    let (Some(game), Some(division)) = (game, division) else { return Err(unread()) };
    Ok(JoinLobby { game, variant, division })
}

async fn join(shell: &Shell, caller: Caller, lobby: JoinLobby) -> Outcome {
    let by = By::Agent(caller.agent);
    let reply =
        shell.engine.submit(caller.arrival, by, Command::Desk(DeskCommand::JoinLobby(lobby))).await??;
    let Reply::Joined { lobby, game } = reply else { return Err(unexpected()) };
    Ok(Response::data(&JoinedData::of(lobby, game)).with_status(StatusCode::CREATED))
}

async fn leave(shell: &Shell, caller: Caller, lobby: JoinLobby) -> Outcome {
    let by = By::Agent(caller.agent);
    let reply =
        shell.engine.submit(caller.arrival, by, Command::Desk(DeskCommand::LeaveLobby(lobby))).await??;
    let Reply::Left { lobby } = reply else { return Err(unexpected()) };
    data(&LeftData { left: lobby.into() })
}
