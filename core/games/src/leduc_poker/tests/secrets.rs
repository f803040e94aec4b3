//! What nobody has shown decides nothing that others see.

use super::{P0, P1, position, send};
use crate::{Position, testing};
use alloc::string::String;
use hall_wire::Player;

fn seen(position: &dyn Position, player: Player) -> String {
    testing::seen(position, player, Some((P1, "check")))
}

#[test]
fn positions_that_differ_in_a_hidden_card_look_alike_to_those_who_do_not_know_it() {
    let public = Player::new(7);
    // (one position, another, who cannot tell them apart)
    let table = [
        ("standard QsKhJsJhKsQh:kb", "standard QsJhJsKhKsQh:kb", &[P0, public][..]),
        ("standard QsKhJsJhKsQh:kb", "standard JhKhJsQsKsQh:kb", &[P1, public]),
        ("standard QsKhJsJhKsQh:kk", "standard QsKhQhJhKsJs:kk", &[P0, P1, public]),
        ("standard QsKhJsJhKsQh:kk/b", "standard QsKhJsKsQhJh:kk/b", &[P0, P1, public]),
        // A folded hand stays hidden: that of the folder, and that of the winner.
        ("standard QsKhJsJhKsQh:bf", "standard QsJhJsKhKsQh:bf", &[P0, public]),
        ("standard QsKhJsJhKsQh:bf", "standard KsKhJsJhQsQh:bf", &[P1, public]),
        ("kuhn QKJ:kbf JQK:", "kuhn JKQ:kbf JQK:", &[P1, public]),
        ("kuhn QKJ:kbf JQK:", "kuhn QJK:kbf JQK:", &[P0, public]),
        ("kuhn QKJ:", "kuhn KQJ:", &[public]),
    ];
    for (one, other, blind) in table {
        let (one, other) = (position(one), position(other));
        for player in blind {
            assert_eq!(seen(&*one, *player), seen(&*other, *player));
        }
        assert_ne!(one.save(), other.save());
    }
}

#[test]
fn players_know_their_own_cards_and_everybody_those_of_a_showdown() {
    let mut game = position("kuhn QKJ:kbf JQK:kb");
    assert_eq!(game.private(P0), serde_json::json!({ "card": "J", "cards": ["Q", "J"] }));
    assert_eq!(game.private(P1), serde_json::json!({ "card": "Q", "cards": ["K", "Q"] }));
    assert_eq!(game.public()["last_hand"]["shown"], serde_json::Value::Null);
    send(&mut *game, "call").unwrap();
    assert_eq!(game.public()["last_hand"]["shown"], "p0 J p1 Q");
    assert_eq!(game.hidden(), serde_json::json!({ "hands": [["Q", "K"], ["J", "Q"]] }));
    assert_eq!(game.private(P1)["card"], serde_json::Value::Null);
    assert_eq!(position("kuhn").hidden(), serde_json::Value::Null);
}

#[test]
fn a_revealed_picture_shows_the_cards_that_lie_face_down_before() {
    let game = position("standard QsKhJsJhKsQh:kk");
    let hidden = game.picture(false);
    assert_eq!(hidden.hands.iter().map(|hand| hand.hidden).collect::<alloc::vec::Vec<_>>(), [1, 1, 1]);
    assert!(hidden.hands.iter().all(|hand| hand.shown.is_empty()));
    let revealed = game.picture(true);
    assert_eq!((&revealed.hands[0].shown[0], &revealed.hands[1].shown[0]), (&"Qs".into(), &"Kh".into()));
    assert_eq!((revealed.hands[2].shown.concat().as_str(), revealed.hands[2].hidden), ("Js", 0));
    let turned = position("standard QsKhJsJhKsQh:kk/").picture(false);
    assert_eq!((turned.hands[2].shown[0].as_str(), turned.hands[0].hidden), ("Js", 1));
    assert!(position("standard").picture(false).hands.iter().all(|hand| hand.hidden == 0));
    assert_eq!(position("standard").picture(false).labels, ["unset"]);
}
