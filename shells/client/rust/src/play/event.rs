//! What happens while playing, for a log or a person.

use super::choice::{Action, Choice, MoveRef};
use crate::answer::{Filed, Game, View};
use crate::client::{MoveOutcome, Standing};
use crate::error::Error;
use crate::pace::RequestLimit;
use hall_wire::{GameId, Player};
use std::fmt;
use std::time::Duration;

/// Something that happened. `Display` is one line for a person.
#[derive(Debug)]
pub enum Event<'a> {
    /// The agent is registered.
    Entered(Standing),
    /// Its homologation stands.
    Homologated(&'a Filed),
    /// It waits in the lobby.
    Queued,
    /// It sits in a game: newly paired, or live from before.
    Seated {
        /// The game.
        game: &'a Game,
        /// The seat.
        you: Option<Player>,
    },
    /// It answered a turn.
    Answered {
        /// What it saw.
        view: &'a View,
        /// What it chose.
        choice: &'a Choice,
        /// What became of it.
        outcome: &'a MoveOutcome,
    },
    /// A random legal move was made in place of the strategy's.
    FellBack {
        /// The game.
        game: GameId,
        /// Why.
        why: Fallback,
    },
    /// A game has ended.
    Ended {
        /// Its record.
        game: &'a Game,
        /// The seat.
        you: Option<Player>,
    },
    /// The hall's request limit slows the agent down. Told once.
    Limited(RequestLimit),
    /// Something failed and will be tried again, or a game is gone that the hall no longer knows.
    Trouble {
        /// What failed.
        error: &'a Error,
        /// After how long it is tried again; zero where nothing is waited for.
        again_in: Duration,
    },
}

/// Why a strategy's choice was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// It came too late.
    TooLate,
    /// It is no legal move.
    NotLegal,
    /// The hall refused it.
    Refused(String),
}

/// How the games of one run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games aborted.
    pub aborted: u64,
}

impl Tally {
    /// All games that ended.
    #[must_use]
    pub const fn ended(&self) -> u64 {
        self.wins + self.losses + self.draws + self.aborted
    }

    pub(crate) fn count(&mut self, game: &Game, you: Option<Player>) {
        match &game.result {
            Some(result) if result.draw => self.draws += 1,
            Some(result) if result.winners.is_empty() => self.aborted += 1,
            Some(result) if you.is_some_and(|you| result.winners.contains(&you)) => self.wins += 1,
            Some(_) => self.losses += 1,
            None => self.aborted += 1,
        }
    }
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entered(Standing::Registered(id)) => write!(out, "registered as {id}"),
            Self::Entered(Standing::Resumed(id)) => write!(out, "already registered as {id}: going on"),
            Self::Homologated(filed) if filed.unchanged => {
                write!(
                    out,
                    "homologated for season {} (unchanged, {})",
                    filed.season_id, filed.homologation_id
                )
            }
            Self::Homologated(filed) => {
                write!(out, "homologated for season {} ({})", filed.season_id, filed.homologation_id)?;
                if filed.voided_previous.is_some() {
                    out.write_str(", voiding the standing before")
                } else {
                    Ok(())
                }
            }
            Self::Queued => out.write_str("queued; waiting for an opponent"),
            Self::Seated { game, you } => {
                write!(out, "{}: seated as {} against {}", game.id, Seat(*you), Opponents(game, *you))
            }
            Self::Answered { view, choice, outcome } => answered(out, view, choice, outcome),
            Self::Limited(RequestLimit { quota, window }) => write!(
                out,
                "slowed down by the hall's limit of {quota} requests in {window} s, which all agents at this address share"
            ),
            Self::FellBack { game, why } => match why {
                Fallback::TooLate => write!(out, "{game}: thought for too long; a random move instead"),
                Fallback::NotLegal => write!(out, "{game}: chose no legal move; a random one instead"),
                Fallback::Refused(code) => {
                    write!(out, "{game}: choice refused ({code}); a random move instead")
                }
            },
            Self::Ended { game, you } => ended(out, game, *you),
            Self::Trouble { error, again_in: Duration::ZERO } => write!(out, "{error}; going on"),
            Self::Trouble { error, again_in } => {
                write!(out, "{error}; trying again in {:.1} s", again_in.as_secs_f32())
            }
        }
    }
}

fn answered(
    out: &mut fmt::Formatter<'_>,
    view: &View,
    choice: &Choice,
    outcome: &MoveOutcome,
) -> fmt::Result {
    write!(out, "{} turn {}: ", view.game_id, view.turn_index)?;
    let index = |index: u32| view.legal_moves.iter().find(|legal| legal.index == index);
    let name = |chosen: &MoveRef| match chosen {
        MoveRef::Notation(notation) => notation.clone(),
        MoveRef::Index(place) => {
            index(*place).map_or_else(|| format!("#{place}"), |legal| legal.notation.clone())
        }
    };
    match &choice.action {
        Action::Play(chosen) => out.write_str(&name(chosen))?,
        Action::OfferDraw(chosen) => write!(out, "{} and offered a draw", name(chosen))?,
        Action::AcceptDraw => out.write_str("accepted the draw")?,
        Action::Resign => out.write_str("resigned")?,
    }
    match outcome {
        MoveOutcome::Accepted(_) => Ok(()),
        MoveOutcome::AlreadyApplied(_) => out.write_str(" (was applied although its answer got lost)"),
        MoveOutcome::Illegal(told) => {
            write!(out, " was illegal (attempt {})", told.attempts)?;
            told.did_you_mean.as_ref().map_or(Ok(()), |meant| write!(out, "; did you mean {meant}?"))
        }
        MoveOutcome::NoDrawOffer => out.write_str(": there was no offer"),
        MoveOutcome::NotApplied(told) => write!(out, " came too late ({})", told.code),
    }
}

fn ended(out: &mut fmt::Formatter<'_>, game: &Game, you: Option<Player>) -> fmt::Result {
    let Some(result) = &game.result else { return write!(out, "{}: ended", game.id) };
    let verdict = if result.draw {
        "drawn"
    } else if result.winners.is_empty() {
        "ended without a result"
    } else if you.is_some_and(|you| result.winners.contains(&you)) {
        "won"
    } else {
        "lost"
    };
    write!(
        out,
        "{}: {verdict} against {} by {}",
        game.id,
        Opponents(game, you),
        result.reason.replace('_', " ")
    )?;
    let turns = game.turn_index;
    write!(out, " after {turns} {}", if turns == 1 { "turn" } else { "turns" })
}

struct Seat(Option<Player>);

impl fmt::Display for Seat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(player) => write!(out, "{player}"),
            None => out.write_str("a player"),
        }
    }
}

struct Opponents<'a>(&'a Game, Option<Player>);

impl fmt::Display for Opponents<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self.0.seats.iter().filter(|seat| Some(seat.player) != self.1);
        // Handles are words of other agents; escaping keeps a line a line whatever a hall lets through.
        let names: Vec<String> = others.map(|seat| seat.handle.escape_debug().to_string()).collect();
        out.write_str(&names.join(", "))
    }
}
