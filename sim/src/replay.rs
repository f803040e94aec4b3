//! Playing a log step by step, for people: what was asked, what changed, and how the hall and its boards stand.

use crate::log::{Judge, Judges, Log, Step};
use crate::report::Violation;
use hall_core::rooms::Room;
use hall_core::{Caller, Fact, Hall};
use hall_games::Catalog;
use hall_wire::{GameId, Handle, Player};
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

/// What a replay came to.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The digest of the state, hexadecimal.
    pub state: String,
}

/// Plays a log and says on `out` what happened.
///
/// A log of the simulator is decided anew with all judges looking on. A journal is followed by its facts, so that
/// the state is that of the hall it comes from whatever today's code would decide.
pub fn replay(log: &Log, catalog: Catalog, shown: &Shown, out: &mut dyn FnMut(&str)) -> Replayed {
    let follows_facts =
        log.steps.iter().any(|step| step.outcome.as_ref().is_some_and(|outcome| outcome.facts.is_some()));
    let mut judge = Judge::new(catalog, Judges::with(log.header.judged_by));
    let mut replayed = Replayed {
        steps: 0,
        compared: 0,
        withheld: 0,
        difference: None,
        violation: None,
        state: String::new(),
    };
    for (number, step) in
        (1..).zip(&log.steps).take_while(|(number, _)| shown.until.is_none_or(|until| *number <= until))
    {
        let outcome = step.outcome.as_ref();
        let (facts, objected) = if follows_facts || shown.compare {
            let withheld = outcome.is_none_or(|outcome| outcome.withheld);
            replayed.withheld += usize::from(withheld);
            replayed.compared += usize::from(!withheld);
            let compared = judge.compare(step);
            if let (Ok(Some(text)), None, true) = (&compared, &replayed.difference, shown.compare) {
                replayed.difference = Some((number, text.clone()));
            }
            (outcome.and_then(|outcome| outcome.facts.clone()), compared.err())
        } else {
            match judge.decide(step) {
                Ok(observed) => (Some(observed.decision.facts), None),
                Err(violation) => (None, Some(violation)),
            }
        };
        replayed.steps = number;
        let facts = facts.unwrap_or_default();
        if !shown.quiet && concerns(shown, step, &facts, judge.hall()) {
            out(&line(number, step, &facts, judge.hall()));
            if shown.facts {
                facts.iter().for_each(|fact| {
                    out(&format!("      {}", serde_json::to_string(fact).unwrap_or_default()))
                });
            }
            let moved = facts.iter().filter_map(Fact::in_room).map(|fact| fact.game).next();
            if let (true, Some(room)) = (shown.board, moved.and_then(|game| judge.hall().rooms().find(&game)))
            {
                out(&board(room));
            }
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
    replayed.state = judge.hall().digest().to_hex();
    out(&state(judge.hall(), shown));
    replayed
}

fn concerns(shown: &Shown, step: &Step, facts: &[Fact], hall: &Hall) -> bool {
    let mut games = facts.iter().filter_map(Fact::in_room).map(|fact| fact.game).chain(step.game());
    if let Some(game) = shown.game {
        return games.any(|other| other == game);
    }
    let Some(handle) = &shown.agent else { return true };
    let Some(agent) = hall.desk().agent_by_handle(handle).map(|agent| agent.id) else { return false };
    step.who == Caller::Agent(agent)
        || facts
            .iter()
            .any(|fact| matches!(fact, Fact::AgentRegistered { agent: other, .. } if *other == agent))
        || games.any(|game| hall.rooms().find(&game).is_some_and(|room| room.player_of(&agent).is_some()))
}

/// One step in one line.
#[must_use]
pub fn line(number: usize, step: &Step, facts: &[Fact], hall: &Hall) -> String {
    let who = match step.who {
        Caller::Agent(agent) => {
            hall.desk().agent(&agent).map_or_else(|| agent.to_string(), |agent| agent.handle.to_string())
        }
        Caller::Operator => "operator".to_owned(),
        Caller::Hall => "hall".to_owned(),
    };
    let mut text = format!("{number:>5} {} {who} {}", step.at, step.word());
    if let Some(game) = step.game() {
        let _ = write!(text, " {game}");
    }
    if let hall_core::Command::SubmitMove(wish) = &step.what {
        let _ = write!(text, " turn {}", wish.turn_index);
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
    }
    let words: Vec<String> = facts.iter().map(fact_word).collect();
    let _ = write!(text, " -> {}", if words.is_empty() { "nothing".to_owned() } else { words.join(", ") });
    text
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
fn state(hall: &Hall, shown: &Shown) -> String {
    let desk = hall.desk();
    let mut text = format!(
        "State at {}: {} agents, {} live games, {} ended, {} docket entries; due next {}; digest {}",
        hall.clock(),
        desk.agent_count(),
        hall.rooms().live_count(),
        hall.rooms().ended_count(),
        desk.docket_len(),
        hall.next_deadline().map_or_else(|| "nothing".to_owned(), |due| due.to_string()),
        hall.digest().to_hex()
    );
    let wanted = |room: &Room| match (shown.game, &shown.agent) {
        (Some(game), _) => room.id() == game,
        (None, Some(handle)) => room.seats().iter().any(|seat| seat.seat.handle == *handle),
        (None, None) => shown.board,
    };
    for room in hall.rooms().iter().filter(|room| wanted(room)) {
        text.push('\n');
        text.push_str(&board(room));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for (seq, line) in (1..).zip(GOLDEN.lines()) {
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
            let line = serde_json::json!({ "seq": seq, "chain": "", "withheld": withheld, "entry": entry });
            exported.push_str(&format!("{line}\n"));
        }
        let log = Log::parse(&exported).unwrap();
        let (_, replayed) = lines(&log, &Shown { compare: true, ..Shown::default() });
        assert_eq!((replayed.difference, replayed.violation, replayed.steps), (None, None, log.steps.len()));
        assert!(sealed > 0 && replayed.withheld >= sealed && replayed.compared > replayed.withheld);
    }
}
