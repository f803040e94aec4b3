//! What the second rules of the bidding game promise to the tests that use them.

use super::*;

#[test]
fn nature_announces_the_round_and_rolls_a_hidden_die_and_then_all_bid_at_once() {
    let mut game = opened("standard", 3);
    let one = Notation::parse("1").unwrap();
    assert_eq!((game.state_string().as_str(), legal(&*game, 1).as_str()), ("unset", ""));
    assert_eq!(game.play(Player::new(1), &one, &mut Die(7)), Err(Refused::Illegal));
    for (public, complete) in [(Some("round 1"), "round 1"), (None, "die 7")] {
        assert!(game.awaits_nature() && game.to_move().is_empty());
        let act = game.act(&mut Die(7)).unwrap();
        assert_eq!((act.outcome.as_deref(), act.complete.as_str()), (public, complete));
    }
    assert!(!game.awaits_nature());
    assert_eq!(game.act(&mut Die(7)), Err(Refused::Illegal));
    assert_eq!(game.state_string(), "round 1 points 0,0,0 passes 0,0,0 to p0,p1,p2");
    assert_eq!(legal(&*game, 1), "1 2 3 pass");
    assert_eq!(game.default_action(Player::new(1)).unwrap().as_str(), "pass");
    game.play(Player::new(1), &one, &mut Die(7)).unwrap();
    assert_eq!(game.play(Player::new(1), &one, &mut Die(7)), Err(Refused::Illegal));
    assert_eq!(game.state_string(), "round 1 points 0,0,0 passes 0,0,0 to p0,p2");
    assert_eq!((legal(&*game, 1).as_str(), game.default_action(Player::new(1))), ("", None));
}

#[test]
fn the_die_is_shown_exactly_when_it_decides_a_tie() {
    // (the bids in seat order, what the last one shows, the points afterwards)
    let table = [
        ("31p", None, "1,0,0"),
        ("313", Some("die 7"), "0,0,1"),
        ("222", Some("die 7"), "0,1,0"),
        ("ppp", None, "0,0,0"),
    ];
    for (bids, shown, points) in table {
        let mut game = opened("standard", 3);
        assert_eq!(play_round(&mut *game, 7, bids).as_deref(), shown, "{bids}");
        assert!(game.state_string().starts_with(&format!("round 2 points {points} ")), "{bids}");
    }
}

#[test]
fn those_who_are_in_are_placed_by_their_points_and_then_those_who_are_out_the_last_one_first() {
    // (the bids of each round, who is out at the end in order, the reason, the places in seat order)
    let table = [
        ("312 312", "", "most_points", [1, 2, 2]),
        ("132 213 132", "", "most_points", [3, 1, 2]),
        ("1p2 2p1 2p3", "p1", "most_points", [2, 3, 1]),
        ("pp1 ppp ppp", "p0 p1", "last_in", [3, 2, 1]),
        ("pp1 p1p ppp .pp", "p0 p1 p2", "last_in", [3, 2, 1]),
    ];
    for (rounds, out, reason, places) in table {
        let mut game = opened("standard", 3);
        for bids in rounds.split(' ') {
            assert_eq!(game.outcome(), None, "{rounds}");
            play_round(&mut *game, 0, bids);
        }
        let outcome = game.outcome().unwrap();
        let are_out: Vec<String> = game.eliminated().iter().map(ToString::to_string).collect();
        assert_eq!(are_out.join(" "), out, "{rounds}");
        assert_eq!((outcome.reason.as_str(), &outcome.places[..]), (reason, &places[..]), "{rounds}");
    }
}

#[test]
fn four_players_with_equally_many_points_after_the_last_round_draw() {
    let mut game = opened("four", 4);
    for bids in ["2111", "1211", "1121", "1112", "pppp", "pppp"] {
        assert_eq!(game.outcome(), None);
        play_round(&mut *game, 0, bids);
    }
    let outcome = game.outcome().unwrap();
    assert_eq!((outcome.winners, outcome.places), (PlayerSet::EMPTY, vec![1; 4]));
}

/// A die that shows one number.
struct Die(u64);

impl Chance for Die {
    fn below(&mut self, n: u64) -> Option<u64> {
        assert_eq!(n, DIE_SIDES);
        Some(self.0)
    }
}

fn opened(variant: &str, seats: u8) -> Box<dyn Position> {
    SEALED_BIDS_2.open(variant, seats).unwrap()
}

/// What a player may choose, separated by spaces.
fn legal(game: &dyn Position, seat: u8) -> String {
    let moves = game.legal_moves(Player::new(seat)).into_iter();
    moves.map(|entry| entry.notation.to_string()).collect::<Vec<_>>().join(" ")
}

/// Plays a round in which the die shows `die`, and gives what its last bid shows. `bids` has a character for each seat: a
/// number, `p` for a pass, a point for a player who is out.
fn play_round(game: &mut dyn Position, die: u64, bids: &str) -> Option<String> {
    while game.awaits_nature() {
        game.act(&mut Die(die)).unwrap();
    }
    let mut shown = None;
    for (player, bid) in (0..).map(Player::new).zip(bids.split("").filter(|bid| !bid.is_empty())) {
        let word = if bid == "p" { "pass" } else { bid };
        if word != "." {
            assert_eq!(shown, None, "only the last bid shows something");
            shown = game.play(player, &Notation::parse(word).unwrap(), &mut Die(die)).unwrap().shown;
        }
    }
    shown
}
