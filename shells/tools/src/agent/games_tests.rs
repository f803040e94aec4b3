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
    let games: u32 = std::env::var("GAMES").map_or(10, |text| text.parse().unwrap());
    let search = Plays::Search(strategy::SEARCHED_MOVES);
    let pairs = [[Plays::Greedy, Plays::Random], [search, Plays::Random], [search, Plays::Greedy]];
    // Of all games together: in one of luck the weaker strategy may well win ten.
    let (mut won, mut played) = ([0.0; 3], 0.0);
    for (game, variant) in variants().filter(|(game, variant)| {
        only.as_deref().is_none_or(|only| only == *game || only == format!("{game}/{variant}"))
    }) {
        if CATALOG.find(game).unwrap().describe().players_of(variant).unwrap().min > 2 {
            continue;
        }
        for (pair, won) in pairs.into_iter().zip(&mut won) {
            let begun = std::time::Instant::now();
            let score = score(game, variant, pair, games.into());
            println!("{game}/{variant} {pair:?}: {score} of {games} in {:.1?}", begun.elapsed());
            *won += score;
        }
        played += f64::from(games);
    }
    assert!(won.iter().all(|won| *won > played / 2.0), "{won:?} of {played}");
}
