//! The commands that run in both halls.

use crate::hall::{Asked, TestHall};
use crate::settings::MOVE_TIME;
use hall_core::{Caller, Command, DocketKind, GovernanceCommand};
use hall_wire::{Digest, GameId, Player};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Bids that stay below another player's bid in every round, so that nobody else can tell them apart.
pub(crate) const LOW: [&str; 3] = ["1", "2", "pass"];
/// The seat whose bid is the secret, where the secret is a bid.
pub(crate) const SECRET_SEAT: u8 = 0;
/// The seat that bids the most.
const HIGH_SEAT: u8 = 1;

/// One command or the passing of time.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// The player to move at chess plays one of its moves.
    Chess { pick: u8, says: bool, offers: bool },
    /// It tries an illegal move.
    Illegal,
    /// One of the players yet to bid bids.
    Bid { seat: u8, low: usize, says: bool },
    /// The player to move plays one of its moves in the last of the hall's games. No dice are challenged.
    Play { pick: u8, says: bool },
    /// The player of the secret seat seals one of its cards, at goofspiel.
    Seal,
    /// The other player tries an illegal card.
    IllegalCard,
    /// Time passes.
    Pass(u64),
    /// The hall's operator writes into the docket.
    Note,
    /// A round of the beacon that no game is bound to becomes known.
    StrayRound,
    /// The round that games are bound to becomes known, if there is one.
    Round,
}

/// The difference between the two halls in one action.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Difference {
    /// By how much the bid of the secret seat differs.
    pub(crate) bid_shift: usize,
    /// The source of the stray rounds.
    pub(crate) stray: u8,
}

pub(crate) fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => (any::<u8>(), any::<bool>(), any::<bool>())
            .prop_map(|(pick, says, offers)| Action::Chess { pick, says, offers }),
        1 => Just(Action::Illegal),
        6 => (0..3_u8, 0..LOW.len(), any::<bool>()).prop_map(|(seat, low, says)| Action::Bid { seat, low, says }),
        2 => (1..20_000_u64).prop_map(Action::Pass),
        1 => Just(Action::Note),
        1 => Just(Action::StrayRound),
        1 => Just(Action::Round),
    ]
}

/// What happens in a game with hidden hands.
pub(crate) fn action_with_hands() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => (any::<u8>(), any::<bool>()).prop_map(|(pick, says)| Action::Play { pick, says }),
        1 => Just(Action::Note),
    ]
}

/// What happens while a card is sealed.
pub(crate) fn action_beside_a_card() -> impl Strategy<Value = Action> {
    prop_oneof![2 => Just(Action::IllegalCard), 1 => Just(Action::Note)]
}

impl Action {
    /// Performs it. Returns the answers and their recipients.
    pub(crate) fn act(&self, hall: &TestHall, difference: Difference) -> Option<(Player, GameId, Vec<u8>)> {
        match self {
            Self::Chess { pick, says, offers } => play_chess(hall, *pick, *says, *offers),
            Self::Illegal => {
                let room = hall.room("chess");
                let player = room.to_move().iter().next()?;
                // The third would cause a random move, which reveals something of the seed.
                let tried = room.seat(player)?.illegal_attempts;
                if tried < 2 { submit(hall, "chess", player, &json!({ "move": "e9" })) } else { None }
            }
            Self::Bid { seat, low, says } => {
                let room = hall.room("sealed_bids");
                let waits = |seat: u8| room.to_move().contains(Player::new(seat));
                let seat = (0..3).map(|step| (seat + step) % 3).find(|seat| waits(*seat))?;
                let shift = if seat == SECRET_SEAT { difference.bid_shift } else { 0 };
                bid(hall, seat, LOW[(low + shift) % LOW.len()], *says)
            }
            Self::Play { pick, says } => play(hall, *pick, *says),
            Self::Seal => {
                let card =
                    json!({ "move": { "index": difference.bid_shift }, "commentary": "Guess my card!" });
                submit(hall, "goofspiel", Player::new(SECRET_SEAT), &card)
            }
            Self::IllegalCard => {
                let player = Player::new(HIGH_SEAT);
                // The third would resolve the turn, and a resolved turn reveals what was sealed.
                let tried = hall.room("goofspiel").seat(player)?.illegal_attempts;
                if tried < 2 { submit(hall, "goofspiel", player, &json!({ "move": "14" })) } else { None }
            }
            Self::Pass(millis) => {
                pass(hall, *millis);
                None
            }
            Self::Note => {
                let (kind, subject, reason) = (DocketKind::Note, "a note".to_owned(), "a reason".to_owned());
                let note = Command::Governance(GovernanceCommand::AddDocketEntry {
                    kind,
                    subject,
                    reason,
                    disposition: None,
                });
                hall.command(Caller::Operator, note).unwrap();
                None
            }
            Self::StrayRound => {
                hall.receive_round(999_999, Digest::of(&[difference.stray]));
                None
            }
            Self::Round => {
                let terms = hall.room("chess").beacon_terms().copied();
                if let Some(terms) = terms {
                    hall.receive_round(terms.round, Digest::of(b"round"));
                }
                None
            }
        }
    }
}

fn play(hall: &TestHall, pick: u8, says: bool) -> Option<(Player, GameId, Vec<u8>)> {
    let game = hall.games.last()?;
    let room = hall.room(game);
    let player = room.to_move().iter().next()?;
    let legal = room.legal_moves(player);
    let quiet: Vec<_> = legal.iter().filter(|legal| legal.notation.as_str() != "liar").collect();
    let chosen = quiet.get(usize::from(pick).checked_rem(quiet.len())?)?;
    let mut fields = json!({ "move": chosen.notation.as_str() });
    if says {
        fields["commentary"] = "A word.".into();
    }
    submit(hall, game, player, &fields)
}

fn play_chess(hall: &TestHall, pick: u8, says: bool, offers: bool) -> Option<(Player, GameId, Vec<u8>)> {
    let room = hall.room("chess");
    let player = room.to_move().iter().next()?;
    let count = room.legal_moves(player).len();
    let mut fields = json!({ "move": { "index": usize::from(pick) % count } });
    if says {
        fields["commentary"] = "A word.".into();
    }
    // An offer against an offer would end the game.
    if offers && room.draw_offer().is_none() {
        fields["draw_offer"] = true.into();
    }
    submit(hall, "chess", player, &fields)
}

fn submit(hall: &TestHall, game: &str, player: Player, fields: &Value) -> Option<(Player, GameId, Vec<u8>)> {
    let room = hall.room(game);
    let agent = room.seat(player)?.seat.agent;
    let agent = hall.agents.iter().find(|known| known.id == agent)?;
    let body = agent.move_body(room.id(), room.turn_index(), fields);
    let asked = Asked::post(format!("/api/games/{}/moves", room.id()), body);
    Some((player, room.id(), hall.ask(Some(agent), &asked)))
}

/// One seat always bids the most, the others what is `low`.
fn bid(hall: &TestHall, seat: u8, low: &str, says: bool) -> Option<(Player, GameId, Vec<u8>)> {
    let mut fields = json!({ "move": if seat == HIGH_SEAT { "3" } else { low } });
    if says {
        fields["commentary"] = "Guess what I bid!".into();
    }
    submit(hall, "sealed_bids", Player::new(seat), &fields)
}

/// Lets time pass, but never a deadline at chess: a missed one causes a random move. In the other game a missed deadline
/// is a pass, so the highest bid is made before: without it the low ones decide the round, and can be told apart.
fn pass(hall: &TestHall, millis: u64) {
    if millis + 2_000 < MOVE_TIME.as_millis() {
        play_chess(hall, 0, false, false);
        if hall.room("sealed_bids").to_move().contains(Player::new(HIGH_SEAT)) {
            bid(hall, HIGH_SEAT, "3", false);
        }
        hall.pass(millis);
    }
}
