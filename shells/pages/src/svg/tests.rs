use super::{Seat, Side, image, inline, miniature};
use hall_games::{CATALOG, Chance, Position};
use hall_wire::Player;

/// Counts on, so that a game takes some course.
struct Counting(u64);

impl Chance for Counting {
    fn below(&mut self, n: u64) -> Option<u64> {
        self.0 += 1;
        Some(self.0 * 7 % n)
    }
}

/// Lets nature act, and everybody who is to move move once.
fn step(position: &mut dyn Position, chance: &mut Counting) {
    while position.awaits_nature() {
        position.act(chance).unwrap();
    }
    for player in position.to_move().iter() {
        let legal = position.notations(player);
        let chosen = chance.below(u64::try_from(legal.len()).unwrap()).unwrap();
        position.play(player, &legal[usize::try_from(chosen).unwrap()], chance).unwrap();
    }
}

/// Whether an image is a root with one complete element a line and nothing that leads out of it.
fn is_self_contained(image: &str) -> bool {
    let lines: Vec<&str> = image.lines().collect();
    let [root, inner @ .., end] = lines.as_slice() else { return false };
    let is_complete = |line: &&str| {
        let name = line.trim_start_matches('<').split([' ', '>']).next().unwrap();
        line.starts_with('<') && (line.ends_with("/>") || line.ends_with(&format!("</{name}>")))
    };
    let leads_out = ["<script", "href", "url(", "onload", "<image", "<foreignObject"];
    root.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")
        && *end == "</svg>"
        && inner.iter().all(is_complete)
        && !leads_out.iter().any(|word| image.contains(word))
        && image.matches("http").count() == 1
}

#[test]
fn every_game_of_the_catalog_is_drawn_as_one_self_contained_image_at_every_turn() {
    for game in CATALOG.iter() {
        let described = game.describe();
        for variant in described.variant_ids() {
            let seats = described.players_of(variant).unwrap().min;
            let players: Vec<Seat> = (0..seats)
                .map(|seat| Seat {
                    handle: format!("<b>agent & {seat}"),
                    role: described.player_names.get(usize::from(seat)).copied(),
                })
                .collect();
            let (mut position, mut chance) = (game.open(variant, seats).unwrap(), Counting(0));
            let mut images = Vec::new();
            for _ in 0..12 {
                for revealed in [false, true] {
                    let image = image(&position.picture(revealed), &players, described.name);
                    assert!(is_self_contained(&image), "{} {variant}: {image}", described.id);
                    let small = miniature(&position.picture(revealed), &players, described.name);
                    assert!(is_self_contained(&small), "{} {variant}: {small}", described.id);
                    assert!(image.contains("&lt;b&gt;agent &amp; 0"), "{image}");
                    images.push(image);
                }
                if position.outcome().is_none() {
                    step(&mut *position, &mut chance);
                }
            }
            assert!(
                images.first() != images.last(),
                "{} {variant} looks the same after twelve turns",
                described.id
            );
        }
    }
}

#[test]
fn no_name_of_a_row_or_column_is_cut_off_by_the_edge_of_the_image() {
    let seats = ["ada", "bob"].map(|handle| Seat { handle: handle.to_owned(), role: None });
    let attribute = |element: &str, name: &str| {
        let value = element.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap();
        value.to_owned()
    };
    for game in CATALOG.iter() {
        let described = game.describe();
        for variant in described.variant_ids() {
            let Ok(position) = game.open(variant, 2) else { continue };
            for side in [Side::Usual, Side::Turned] {
                let image = inline(&position.picture(false), &seats, "a game", side);
                let names = image.lines().filter(|line| line.starts_with("<text"));
                for element in names.filter(|element| attribute(element, "text-anchor") == "end") {
                    let [x, size] =
                        ["x", "font-size"].map(|name| attribute(element, name).parse::<usize>().unwrap());
                    let text = element.split('>').nth(1).unwrap().split('<').next().unwrap();
                    // A digit or letter is about six tenths as wide as the font is high.
                    let width = text.chars().count() * size * 6 / 10;
                    assert!(width <= x, "{} {variant}: {element}", described.id);
                }
            }
        }
    }
}

#[test]
fn every_square_of_a_board_whose_squares_are_numbered_shows_its_number() {
    let seats = ["ada", "bob"].map(|handle| Seat { handle: handle.to_owned(), role: None });
    let picture = CATALOG.find("checkers").unwrap().open("standard", 2).unwrap().picture(false);
    for side in [Side::Usual, Side::Turned] {
        let image = inline(&picture, &seats, "checkers", side);
        let numbered = (1..=32).filter(|number| image.matches(&format!(">{number}</text>")).count() == 1);
        assert_eq!((numbered.count(), image.contains("29-32")), (32, false), "{image}");
    }
    let small = miniature(&picture, &seats, "checkers");
    assert!(!small.contains(">32</text>"), "{small}");
}

#[test]
fn pieces_have_the_colours_that_the_game_names() {
    let chess = CATALOG.find("chess").unwrap();
    let seat = |role| Seat { handle: "ada".to_owned(), role: Some(role) };
    let picture = chess.open("standard", 2).unwrap().picture(false);
    let usual = image(&picture, &[seat("White"), seat("Black")], "chess");
    let turned = image(&picture, &[seat("Black"), seat("White")], "chess");
    assert_ne!(usual, turned);
    let own = picture.pieces.iter().filter(|piece| piece.player == Some(Player::new(0))).count();
    assert_eq!(own, 16);
}

#[test]
fn a_board_that_is_turned_has_the_same_elements_in_other_places() {
    let seats = ["ada", "bob"].map(|handle| Seat { handle: handle.to_owned(), role: None });
    for game in CATALOG.iter() {
        let picture = game.open("standard", 2).unwrap().picture(false);
        let [usual, turned] =
            [Side::Usual, Side::Turned].map(|side| inline(&picture, &seats, "a game", side));
        assert_eq!(usual.lines().count(), turned.lines().count());
        assert_eq!(usual.matches("<path").count(), turned.matches("<path").count());
        let is_turned = usual != turned;
        assert_eq!(is_turned, !picture.columns.is_empty() && picture.kind != hall_games::PictureKind::Points);
    }
}

#[test]
fn a_table_from_which_everything_was_played_shows_what_was_won() {
    let game = CATALOG.find("goofspiel").unwrap();
    let (mut position, mut chance) = (game.open("standard", 2).unwrap(), Counting(0));
    while position.outcome().is_none() {
        step(&mut *position, &mut chance);
    }
    let seats =
        [Seat { handle: "ada".to_owned(), role: None }, Seat { handle: "bob".to_owned(), role: None }];
    let picture = position.picture(true);
    let image = miniature(&picture, &seats, "Goofspiel");
    assert!(is_self_contained(&image), "{image}");
    for counter in &picture.counters {
        assert!(image.contains(&format!(">{}</text>", counter.value)), "{} in {image}", counter.value);
    }
    assert_eq!(picture.counters.len(), 2);
}
