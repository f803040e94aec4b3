//! Every endpoint of the hall: each declared beside its action, and one list of them all.
//!
//! To add one, declare it in a file here and put it into [`ALL`]; its payload may stand in the same file. Routing, the
//! OpenAPI document, the MCP tools, metrics and the tests of secrecy follow from the list.
//!
//! An action translates: it submits a command or reads state, and puts the result into a payload. It decides nothing.
//! Reads drop the caller's arrival immediately, because only commands are waited for.

mod catalog;
mod docket;
mod documents;
mod doorbell;
mod events;
mod exports;
mod feedback;
mod game;
mod games;
mod hall_events;
mod health;
mod homologation;
mod leaderboards;
mod listing;
mod lobby;
mod log;
mod mcp;
mod moves;
mod official;
mod pages;
mod pictures;
mod profile;
mod registration;
mod statistics;
#[cfg(test)]
mod tests;
mod view;
mod waiting;

pub(crate) use health::{health, readiness};
pub(crate) use pages::{PAGES, failure_page};

use crate::endpoint::{Endpoints, Route};
use crate::errors::ApiCode;
use crate::permits::{Permit, Permits};
use crate::response::{Failure, Outcome, Response};
use crate::shell::Shell;
use hall_core::rooms::Room;
use hall_wire::GameId;
use std::sync::Arc;

/// Every endpoint, in the order of the OpenAPI document.
pub(crate) const ALL: Endpoints = &[
    &documents::FRONT_DOOR,
    &documents::LLMS_TEXT,
    &documents::OPENAPI,
    &documents::REFERENCE,
    &documents::MCP_DISCOVERY,
    &documents::AI_CATALOG,
    &health::HEALTH,
    &health::READINESS,
    &documents::PLAYBOOK,
    &catalog::CATALOG,
    &registration::CHALLENGE,
    &documents::DICTIONARY,
    &games::GAMES,
    &game::GAME,
    &events::EVENTS,
    &hall_events::HALL_EVENTS,
    &game::REPLAY,
    &game::PGN,
    &game::RECORD,
    &pictures::PICTURES,
    &pictures::SVG,
    &exports::EXPORT_GAMES,
    &log::GAME_PROOF,
    &view::VIEW,
    &view::LEGAL_MOVES,
    &moves::MOVE,
    &registration::REGISTER,
    &profile::PROFILE,
    &profile::RATINGS,
    &statistics::STATISTICS,
    &statistics::VERSUS,
    &homologation::HOMOLOGATE,
    &lobby::JOIN_LOBBY,
    &lobby::LEAVE_LOBBY,
    &waiting::PULSE,
    &waiting::MY_GAMES,
    &leaderboards::LEADERBOARDS,
    &statistics::CROSS_TABLE,
    &catalog::RULES,
    &catalog::HOW_TO,
    &docket::DOCKET,
    &feedback::FEEDBACK_LIST,
    &feedback::FEEDBACK_POST,
    &official::OFFICIAL,
    &log::CHECKPOINT,
    &log::CONSISTENCY,
    &log::LOG_PROOF,
    &log::LOG_FILES,
    &doorbell::DOORBELL_STATE,
    &doorbell::DOORBELL_SET,
    &doorbell::DOORBELL_VERIFY,
    &doorbell::DOORBELL_DISABLE,
    &mcp::MCP,
    &documents::MCP_SERVER_CARD,
    &mcp::MCP_READ,
];

/// The route of every endpoint.
pub fn routes() -> impl Iterator<Item = &'static Route> {
    ALL.iter().map(|endpoint| &endpoint.route)
}

/// The route of every page for people. Pages are in no document for agents.
pub fn page_routes() -> impl Iterator<Item = &'static Route> {
    PAGES.iter().map(|page| &page.route)
}

/// The answer if the core's reply does not belong to the command.
fn unexpected() -> Failure {
    tracing::error!("a command was answered with the reply to another one");
    ApiCode::Internal.into()
}

/// A game by the id in a path, live or ended, for anybody. Everything in it is durable.
async fn find_room(shell: &Arc<Shell>, id: &str) -> Result<Arc<Room>, Failure> {
    find_room_with(shell, &shell.short_reads, id).await
}

/// Like [`find_room`], but under these permits if the game must be read from disk.
async fn find_room_with(shell: &Arc<Shell>, permits: &Permits, id: &str) -> Result<Arc<Room>, Failure> {
    let game = GameId::parse(id).ok_or_else(|| Failure::from(ApiCode::GameNotFound))?;
    match shell.engine.read(|hall| hall.rooms().find(&game).cloned()).await? {
        Some(room) => Ok(room),
        None => in_background_with(shell, permits, move |shell| archived_room(shell, &game)).await,
    }
}

/// An ended game that has left memory.
fn archived_room(shell: &Shell, game: &GameId) -> Result<Arc<Room>, Failure> {
    shell.engine.archive().ended_room(game)?.ok_or_else(|| ApiCode::GameNotFound.into())
}

/// What lists show of an ended game.
fn archived_outline(shell: &Shell, game: &GameId) -> Result<Arc<Room>, Failure> {
    shell.engine.archive().ended_outline(game)?.ok_or_else(|| ApiCode::GameNotFound.into())
}

/// Runs a long read on a blocking thread, where it delays no other request.
async fn in_background(shell: &Arc<Shell>, read: impl FnOnce(&Shell) -> Outcome + Send + 'static) -> Outcome {
    in_background_with(shell, &shell.long_reads, read).await
}

/// The same under other permits than those for long reads.
async fn in_background_with<T: Send + 'static>(
    shell: &Arc<Shell>,
    permits: &Permits,
    read: impl FnOnce(&Shell) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    in_background_holding(shell, permits.permit().await?, read).await
}

/// The same with a permit that was got before.
async fn in_background_holding<T: Send + 'static>(
    shell: &Arc<Shell>,
    permit: Permit,
    read: impl FnOnce(&Shell) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let shell = Arc::clone(shell);
    let reading = hall_driver::in_background(move || {
        let answer = read(&shell);
        drop(permit);
        answer
    });
    reading.await.unwrap_or_else(|_| Err(ApiCode::Internal.into()))
}

/// A payload in its envelope.
fn data<T: serde::Serialize>(payload: &T) -> Outcome {
    Ok(Response::data(payload))
}
