//! Moves, the request that all others serve (specification 2.9).

use super::{archived_room, data, in_background_with, unexpected};
use crate::authentication::Caller;
use crate::description::HallDescription;
use crate::endpoint::{
    Access, Details, Endpoint, Handling, LegalMovesAt, Requirement, Route, Sent, Tool, action, body,
};
use crate::errors::ApiCode;
use crate::payload::MoveData;
use crate::refusals::{bad_signature, out_of_turn};
use crate::requests::{Fields, single_problem, unread};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::limits::BEACON_WAIT;
use hall_core::{
    Caller as By, Choice, Command, MoveSubmission, Rejection, Reply, RoomCommand, RoomRejection, RoomReply,
    SignatureCheck, SignedBody,
};
use hall_wire::json::{Map, Value, canonical};
use hall_wire::key::PrivateKey;
use hall_wire::text::COMMENTARY;
use hall_wire::{AgentId, Digest, GameId, Notation, Signature, message};
use serde_json::json;
use std::sync::Arc;

pub(super) static MOVE: Endpoint = Endpoint {
    route: Route::post(
        "move",
        "/api/games/{id}/moves",
        Access::Signed,
        "Move, resign, offer or accept a draw.",
    ),
    details: |_| {
        Details::answering::<MoveData>("play")
        .about(format!(
            "Signed twice: the request in its headers, and the body in its field signature. Exactly one move is accepted \
             per turn. If the answer is lost, send the same body again with a fresh challenge, or read the view: \
             data.your_last of the refusal says what was taken. The answer to a third illegal move may be held for \
             {} s, until the beacon's round is known.",
            HallDescription::seconds(BEACON_WAIT)
        ))
        .body(described_body())
        .errors(&[
            ApiCode::GameIdMismatch,
            ApiCode::GameNotFound,
            ApiCode::NotSeated,
            ApiCode::GameNotLive,
            ApiCode::WrongTurn,
            ApiCode::IllegalMove,
            ApiCode::NoDrawOffer,
        ])
    },
    handling: Handling::Request(|sent| {
        let asked = read(&sent.param(), sent.body)?;
        check_requirement(&sent, &asked)?;
        Ok(action(|call| async move {
            let (shell, caller) = call.signed()?;
            submit(&shell, caller, asked).await
        }))
    }),
    tools: &[
        Tool {
            note: "The third illegal move in a turn is a strike. If the answer is lost, send the same body with a fresh challenge.",
            ..tool(8, "move")
        },
        Tool {
            summary: Some("Resign a game, on your turn."),
            requirement: Some(Requirement::Resign),
            is_destructive: true,
            ..tool(9, "resign")
        },
        Tool {
            summary: Some("Make a move and offer a draw with it, or accept the opponent's offer."),
            requirement: Some(Requirement::DrawOffer),
            ..tool(10, "offer_draw")
        },
    ],
};

const fn tool(place: u8, name: &'static str) -> Tool {
    Tool {
        legal_moves: Some(LegalMovesAt::Data),
        body_signature: Some(
            "body.signature: svc.move.v1:GAME_ID:TURN_INDEX:SHA256HEX(canonicalJson(body without signature))",
        ),
        example: Some(example),
        ..Tool::signed(place, name)
    }
}

/// Fails unless the body matches the tool that was called.
fn check_requirement(sent: &Sent<'_>, asked: &MoveRequest) -> Result<(), Failure> {
    let Some(requirement) = sent.requirement else { return Ok(()) };
    let met = match requirement {
        Requirement::Resign => asked.resign,
        Requirement::DrawOffer => asked.draw_offer,
    };
    if met {
        return Ok(());
    }
    Err(single_problem(ApiCode::InvalidBody, requirement.field(), "must be true for this tool"))
}

fn described_body() -> body::Body {
    let members = json!({
        "game_id": { "type": "string", "description": "The id in the path." },
        "turn_index": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32, "description": "The current turn_index." },
        "move": {
            "oneOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "index": { "type": "integer" } },
                    "required": ["index"],
                    "additionalProperties": false,
                },
            ],
            "description": format!(
                "A notation of 1 to {MOVE_CHARACTERS} characters, or {{ index }} naming an entry of legal_moves. May be left out \
                 when resigning or accepting a draw; then only its type is checked."
            ),
        },
        "commentary": body::text(&COMMENTARY, "Public to spectators once the move is applied."),
        "resign": { "type": "boolean", "description": "true resigns; no move is applied." },
        "draw_offer": { "type": "boolean", "description": "true offers a draw with the move, or accepts the opponent's standing offer." },
        "draw_accept": { "type": "boolean", "description": "true accepts the opponent's standing offer; no move is applied." },
        "signature": body::hex(128, "Ed25519 over svc.move.v1:GAME_ID:TURN_INDEX:SHA256HEX(canonical JSON of this body without signature)."),
    });
    body::object(
        "A move, a resignation, or the offer or acceptance of a draw.",
        members,
        &["game_id", "turn_index", "signature"],
    )
}

/// An example body for a tool's requirement, signed with `key`.
fn example(requirement: Option<Requirement>, key: &PrivateKey) -> Value {
    let (game, turn_index) = (GameId::from_bytes([0; 16]), 7);
    let mut body = json!({ "game_id": game, "turn_index": turn_index });
    let Some(members) = body.as_object_mut() else { return body };
    if requirement != Some(Requirement::Resign) {
        members.insert("move".to_owned(), json!("e2e4"));
    }
    if let Some(requirement) = requirement {
        members.insert(requirement.field().to_owned(), json!(true));
    }
    let digest = Digest::of(canonical(&Value::Object(members.clone())).as_bytes());
    let signature = key.sign(message::game_move(&game, turn_index, &digest).as_bytes());
    members.insert("signature".to_owned(), json!(signature));
    body
}

/// The longest `move` that counts as an illegal move, in Unicode scalar values.
const MOVE_CHARACTERS: usize = 64;

const MOVE_RULE: &str = "must be a string of 1 to 64 characters, or { \"index\": integer } and nothing else";

/// A move request with the right shape.
#[derive(Debug)]
pub(super) struct MoveRequest {
    /// The game of path and body, as it was sent.
    pub(super) game: String,
    pub(super) turn_index: u32,
    pub(super) choice: Option<Choice>,
    pub(super) resign: bool,
    pub(super) draw_offer: bool,
    pub(super) draw_accept: bool,
    pub(super) commentary: Option<String>,
    pub(super) signature: Signature,
    /// The canonical text of the body without its top-level `signature`.
    pub(super) canonical: String,
    /// sha256 of that text.
    pub(super) sha256: Digest,
}

pub(super) fn read(path_id: &str, body: &[u8]) -> Result<MoveRequest, Failure> {
    let mut fields = Fields::parse(body)?;
    let signature = fields.parsed("signature", "must be 128 lowercase hexadecimal digits", Signature::parse);
    let canonical = canonical_without_signature(fields.members());
    let game = fields.string("game_id");
    let turn_index = turn_index(&mut fields);
    let sent_move = fields.members().contains_key("move");
    let commentary = fields.optional_text("commentary", &COMMENTARY);
    let resign = fields.flag("resign");
    let draw_offer = fields.flag("draw_offer");
    let draw_accept = fields.flag("draw_accept");
    let is_applied = !resign && !draw_accept;
    let choice = choice(&mut fields, is_applied);
    if resign {
        for (name, set) in [("draw_offer", draw_offer), ("draw_accept", draw_accept)] {
            if set {
                fields.note(name, "must not be true together with resign: true");
            }
        }
    } else if !sent_move && !draw_offer && !draw_accept {
        fields.note("move", "is required, unless you resign or accept a draw");
    }
    fields.finish()?;
    let (Some(game), Some(turn_index), Some(signature)) = (game, turn_index, signature) else {
        return Err(unread());
    };
    if game != path_id {
        return Err(ApiCode::GameIdMismatch.into());
    }
    let sha256 = Digest::of(canonical.as_bytes());
    Ok(MoveRequest {
        game,
        turn_index,
        choice,
        resign,
        draw_offer,
        draw_accept,
        commentary,
        signature,
        canonical,
        sha256,
    })
}

/// The text that the body signature covers. The signature itself has already been removed from `members`.
fn canonical_without_signature(members: &Map<String, Value>) -> String {
    canonical(&Value::Object(members.clone()))
}

fn turn_index(fields: &mut Fields) -> Option<u32> {
    let value = fields.required("turn_index")?;
    let index = value.as_i64().and_then(|index| u32::try_from(index).ok());
    if index.is_none() {
        fields.note("turn_index", "must be an integer from 0 to 4294967295");
    }
    index
}

/// The move, if one was sent. A value that has the shape of a move but cannot be one in any game is an illegal move. Of
/// one that is not applied, only the type counts (decision 5.7).
fn choice(fields: &mut Fields, is_applied: bool) -> Option<Choice> {
    let value = fields.take("move")?;
    if value.get("index").is_some_and(Value::is_null) && fields.is_bad_number("move.index") {
        return None;
    }
    let choice = by_notation(&value, is_applied).or_else(|| by_index(&value));
    if choice.is_none() {
        fields.note("move", MOVE_RULE);
    }
    choice
}

fn by_notation(value: &Value, is_applied: bool) -> Option<Choice> {
    let text = value.as_str()?;
    let fits = !is_applied || (1..=MOVE_CHARACTERS).contains(&text.chars().count());
    fits.then(|| Notation::parse(text).map_or(Choice::Unparsable, Choice::Notation))
}

fn by_index(value: &Value) -> Option<Choice> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    members.get("index")?.as_i64().map(Choice::Index)
}

async fn submit(shell: &Arc<Shell>, caller: Caller, asked: MoveRequest) -> Outcome {
    let Some(game) = GameId::parse(&asked.game) else {
        let suspended = shell.engine.read(|hall| hall.desk().is_suspended(&caller.agent)).await?;
        return Err(if suspended { ApiCode::AgentSuspended } else { ApiCode::GameNotFound }.into());
    };
    let message = message::game_move(&game, asked.turn_index, &asked.sha256);
    let signature_check = {
        let _permit = shell.signatures.permit().await?;
        SignatureCheck::from(caller.key.verifies(shell, &message, &asked.signature))
    };
    let signed = SignedBody {
        body: asked.canonical,
        sha256: asked.sha256,
        signature: asked.signature,
        challenge: caller.challenge,
        auth_signature: caller.auth_signature,
        request_sha256: caller.request_sha256,
    };
    let turn_index = asked.turn_index;
    let submission = MoveSubmission {
        game,
        turn_index,
        choice: asked.choice,
        resign: asked.resign,
        draw_offer: asked.draw_offer,
        draw_accept: asked.draw_accept,
        commentary: asked.commentary,
        signature_check,
        signed: Some(signed),
    };
    let (agent, by) = (caller.agent, By::Agent(caller.agent));
    let command = Command::Room(RoomCommand::Submit(submission.clone()));
    let answer = match shell.engine.submit(caller.arrival, by, command).await? {
        Err(Rejection::Room(RoomRejection::GameNotFound)) => of_archived(shell, agent, submission).await?,
        answer => answer,
    };
    match answer {
        Ok(Reply::Room(RoomReply::MoveTaken { turn_index, notation, state_hash, result })) => {
            data(&MoveData::taken(turn_index, notation, state_hash, result))
        }
        Ok(_) => Err(unexpected()),
        Err(Rejection::Room(RoomRejection::BodySignatureInvalid)) => Err(bad_signature("body", message)),
        Err(Rejection::Room(RoomRejection::WrongTurn(report))) => Err(out_of_turn(turn_index, *report)),
        Err(rejection) => Err(rejection.into()),
    }
}

/// The answer to a move in a game that has left memory: the one that the room would give if it were still in memory.
/// An ended room accepts nothing, so there is nothing to make durable.
async fn of_archived(
    shell: &Arc<Shell>,
    agent: AgentId,
    submission: MoveSubmission,
) -> Result<Result<Reply, Rejection>, Failure> {
    let decide = move |shell: &Shell| {
        let room = archived_room(shell, &submission.game)?;
        let now = shell.engine.now();
        Ok(hall_core::rooms::submit(&room, now, now, &agent, &submission))
    };
    let decided = in_background_with(shell, &shell.own_reads, decide).await?;
    debug_assert!(decided.facts.is_empty(), "an ended room takes nothing");
    match decided.answer {
        Ok(Some(reply)) => Ok(Ok(Reply::Room(reply))),
        Ok(None) => Err(unexpected()),
        Err(rejection) => Ok(Err(Rejection::Room(rejection))),
    }
}
