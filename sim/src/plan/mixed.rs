//! What is drawn for worlds in which several games are played.

use super::{EPOCH, WorldPlan};
use crate::dice::Dice;
use hall_core::{BeaconChain, GameVariant, Timing, Word};
use hall_games::CATALOG;
use hall_wire::{Digest, Span, Timestamp};

/// A table of four needs as many of different operators who wait in one lobby.
const AGENTS: usize = 16;

/// So many games of a world are the next ones of the catalog.
const IN_TURN: usize = 2;

/// Variants of which a world has one seldom: their games take long, and are like those of a smaller board.
const LARGE: [&str; 2] = ["13x13", "19x19"];

impl WorldPlan {
    /// Draws what is played, from separate dice.
    pub(super) fn mix(&mut self) {
        let mut dice = Dice::of(self.seed, "games of a plan", 0);
        if self.agent_profiles.len() < AGENTS {
            self.set_agents(AGENTS);
        }
        let offered = offered(dice.permille(50));
        let larger: Vec<GameVariant> = offered.iter().copied().filter(|played| seats(*played) > 2).collect();
        // Worlds of consecutive seeds go through the catalog, so that a few of them together have every game.
        let mut names: Vec<Word> = offered.iter().map(|played| played.game).collect();
        names.dedup();
        let from = usize::try_from(self.seed).unwrap_or(0).wrapping_mul(IN_TURN);
        for place in from..from.saturating_add(IN_TURN) {
            let name = place.checked_rem(names.len()).and_then(|place| names.get(place));
            let variants: Vec<_> = offered.iter().filter(|played| Some(&played.game) == name).collect();
            self.games.extend(dice.pick(&variants).copied());
        }
        for _ in 0..dice.below(3) {
            self.games.extend(dice.pick(&offered).copied());
        }
        // Tables of more than two have most of what chess has not.
        if dice.permille(700) {
            self.games.extend(dice.pick(&larger).copied());
        }
        self.games.sort_unstable();
        self.games.dedup();
        self.settings.timing = self.games.iter().map(|played| (played.game, timing(&mut dice))).collect();
        self.settings.joins_per_day = *dice.pick(&[0, 20, 50]).unwrap_or(&0);
        let sweep_every = *dice.pick(&[20, 20, 300]).unwrap_or(&20);
        self.settings.sweep_every = Span::from_secs(sweep_every);
        self.settings.beacon = dice.permille(600).then(|| BeaconChain {
            chain_hash: Digest::of(b"a chain of the simulator"),
            genesis: Timestamp::from_millis(EPOCH - 30 * 86_400_000),
            period: Span::from_secs(3),
        });
        let mean = Span::from_secs(dice.between(20, 300));
        self.faults.vacated_seats = dice.permille(600).then_some(mean);
        // A doorbell rings for every player of a shared turn, and stops for each of them when it has acted.
        self.doorbells = Dice::of(self.seed, "doorbells of a plan", 0).permille(500);
    }
}

/// What agents of a turmoil world play.
pub(crate) fn mixed_games(seed: u64) -> Vec<GameVariant> {
    let mut dice = Dice::of(seed, "games of a network", 0);
    let (larger, smaller): (Vec<_>, Vec<_>) =
        offered(false).into_iter().partition(|played| seats(*played) > 2);
    let picked = [dice.pick(&smaller), dice.pick(&smaller), dice.pick(&larger)].map(|picked| picked.copied());
    picked.into_iter().flatten().collect()
}

/// Every variant of every game, without the large ones unless they are wanted.
fn offered(with_large: bool) -> Vec<GameVariant> {
    let variants = |game: &'static dyn hall_games::Game| {
        let described = game.describe();
        let id = Word::parse(described.id);
        described.variant_ids().filter_map(move |variant| Some((id?, Word::parse(variant)?)))
    };
    let all = CATALOG.iter().flat_map(variants);
    let wanted = all.filter(|(_, variant)| with_large || !LARGE.contains(&variant.as_str()));
    wanted.map(|(game, variant)| GameVariant { game, variant }).collect()
}

/// The seats of a table at which this is played.
pub(crate) fn seats(played: GameVariant) -> u8 {
    let described = CATALOG.find(played.game.as_str()).map(|game| game.describe());
    let players = described.and_then(|described| described.players_of(played.variant.as_str()));
    players.map_or(2, |players| players.min)
}

fn timing(dice: &mut Dice) -> Timing {
    let move_time = Span::from_secs(*dice.pick(&[5, 60, 60]).unwrap_or(&60));
    let side_time = *dice.pick(&[None, None, Some(60), Some(600)]).unwrap_or(&None);
    Timing { move_time, side_time: side_time.map(Span::from_secs) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Profile;
    use std::collections::BTreeSet;

    #[test]
    fn mixed_plans_have_every_game_and_variant_in_some_world() {
        let plans: Vec<WorldPlan> = (0..300).map(|seed| WorldPlan::draw(seed, Profile::Mixed)).collect();
        let played: BTreeSet<GameVariant> = plans.iter().flat_map(WorldPlan::played).collect();
        assert_eq!(played, offered(true).into_iter().collect());
        assert!(plans.iter().all(|plan| plan.agent_profiles.len() >= AGENTS && !plan.games.is_empty()));
        assert!(plans.iter().any(|plan| plan.faults.vacated_seats.is_some()));
    }

    #[test]
    fn seven_mixed_worlds_in_a_row_have_every_game() {
        let games: BTreeSet<Word> = offered(true).iter().map(|played| played.game).collect();
        for first in [0, 1_000, 1_003] {
            let plans = (first..first + 7).map(|seed| WorldPlan::draw(seed, Profile::Mixed));
            let played: BTreeSet<Word> =
                plans.flat_map(|plan| plan.played()).map(|played| played.game).collect();
            assert_eq!(played, games, "from seed {first}");
        }
    }

    #[test]
    fn a_plan_without_a_list_of_games_is_written_as_before_there_were_lists() {
        let written = serde_json::to_string(&WorldPlan::draw(1, Profile::Storm)).unwrap();
        assert!(!written.contains("\"games\"") && !written.contains("vacated_seats"), "{written}");
    }
}
