//! One step of a log: a command with its inputs, and its outcome.

use super::body;
use crate::direct::Observed;
use crate::tag::tag;
use hall_core::{Caller, Command, Decision, DoorbellCommand, Fact, HallCommand, RoomCommand};
use hall_wire::text::encode_hex;
use hall_wire::{Digest, GameId, Timestamp};
use serde::{Deserialize, Serialize};

/// A command with everything that its decision depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Core time.
    pub at: Timestamp,
    /// When the last byte of the request had arrived; for a sweep, up to when.
    pub stamp: Timestamp,
    /// Who asked.
    pub who: Caller,
    /// For what.
    pub what: Command,
    /// The signed body of a move, which the command does not carry in its written form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<body::RecordedBody>,
    /// The random bytes that the decision drew, hexadecimal; none if they were withheld.
    pub entropy: Option<String>,
    /// Whether it is a command of a hall's life or one that an oracle tried.
    #[serde(rename = "manner", default, skip_serializing_if = "DecisionMode::is_usual")]
    pub mode: DecisionMode,
    /// Its outcome, if that was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<DecisionOutcome>,
}

/// How a command is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionMode {
    /// After what was due by then, as the writer of a hall does it.
    #[default]
    Usual,
    /// Without what was due before it, as an oracle tried it.
    Tried,
    /// The same, and the state is saved and read back after it.
    TriedAndSaved,
}

impl DecisionMode {
    /// Whether it is the usual one.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::Usual
    }
}

/// The outcome of a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecisionOutcome {
    /// sha256 over the written facts, its first 16 digits.
    pub digest: String,
    /// The facts themselves, if they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<Fact>>,
    /// Whether something in it was withheld, so that it cannot be decided again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
}

impl DecisionOutcome {
    /// Of these facts.
    #[must_use]
    pub fn of(facts: &[Fact], keep: bool) -> Self {
        let written = serde_json::to_vec(facts).unwrap_or_default();
        let digest = Digest::of(&written).to_hex().chars().take(16).collect();
        Self { digest, facts: keep.then(|| facts.to_vec()), withheld: false }
    }
}

impl Step {
    /// A step that is only to be decided.
    #[must_use]
    pub fn new(at: Timestamp, stamp: Timestamp, who: Caller, what: Command, drawn: &[u8]) -> Self {
        let signed = if let Command::Room(RoomCommand::Submit(submission)) = &what {
            submission.signed.as_ref().map(body::RecordedBody::of)
        } else {
            None
        };
        let entropy = Some(encode_hex(drawn));
        let mut step =
            Self { at, stamp, who, what, signed, entropy, mode: DecisionMode::Usual, outcome: None };
        if let Command::Room(RoomCommand::Submit(submission)) = &mut step.what {
            submission.signed = None;
        }
        step
    }

    /// A decision that was observed, with its outcome.
    #[must_use]
    pub fn observed(observed: &Observed, keep_facts: bool) -> Self {
        let mut step =
            Self::new(observed.at, observed.stamp, observed.who, observed.what.clone(), &observed.drawn);
        step.outcome = Some(DecisionOutcome::of(&observed.decision.facts, keep_facts));
        step
    }

    /// The command with its signed body put back.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut what = self.what.clone();
        if let (Command::Room(RoomCommand::Submit(submission)), Some(signed)) = (&mut what, &self.signed) {
            submission.signed = signed.restore();
        }
        what
    }

    /// The random bytes that it drew; none if they were withheld. `None` if they are not written in hexadecimal.
    pub(super) fn drawn(&self) -> Option<Vec<u8>> {
        let Some(text) = &self.entropy else { return Some(Vec::new()) };
        let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
        let byte = |pair: &str| (pair.len() == 2).then(|| u8::from_str_radix(pair, 16).ok())?;
        pairs.map(|pair| pair.and_then(byte)).collect()
    }

    /// The game that it is about, if it is about one.
    #[must_use]
    pub const fn game(&self) -> Option<GameId> {
        match &self.what {
            Command::Room(RoomCommand::Submit(submission)) => Some(submission.game),
            Command::Room(RoomCommand::Adjudicate { game, .. } | RoomCommand::Vacate { game, .. })
            | Command::Hall(HallCommand::ArchiveGame { game }) => Some(*game),
            Command::Doorbell(DoorbellCommand::ReportRing(report)) => Some(report.game),
            Command::Desk(_)
            | Command::Doorbell(DoorbellCommand::Register { .. })
            | Command::Doorbell(DoorbellCommand::BeginVerification)
            | Command::Doorbell(DoorbellCommand::Disable)
            | Command::Doorbell(DoorbellCommand::Confirm { .. })
            | Command::Governance(_)
            | Command::Hall(HallCommand::Start { .. })
            | Command::Hall(HallCommand::Stop)
            | Command::Room(RoomCommand::ExtendForGap { .. })
            | Command::Room(RoomCommand::ReceiveBeacon { .. })
            | Command::Hall(HallCommand::ReplaceKey { .. })
            | Command::Hall(HallCommand::TakeCheckpoint { .. })
            | Command::Hall(HallCommand::Sweep) => None,
        }
    }

    /// Changes the game and turn of a move, and drops its outcome.
    pub fn move_elsewhere(&mut self, game: GameId, turn: u32) {
        if let Command::Room(RoomCommand::Submit(submission)) = &mut self.what {
            (submission.game, submission.turn_index) = (game, turn);
            self.signed.iter_mut().for_each(|signed| signed.speak_of(game, turn));
            self.outcome = None;
        }
    }

    /// The word of the command, as it is written in a journal.
    #[must_use]
    pub fn word(&self) -> &'static str {
        tag(&self.what)
    }
}

/// The first difference between recorded facts and others, in words; `None` if there is none.
pub(super) fn difference(recorded: &DecisionOutcome, decided: &Decision) -> Option<String> {
    let now = DecisionOutcome::of(&decided.facts, false);
    if now.digest == recorded.digest {
        return None;
    }
    let written = |fact: Option<&Fact>| {
        fact.map_or_else(|| "nothing".to_owned(), |fact| serde_json::to_string(fact).unwrap_or_default())
    };
    let Some(facts) = &recorded.facts else {
        let decided: String =
            decided.facts.iter().map(|fact| format!("\n  decided  {}", written(Some(fact)))).collect();
        let none = if decided.is_empty() { "\n  decided  nothing" } else { "" };
        let (now, then) = (now.digest, &recorded.digest);
        return Some(format!(
            "the facts have digest {now}, recorded was {then} (the facts of then were not kept){none}{decided}"
        ));
    };
    let longest = facts.len().max(decided.facts.len());
    (0..longest).find_map(|place| {
        let (was, is) = (facts.get(place), decided.facts.get(place));
        (was != is)
            .then(|| format!("fact {}:\n  recorded {}\n  decided  {}", place + 1, written(was), written(is)))
    })
}
