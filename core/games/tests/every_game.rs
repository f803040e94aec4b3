//! What every game of the catalog promises, in every variant, whatever is played.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests, which may panic")]

use hall_games::{
    BySeat, CATALOG, Chance, Game, GameResult, NoChance, PlayerSet, Position, Refused, SetupRefused, Viewer,
};
use hall_wire::json::Value;
use hall_wire::{Notation, Player};
use proptest::prelude::*;

/// No game may go on for longer than this many acts and moves, however it is played. (Under the fifty-move rule no game
/// of chess has more than 11,797 half-moves.)
const MOST_STEPS: usize = 20_000;

/// Choices and draws of one seed, the same everywhere.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // SplitMix64, as published by Steele, Lea and Flood (2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.next() % u64::try_from(from.len()).unwrap()).unwrap()]
    }
}

impl Chance for Random {
    fn below(&mut self, n: u64) -> Option<u64> {
        Some(self.next() % n)
    }
}

/// Every game with each of its variants.
fn tables() -> Vec<(&'static dyn Game, &'static str, u8)> {
    let of_game = |game: &'static dyn Game| {
        let described = game.describe();
        let seats = move |variant| described.players_of(variant).unwrap().min;
        game.describe().variant_ids().map(move |variant| (game, variant, seats(variant))).collect::<Vec<_>>()
    };
    CATALOG.iter().flat_map(of_game).collect()
}

fn players(seats: u8) -> impl Iterator<Item = Player> {
    (0..seats).map(Player::new)
}

/// Everything that a position says of itself.
fn answers(position: &dyn Position, seats: u8) -> String {
    let by_seat = players(seats).map(|player| (position.legal_moves(player), position.private(player)));
    format!(
        "{:?}",
        (
            position.to_move(),
            position.awaits_nature(),
            position.outcome(),
            position.eliminated(),
            position.state_string(),
            position.public(),
            position.hidden(),
            position.picture(true),
            by_seat.collect::<Vec<_>>(),
        )
    )
}

/// Lets nature act, or somebody play a random move; `false` once there is nobody who could.
fn go_on(position: &mut dyn Position, random: &mut Random) -> bool {
    if position.awaits_nature() {
        assert!(position.to_move().is_empty(), "nobody is to move while nature is");
        position.act(random).unwrap();
    } else if let Some(player) = position.to_move().iter().next() {
        let notation = random.choose(&position.notations(player));
        position.play(player, &notation, random).unwrap();
    } else {
        return false;
    }
    true
}

/// Plays at random to the end and calls `look` before each act and move, and once at the end.
fn play_out(
    game: &dyn Game,
    variant: &str,
    seats: u8,
    seed: u64,
    mut look: impl FnMut(&dyn Position, usize, &mut Random),
) -> Box<dyn Position> {
    let mut random = Random(seed);
    let mut position = game.open(variant, seats).unwrap();
    for step in 0..MOST_STEPS {
        look(&*position, step, &mut random);
        if !go_on(&mut *position, &mut random) {
            assert!(position.outcome().is_some(), "where nobody is to move the game is over");
            return position;
        }
    }
    panic!("{variant} of {:?} did not end", game.describe().id);
}

#[test]
fn a_game_is_described_in_words_that_the_wire_can_carry() {
    for game in CATALOG.iter() {
        let described = game.describe();
        let is_key = |key: &str| {
            key.len() <= 16
                && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        assert!(described.variant_ids().chain([described.id]).all(is_key), "{}", described.id);
        assert!(described.ruleset_version.starts_with(&format!("{}/", described.id)));
        assert!(described.ruleset_version.len() <= 16, "{}", described.ruleset_version);
        for text in [described.name, described.notation, described.default_action] {
            assert!(!text.is_empty(), "{}", described.id);
        }
        assert_eq!(game.rules_card()["game"], described.id);
        assert_eq!(game.how_to()["game"], described.id);
        for seats in [0, described.players.max + 1] {
            assert_eq!(game.open("standard", seats).err(), Some(SetupRefused::Seats), "{}", described.id);
        }
        assert_eq!(game.open("no_such", described.players.min).err(), Some(SetupRefused::Variant));
    }
}

#[test]
fn every_chapter_of_a_guide_and_every_part_of_its_worked_example_says_something() {
    let says_something = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(entries) => !entries.is_empty(),
        Value::Object(parts) => !parts.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    };
    for game in CATALOG.iter() {
        let guide = game.how_to();
        for whole in [&guide, &guide["worked_example"]] {
            for (name, part) in whole.as_object().unwrap() {
                assert!(says_something(part), "{name} of {}", game.describe().id);
            }
        }
    }
}

#[test]
fn every_guide_and_card_that_tells_of_draw_offers_says_that_an_offer_accepts_one() {
    for game in CATALOG.iter() {
        let (guide, card, described) = (game.how_to(), game.rules_card(), game.describe());
        for accept in [&guide["draw_offers"]["accept"], &card["draw_offer"]] {
            let says = |words| accept.as_str().is_none_or(|text| text.contains(words));
            assert!(says("draw_accept") && says("or draw_offer: true"), "{}: {accept}", described.id);
        }
        assert_eq!(guide["draw_offers"].is_object(), !described.simultaneous, "{}", described.id);
    }
}

#[test]
fn where_turns_are_shared_nature_acts_before_the_first_so_that_none_of_them_waits_for_the_beacon() {
    let shared: Vec<_> = tables().into_iter().filter(|(game, ..)| game.describe().simultaneous).collect();
    assert!(!shared.is_empty());
    for (game, variant, seats) in shared {
        let mut position = game.open(variant, seats).unwrap();
        let acted = position.act(&mut NoChance);
        assert!(matches!(acted, Err(Refused::NeedsChance)), "{} {variant}: {acted:?}", game.describe().id);
    }
}

#[test]
fn the_card_of_a_game_for_more_than_two_says_that_the_others_play_on_after_a_forfeit() {
    for (game, ..) in tables().into_iter().filter(|(.., seats)| *seats > 2) {
        let strikes = &game.rules_card()["strikes"];
        assert!(strikes.as_str().unwrap().contains("while two others remain"), "{strikes}");
    }
}

#[test]
fn before_natures_first_act_a_text_and_a_picture_show_unset_where_the_state_string_does() {
    let player = Player::new(0);
    for (game, variant, seats) in tables() {
        let mut position = game.open(variant, seats).unwrap();
        let shown = |position: &dyn Position| {
            let to_move = position.to_move();
            let viewer = Viewer { player, result: None, to_move, last_move: None };
            let text = position.board_text(&viewer).contains("unset");
            [
                position.state_string() == "unset",
                text,
                position.picture(false).labels.contains(&"unset".to_owned()),
            ]
        };
        let is_unset = shown(&*position)[0];
        assert_eq!(shown(&*position), [is_unset; 3], "{variant} of {}", game.describe().id);
        if go_on(&mut *position, &mut Random(7)) {
            assert_eq!(shown(&*position), [false; 3], "{variant} of {}", game.describe().id);
        }
    }
}

#[test]
fn after_the_end_no_text_but_that_of_chess_names_a_player_to_move() {
    let (player, aborted) = (Player::new(0), GameResult::aborted());
    // The status line of the chess family says what the FEN does (specification 2.8).
    let is_chess = |game: &dyn Game| game.describe().record_formats.contains(&"pgn");
    for (game, variant, seats) in tables().into_iter().filter(|(game, ..)| !is_chess(*game)) {
        let over = |position: &dyn Position, result| {
            let viewer = Viewer { player, result, to_move: PlayerSet::EMPTY, last_move: None };
            let text = position.board_text(&viewer);
            let turn = text.lines().find_map(|line| line.strip_prefix("Turn: "));
            assert!(turn.is_some_and(|turn| turn.starts_with("no")), "{variant}: {text}");
        };
        let end = play_out(game, variant, seats, 7, |position, step, _| {
            if step % 7 == 0 {
                over(position, Some(&aborted));
            }
        });
        over(&*end, None);
    }
}

#[test]
fn every_format_that_a_game_names_is_written_of_an_ended_game_and_no_other() {
    for (game, variant, seats) in tables() {
        let mut random = Random(7);
        let mut position = game.open(variant, seats).unwrap();
        let (mut moves, mut chance) = (Vec::new(), Vec::new());
        while position.outcome().is_none() {
            // As in go_on, but with the record in mind.
            if position.awaits_nature() {
                chance.push((moves.len(), position.act(&mut random).unwrap().complete));
                continue;
            }
            let player = position.to_move().iter().next().unwrap();
            let notation = random.choose(&position.notations(player));
            position.play(player, &notation, &mut random).unwrap();
            moves.push((player, notation));
        }
        let result = with_points(&*position);
        let record = hall_games::GameRecord {
            variant,
            chance: &chance,
            ..hall_games::GameRecord::of(&moves, &result)
        };
        for format in game.describe().record_formats {
            assert!(game.record(format, &record).is_some_and(|text| !text.is_empty()), "{variant} {format}");
        }
        assert_eq!(game.record("nothing", &record), None);
    }
}

fn with_points(position: &dyn Position) -> GameResult {
    let mut result = GameResult::from(position.outcome().unwrap());
    result.points = position.points(&result).map(BySeat);
    result
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn legal_moves_are_complete_sorted_and_numbered_and_nobody_else_has_any(seed in any::<u64>()) {
        for (game, variant, seats) in tables() {
            play_out(game, variant, seats, seed, |position, _, _| {
                for player in players(seats) {
                    let legal = position.legal_moves(player);
                    let notations = position.notations(player);
                    assert!(legal.iter().map(|entry| entry.notation).eq(notations.iter().copied()));
                    assert!(notations.is_sorted_by(|one, other| one < other), "{notations:?}");
                    assert_eq!(position.to_move().contains(player), !notations.is_empty());
                    assert!(legal.iter().all(|entry| !entry.summary.is_empty()));
                    let default = position.default_action(player);
                    assert!(default.is_none_or(|default| notations.contains(&default)));
                }
            });
        }
    }

    #[test]
    fn a_move_is_played_exactly_if_it_is_listed_and_a_refused_one_changes_nothing(
        seed in any::<u64>(),
        noise in "[ -~]{1,8}",
    ) {
        for (game, variant, seats) in tables() {
            // One word at least: the noise may be blank, and nobody has a move before nature has acted.
            let mut known: Vec<Notation> = ["pass", noise.trim()].into_iter().filter_map(Notation::parse).collect();
            play_out(game, variant, seats, seed, |position, step, random| {
                let everyone = players(seats).collect::<Vec<_>>();
                known.extend(everyone.iter().flat_map(|player| position.notations(*player)).take(3));
                // Looking at every move of every position would take long in games with many.
                if step % 7 == 0 {
                    for player in everyone {
                        let legal = position.notations(player);
                        let tried = legal.iter().copied().take(40).chain((0..8).map(|_| random.choose(&known)));
                        for notation in tried.collect::<Vec<_>>() {
                            let mut copy = position.clone_box();
                            let played = copy.play(player, &notation, random);
                            assert_eq!(played.is_ok(), legal.contains(&notation), "{notation} by {player}");
                            if played.is_err() {
                                assert_eq!(played, Err(Refused::Illegal));
                                assert_eq!(answers(&*copy, seats), answers(position, seats));
                            }
                        }
                    }
                }
                assert_eq!(position.clone_box().act(&mut NoChance).err() == Some(Refused::Illegal), !position.awaits_nature());
            });
        }
    }

    #[test]
    fn a_restored_position_is_equal_and_continues_alike(seed in any::<u64>(), damage in any::<u64>()) {
        for (game, variant, seats) in tables() {
            let mut beside = game.open(variant, seats).unwrap();
            play_out(game, variant, seats, seed, |position, step, random| {
                if step % 5 == 0 {
                    let saved = position.save();
                    beside = game.restore(&saved).unwrap();
                    assert_eq!(beside.save(), saved);
                    let broken = damaged(&saved, damage);
                    if let Ok(other) = game.restore(&broken) {
                        assert_eq!(other.save(), broken, "one text for each position");
                    }
                }
                assert_eq!(answers(&*beside, seats), answers(position, seats));
                go_on(&mut *beside, &mut random.clone());
            });
        }
    }

    #[test]
    fn an_ended_game_has_a_result_that_its_table_can_have(seed in any::<u64>()) {
        for (game, variant, seats) in tables() {
            let ended = play_out(game, variant, seats, seed, |position, _, _| {
                assert!(position.outcome().is_none() || position.to_move().is_empty());
            });
            let result = with_points(&*ended);
            let described = game.describe();
            assert_eq!(result.points.as_ref().map(|points| points.len()), described.points.map(|_| usize::from(seats)));
            assert_eq!(result.places.as_ref().map(|places| places.len()), (seats > 2).then_some(usize::from(seats)));
            assert_eq!(result.draw, result.winners.is_empty());
            if let Some(places) = &result.places {
                let first: PlayerSet = players(seats).filter(|player| places[player.index()] == 1).fold(PlayerSet::EMPTY, PlayerSet::with);
                let winners = result.winners.iter().copied().fold(PlayerSet::EMPTY, PlayerSet::with);
                assert!(result.draw && places.iter().all(|place| *place == 1) || first == winners);
                for place in places.iter() {
                    let better = places.iter().filter(|other| *other < place).count();
                    assert_eq!(usize::from(*place), better + 1, "{places:?}");
                }
            }
            assert!(!ended.awaits_nature());
            assert!(ended.clone_box().act(&mut NoChance).is_err());
        }
    }
}

/// The text with one character changed.
fn damaged(text: &str, damage: u64) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if let Some(length) = u64::try_from(letters.len()).ok().filter(|length| *length > 0) {
        let place = usize::try_from(damage % length).unwrap();
        letters[place] = char::from(32 + u8::try_from((damage >> 32) % 95).unwrap());
    }
    letters.into_iter().collect()
}
