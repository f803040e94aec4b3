//! The equilibrium, by what the literature says of both games and by its best answer.

use super::*;

#[test]
fn nobody_wins_more_of_the_equilibrium_than_is_published() {
    for (stakes, sets, value) in [(Stakes::Kuhn, 12, -1.0 / 18.0), (Stakes::Leduc, 288, -0.0856)] {
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
fn a_player_without_experience_can_be_exploited() {
    assert!(Solved::after(Stakes::Leduc, 1).exploitability() > 0.5);
}
