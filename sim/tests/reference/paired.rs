//! Paired games: two that differ only in what is hidden from an observer show that observer the same bytes, whatever is
//! dealt, rolled, shuffled or sealed behind its back (N6).
//!
//! Many games are played by one script of moves and with one identifier, each from a seed of its own. What an observer
//! may know of each is read off the complete outcomes of nature; where that is equal, all that the hall would show it
//! must be equal: events, boards, views, legal moves, pictures and refusals.

use crate::world::spell_out;
use hall_core::fixtures::{self, submission};
use hall_core::rooms::{NewGame, Room, RoomChange, RoomDecision, RoomFact, Rooms, Seat, SeatState, start};
use hall_core::{Choice, Division, GameVariant, RoomCommand, SeasonId, Timing, Word};
use hall_games::CATALOG;
use hall_wire::roll::Seed;
use hall_wire::{AgentId, Digest, GameId, Handle, HomologationId, Notation, Player, Span, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

const START: Timestamp = Timestamp::from_millis(1_795_211_400_000);

/// A game without a hall around it.
struct Game {
    rooms: Rooms,
    id: GameId,
    facts: Vec<Arc<RoomFact>>,
    now: Timestamp,
}

impl Game {
    fn begin(game: &str, variant: &str, seed: u64) -> Self {
        let rules = CATALOG.find(game).unwrap();
        let seats = rules.describe().players_of(variant).unwrap().min;
        let id = GameId::from_bytes([7; 16]);
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_be_bytes());
        let (facts, _) = start(NewGame {
            id,
            at: START,
            variant: GameVariant { game: Word::parse(game).unwrap(), variant: Word::parse(variant).unwrap() },
            division: Division::Open,
            season: &SeasonId::parse("s1").unwrap(),
            seats: (0..seats).map(seat).collect(),
            seed: Seed::from_bytes(bytes),
            timing: Timing { move_time: Span::from_secs(60), side_time: None },
            beacon: None,
            game: rules,
        });
        let mut own = Self { rooms: Rooms::default(), id, facts: Vec::new(), now: START };
        own.apply(facts);
        own
    }

    fn apply(&mut self, facts: Vec<Arc<RoomFact>>) {
        facts.iter().for_each(|fact| self.rooms.apply(fact, &CATALOG));
        self.facts.extend(facts);
    }

    fn room(&self) -> &Room {
        self.rooms.find(&self.id).unwrap()
    }

    fn submit(&mut self, player: Player, text: &str) -> RoomDecision {
        self.now = self.now + Span::from_secs(1);
        let choice = Notation::parse(text).map(Choice::Notation);
        let mut asked = submission(self.id, self.room().turn_index(), choice);
        asked.commentary = Some(format!("{player} is sure of it"));
        spell_out(&mut asked);
        let agent = self.room().seat(player).unwrap().seat.agent;
        self.rooms.decide(self.now, self.now, Some(&agent), &RoomCommand::Submit(asked))
    }

    /// The player plays this, or what it finds at this place of its list.
    fn play(&mut self, player: u8, text: &str) {
        let decision = self.submit(Player::new(player), text);
        assert!(decision.answer.is_ok(), "p{player} {text}: {:?}", decision.answer);
        self.apply(decision.facts);
    }

    /// The complete outcomes of nature so far.
    fn outcomes(&self) -> Vec<&str> {
        self.facts.iter().filter_map(|fact| complete(fact)).collect()
    }

    /// All that the hall would show an observer, who is a player or the public.
    fn shown_to(&self, observer: Option<Player>) -> Vec<String> {
        let room = self.room();
        let commitment = room.commitment().to_string();
        // The commitment hides the seed, which differs from game to game.
        let events = self.facts.iter().filter_map(|fact| fact.event.as_ref()).map(|event| {
            format!("{} {:?}", event.leaf.replace(&commitment, "the commitment"), event.commentary)
        });
        let mut shown: Vec<String> = events.collect();
        let position = room.position();
        shown.push(position.state_string());
        shown.push(serde_json::to_string(&position.public()).unwrap());
        shown.push(serde_json::to_string(&position.picture(false)).unwrap());
        shown.push(format!("{:?} {:?} {:?}", room.phase(), room.to_move(), room.deadline()));
        shown.extend(room.turns().iter().map(|turn| format!("{:?}", room.turn_for(observer, &turn))));
        shown.push(format!("{:?}", room.last_turn().map(|last| room.brief_for(observer, last))));
        let seats: Vec<&SeatState> = room.seats().iter().collect();
        let counts = seats.iter().map(|seat| (seat.strikes, seat.remaining, seat.vacancy.is_some()));
        shown.push(format!("{:?}", counts.collect::<Vec<_>>()));
        if let Some(player) = observer {
            shown.push(room.board_text(player));
            shown.push(position.private(player).to_string());
            shown.push(format!("{:?} {:?}", room.legal_moves(player), room.sealed_by(player)));
            shown.push(format!("{:?}", room.status(player)));
            // A refusal says what was probably meant, and lists what is legal.
            let refused = [self.refusal(player, "nonsense"), self.refusal(player, "99")];
            shown.extend(refused);
        }
        shown
    }

    fn refusal(&self, player: Player, text: &str) -> String {
        let mut copy = Self { rooms: self.rooms.clone(), facts: Vec::new(), ..*self };
        format!("{:?}", copy.submit(player, text).answer)
    }
}

/// The complete outcome of an act of nature.
fn complete(fact: &RoomFact) -> Option<&str> {
    let RoomChange::NatureActed { complete, .. } = &fact.change else { return None };
    Some(complete)
}

/// What was shown to all.
fn shown(fact: &RoomFact) -> Option<&str> {
    let RoomChange::Shown { text, .. } = &fact.change else { return None };
    Some(text)
}

fn seat(place: u8) -> Seat {
    Seat {
        agent: AgentId::from_bytes([place + 1; 16]),
        handle: Handle::parse(&format!("agent-{place}")).unwrap(),
        key: fixtures::registration(&format!("agent-{place}"), place + 1).key,
        homologation: HomologationId::from_bytes([place + 1; 16]),
    }
}

/// Plays games by `script` from many seeds. All those in which an observer `knows` the same must show it the same; and
/// there must be enough of them that differ in what is hidden.
fn pairs(
    (game, variant): (&str, &str),
    seeds: u64,
    script: impl Fn(&mut Game),
    knows: impl Fn(&Game, Option<Player>) -> String,
) {
    let seats = CATALOG.find(game).unwrap().describe().players_of(variant).unwrap().min;
    let observers: Vec<Option<Player>> = (0..seats).map(Player::new).map(Some).chain([None]).collect();
    let mut first: BTreeMap<(Option<Player>, String), (String, Vec<String>)> = BTreeMap::new();
    let mut paired: BTreeMap<Option<Player>, u32> = BTreeMap::new();
    for seed in 0..seeds {
        let mut played = Game::begin(game, variant, seed);
        script(&mut played);
        let complete = played.outcomes().join("; ");
        for observer in &observers {
            let (known, shown) = (knows(&played, *observer), played.shown_to(*observer));
            let Some((hidden, before)) = first.get(&(*observer, known.clone())) else {
                first.insert((*observer, known), (complete.clone(), shown));
                continue;
            };
            assert_eq!(*before, shown, "{observer:?} of {game} sees {hidden} differently from {complete}");
            *paired.entry(*observer).or_default() += u32::from(*hidden != complete);
        }
    }
    for observer in observers {
        let count = paired.get(&observer).copied().unwrap_or(0);
        assert!(count >= 20, "{observer:?} of {game}: {count} pairs");
    }
}

/// The card of a player in each hand of a deck told as `Qs Kh Js …`, and the third if the board was turned.
fn cards_of(game: &Game, observer: Option<Player>) -> String {
    let decks = game.outcomes().into_iter().filter(|outcome| !outcome.starts_with("board"));
    let own =
        decks.map(|deck| deck.split(' ').nth(observer.map_or(usize::MAX, Player::index)).unwrap_or("-"));
    let boards = game.outcomes().into_iter().filter(|outcome| outcome.starts_with("board"));
    let told = game.facts.iter().filter_map(|fact| shown(fact));
    own.chain(boards).chain(told).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_hidden_card_changes_nothing_that_others_see() {
    pairs(("leduc_poker", "kuhn"), 200, |game| game.play(0, "bet"), cards_of);
    pairs(("leduc_poker", "standard"), 400, |_| {}, cards_of);
    let to_the_board = |game: &mut Game| {
        game.play(0, "check");
        game.play(1, "check");
        game.play(0, "bet");
    };
    pairs(("leduc_poker", "standard"), 600, to_the_board, cards_of);
}

#[test]
fn a_folded_hand_stays_hidden_in_the_hands_after_it() {
    let folded = |game: &mut Game| {
        game.play(0, "bet");
        game.play(1, "fold");
        game.play(1, "check");
    };
    pairs(("leduc_poker", "kuhn"), 1_000, folded, cards_of);
}

/// The dice of a player in the rounds so far, and those that were shown to all.
fn dice_of(game: &Game, observer: Option<Player>) -> String {
    let own = game.outcomes().into_iter().map(|roll| {
        let name = observer.map(|player| player.to_string());
        let mut own = roll.split(' ').skip_while(|word| Some(*word) != name.as_deref()).skip(1);
        own.by_ref().take_while(|word| !word.starts_with('p')).collect::<Vec<_>>().join(" ")
    });
    let told = game.facts.iter().filter_map(|fact| shown(fact)).map(str::to_owned);
    own.chain(told).collect::<Vec<_>>().join("; ")
}

#[test]
fn hidden_dice_change_nothing_that_others_see() {
    let bids = |game: &mut Game| {
        game.play(0, "1x2");
        game.play(1, "2x3");
    };
    pairs(("liars_dice", "standard"), 600, bids, dice_of);
    pairs(("liars_dice", "four"), 600, bids, dice_of);
}

#[test]
fn the_order_of_prizes_to_come_changes_nothing_that_anybody_sees() {
    let bids = |game: &mut Game| {
        for seat in 0..3 {
            game.play(seat, "5");
        }
        game.play(2, "7");
    };
    // Of the order everybody knows the prizes that were turned.
    let turned = |game: &Game, _: Option<Player>| {
        let prizes = game.outcomes().into_iter().map(|outcome| outcome.to_owned());
        let order = prizes.clone().find(|outcome| outcome.starts_with("order")).unwrap_or_default();
        order.split(' ').skip(1).take(2).collect::<Vec<_>>().join(" ")
    };
    pairs(("goofspiel", "three"), 1_500, bids, turned);
}

#[test]
fn a_sealed_bid_changes_nothing_that_others_see() {
    let sealed = |bid: &str| {
        let mut game = Game::begin("goofspiel", "three", 1);
        (0..3).for_each(|seat| game.play(seat, "4"));
        game.play(1, bid);
        game
    };
    let (low, high) = (sealed("1"), sealed("13"));
    for observer in [Some(Player::new(0)), Some(Player::new(2)), None] {
        assert_eq!(low.shown_to(observer), high.shown_to(observer), "{observer:?}");
    }
    let own = Some(Player::new(1));
    assert_ne!(low.shown_to(own), high.shown_to(own), "its player sees it");
    let digest = |game: &Game| game.room().sealed_by(Player::new(1)).unwrap().body.as_ref().unwrap().sha256;
    assert_ne!(digest(&low), Digest::of(b""));
    assert_ne!(digest(&low), digest(&high), "what was signed differs");
}
