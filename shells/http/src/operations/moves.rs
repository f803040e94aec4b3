//! Moves: the request that everything else is there for.

use super::{archived_room, data, unexpected};
use crate::answer::{Failure, Outcome};
use crate::authentication::Caller;
use crate::errors::ApiCode;
use crate::payload::MoveData;
use crate::refusals::{bad_signature, of_room, out_of_turn};
use crate::requests::MoveRequest;
use crate::shell::Shell;
use hall_core::{
    Caller as By, Command, MoveSubmission, Rejection, Reply, RoomCommand, RoomRejection, RoomReply,
    SignatureCheck, SignedBody,
};
use hall_wire::{AgentId, GameId, message};

pub(super) async fn submit(shell: &Shell, caller: Caller, asked: MoveRequest) -> Outcome {
    let Some(game) = GameId::parse(&asked.game) else {
        let suspended = shell.engine.read(|hall| hall.desk().is_suspended(&caller.agent)).await?;
        return Err(if suspended { ApiCode::AgentSuspended } else { ApiCode::GameNotFound }.into());
    };
    let message = message::game_move(&game, asked.turn_index, &asked.sha256);
    let signature_check = {
        let _turn = shell.signatures.turn().await?;
        SignatureCheck::from(caller.key.verifier().verifies(message.as_bytes(), &asked.signature))
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
    let by = By::Agent(caller.agent);
    match shell.engine.submit(caller.arrival, by, Command::Room(RoomCommand::Submit(submission))).await? {
        Ok(Reply::Room(RoomReply::MoveTaken { turn_index, notation, state_hash, result })) => {
            data(&MoveData::taken(turn_index, notation, state_hash, result))
        }
        Ok(_) => Err(unexpected()),
        Err(Rejection::Room(RoomRejection::BodySignatureInvalid)) => Err(bad_signature("body", message)),
        Err(Rejection::Room(RoomRejection::GameNotFound)) => {
            let unsigned = (signature_check == SignatureCheck::Invalid).then_some(message);
            Err(of_archived(shell, &game, &caller.agent, unsigned))
        }
        Err(Rejection::Room(RoomRejection::WrongTurn(report))) => Err(out_of_turn(turn_index, *report)),
        Err(rejection) => Err(rejection.into()),
    }
}

/// What a move in a game that has left memory is told: what the room would have said, in the same order. `unsigned` is
/// the message that its body signature does not sign.
fn of_archived(shell: &Shell, game: &GameId, agent: &AgentId, unsigned: Option<String>) -> Failure {
    let room = match archived_room(shell, game) {
        Ok(room) => room,
        Err(failure) => return failure,
    };
    match (room.player_of(agent), unsigned) {
        (None, _) => ApiCode::NotSeated.into(),
        (Some(_), Some(message)) => bad_signature("body", message),
        (Some(player), None) => of_room(ApiCode::GameNotLive, room.status(player)),
    }
}
