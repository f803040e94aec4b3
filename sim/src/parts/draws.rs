//! Draws from a seed, against the written formula in 128 bits: `x` counts if it is below floor(2^64 / n) * n.

use super::{Comparison, guests};
use crate::dice::Dice;
use hall_core::rooms::{Resolution, RoomChange};
use hall_core::{Caller, Command, Fact, Hall, RoomCommand};
use hall_games::sealed_bids::SEALED_BIDS;
use hall_games::{Catalog, Game};
use hall_wire::draw::{RandomDraw, RandomDraws, Seed, draw_x};
use hall_wire::{AgentId, GameId, Notation, Timestamp};
use std::sync::Arc;

const GAMES: &[&dyn Game] = &[&SEALED_BIDS];
const START: Timestamp = Timestamp::from_millis(1_795_211_400_000);
/// Who plays, and the sides of the die where bids are the same.
const SEATS: usize = 3;
const SIDES: u64 = 6;

/// Draws at the edges of the range, and a few in a row.
pub(super) fn compare(dice: &mut Dice, out: &mut Comparison, value_below: impl Fn(u64, u64) -> Option<u64>) {
    let small = dice.between(1, 218);
    let big = u64::MAX - dice.below(1 << 20);
    let any = dice.below(u64::MAX).max(1);
    for n in [1, 2, 3, small, any, 1 << 63, (1 << 63) + 1, big, u64::MAX - 1, u64::MAX] {
        let limit = limit(n);
        let last = u64::try_from(limit - 1).unwrap_or(u64::MAX);
        for x in [0, n - 1, n, last, last.saturating_add(1), u64::MAX, dice.below(u64::MAX)] {
            out.same("draw", || format!("x = {x}, n = {n}"), value(x, n), value_below(x, n));
        }
    }
    let (game, seed) = (GameId::from_bytes(dice.bytes()), Seed::from_bytes(dice.bytes()));
    let turn = u32::try_from(dice.below(500)).unwrap_or(0);
    let mut draws = RandomDraws::new(game, turn, &seed, "");
    let (mut expected, mut counter): (Vec<RandomDraw>, u32) = (Vec::new(), 0);
    for n in [small, 0, 1, (1 << 63) + 1, any, (1 << 63) + 1] {
        let drawn = loop {
            if n == 0 {
                break 0;
            }
            let x = draw_x(&game, turn, counter, &seed, "");
            let value = value(x, n);
            expected.push(RandomDraw { counter, n, x, value });
            counter += 1;
            if let Some(value) = value {
                break value;
            }
        };
        out.same("draw: next", || format!("n = {n} at {counter}"), drawn, draws.below(n));
    }
    out.same("draw: taken", || format!("{} {turn} of {game}", seed.reveal()), expected, draws.taken());
}

/// Three bid the same, so that a die is cast; what a hall then reads of draws that were recorded, some of them rejected
/// and the first perhaps for the choice of the move, is what the die shows (decisions 6.2 and 6.4). With so few sides
/// no hall draws a rejected one in any time that could be waited for. Applied by what is given for it.
pub(super) fn compare_recorded(dice: &mut Dice, out: &mut Comparison, apply: impl Fn(&mut Hall, &Fact)) {
    let Some((mut hall, facts)) = cast(dice) else {
        return out.same("draw: recorded", || "three who bid the same".to_owned(), "a die is cast", "none");
    };
    let (chooses, shown) = (dice.permille(500), dice.below(SIDES));
    let mut draws = Vec::new();
    for value in chooses.then(|| dice.below(4)).into_iter().chain([shown]) {
        for _ in 0..dice.below(3) {
            record(&mut draws, None, dice);
        }
        record(&mut draws, Some(value), dice);
    }
    let input = || format!("{draws:?}, the first of which chooses the move: {chooses}");
    let mut room = None;
    for mut fact in facts {
        if let Fact::Room(fact) = &mut fact
            && let RoomChange::MovePlayed(resolution) = &mut Arc::make_mut(fact).change
        {
            *resolution =
                Resolution { chosen_at_random: chooses, draws: draws.clone(), ..resolution.clone() };
            room = Some(fact.game);
        }
        apply(&mut hall, &fact);
    }
    let room = room.and_then(|game| hall.rooms().find(&game));
    let cast = room.and_then(|room| room.position().public().get("dice")?.get(0)?.as_u64());
    out.same("draw: recorded", input, Some(shown), cast);
}

/// Lists a draw that was made.
fn record(draws: &mut Vec<RandomDraw>, value: Option<u64>, dice: &mut Dice) {
    let counter = u32::try_from(draws.len()).unwrap_or(u32::MAX);
    draws.push(RandomDraw { counter, n: SIDES, x: dice.below(u64::MAX), value });
}

/// A hall in which two of three have bid, and what follows from the same bid of the last.
fn cast(dice: &mut Dice) -> Option<(Hall, Vec<Fact>)> {
    let (mut hall, game, agents) = guests::seated(Catalog::new(GAMES), "sealed_bids", SEATS, START, dice)?;
    let mut facts = Vec::new();
    for (turn_index, agent) in (0..).zip(agents) {
        facts.iter().for_each(|fact| hall.apply(fact));
        facts = bid(&hall, game, turn_index, agent, dice)?;
    }
    Some((hall, facts))
}

fn bid(hall: &Hall, game: GameId, turn_index: u32, agent: AgentId, dice: &mut Dice) -> Option<Vec<Fact>> {
    let what = Command::Room(RoomCommand::Submit(guests::wish(game, turn_index, Notation::parse("3")?)));
    let decision = hall.decide(START, START, Caller::Agent(agent), &what, dice);
    decision.answer.ok().map(|_| decision.facts)
}

fn limit(n: u64) -> u128 {
    (1_u128 << 64) / u128::from(n) * u128::from(n)
}

fn value(x: u64, n: u64) -> Option<u64> {
    (u128::from(x) < limit(n)).then(|| x % n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::draw;

    #[test]
    fn a_draw_that_takes_what_lies_beyond_the_last_multiple_differs() {
        let differences = |value_below: fn(u64, u64) -> Option<u64>| {
            let mut out = Comparison::default();
            compare(&mut Dice::of(1, "draws", 0), &mut out, value_below);
            out.differences.len()
        };
        assert_eq!(differences(draw::value_below), 0);
        assert_ne!(differences(|x, n| Some(x % n)), 0);
        // Without the 128 bits: 2^64 is taken for 2^64 - 1.
        assert_ne!(differences(|x, n| (x < u64::MAX / n * n).then(|| x % n)), 0);
    }

    #[test]
    fn a_hall_that_reads_a_rejected_draw_or_the_one_that_chose_the_move_differs() {
        let differences = |bend: fn(&mut Vec<RandomDraw>, &mut bool)| {
            let mut out = Comparison::default();
            for seed in 0..20 {
                compare_recorded(&mut Dice::of(seed, "draws", 0), &mut out, |hall, fact| {
                    let mut fact = fact.clone();
                    if let Fact::Room(fact) = &mut fact
                        && let RoomChange::MovePlayed(resolution) = &mut Arc::make_mut(fact).change
                    {
                        bend(&mut resolution.draws, &mut resolution.chosen_at_random);
                    }
                    hall.apply(&fact);
                });
            }
            out.differences.len()
        };
        assert_eq!(differences(|_, _| {}), 0);
        // Rejected draws are handed out as if they had been taken.
        assert_ne!(
            differences(|draws, _| draws
                .iter_mut()
                .for_each(|draw| draw.value = draw.value.or(Some(draw.x % SIDES)))),
            0
        );
        assert_ne!(differences(|_, chooses| *chooses = false), 0);
    }
}
