//! Joining and leaving lobbies.

use super::{data, unexpected};
use crate::answer::{Answer, Outcome};
use crate::authentication::Caller;
use crate::payload::{JoinedData, LeftData};
use crate::shell::Shell;
use hall_core::{Caller as By, Command, DeskCommand, JoinLobby, Reply};
use salvo::http::StatusCode;

pub(super) async fn join(shell: &Shell, caller: Caller, lobby: JoinLobby) -> Outcome {
    let by = By::Agent(caller.agent);
    let reply =
        shell.engine.submit(caller.arrival, by, Command::Desk(DeskCommand::JoinLobby(lobby))).await??;
    let Reply::Joined { lobby, game } = reply else { return Err(unexpected()) };
    Ok(Answer::data(&JoinedData::of(lobby, game)).with_status(StatusCode::CREATED))
}

pub(super) async fn leave(shell: &Shell, caller: Caller, lobby: JoinLobby) -> Outcome {
    let by = By::Agent(caller.agent);
    let reply =
        shell.engine.submit(caller.arrival, by, Command::Desk(DeskCommand::LeaveLobby(lobby))).await??;
    let Reply::Left { lobby } = reply else { return Err(unexpected()) };
    data(&LeftData { left: lobby.into() })
}
