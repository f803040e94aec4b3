//! Playing a log step by step, for people: what was asked, what changed, and how the hall and its boards stand.

mod words;

use crate::log::{DecisionOutcome, Judge, Judges, Log, Step, StepResult};
use crate::pages::answered;
use crate::report::Violation;
use hall_core::rooms::Room;
use hall_core::{Caller, Fact, Hall};
use hall_games::Catalog;
use hall_wire::{AgentId, GameId, Handle, Player, Timestamp};
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::fmt::Write as _;

pub(crate) use words::change;

/// What of a log is played and shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayOptions {
    /// Play up to this step, counted from 1.
    pub until: Option<usize>,
    /// Only steps that concern this game.
    pub game: Option<GameId>,
    /// Only steps that concern this agent.
    pub agent: Option<Handle>,
    /// The board after each step that plays a move, and of the live games at the end.
    pub board: bool,
    /// The facts in full.
    pub facts: bool,
    /// Compare each decision with what was recorded.
    pub compare: bool,
    /// Show no steps, only the end.
    pub quiet: bool,
}

/// One step as it was played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayedStep {
    /// Which step, counted from 1.
    pub step: usize,
    /// Core time.
    pub at: Timestamp,
    /// Who asked: a handle, `operator` or `hall`.
    pub who: String,
    /// For what: the word of the command.
    pub what: &'static str,
    /// The agent that it is about, by its handle, if another one asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<Handle>,
    /// The game that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// Of a move, its turn and what was asked for in it.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
    /// What changed, each in some words: of a move its turn and notation, of an end its reason and who wins.
    pub changed: Vec<String>,
    /// The word of the refusal, if it was refused. Unknown where the facts of a journal are only followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What was answered, if the facts are to be shown: `granted` or `refused`, with all that it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// The facts in full, if they are to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<Fact>>,
    /// The board after it, if it is to be shown and there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
}

/// The step in one line, and below it what else is to be shown.
impl fmt::Display for PlayedStep {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:>5} {} {} {}", self.step, self.at, self.who, self.what)?;
        if let Some(about) = &self.about {
            write!(out, " {about}")?;
        }
        if let Some(game) = &self.game {
            write!(out, " {game}")?;
        }
        if let Some(played) = &self.played {
            write!(out, " {played}")?;
        }
        match (&self.refused, self.changed.is_empty()) {
            (None, true) => write!(out, " -> nothing")?,
            (None, false) => write!(out, " -> {}", self.changed.join(", "))?,
            (Some(refused), true) => write!(out, " -> refused: {refused}")?,
            (Some(refused), false) => write!(out, " -> {}; refused: {refused}", self.changed.join(", "))?,
        }
        if let Some(answer) = &self.answer {
            write!(out, "\n      {answer}")?;
        }
        for fact in self.facts.iter().flatten() {
            write!(out, "\n      {}", serde_json::to_string(fact).unwrap_or_default())?;
        }
        self.board.as_ref().map_or(Ok(()), |board| write!(out, "\n{board}"))
    }
}

/// The state of a hall in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StateSummary {
    /// Core time.
    pub at: Timestamp,
    /// Agents registered.
    pub agents: usize,
    /// Games under way.
    pub live_games: u64,
    /// Games ended.
    pub ended_games: u64,
    /// Entries of the docket.
    pub docket_entries: u64,
    /// When something is due next, if something is.
    pub due_next: Option<Timestamp>,
    /// The digest of the state, hexadecimal.
    pub digest: String,
    /// The boards that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<String>,
}

impl fmt::Display for StateSummary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "State at {}: {} agents, {} live games, {} ended, {} docket entries; due next {}; digest {}",
            self.at,
            self.agents,
            self.live_games,
            self.ended_games,
            self.docket_entries,
            self.due_next.map_or_else(|| "nothing".to_owned(), |due| due.to_string()),
            self.digest
        )?;
        self.boards.iter().try_for_each(|board| write!(out, "\n{board}"))
    }
}

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Steps played.
    pub steps: usize,
    /// Steps that were compared with what was recorded.
    pub compared: usize,
    /// Steps of which something was withheld.
    pub withheld: usize,
    /// The first difference: the step, counted from 1, and in what.
    pub difference: Option<(usize, String)>,
    /// The judge that objected at the last step played, if any.
    pub violation: Option<Violation>,
    /// How the hall stands at the end.
    pub standing: StateSummary,
    /// What was asked for and occurs in no step played: `game g_…`, `agent …`, or a step of both.
    pub unknown: Vec<String>,
    /// The digest of the state that was recorded, if all was played and it is not that of the state at the end.
    pub other_state: Option<String>,
}

/// Plays a log and says on `out` what happened, as text: see [`play`].
pub fn replay(log: &Log, catalog: Catalog, options: &ReplayOptions, out: &mut dyn FnMut(&str)) -> Replayed {
    let replayed = play(log, catalog, options, &mut |played| out(&played.to_string()));
    out(&replayed.standing.to_string());
    replayed
}

/// Plays a log and hands each step that is to be shown to `out`.
///
/// A log of the simulator is decided again under all judges. A journal is followed by its facts, so that the state
/// equals that of the recorded hall, whatever today's code would decide.
pub fn play(
    log: &Log,
    catalog: Catalog,
    options: &ReplayOptions,
    out: &mut dyn FnMut(PlayedStep),
) -> Replayed {
    let follows_facts = log.header.checked.is_some();
    let mut judge = Judge::new(catalog, Judges::with(log.header.judged_by));
    let mut replayed = Replayed::default();
    let mut filter = Filter::new(options);
    for (number, step) in
        (1..).zip(&log.steps).take_while(|(number, _)| options.until.is_none_or(|until| *number <= until))
    {
        let result = if follows_facts {
            judge.follow(step, options.compare)
        } else {
            judge.play_as_written(step, options.compare)
        };
        if options.compare {
            replayed.count(step);
        }
        replayed.steps = number;
        if filter.lets(step, &result.facts, judge.hall()) && !options.quiet {
            out(played(number, step, &result, judge.hall(), options));
        }
        replayed.difference = result.differs.map(|text| (number, text));
        replayed.violation = result.violation;
        if replayed.violation.is_some() || replayed.difference.is_some() {
            break;
        }
    }
    let is_done = replayed.violation.is_none() && replayed.difference.is_none();
    if !follows_facts && is_done {
        replayed.violation = judge.look().err();
    }
    replayed.standing = standing(judge.hall(), options);
    let is_whole = is_done && replayed.violation.is_none() && replayed.steps == log.steps.len();
    let digest = &replayed.standing.digest;
    replayed.other_state = log.state.clone().filter(|recorded| is_whole && recorded != digest);
    if let (true, Some(recorded)) = (options.compare, &replayed.other_state) {
        let text = format!("the state at the end has digest {digest}, recorded was {recorded}");
        replayed.difference = Some((replayed.steps, text));
    }
    replayed.unknown = filter.unseen();
    replayed
}

/// A log of the simulator with what comes of its steps today in place of what was recorded, and who objects to that.
#[must_use]
pub fn renewed(log: &Log, catalog: Catalog) -> (Log, Option<Violation>) {
    let mut log = log.clone();
    let mut judge = Judge::new(catalog, Judges::with(log.header.judged_by));
    for step in &mut log.steps {
        let result = judge.play_as_written(step, false);
        if result.violation.is_some() {
            return (log, result.violation);
        }
        let keeps_facts = step.outcome.as_ref().is_some_and(|outcome| outcome.facts.is_some());
        step.outcome = Some(DecisionOutcome::of(&result.facts, keeps_facts));
    }
    let objected = judge.look().err();
    log.state = Some(judge.hall().digest().to_hex());
    (log, objected)
}

impl Replayed {
    /// Counts a step that is compared. One of which nothing was recorded is decided, and neither.
    fn count(&mut self, step: &Step) {
        let Some(outcome) = &step.outcome else { return };
        self.withheld += usize::from(outcome.withheld);
        self.compared += usize::from(!outcome.withheld);
    }
}

/// Lets the steps pass that are to be shown, and knows whether there were any for each of what was asked for, and for
/// both.
struct Filter<'a> {
    options: &'a ReplayOptions,
    game_seen: bool,
    agent_seen: bool,
    both_seen: bool,
}

impl<'a> Filter<'a> {
    const fn new(options: &'a ReplayOptions) -> Self {
        Self { options, game_seen: false, agent_seen: false, both_seen: false }
    }

    /// Whether a step, which was played, concerns all that was asked for.
    fn lets(&mut self, step: &Step, facts: &[Fact], hall: &Hall) -> bool {
        let games = || facts.iter().filter_map(Fact::in_room).map(|fact| fact.game).chain(step.game());
        let of_game = self.options.game.map(|game| games().any(|other| other == game));
        let of_agent = self.options.agent.as_ref().map(|handle| {
            let Some(agent) = hall.desk().agent_by_handle(handle).map(|agent| agent.id) else { return false };
            step.who == Caller::Agent(agent)
                || words::about(&step.what).is_some_and(|other| other == handle)
                || games()
                    .any(|game| hall.rooms().find(&game).is_some_and(|room| room.player_of(&agent).is_some()))
                || facts.iter().any(|fact| names(fact, &agent))
        });
        self.game_seen |= of_game == Some(true);
        self.agent_seen |= of_agent == Some(true);
        self.both_seen |= (of_game, of_agent) == (Some(true), Some(true));
        of_game != Some(false) && of_agent != Some(false)
    }

    /// What was asked for and never seen.
    fn unseen(self) -> Vec<String> {
        let game = self.options.game.filter(|_| !self.game_seen).map(|game| format!("game {game}"));
        let agent = self.options.agent.as_ref().filter(|_| !self.agent_seen);
        let agent = agent.map(|handle| format!("agent {handle}"));
        let each_seen = self.game_seen && self.agent_seen && !self.both_seen;
        let both = self.options.game.zip(self.options.agent.as_ref()).filter(|_| each_seen);
        let both = both.map(|(game, handle)| format!("step of game {game} with agent {handle}"));
        game.into_iter().chain(agent).chain(both).collect()
    }
}

/// Whether a fact names an agent anywhere.
fn names(fact: &Fact, agent: &AgentId) -> bool {
    serde_json::to_string(fact).is_ok_and(|text| text.contains(&agent.to_string()))
}

/// One step, which was played, with what is shown of it.
fn played(
    number: usize,
    step: &Step,
    result: &StepResult,
    hall: &Hall,
    options: &ReplayOptions,
) -> PlayedStep {
    let StepResult { facts, answer, .. } = result;
    let who = match step.who {
        Caller::Agent(agent) => {
            hall.desk().agent(&agent).map_or_else(|| agent.to_string(), |agent| agent.handle.to_string())
        }
        Caller::Operator => "operator".to_owned(),
        Caller::Hall => "hall".to_owned(),
    };
    let moved = facts.iter().filter_map(Fact::in_room).map(|fact| fact.game).next();
    let room = moved.filter(|_| options.board).and_then(|game| hall.rooms().find(&game));
    PlayedStep {
        step: number,
        at: step.at,
        who,
        what: step.word(),
        about: words::about(&step.what).cloned(),
        game: step.game(),
        played: words::submission(&step.what),
        changed: facts.iter().map(|fact| change(fact, step.game(), hall)).collect(),
        refused: answer.as_ref().and_then(words::refusal),
        answer: answer.as_ref().filter(|_| options.facts).map(answered),
        facts: options.facts.then(|| facts.to_vec()),
        board: room.map(|room| board(room)),
    }
}

/// A board with its players and clocks.
#[must_use]
pub fn board(room: &Room) -> String {
    let mut text = String::new();
    let seats: Vec<String> =
        room.seats().iter().map(|seat| format!("{} ({} strikes)", seat.seat.handle, seat.strikes)).collect();
    let _ = write!(
        text,
        "      {} turn {}, {}: {}",
        room.id(),
        room.turn_index(),
        room.phase().as_str(),
        seats.join(" against ")
    );
    if let Some(deadline) = room.deadline() {
        let _ = write!(text, ", deadline {deadline}");
    }
    for line in room.board_text(Player::new(0)).lines() {
        let _ = write!(text, "\n      {line}");
    }
    text
}

/// The state as a whole.
fn standing(hall: &Hall, options: &ReplayOptions) -> StateSummary {
    let desk = hall.desk();
    let is_asked_for = |room: &Room| {
        let of_game = options.game.map(|game| room.id() == game);
        let of_agent =
            options.agent.as_ref().map(|handle| room.seats().iter().any(|seat| seat.seat.handle == *handle));
        (options.board || of_game.is_some() || of_agent.is_some())
            && of_game != Some(false)
            && of_agent != Some(false)
    };
    StateSummary {
        at: hall.clock(),
        agents: desk.agent_count(),
        live_games: hall.rooms().live_count(),
        ended_games: hall.rooms().ended_count(),
        docket_entries: desk.docket_len(),
        due_next: hall.next_deadline(),
        digest: hall.digest().to_hex(),
        boards: hall.rooms().iter().filter(|room| is_asked_for(room)).map(|room| board(room)).collect(),
    }
}
