//! Commands of the operator that the core decides.

use super::lines::Refused;
use super::request::{Request, Verdict};
use hall_core::{
    Caller, Command, DocketKind, GameVerdict, GovernanceCommand, Rejection, Reply, RoomCommand,
    RoomRejection, SeasonId,
};
use hall_driver::{Engine, Unavailable};
use hall_wire::text::{DOCKET, TextRule};
use hall_wire::{GameId, Handle, OperatorId, Player};
use serde_json::{Value, json};

/// A subject is one line.
const SUBJECT: TextRule = TextRule { min: 1, max: 200, line_feeds: false };

/// Has the core decide a command.
///
/// # Errors
/// The hall takes none now, or the core refuses it.
pub(super) async fn submit(engine: &Engine, command: Command) -> Result<Reply, Refused> {
    let answer = engine.submit(engine.arrive(), Caller::Operator, command).await;
    answer.map_err(unavailable_now)?.map_err(|rejection| refusal(&rejection))
}

/// Has the core decide.
///
/// # Errors
/// The request is malformed, or the core refuses it.
pub(super) async fn decide(engine: &Engine, request: &Request) -> Result<Value, Refused> {
    let command = command(request)?;
    if let Reply::DocketEntered { id } = submit(engine, command).await? {
        return Ok(json!({ "docket_id": id }));
    }
    Ok(json!({ "done": true }))
}

fn command(request: &Request) -> Result<Command, Refused> {
    match request {
        Request::DocketAdd { kind, subject, reason, disposition } => {
            docket(kind, subject, reason, disposition.as_deref())
        }
        Request::SeasonOpen { season } => {
            season_id(season).map(|season| Command::Governance(GovernanceCommand::OpenSeason { season }))
        }
        Request::SeasonClose { season } => {
            season_id(season).map(|season| Command::Governance(GovernanceCommand::CloseSeason { season }))
        }
        Request::AgentSuspend { handle, reason } => agent(handle, reason)
            .map(|(handle, reason)| Command::Governance(GovernanceCommand::SuspendAgent { handle, reason })),
        Request::AgentRestore { handle, reason } => agent(handle, reason)
            .map(|(handle, reason)| Command::Governance(GovernanceCommand::RestoreAgent { handle, reason })),
        Request::OperatorSuspend { operator, reason } => {
            operator_id(operator, reason).map(|(operator, reason)| {
                Command::Governance(GovernanceCommand::SuspendOperator { operator, reason })
            })
        }
        Request::OperatorRestore { operator, reason } => {
            operator_id(operator, reason).map(|(operator, reason)| {
                Command::Governance(GovernanceCommand::RestoreOperator { operator, reason })
            })
        }
        Request::GameAdjudicate { game, verdict, reason } => adjudicate(game, verdict, reason),
        Request::GameVacate { game, player, reason } => vacate(game, player, reason),
        Request::Feedback { .. }
        | Request::Stats {}
        | Request::Backup { .. }
        | Request::RedactGame { .. }
        | Request::RedactFeedback { .. }
        | Request::RedactAgent { .. }
        | Request::RotateKey { .. }
        | Request::AcceptRestore { .. }
        | Request::ExportJournal { .. }
        | Request::ExportGames { .. }
        | Request::Drain { .. }
        | Request::Resume {}
        | Request::Nodes {}
        | Request::Lead {}
        | Request::Agents(_)
        | Request::Operators(_)
        | Request::Games(_)
        | Request::AgentShow { .. } => Err(Refused::bad_request("the core does not decide this")),
    }
}

fn docket(kind: &str, subject: &str, reason: &str, disposition: Option<&str>) -> Result<Command, Refused> {
    let words = || DocketKind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ");
    let kind = DocketKind::parse(kind)
        .ok_or_else(|| Refused::bad_request(format!("the kind of a docket entry is one of {}", words())))?;
    Ok(Command::Governance(GovernanceCommand::AddDocketEntry {
        kind,
        subject: text("subject", subject, &SUBJECT)?,
        reason: text("reason", reason, &DOCKET)?,
        disposition: disposition.map(|words| text("disposition", words, &DOCKET)).transpose()?,
    }))
}

fn season_id(text: &str) -> Result<SeasonId, Refused> {
    SeasonId::parse(text).ok_or_else(|| {
        Refused::bad_request("a season is named by 1 to 32 of a-z, 0-9, _ and -, and not `current`")
    })
}

fn agent(handle: &str, reason: &str) -> Result<(Handle, String), Refused> {
    let handle = Handle::parse(handle).ok_or_else(|| Refused::bad_request("this is not a handle"))?;
    Ok((handle, text("reason", reason, &DOCKET)?))
}

fn operator_id(id: &str, reason: &str) -> Result<(OperatorId, String), Refused> {
    let id = OperatorId::parse(id).ok_or_else(|| Refused::bad_request("this is not an operator id"))?;
    Ok((id, text("reason", reason, &DOCKET)?))
}

fn adjudicate(game: &str, verdict: &Verdict, reason: &str) -> Result<Command, Refused> {
    let game = game_id(game)?;
    let verdict = match verdict {
        Verdict::Winner(player) => GameVerdict::Winner(self::player(player)?),
        Verdict::Draw => GameVerdict::Draw,
        Verdict::Abort => GameVerdict::Abort,
    };
    Ok(Command::Room(RoomCommand::Adjudicate { game, verdict, reason: text("reason", reason, &DOCKET)? }))
}

fn vacate(game: &str, player: &str, reason: &str) -> Result<Command, Refused> {
    let (game, player) = (game_id(game)?, self::player(player)?);
    Ok(Command::Room(RoomCommand::Vacate { game, player, reason: text("reason", reason, &DOCKET)? }))
}

fn game_id(game: &str) -> Result<GameId, Refused> {
    GameId::parse(game).ok_or_else(|| Refused::bad_request("this is not a game id"))
}

fn player(player: &str) -> Result<Player, Refused> {
    Player::parse(player).ok_or_else(|| Refused::bad_request("a player is p0, p1, …"))
}

/// A reason for the docket.
pub(super) fn reason(text: &str) -> Result<String, Refused> {
    self::text("reason", text, &DOCKET)
}

fn text(name: &str, text: &str, rule: &TextRule) -> Result<String, Refused> {
    match rule.check(text) {
        Ok(()) => Ok(text.to_owned()),
        Err(_) => Err(Refused::bad_request(format!(
            "the {name} must have {} to {} characters{} and no control characters",
            rule.min,
            rule.max,
            if rule.line_feeds { "" } else { " in one line" },
        ))),
    }
}

/// The core's refusals in words. Those that only agents can meet get the plain word.
#[expect(clippy::wildcard_enum_match_arm, reason = "most refusals are about what agents ask for")]
fn refusal(rejection: &Rejection) -> Refused {
    let (code, message) = match rejection {
        Rejection::AgentNotFound => ("AGENT_NOT_FOUND", "there is no agent with this handle"),
        Rejection::OperatorNotFound => {
            ("OPERATOR_NOT_FOUND", "there is no such operator; agents' profiles name theirs")
        }
        Rejection::SeasonNotFound => ("SEASON_NOT_FOUND", "this season is not open"),
        Rejection::SeasonAlreadyOpen => {
            ("SEASON_OPEN", "a season is open; close it first with `hall admin season close ID`")
        }
        Rejection::SeasonNameUsed => ("SEASON_NAME_USED", "this name was used before; choose another"),
        Rejection::Room(RoomRejection::GameNotFound) => {
            ("GAME_NOT_FOUND", "there is no live game with this id")
        }
        Rejection::Room(RoomRejection::GameNotLive(_)) => ("GAME_NOT_LIVE", "this game has ended already"),
        Rejection::Room(RoomRejection::PlayerUnknown) => {
            ("PLAYER_UNKNOWN", "nobody plays as this player in this game, or no longer does")
        }
        Rejection::Room(RoomRejection::SeatNeeded) => (
            "SEAT_NEEDED",
            "this seat cannot become vacant: it already is, or fewer than two others would play on; \
             use `hall admin game adjudicate` instead",
        ),
        Rejection::NothingToChange => ("NOTHING_TO_CHANGE", "it is so already; there is nothing to do"),
        _ => ("REFUSED", "the operator of the hall may not do this"),
    };
    Refused::new(code, message)
}

/// The hall takes no command now.
pub(super) fn unavailable_now(why: Unavailable) -> Refused {
    let message = match why {
        Unavailable::LowDisk => "disk space is low, so the hall takes no writes; free some and try again",
        Unavailable::Overloaded => "the hall is overloaded; try again in a moment",
        Unavailable::Stopping => "the hall is stopping",
        Unavailable::Draining => "the hall is draining; `hall admin resume` lets games begin again",
        Unavailable::NoLeader => "no node leads now; try again in some seconds",
        Unavailable::Unknown => "the node that leads was lost: look whether it was done before you repeat it",
    };
    Refused::new("UNAVAILABLE", message)
}
