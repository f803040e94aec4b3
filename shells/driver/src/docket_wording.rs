//! The words of the docket entries that the hall itself makes (decisions 4.6, 6.1, 8.1, 8.3, 12.3).
//!
//! An entry keeps the words that it was made with. A later release may use others; older entries and their leaves do
//! not change.

use hall_core::{DocketMatter, DocketText, GameVerdict, KeyOccasion, Withheld, Word};

/// The English text of a docket entry.
#[must_use]
pub fn docket_wording(matter: &DocketMatter<'_>) -> DocketText {
    match *matter {
        DocketMatter::VerdictGiven { game, verdict, reason } => {
            let disposition = match verdict {
                GameVerdict::Winner(player) => format!("{player} wins."),
                GameVerdict::Draw => "A draw.".to_owned(),
                GameVerdict::Abort => BROKEN_OFF.to_owned(),
            };
            text(format!("Game {game}"), reason, Some(&disposition))
        }
        DocketMatter::SeatVacated { game, player, reason } => text(
            format!("Game {game}"),
            reason,
            Some(&format!("{player} leaves the table; the others play on.")),
        ),
        DocketMatter::RulesMissing { game, version } => text(
            format!("Game {game}"),
            &format!("This release of the hall cannot go on with it by the rules {version}."),
            Some(BROKEN_OFF),
        ),
        DocketMatter::RulesChanged { versions } => {
            let versions: Vec<&str> = versions.iter().map(Word::as_str).collect();
            text(
                format!("Rules changed: {}", versions.join(", ")),
                "This release of the hall plays new games by these versions of their rules.",
                Some("Games that began under earlier rules are finished, and verified, by those."),
            )
        }
        DocketMatter::BeaconMissed { game, round } => text(
            "The randomness beacon is missing".to_owned(),
            &format!("Round {round} could not be had in time for a draw in game {game}."),
            Some("Until the beacon is there again, games draw from their seeds alone, and say so."),
        ),
        DocketMatter::Outage { from, until, cause } => text(
            format!("The hall was away ({cause})"),
            &format!("No time counted from {from} until {until}."),
            Some("Every open turn has its full move time again."),
        ),
        DocketMatter::FirstSeasonOpened { season } => {
            text(format!("Season {season} opened"), "The hall opened its first season.", None)
        }
        DocketMatter::SeasonOpened { season } => {
            text(format!("Season {season} opened"), "The hall's operator opened it.", None)
        }
        DocketMatter::SeasonClosed { season } => {
            text(format!("Season {season} closed"), "The hall's operator closed it.", None)
        }
        DocketMatter::KeyReplaced { purpose, public_key, occasion, reason } => {
            let subject = match occasion {
                KeyOccasion::Rotation => format!("The {} key is now {public_key}", purpose.as_str()),
                KeyOccasion::Restore => {
                    format!("The hall goes on from a backup; its log is now signed by {public_key}")
                }
            };
            text(subject, reason, None)
        }
        DocketMatter::TextWithheld { what, reason } => {
            let subject = match what {
                Withheld::Turn { game, turn_index } => {
                    format!("Words of turn {turn_index} of game {game} withheld")
                }
                Withheld::Feedback(id) => format!("Feedback {id} withheld"),
                Withheld::Agent(agent) => format!("Words of agent {agent} about itself withheld"),
            };
            text(subject, reason, None)
        }
        // An agent is named by its identifier: a handle is a text written by an agent, and the docket is the
        // hall's own word.
        DocketMatter::AgentSuspended { agent, reason } => {
            text(format!("Agent {agent} suspended"), reason, None)
        }
        DocketMatter::AgentRestored { agent, reason } => {
            text(format!("Agent {agent} restored"), reason, None)
        }
        DocketMatter::OperatorSuspended { operator, reason } => {
            text(format!("Operator {operator} suspended"), reason, None)
        }
        DocketMatter::OperatorRestored { operator, reason } => {
            text(format!("Operator {operator} restored"), reason, None)
        }
    }
}

const BROKEN_OFF: &str = "Broken off: nobody wins, and it is not rated.";

fn text(subject: String, reason: &str, disposition: Option<&str>) -> DocketText {
    DocketText { subject, reason: reason.to_owned(), disposition: disposition.map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::{GapCause, KeyPurpose};
    use hall_wire::{AgentId, FeedbackId, GameId, OperatorId, Player, Span, Timestamp};

    fn subject(matter: &DocketMatter<'_>) -> String {
        docket_wording(matter).subject
    }

    #[test]
    fn an_entry_names_what_it_is_about_and_says_why() {
        let (reason, agent) = ("why", AgentId::from_bytes([9; 16]));
        let operator = OperatorId::from_bytes([8; 16]);
        for (matter, told) in [
            (DocketMatter::AgentSuspended { agent, reason }, format!("Agent {agent} suspended")),
            (DocketMatter::AgentRestored { agent, reason }, format!("Agent {agent} restored")),
            (DocketMatter::OperatorSuspended { operator, reason }, format!("Operator {operator} suspended")),
            (DocketMatter::OperatorRestored { operator, reason }, format!("Operator {operator} restored")),
        ] {
            let text = docket_wording(&matter);
            assert_eq!((text.subject, text.reason.as_str(), text.disposition), (told, "why", None));
        }
    }

    #[test]
    fn a_verdict_states_its_consequence() {
        let game = GameId::from_bytes([7; 16]);
        for (verdict, told) in [
            (GameVerdict::Winner(Player::new(1)), "p1 wins."),
            (GameVerdict::Draw, "A draw."),
            (GameVerdict::Abort, "Broken off: nobody wins, and it is not rated."),
        ] {
            let text = docket_wording(&DocketMatter::VerdictGiven { game, verdict, reason: "why" });
            assert_eq!((text.subject, text.reason.as_str()), (format!("Game {game}"), "why"));
            assert_eq!(text.disposition.as_deref(), Some(told));
        }
    }

    #[test]
    fn a_vacated_seat_is_named() {
        let (game, player) = (GameId::from_bytes([7; 16]), Player::new(2));
        let text = docket_wording(&DocketMatter::SeatVacated { game, player, reason: "why" });
        assert_eq!((text.subject, text.reason.as_str()), (format!("Game {game}"), "why"));
        assert_eq!(text.disposition.as_deref(), Some("p2 leaves the table; the others play on."));
    }

    #[test]
    fn changed_rules_are_named_and_what_becomes_of_older_games_is_said() {
        let versions = ["chess/2", "go/3"].map(|version| Word::parse(version).unwrap());
        let text = docket_wording(&DocketMatter::RulesChanged { versions: &versions });
        assert_eq!(text.subject, "Rules changed: chess/2, go/3");
        assert!(text.disposition.unwrap().contains("earlier rules"));
    }

    #[test]
    fn a_withheld_text_is_named_and_not_quoted() {
        let (game, agent, post) =
            (GameId::from_bytes([7; 16]), AgentId::from_bytes([9; 16]), FeedbackId::from_bytes([8; 16]));
        for (what, told) in [
            (Withheld::Turn { game, turn_index: 3 }, format!("Words of turn 3 of game {game} withheld")),
            (Withheld::Feedback(post), format!("Feedback {post} withheld")),
            (Withheld::Agent(agent), format!("Words of agent {agent} about itself withheld")),
        ] {
            assert_eq!(subject(&DocketMatter::TextWithheld { what, reason: "why" }), told);
        }
    }

    #[test]
    fn a_replaced_key_is_published_in_the_docket() {
        let (public_key, reason) = ("other+01020304+AQ==", "the old one was lent");
        for (purpose, occasion, told) in [
            (KeyPurpose::Log, KeyOccasion::Rotation, "The log key is now other+01020304+AQ=="),
            (KeyPurpose::Ring, KeyOccasion::Rotation, "The ring key is now other+01020304+AQ=="),
            (
                KeyPurpose::Log,
                KeyOccasion::Restore,
                "The hall goes on from a backup; its log is now signed by other+01020304+AQ==",
            ),
        ] {
            assert_eq!(subject(&DocketMatter::KeyReplaced { purpose, public_key, occasion, reason }), told);
        }
    }

    #[test]
    fn an_outage_entry_says_during_which_period_no_time_counted() {
        let from = Timestamp::from_millis(1_795_000_000_000);
        let until = from + Span::from_secs(10);
        let text = docket_wording(&DocketMatter::Outage { from, until, cause: GapCause::Restart });
        assert_eq!(text.subject, "The hall was away (restart)");
        assert_eq!(text.reason, format!("No time counted from {from} until {until}."));
    }
}
