//! What a command line of `hall admin` asks for.

use super::{
    AdminCommand, AgentCommand, DocketAdd, DocketCommand, GameCommand, Nothing, OfAgent, OfOperator,
    OperatorCommand, RedactCommand, RedactGame, SeasonCommand, With,
};
use crate::admin::request::{GameState, Request, Verdict};
use crate::settings::SettingsArgs;
use std::path::PathBuf;

/// What a command line asks for: a request, where its items go, and the settings behind the command.
pub(crate) struct Invocation {
    /// The request.
    pub(crate) request: Request,
    /// Where items are written; `None` for standard output.
    pub(crate) file: Option<PathBuf>,
    /// Settings that stand behind the command.
    pub(crate) settings: SettingsArgs,
    /// How the answer is printed.
    pub(crate) form: Form,
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Items as they are, and what was done as lines of names and values.
    Lines,
    /// The same, each item as soon as it comes.
    Progress,
    /// Items that are data: what was done goes to standard error even if there are none.
    Data,
    /// Items alone.
    JsonLines,
    /// What was done, as JSON.
    JsonObject,
    /// Items as a table with these columns.
    Table(&'static [&'static str]),
}

/// Columns of the list of agents.
const AGENTS: &[&str] =
    &["handle", "status", "house", "live_games", "waits_in", "operator_id", "model_id", "created_at"];
/// Columns of the list of operators.
const OPERATORS: &[&str] = &["operator_id", "name", "status", "agents", "live_games", "waiting"];
/// Columns of the list of live games.
const LIVE_GAMES: &[&str] =
    &["game_id", "game", "division", "seats", "turn_index", "to_move", "strikes", "deadline_utc"];
/// Columns of the list of ended games.
const ENDED_GAMES: &[&str] =
    &["game_id", "game", "division", "seats", "turn_index", "winners", "reason", "ended_at"];

impl Invocation {
    /// A request whose answer goes to standard output, as lines.
    const fn lines(request: Request, settings: SettingsArgs) -> Self {
        Self { request, file: None, settings, form: Form::Lines }
    }

    fn shown_as(self, form: Form) -> Self {
        Self { form, ..self }
    }

    fn listed(self, json: bool, columns: &'static [&'static str]) -> Self {
        self.shown_as(if json { Form::JsonLines } else { Form::Table(columns) })
    }

    /// The same with a file for its items; `-` is standard output.
    fn written_to(self, path: PathBuf) -> Self {
        Self { file: Some(path).filter(|path| path.as_os_str() != "-"), form: Form::Data, ..self }
    }
}

impl AdminCommand {
    /// What is asked for.
    ///
    /// # Errors
    /// The current folder, to which the path of a backup is relative, is unknown.
    pub(crate) fn into_invocation(self) -> std::io::Result<Invocation> {
        Ok(match self {
            Self::Docket(command) => command.into_invocation(),
            Self::Season(command) => command.into_invocation(),
            Self::Agent(command) => command.into_invocation(),
            Self::Operator(command) => command.into_invocation(),
            Self::Game(command) => command.into_invocation(),
            Self::Redact(command) => command.into_invocation(),
            Self::Feedback(With { what, settings }) => {
                Invocation::lines(Request::Feedback { limit: what.limit }, settings).shown_as(Form::Data)
            }
            Self::Agents(With { what, settings }) => {
                Invocation::lines(Request::Agents(what.filter), settings).listed(what.json, AGENTS)
            }
            Self::Operators(With { what, settings }) => {
                Invocation::lines(Request::Operators(what.filter), settings).listed(what.json, OPERATORS)
            }
            Self::Games(With { what, settings }) => {
                let columns = match what.filter.status {
                    GameState::Live => LIVE_GAMES,
                    GameState::Ended => ENDED_GAMES,
                };
                Invocation::lines(Request::Games(what.filter), settings).listed(what.json, columns)
            }
            Self::Drain(With { what, settings }) => {
                Invocation::lines(Request::Drain { wait: what.wait }, settings).shown_as(Form::Progress)
            }
            Self::Resume(With { what: Nothing {}, settings }) => {
                Invocation::lines(Request::Resume {}, settings)
            }
            Self::Nodes(With { what: Nothing {}, settings }) => {
                Invocation::lines(Request::Nodes {}, settings).shown_as(Form::JsonObject)
            }
            Self::Lead(With { what: Nothing {}, settings }) => {
                Invocation::lines(Request::Lead {}, settings).shown_as(Form::JsonObject)
            }
            Self::Stats(With { what: Nothing {}, settings }) => {
                Invocation::lines(Request::Stats {}, settings)
            }
            Self::Backup(With { what, settings }) => {
                Invocation::lines(Request::Backup { to: std::path::absolute(what.dir)? }, settings)
            }
            Self::RotateKey(With { what, settings }) => {
                Invocation::lines(Request::RotateKey { purpose: what.purpose, reason: what.reason }, settings)
            }
            Self::AcceptRestore(With { what, settings }) => Invocation::lines(
                Request::AcceptRestore { number: what.number, reason: what.reason },
                settings,
            ),
            Self::ExportJournal(With { what, settings }) => {
                let request = Request::ExportJournal { with_secrets: what.with_secrets };
                Invocation::lines(request, settings).written_to(what.file)
            }
            Self::ExportGames(With { what, settings }) => {
                let request = Request::ExportGames { format: what.format, since: what.since };
                Invocation::lines(request, settings).written_to(what.file)
            }
        })
    }
}

impl DocketCommand {
    fn into_invocation(self) -> Invocation {
        let Self::Add(With { what, settings }) = self;
        let DocketAdd { kind, subject, reason, disposition } = what;
        Invocation::lines(Request::DocketAdd { kind, subject, reason, disposition }, settings)
    }
}

impl SeasonCommand {
    fn into_invocation(self) -> Invocation {
        match self {
            Self::Open(With { what, settings }) => {
                Invocation::lines(Request::SeasonOpen { season: what.id }, settings)
            }
            Self::Close(With { what, settings }) => {
                Invocation::lines(Request::SeasonClose { season: what.id }, settings)
            }
        }
    }
}

impl AgentCommand {
    fn into_invocation(self) -> Invocation {
        match self {
            Self::Show(With { what, settings }) => {
                let form = if what.json { Form::JsonObject } else { Form::Lines };
                Invocation::lines(Request::AgentShow { handle: what.handle.to_string() }, settings)
                    .shown_as(form)
            }
            Self::Suspend(With { what: OfAgent { handle, reason }, settings }) => {
                Invocation::lines(Request::AgentSuspend { handle: handle.to_string(), reason }, settings)
            }
            Self::Restore(With { what: OfAgent { handle, reason }, settings }) => {
                Invocation::lines(Request::AgentRestore { handle: handle.to_string(), reason }, settings)
            }
        }
    }
}

impl OperatorCommand {
    fn into_invocation(self) -> Invocation {
        match self {
            Self::Suspend(With { what: OfOperator { id, reason }, settings }) => {
                Invocation::lines(Request::OperatorSuspend { operator: id.to_string(), reason }, settings)
            }
            Self::Restore(With { what: OfOperator { id, reason }, settings }) => {
                Invocation::lines(Request::OperatorRestore { operator: id.to_string(), reason }, settings)
            }
        }
    }
}

impl GameCommand {
    fn into_invocation(self) -> Invocation {
        match self {
            Self::Adjudicate(With { what, settings }) => {
                let verdict = match (what.verdict.winner, what.verdict.draw) {
                    (Some(player), _) => Verdict::Winner(player.to_string()),
                    (None, true) => Verdict::Draw,
                    (None, false) => Verdict::Abort,
                };
                let game = what.id.to_string();
                Invocation::lines(Request::GameAdjudicate { game, verdict, reason: what.reason }, settings)
            }
            Self::Vacate(With { what, settings }) => {
                let (game, player) = (what.id.to_string(), what.player.to_string());
                Invocation::lines(Request::GameVacate { game, player, reason: what.reason }, settings)
            }
        }
    }
}

impl RedactCommand {
    fn into_invocation(self) -> Invocation {
        match self {
            Self::Game(With { what: RedactGame { id, turn, reason }, settings }) => {
                Invocation::lines(Request::RedactGame { game: id.to_string(), turn, reason }, settings)
            }
            Self::Feedback(With { what, settings }) => {
                let feedback = what.id.to_string();
                Invocation::lines(Request::RedactFeedback { feedback, reason: what.reason }, settings)
            }
            Self::Agent(With { what: OfAgent { handle, reason }, settings }) => {
                Invocation::lines(Request::RedactAgent { handle: handle.to_string(), reason }, settings)
            }
        }
    }
}
