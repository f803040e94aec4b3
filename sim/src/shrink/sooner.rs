//! The same commands sooner: time in which nothing happens that the failure needs is taken out, and with it whatever
//! a hall does only because time passes.

use crate::log::Step;
use hall_core::{Command, DoorbellCommand, HallCommand, RoomCommand};
use hall_wire::id::time_ordered;
use hall_wire::{GameId, Span, Timestamp};

/// The steps with those from a place on so much sooner. Games that begin among them get the names that they would
/// have then, because a game's name begins with its time.
pub(super) fn sooner(steps: &[Step], place: usize, by: Span) -> Vec<Step> {
    let Some(since) = steps.get(place).map(|step| step.at) else { return steps.to_vec() };
    let mut steps = steps.to_vec();
    for step in steps.iter_mut().skip(place) {
        step.at = moved(step.at, by);
        step.stamp = moved(step.stamp, by);
        step.outcome = None;
        if let Command::Room(RoomCommand::Submit(submission)) = &step.what {
            let (game, turn) = (of_time(submission.game, since, by), submission.turn_index);
            step.move_elsewhere(game, turn);
        }
        let renamed = |game: &mut GameId| *game = of_time(*game, since, by);
        match &mut step.what {
            Command::Room(RoomCommand::Adjudicate { game, .. } | RoomCommand::Vacate { game, .. })
            | Command::Hall(HallCommand::ArchiveGame { game }) => renamed(game),
            Command::Room(RoomCommand::ExtendForGap { from, until, after, .. }) => {
                (*from, *until) = (moved(*from, by), moved(*until, by));
                after.iter_mut().for_each(renamed);
            }
            Command::Doorbell(DoorbellCommand::ReportRing(report)) => renamed(&mut report.game),
            Command::Room(RoomCommand::ReceiveBeacon { after, .. }) => after.iter_mut().for_each(renamed),
            Command::Room(RoomCommand::Submit(_))
            | Command::Desk(_)
            | Command::Doorbell(DoorbellCommand::Register { .. })
            | Command::Doorbell(DoorbellCommand::BeginVerification)
            | Command::Doorbell(DoorbellCommand::Disable)
            | Command::Doorbell(DoorbellCommand::Confirm { .. })
            | Command::Governance(_)
            | Command::Hall(HallCommand::Start { .. })
            | Command::Hall(HallCommand::Stop)
            | Command::Hall(HallCommand::ReplaceKey { .. })
            | Command::Hall(HallCommand::TakeCheckpoint { .. })
            | Command::Hall(HallCommand::Sweep) => {}
        }
    }
    steps
}

/// How much sooner the step at a place could be, a millisecond after the one before it; `None` if that is not worth
/// a try.
pub(super) fn gap_before(steps: &[Step], place: usize) -> Option<Span> {
    let before = steps.get(place.checked_sub(1)?)?;
    let step = steps.get(place)?;
    let gap = step.at.since(before.at).as_millis();
    (gap > 100).then(|| Span::from_millis(gap - 1))
}

fn moved(time: Timestamp, by: Span) -> Timestamp {
    let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(time.as_millis().saturating_sub(by))
}

/// The name of a game, sooner if it began at `since` or later.
fn of_time(game: GameId, since: Timestamp, by: Span) -> GameId {
    let [a, b, c, d, e, f, random @ ..] = *game.as_bytes();
    let began = Timestamp::from_millis(i64::from_be_bytes([0, 0, a, b, c, d, e, f]));
    if began < since { game } else { GameId::from_bytes(time_ordered(moved(began, by), random)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::Caller;

    #[test]
    fn a_game_that_begins_later_gets_a_new_id_and_an_earlier_one_keeps_its_own() {
        let at = Timestamp::from_millis;
        let game = |millis: i64| GameId::from_bytes(time_ordered(at(millis), [7; 10]));
        let archived = |millis: i64, game| {
            Step::new(
                at(millis),
                at(millis),
                Caller::Hall,
                Command::Hall(HallCommand::ArchiveGame { game }),
                &[],
            )
        };
        let steps = [archived(1_000, game(500)), archived(9_000, game(500)), archived(9_500, game(9_200))];
        assert_eq!(gap_before(&steps, 1), Some(Span::from_millis(7_999)));
        assert_eq!(gap_before(&steps, 0), None);
        let sooner = sooner(&steps, 1, Span::from_millis(7_999));
        let times: Vec<i64> = sooner.iter().map(|step| step.at.as_millis()).collect();
        assert_eq!(times, [1_000, 1_001, 1_501]);
        let games: Vec<Option<GameId>> = sooner.iter().map(Step::game).collect();
        assert_eq!(games, [Some(game(500)), Some(game(500)), Some(game(1_201))]);
    }
}
