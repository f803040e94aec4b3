//! What an answer over HTTP means to an agent.

use super::exchange::HttpAnswer;
use crate::protocol::{AgentRequest, AnswerBrief, GameBrief, RoomBrief, ViewBrief};
use hall_client::answer::{Filed, JoinAnswer, LegalMove, Registered, Verdict, View};
use hall_http::errors::ApiCode;
use hall_wire::message::Challenge;
use hall_wire::{GameId, Notation, Timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What an answer says, and the challenge that it brings.
///
/// # Errors
/// It is none that the interface has for such a request.
pub(in super::super) fn read(
    what: &AgentRequest,
    answer: &HttpAnswer,
) -> Result<(AnswerBrief, Option<Challenge>), String> {
    let envelope = answer.json.as_ref().ok_or("it is not JSON")?;
    let next = match answer.head.header("x-svc-next-challenge") {
        Some(text) => Some(Challenge::parse(text).ok_or("the next challenge is none")?),
        None => None,
    };
    let succeeded = answer.head.status < 400;
    if envelope.get("ok") != Some(&Value::Bool(succeeded)) || envelope.pointer("/metadata/boundary").is_none()
    {
        return Err("its envelope is not that of its status".to_owned());
    }
    if !succeeded {
        return Ok((refusal(answer.head.status, envelope)?, next));
    }
    let data = envelope.get("data").ok_or("it has no data")?;
    let brief = match what {
        AgentRequest::Challenge => {
            let challenge = data.get("challenge").and_then(Value::as_str).and_then(Challenge::parse);
            return Ok((AnswerBrief::Challenged, Some(challenge.ok_or("it has no challenge")?)));
        }
        AgentRequest::Register(_) => typed::<Registered>(data).map(|_| AnswerBrief::Registered)?,
        AgentRequest::File(_) => AnswerBrief::Filed { unchanged: typed::<Filed>(data)?.unchanged },
        AgentRequest::Join(_) => AnswerBrief::Joined { game: typed::<JoinAnswer>(data)?.game_id },
        AgentRequest::Leave(_) => AnswerBrief::Left,
        AgentRequest::MyGames => {
            let games: Vec<MyGame> = typed(data.get("games").unwrap_or(&Value::Null))?;
            AnswerBrief::Games(games.into_iter().map(MyGame::brief).collect())
        }
        AgentRequest::View(_) => view(data.get("view").unwrap_or(&Value::Null))?,
        AgentRequest::Move(_) => {
            let verdict: Verdict = typed(data.get("verdict").unwrap_or(&Value::Null))?;
            AnswerBrief::Moved {
                turn_index: verdict.turn_index,
                notation: verdict.notation.as_deref().and_then(Notation::parse),
                state_hash: verdict.state_hash.map_or([0; 32], |hash| *hash.as_bytes()),
                ended: verdict.game_over,
            }
        }
        AgentRequest::Post(..) => AnswerBrief::Posted,
    };
    Ok((brief, next))
}

fn typed<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| format!("{error}: {value}"))
}

/// A refusal under the code that agents of this simulator know it by.
fn refusal(status: u16, envelope: &Value) -> Result<AnswerBrief, String> {
    let told = envelope.pointer("/error/code").and_then(Value::as_str).unwrap_or_default();
    let code = ApiCode::ALL.iter().find(|code| code.as_str() == told).ok_or("it has an unknown code")?;
    if ![code.status(), code.status_in_path()].contains(&status) {
        return Err(format!("{told} has another status"));
    }
    let known_as = match code {
        ApiCode::WrongTurn => "WRONG_TURN",
        ApiCode::IllegalMove => "ILLEGAL_MOVE",
        ApiCode::NoDrawOffer => "NO_DRAW_OFFER",
        ApiCode::SigInvalid => "AUTH_SIGNATURE_INVALID",
        other => other.as_str(),
    };
    let report = match envelope.get("data").filter(|_| code.is_of_room()) {
        Some(data) => Some(Box::new(typed::<Report>(data)?.brief())),
        None => None,
    };
    Ok(AnswerBrief::Refused { code: known_as, report })
}

fn notations(legal: &[LegalMove]) -> Vec<Notation> {
    legal.iter().filter_map(|legal| Notation::parse(&legal.notation)).collect()
}

fn view(value: &Value) -> Result<AnswerBrief, String> {
    let view: View = typed(value)?;
    let draw_offer = value.pointer("/public/draw_offer").unwrap_or(&Value::Null);
    let strikes = value.pointer("/public/strikes").and_then(Value::as_object);
    let strikes = strikes.into_iter().flat_map(|strikes| strikes.values()).filter_map(Value::as_u64);
    Ok(AnswerBrief::View(Box::new(ViewBrief {
        game: view.game_id,
        turn_index: view.turn_index,
        player: view.you.player,
        live: view.result.is_none(),
        mine: view.result.is_none() && view.to_move.contains(&view.you.player),
        legal: notations(&view.legal_moves),
        deadline: view.deadline_utc,
        draw_offer: typed(draw_offer)?,
        strikes: strikes.map(|strikes| u8::try_from(strikes).unwrap_or(u8::MAX)).collect(),
    })))
}

/// A game in the list of an agent's games.
#[derive(Deserialize)]
struct MyGame {
    id: GameId,
    turn_index: u32,
    your_turn: bool,
    deadline_utc: Option<Timestamp>,
}

impl MyGame {
    fn brief(self) -> GameBrief {
        let Self { id, turn_index, your_turn, deadline_utc } = self;
        GameBrief { game: id, turn_index, mine: your_turn, deadline: deadline_utc }
    }
}

/// What the room says with a refusal.
#[derive(Deserialize)]
struct Report {
    turn_index: u32,
    illegal_attempts: u8,
    #[serde(default)]
    legal_moves: Option<Vec<LegalMove>>,
    result: Option<Value>,
}

impl Report {
    fn brief(self) -> RoomBrief {
        RoomBrief {
            turn_index: self.turn_index,
            illegal_attempts: self.illegal_attempts,
            legal: self.legal_moves.as_deref().map(notations),
            live: self.result.is_none(),
        }
    }
}
