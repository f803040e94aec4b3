//! Every game of the catalog, played by every strategy.

use super::dice::Dice;
use super::strategy;
use super::trial::{Plays, Trial, score};
use hall_games::CATALOG;

/// Every variant with its game.
fn variants() -> impl Iterator<Item = (&'static str, &'static str)> {
    CATALOG.iter().flat_map(|game| {
        let described = game.describe();
        described.variant_ids().map(move |variant| (described.id, variant))
    })
}

#[test]
fn every_strategy_chooses_the_same_legal_move_again_from_the_same_seed() {
    for (game, variant) in variants() {
        for turns in [0, 1, 7, 20] {
            let mut trial = Trial::new(game, variant, 5);
            trial.play_out(&[Plays::Random; 4], turns);
            for player in trial.movers() {
                let view = trial.view(player);
                for plays in [Plays::Random, Plays::Greedy, Plays::Search(300)] {
                    let chosen = plays.choose(&view, Dice::new(1));
                    assert!(
                        view.legal_moves.iter().any(|legal| legal.notation == chosen),
                        "{game} {variant}"
                    );
                    assert_eq!(chosen, plays.choose(&view, Dice::new(1)), "{game} {variant} {plays:?}");
                }
            }
        }
    }
}

#[test]
#[ignore = "a measurement: it takes minutes"]
fn the_stronger_strategy_wins_more() {
    let only = std::env::var("GAME").ok();
    let games: u64 = std::env::var("GAMES").map_or(10, |text| text.parse().unwrap());
    for (game, variant) in variants().filter(|(game, variant)| {
        only.as_deref().is_none_or(|only| only == *game || only == format!("{game}/{variant}"))
    }) {
        if CATALOG.find(game).unwrap().describe().players_of(variant).unwrap().min > 2 {
            continue;
        }
        let search = Plays::Search(strategy::SEARCHED_MOVES);
        for pair in [[Plays::Greedy, Plays::Random], [search, Plays::Random], [search, Plays::Greedy]] {
            let begun = std::time::Instant::now();
            let won = score(game, variant, pair, games);
            println!("{game}/{variant} {pair:?}: {won} of {games} in {:.1?}", begun.elapsed());
        }
    }
}
