//! The equilibrium, by what the literature says of both games and by its best answer.

use super::*;

#[test]
fn nobody_wins_more_of_the_equilibrium_than_is_published() {
    for (stakes, sets, value) in [(Stakes::Kuhn, 12, -1.0 / 18.0), (Stakes::Leduc, leduc_sets(3, 9), -0.0856)]
    {
        let solved = solved(stakes);
        assert_eq!(solved.sets(), sets, "{stakes:?}");
        assert!((solved.value() - value).abs() < 0.002, "{stakes:?}: {}", solved.value());
        let exploitability = solved.exploitability();
        println!("{stakes:?}: exploitable for {exploitability:.5} chips a hand");
        assert!(exploitability < MOST_EXPLOITABLE, "{stakes:?}: {exploitability}");
        assert!(exploitability > 0.0, "a best answer never loses: {stakes:?} {exploitability}");
    }
}

#[test]
fn the_published_number_of_sets_tells_suits_apart_and_the_solver_only_ranks() {
    assert_eq!((leduc_sets(6, 6 * 5), leduc_sets(3, 3 * 3)), (936, 288));
}

/// How many sets Leduc poker has if so many `cards` are told apart, and so many `pairs` of a card and a board: a hand
/// can be at 6 points of the first round, which ends in 5 ways, and then at 6 points of the second.
const fn leduc_sets(cards: usize, pairs: usize) -> usize {
    6 * cards + 5 * 6 * pairs
}

#[test]
fn a_player_without_experience_can_be_exploited() {
    assert!(Solved::after(Stakes::Leduc, 1).exploitability() > 0.5);
}
