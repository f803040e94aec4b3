//! Moves as text, in every game and variant that the hall offers.

use hall_games::{CATALOG, Chance, Game, NoChance, Position, Refused};
use hall_wire::roll::{Rolls, Seed};
use hall_wire::{GameId, Notation, Player};

/// Plays the lines of a text as moves of one game, and skips illegal ones.
///
/// The first byte chooses the game and the variant, the second one the random numbers; the text follows.
///
/// # Panics
/// If a notation is accepted that is not listed as legal, or a listed one is refused; if a refused move or act
/// changes the position; if a player may move out of turn, or a game that is not over has nobody to move; if the
/// position does not come back from its saved form.
pub fn moves(bytes: &[u8]) {
    if let [choice, luck, text @ ..] = bytes {
        let (game, variant) = table(*choice);
        play(game, variant, *luck, &String::from_utf8_lossy(text));
    }
}

/// The game and the variant that a byte chooses: `@` is the first game of the catalog, `A` the second one and so on,
/// in the variant `standard`; 32 more is the same game in its next variant. Seeds keep their meaning when a game is
/// added at the end of the catalog, or a variant at the end of a game's list.
fn table(choice: u8) -> (&'static dyn Game, &'static str) {
    let choice = usize::from(choice.wrapping_sub(b'@'));
    let games: Vec<_> = CATALOG.iter().collect();
    let game = games.into_iter().cycle().nth(choice % 32).expect("the catalog has games");
    let variants: Vec<_> = game.describe().variant_ids().collect();
    (game, variants.into_iter().cycle().nth(choice / 32).expect("a game has variants"))
}

/// Plays the lines of a text, and returns the last position.
fn play(game: &'static dyn Game, variant: &str, luck: u8, text: &str) -> Box<dyn Position> {
    let seats = game.describe().players_of(variant).map(|players| players.min).expect("a known variant");
    let mut position = game.open(variant, seats).expect("a known table");
    let seed = Seed::from_bytes([luck; 32]);
    let mut dice = HallDice(Rolls::new(GameId::from_bytes([0; 16]), 0, &seed, ""));
    for line in text.lines().take(300) {
        let Some(notation) = Notation::parse(line) else { continue };
        assert_eq!(notation.as_str(), line, "a notation is its text");
        while position.awaits_nature() {
            assert!(position.to_move().is_empty(), "somebody is to move before nature has acted");
            let acted = attempt(&mut *position, &mut dice, |position, chance| position.act(chance).map(drop));
            assert_eq!(acted, Ok(()), "nature is to act and does not");
        }
        let is_over = position.outcome().is_some();
        assert_eq!(
            position.to_move().is_empty(),
            is_over,
            "somebody is to move exactly until the game is over"
        );
        if is_over {
            break;
        }
        for player in (0..seats).map(Player::new) {
            if !position.to_move().contains(player) {
                assert!(position.legal_moves(player).is_empty(), "{player} may move out of turn");
                assert!(!send(&mut *position, &mut dice, player, &notation), "{player} moved out of turn");
            }
        }
        if let Some(player) = position.to_move().iter().next() {
            send(&mut *position, &mut dice, player, &notation);
        }
    }
    assert_comes_back(game, &*position, seats);
    position
}

/// Sends a move, and returns whether it was legal.
fn send(position: &mut dyn Position, dice: &mut HallDice<'_>, player: Player, notation: &Notation) -> bool {
    let legal = position.notations(player);
    let listed: Vec<Notation> =
        position.legal_moves(player).into_iter().map(|entry| entry.notation).collect();
    assert_eq!(legal, listed, "the notations of the legal moves differ from the list");
    let is_legal = legal.contains(notation);
    if let Some(meant) = position.did_you_mean(player, notation) {
        assert!(!is_legal && legal.contains(&meant), "{meant} was not meant by {notation}");
    }
    let before = position.save();
    let played =
        attempt(position, dice, |position, chance| position.play(player, notation, chance).map(drop));
    assert_eq!(played, if is_legal { Ok(()) } else { Err(Refused::Illegal) }, "{notation} in {before}");
    is_legal
}

/// Tries something that may need random numbers, first without any. What is refused changes nothing.
fn attempt(
    position: &mut dyn Position,
    dice: &mut HallDice<'_>,
    mut what: impl FnMut(&mut dyn Position, &mut dyn Chance) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let before = (position.save(), position.state_string());
    let sources: [&mut dyn Chance; 2] = [&mut NoChance, dice];
    for chance in sources {
        let tried = what(position, chance);
        if tried.is_err() {
            assert_eq!(
                (position.save(), position.state_string()),
                before,
                "what was refused changed the position"
            );
        }
        if tried != Err(Refused::NeedsChance) {
            return tried;
        }
    }
    Err(Refused::NeedsChance)
}

fn assert_comes_back(game: &dyn Game, position: &dyn Position, seats: u8) {
    let saved = position.save();
    let Ok(restored) = game.restore(&saved) else { panic!("a saved position cannot be read: {saved}") };
    assert_eq!(restored.save(), saved);
    assert_eq!(
        answers(&*restored, seats),
        answers(position, seats),
        "a saved position does not come back: {saved}"
    );
}

/// Everything that a position says of itself.
fn answers(position: &dyn Position, seats: u8) -> String {
    let of_all = (
        (position.to_move(), position.awaits_nature(), position.outcome(), position.eliminated()),
        (position.state_string(), position.public(), position.hidden(), position.picture(true)),
    );
    let of_each = (0..seats).map(Player::new).map(|player| {
        (position.legal_moves(player), position.default_action(player), position.private(player))
    });
    format!("{of_all:?} {:?}", of_each.collect::<Vec<_>>())
}

/// Random numbers, rolled as a hall rolls them.
struct HallDice<'a>(Rolls<'a>);

impl Chance for HallDice<'_> {
    fn below(&mut self, n: u64) -> Option<u64> {
        Some(self.0.below(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The seeds by name: the game, a hyphen, and what the seed is about.
    fn seeds() -> Vec<(String, Vec<u8>)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/moves");
        let seed = |path: &Path| {
            (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap())
        };
        folder.read_dir().unwrap().map(|entry| seed(&entry.unwrap().path())).collect()
    }

    #[test]
    fn every_game_has_a_seed_in_each_variant_that_plays_it_to_its_end() {
        let mut played = BTreeSet::new();
        for (name, bytes) in seeds() {
            let (game, variant) = table(bytes[0]);
            let id = game.describe().id;
            assert_eq!(name.split_once('-').map(|(game, _)| game), Some(id), "{name}");
            let text = std::str::from_utf8(&bytes[2..]).unwrap();
            if play(game, variant, bytes[1], text).outcome().is_some() {
                played.insert((id, variant));
            }
        }
        let variants = |game: &dyn Game| {
            let described = game.describe();
            described.variant_ids().map(move |variant| (described.id, variant)).collect::<Vec<_>>()
        };
        assert_eq!(played, CATALOG.iter().flat_map(variants).collect());
    }
}
