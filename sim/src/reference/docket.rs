//! What the docket entries say that the hall writes by itself.
//!
//! The specification asks for the entries (decisions 4.6, 6.1, 8.1, 8.3, 12.3) and not for their words. These are the
//! words that the hall began with. Readers of the docket must learn from them what was done to whom, and when, and none
//! may stand in the place of another.

use super::text;
use super::words;
use hall_core::{GameVerdict, KeyOccasion, KeyPurpose, SeasonId, Withheld, Word};
use hall_wire::{AgentId, GameId, OperatorId, Player, Timestamp};

/// The words of a docket entry.
pub(super) struct Words {
    pub(super) subject: String,
    pub(super) reason: String,
    pub(super) disposition: Option<String>,
}

impl Words {
    fn about(subject: String, reason: &str) -> Self {
        Self { subject, reason: reason.to_owned(), disposition: None }
    }

    /// With what follows from it.
    fn remedied(self, disposition: String) -> Self {
        Self { disposition: Some(disposition), ..self }
    }
}

/// The first season is opened by the hall itself, every other by its operator.
pub(super) fn season_opened(season: &SeasonId, is_first: bool) -> Words {
    let reason =
        if is_first { "The hall opened its first season." } else { "The hall's operator opened it." };
    Words::about(format!("Season {season} opened"), reason)
}

pub(super) fn season_closed(season: &SeasonId) -> Words {
    Words::about(format!("Season {season} closed"), "The hall's operator closed it.")
}

/// An agent is suspended, or restored.
pub(super) fn of_agent(agent: &AgentId, suspended: bool, reason: &str) -> Words {
    Words::about(format!("Agent {} {}", text::id('a', agent.as_bytes()), standing(suspended)), reason)
}

/// An operator is suspended, or restored.
pub(super) fn of_operator(operator: &OperatorId, suspended: bool, reason: &str) -> Words {
    Words::about(format!("Operator {} {}", text::id('o', operator.as_bytes()), standing(suspended)), reason)
}

const fn standing(suspended: bool) -> &'static str {
    if suspended { "suspended" } else { "restored" }
}

/// A game is settled by the operator.
pub(super) fn settled(game: &GameId, verdict: GameVerdict, reason: &str) -> Words {
    let told = match verdict {
        GameVerdict::Winner(player) => format!("p{} wins.", player.seat()),
        GameVerdict::Draw => "A draw.".to_owned(),
        GameVerdict::Abort => "Broken off: nobody wins, and it is not rated.".to_owned(),
    };
    Words::about(format!("Game {}", text::id('g', game.as_bytes())), reason).remedied(told)
}

/// A seat is vacated by the operator.
pub(super) fn vacated(game: &GameId, player: Player, reason: &str) -> Words {
    let told = format!("p{} leaves the table; the others play on.", player.seat());
    Words::about(format!("Game {}", text::id('g', game.as_bytes())), reason).remedied(told)
}

/// New games are played by other rules from now on.
pub(super) fn rules_changed(versions: &[Word]) -> Words {
    let told: Vec<&str> = versions.iter().map(Word::as_str).collect();
    Words::about(
        format!("Rules changed: {}", told.join(", ")),
        "This release of the hall plays new games by these versions of their rules.",
    )
    .remedied("Games that began under earlier rules are finished, and verified, by those.".to_owned())
}

/// A text is withheld.
pub(super) fn withheld(what: Withheld, reason: &str) -> Words {
    let subject = match what {
        Withheld::Turn { game, turn_index } => {
            format!("Words of turn {turn_index} of game {} withheld", text::id('g', game.as_bytes()))
        }
        Withheld::Feedback(id) => format!("Feedback {} withheld", text::id('f', id.as_bytes())),
        Withheld::Agent(agent) => {
            format!("Words of agent {} about itself withheld", text::id('a', agent.as_bytes()))
        }
    };
    Words::about(subject, reason)
}

/// Another key of the hall takes the place of one.
pub(super) fn key(purpose: KeyPurpose, key: &str, occasion: KeyOccasion, reason: &str) -> Words {
    let subject = match occasion {
        KeyOccasion::Rotation => format!("The {} key is now {key}", words::key(purpose)),
        KeyOccasion::Restore => format!("The hall goes on from a backup; its log is now signed by {key}"),
    };
    Words::about(subject, reason)
}

/// The hall was away for long.
pub(super) fn outage(from: Timestamp, until: Timestamp, why: &str) -> Words {
    let reason = format!("No time counted from {} until {}.", text::time(from), text::time(until));
    Words::about(format!("The hall was away ({why})"), &reason)
        .remedied("Every open turn has its full move time again.".to_owned())
}

/// A game could not wait any longer for its round.
pub(super) fn beacon_missing(game: &GameId, round: u64) -> Words {
    let game = text::id('g', game.as_bytes());
    let reason = format!("Round {round} could not be had in time for a draw in game {game}.");
    Words::about("The randomness beacon is missing".to_owned(), &reason).remedied(
        "Until the beacon is there again, games draw from their seeds alone, and say so.".to_owned(),
    )
}
