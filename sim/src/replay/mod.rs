//! Playing a log step by step, for people: what was asked, what changed, and how the hall and its boards stand.

use crate::log::{Compared, Judge, Judges, Log, Step};
use crate::report::Violation;
use hall_core::rooms::Room;
use hall_core::{Caller, Command, Fact, Hall};
use hall_games::Catalog;
use hall_wire::{AgentId, GameId, Handle, Player, Timestamp};
use serde::Serialize;
use std::fmt;
use std::fmt::Write as _;

/// What is to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
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
pub struct Played {
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
    /// The words of what changed.
    pub changed: Vec<String>,
    /// The facts in full, if they are to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<Fact>>,
    /// The board after it, if it is to be shown and there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
}

/// The step in one line, and below it what else is to be shown.
impl fmt::Display for Played {
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
        let changed = if self.changed.is_empty() { "nothing".to_owned() } else { self.changed.join(", ") };
        write!(out, " -> {changed}")?;
        for fact in self.facts.iter().flatten() {
            write!(out, "\n      {}", serde_json::to_string(fact).unwrap_or_default())?;
        }
        self.board.as_ref().map_or(Ok(()), |board| write!(out, "\n{board}"))
    }
}

/// How a hall stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
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

impl fmt::Display for Standing {
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

/// What a replay came to.
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
    /// Who objected at the last step played, if somebody did.
    pub violation: Option<Violation>,
    /// How the hall stands at the end.
    pub standing: Standing,
    /// What was asked for and occurs in no step played: `game g_…`, `agent …`.
    pub unknown: Vec<String>,
}

/// Plays a log and says on `out` what happened, as text: see [`play`].
pub fn replay(log: &Log, catalog: Catalog, shown: &Shown, out: &mut dyn FnMut(&str)) -> Replayed {
    let replayed = play(log, catalog, shown, &mut |played| out(&played.to_string()));
    out(&replayed.standing.to_string());
    replayed
}

/// Plays a log and hands each step that is to be shown to `out`.
///
/// A log of the simulator is decided anew with all judges looking on. A journal is followed by its facts, so that
/// the state is that of the hall it comes from whatever today's code would decide.
pub fn play(log: &Log, catalog: Catalog, shown: &Shown, out: &mut dyn FnMut(Played)) -> Replayed {
    let follows_facts =
        log.steps.iter().any(|step| step.outcome.as_ref().is_some_and(|outcome| outcome.facts.is_some()));
    let mut judge = Judge::new(catalog, Judges::with(log.header.judged_by));
    let mut replayed = Replayed::default();
    let mut filter = Filter::new(shown);
    for (number, step) in
        (1..).zip(&log.steps).take_while(|(number, _)| shown.until.is_none_or(|until| *number <= until))
    {
        let went = if shown.compare {
            replayed.count(step);
            judge.compare(step)
        } else if follows_facts {
            judge.follow(step).map(|facts| Compared { facts, differs: None })
        } else {
            judge.decide(step).map(|observed| Compared { facts: observed.decision.facts, differs: None })
        };
        let (Compared { facts, differs }, objected) = match went {
            Ok(compared) => (compared, None),
            Err(violation) => (Compared::default(), Some(violation)),
        };
        replayed.difference = differs.map(|text| (number, text));
        replayed.steps = number;
        if filter.lets(step, &facts, judge.hall()) && !shown.quiet {
            out(played(number, step, &facts, judge.hall(), shown));
        }
        replayed.violation = objected;
        if replayed.violation.is_some() || replayed.difference.is_some() {
            break;
        }
    }
    let was_decided = !follows_facts && !shown.compare;
    if was_decided && replayed.violation.is_none() {
        replayed.violation = judge.look().err();
    }
    replayed.standing = standing(judge.hall(), shown);
    let is_whole = replayed.violation.is_none() && replayed.steps == log.steps.len();
    let digest = &replayed.standing.digest;
    let recorded = log.state.as_ref().filter(|recorded| *recorded != digest);
    if let (true, None, Some(recorded)) = (shown.compare && is_whole, &replayed.difference, recorded) {
        let text = format!("the state at the end has digest {digest}, recorded was {recorded}");
        replayed.difference = Some((replayed.steps, text));
    }
    replayed.unknown = filter.unseen();
    replayed
}

impl Replayed {
    /// Counts a step that is compared. One of which nothing was recorded is decided, and neither.
    fn count(&mut self, step: &Step) {
        let Some(outcome) = &step.outcome else { return };
        self.withheld += usize::from(outcome.withheld);
        self.compared += usize::from(!outcome.withheld);
    }
}

/// Lets the steps pass that are to be shown, and knows whether there were any for each of what was asked for.
struct Filter<'a> {
    shown: &'a Shown,
    game_seen: bool,
    agent_seen: bool,
}

impl<'a> Filter<'a> {
    const fn new(shown: &'a Shown) -> Self {
        Self { shown, game_seen: false, agent_seen: false }
    }

    /// Whether a step, which was played, concerns all that was asked for.
    fn lets(&mut self, step: &Step, facts: &[Fact], hall: &Hall) -> bool {
        let games = || facts.iter().filter_map(Fact::in_room).map(|fact| fact.game).chain(step.game());
        let of_game = self.shown.game.map(|game| games().any(|other| other == game));
        let of_agent = self.shown.agent.as_ref().map(|handle| {
            let Some(agent) = hall.desk().agent_by_handle(handle).map(|agent| agent.id) else { return false };
            step.who == Caller::Agent(agent)
                || about(&step.what).is_some_and(|other| other == handle)
                || games()
                    .any(|game| hall.rooms().find(&game).is_some_and(|room| room.player_of(&agent).is_some()))
                || facts.iter().any(|fact| names(fact, &agent))
        });
        self.game_seen |= of_game == Some(true);
        self.agent_seen |= of_agent == Some(true);
        of_game != Some(false) && of_agent != Some(false)
    }

    /// What was asked for and never seen.
    fn unseen(self) -> Vec<String> {
        let game = self.shown.game.filter(|_| !self.game_seen).map(|game| format!("game {game}"));
        let agent = self.shown.agent.as_ref().filter(|_| !self.agent_seen);
        game.into_iter().chain(agent.map(|handle| format!("agent {handle}"))).collect()
    }
}

/// Whether a fact names an agent, wherever.
fn names(fact: &Fact, agent: &AgentId) -> bool {
    serde_json::to_string(fact).is_ok_and(|text| text.contains(&agent.to_string()))
}

/// The agent that somebody else asks something about.
const fn about(what: &Command) -> Option<&Handle> {
    if let Command::RegisterAgent(new) = what {
        return Some(&new.handle);
    }
    if let Command::SuspendAgent { handle, .. } | Command::RestoreAgent { handle, .. } = what {
        return Some(handle);
    }
    None
}

/// One step, which was played, with what is to be shown of it.
fn played(number: usize, step: &Step, facts: &[Fact], hall: &Hall, shown: &Shown) -> Played {
    let who = match step.who {
        Caller::Agent(agent) => {
            hall.desk().agent(&agent).map_or_else(|| agent.to_string(), |agent| agent.handle.to_string())
        }
        Caller::Operator => "operator".to_owned(),
        Caller::Hall => "hall".to_owned(),
    };
    let moved = facts.iter().filter_map(Fact::in_room).map(|fact| fact.game).next();
    let room = moved.filter(|_| shown.board).and_then(|game| hall.rooms().find(&game));
    Played {
        step: number,
        at: step.at,
        who,
        what: step.word(),
        about: about(&step.what).cloned(),
        game: step.game(),
        played: wish(&step.what),
        changed: facts.iter().map(fact_word).collect(),
        facts: shown.facts.then(|| facts.to_vec()),
        board: room.map(|room| board(room)),
    }
}

/// Of a move, its turn and what is asked for in it.
fn wish(what: &Command) -> Option<String> {
    let Command::SubmitMove(wish) = what else { return None };
    let mut text = format!("turn {}", wish.turn_index);
    if let Some(choice) = &wish.choice {
        let _ = match choice {
            hall_core::Choice::Notation(notation) => write!(text, " {notation}"),
            hall_core::Choice::Gibberish => write!(text, " gibberish"),
            hall_core::Choice::Index(index) => write!(text, " index {index}"),
        };
    }
    text.push_str(if wish.resign { " resign" } else { "" });
    text.push_str(if wish.draw_offer { " draw_offer" } else { "" });
    text.push_str(if wish.draw_accept { " draw_accept" } else { "" });
    Some(text)
}

/// The word of a fact as it is written, without its version.
fn fact_word(fact: &Fact) -> String {
    let written = serde_json::to_value(fact).unwrap_or_default();
    let word = written.as_object().and_then(|fact| fact.keys().next()).cloned().unwrap_or_default();
    let change = fact.in_room().map(|fact| serde_json::to_value(&fact.change).unwrap_or_default());
    let change =
        change.as_ref().and_then(|change| change.as_object()).and_then(|change| change.keys().next());
    change.cloned().unwrap_or_else(|| word.split('/').next().unwrap_or_default().to_owned())
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
fn standing(hall: &Hall, shown: &Shown) -> Standing {
    let desk = hall.desk();
    let is_asked_for = |room: &Room| {
        let of_game = shown.game.map(|game| room.id() == game);
        let of_agent =
            shown.agent.as_ref().map(|handle| room.seats().iter().any(|seat| seat.seat.handle == *handle));
        (shown.board || of_game.is_some() || of_agent.is_some())
            && of_game != Some(false)
            && of_agent != Some(false)
    };
    Standing {
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

#[cfg(test)]
mod tests {
    use super::*;
    use hall_journal::Head;
    use hall_journal::kit::next_head;
    use hall_wire::text::encode_hex;

    /// The journal of version 1 that the driver keeps for ever.
    const GOLDEN: &str = include_str!("../../shells/driver/tests/golden/journal-v1.jsonl");

    /// [`GOLDEN`] with what was changed on purpose since it was written: the entry of a verdict says what
    /// became of its game.
    fn golden_of_today() -> String {
        let mut text = GOLDEN.to_owned();
        let spoken = "Broken off: nobody wins, and it is not rated.";
        for (then, now) in [
            (
                "\"reason\":\"An engine was wrong.\",\"disposition\":null".to_owned(),
                format!("\"reason\":\"An engine was wrong.\",\"disposition\":\"{spoken}\""),
            ),
            (
                r#"\"disposition\":null,\"id\":2,\"kind\":\"adjudication\""#.to_owned(),
                format!(r#"\"disposition\":\"{spoken}\",\"id\":2,\"kind\":\"adjudication\""#),
            ),
        ] {
            assert_eq!(text.matches(&then).count(), 1, "{then}");
            text = text.replace(&then, &now);
        }
        text
    }

    fn lines(log: &Log, shown: &Shown) -> (Vec<String>, Replayed) {
        let mut lines = Vec::new();
        let replayed = replay(log, hall_games::CATALOG, shown, &mut |line| lines.push(line.to_owned()));
        (lines, replayed)
    }

    #[test]
    fn the_journal_of_version_1_is_decided_today_as_it_was_then_but_for_what_was_changed_on_purpose() {
        let log = Log::parse(&golden_of_today()).unwrap();
        let (_, replayed) = lines(&log, &Shown { compare: true, quiet: true, ..Shown::default() });
        assert_eq!((replayed.difference, replayed.violation), (None, None));
        assert_eq!(
            (replayed.steps, replayed.compared, replayed.withheld),
            (log.steps.len(), log.steps.len(), 0)
        );
    }

    #[test]
    fn a_changed_record_is_named_as_the_first_difference() {
        let changed = GOLDEN.replacen(
            "\"model_id\":\"model of ada\",\"adapter_kind\":\"scaffold\"}},\"entropy\"",
            "\"model_id\":\"another\",\"adapter_kind\":\"scaffold\"}},\"entropy\"",
            1,
        );
        assert_ne!(changed, GOLDEN);
        let (_, replayed) =
            lines(&Log::parse(&changed).unwrap(), &Shown { compare: true, ..Shown::default() });
        let (step, text) = replayed.difference.unwrap();
        assert_eq!(step, 3);
        assert!(text.contains("another") && text.contains("model of ada"), "{text}");
    }

    #[test]
    fn the_steps_of_one_game_are_shown_up_to_where_it_is_asked_for_with_the_board() {
        let log = Log::parse(GOLDEN).unwrap();
        let game = log.steps.iter().find_map(Step::game).unwrap();
        let (all, _) = lines(&log, &Shown::default());
        let (some, replayed) =
            lines(&log, &Shown { game: Some(game), until: Some(20), board: true, ..Shown::default() });
        assert_eq!(replayed.steps, 20);
        assert!(some.len() < all.len());
        assert!(some.iter().any(|line| line.contains("turn 0") && line.contains("move_played")), "{some:#?}");
        assert!(
            some.iter().any(|line| line.contains("a b c d e f g h") || line.contains("a  b")),
            "{some:#?}"
        );
    }

    #[test]
    fn an_export_with_withheld_secrets_is_followed_and_compared_where_it_can_be() {
        let mut exported = String::new();
        let mut sealed = 0;
        let mut head = Head::EMPTY;
        for line in GOLDEN.lines() {
            let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
            let mut withheld = Vec::new();
            for fact in entry["facts"].as_array_mut().unwrap() {
                if let Some(seed) = fact.pointer_mut("/room~11/change/started/seed") {
                    *seed = serde_json::Value::Null;
                    withheld.push("/entropy");
                }
            }
            if !withheld.is_empty() {
                sealed += 1;
                entry["entropy"] = serde_json::Value::Null;
            }
            head = next_head(&head, line.as_bytes());
            let chain = encode_hex(&head.chain);
            let line =
                serde_json::json!({ "seq": head.seq, "chain": chain, "withheld": withheld, "entry": entry });
            exported.push_str(&format!("{line}\n"));
        }
        let log = Log::parse(&exported).unwrap();
        let (_, replayed) = lines(&log, &Shown { compare: true, ..Shown::default() });
        assert_eq!((replayed.difference, replayed.violation, replayed.steps), (None, None, log.steps.len()));
        assert!(sealed > 0 && replayed.withheld >= sealed && replayed.compared > replayed.withheld);
    }
}
