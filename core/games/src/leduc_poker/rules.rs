//! What the two variants have in common, and in what they differ.

use hall_wire::{Notation, Player};

/// The chip that each player pays into a hand before its first round.
pub(super) const ANTE: u8 = 1;

/// The most cards of a deck.
pub(super) const MOST_CARDS: usize = 6;

/// The rules of one variant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// The key of the variant.
    pub(super) variant: &'static str,
    /// The cards in order before the shuffle, lowest rank first.
    pub(super) cards: &'static [&'static str],
    /// Cards of each rank.
    pub(super) suits: u8,
    /// The hands of a match.
    pub(super) hands: u8,
    /// The chips of a bet, by round.
    pub(super) bets: &'static [u8],
    /// The most bets in one round, raises among them.
    pub(super) most_bets: u8,
}

const LEDUC: Rules = Rules {
    variant: crate::STANDARD,
    cards: &["Js", "Jh", "Qs", "Qh", "Ks", "Kh"],
    suits: 2,
    hands: 40,
    bets: &[2, 4],
    most_bets: 2,
};

const KUHN: Rules =
    Rules { variant: "kuhn", cards: &["J", "Q", "K"], suits: 1, hands: 60, bets: &[1], most_bets: 1 };

/// The rules of both variants.
pub(super) const ALL: [&Rules; 2] = [&LEDUC, &KUHN];

impl Rules {
    /// The rules of a variant, if there is one with this key.
    pub(super) fn find(variant: &str) -> Option<&'static Self> {
        ALL.into_iter().find(|rules| rules.variant == variant)
    }

    /// How a card is written.
    pub(super) fn name(&self, card: Card) -> &'static str {
        self.cards.get(usize::from(card.0)).copied().unwrap_or("?")
    }

    /// The rank of a card: the higher, the better.
    pub(super) const fn rank(&self, card: Card) -> u8 {
        card.0 / self.suits
    }
}

/// A card, by its place in the deck before the shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Card(pub(super) u8);

/// What happens in a hand after its cards are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// No bet to answer, and none made.
    Check,
    /// The first bet of a round.
    Bet,
    /// As many chips as the opponent has paid; the round is over.
    Call,
    /// A call and one more bet.
    Raise,
    /// The hand is given up.
    Fold,
    /// Nature turns the board.
    Board,
}

impl Step {
    /// What players do, ordered as their words are.
    pub(super) const ACTIONS: [Self; 5] = [Self::Bet, Self::Call, Self::Check, Self::Fold, Self::Raise];

    /// The notation of an action.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Bet => "bet",
            Self::Call => "call",
            Self::Raise => "raise",
            Self::Fold => "fold",
            Self::Board => "board",
        }
    }

    /// One letter for the state string and the saved text.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Check => 'k',
            Self::Bet => 'b',
            Self::Call => 'c',
            Self::Raise => 'r',
            Self::Fold => 'f',
            Self::Board => '/',
        }
    }

    /// The step of a letter.
    pub(super) fn of_letter(letter: char) -> Option<Self> {
        Self::ACTIONS.into_iter().chain([Self::Board]).find(|step| step.letter() == letter)
    }

    /// The action that a notation names.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        Self::ACTIONS.into_iter().find(|action| action.word() == word)
    }

    /// The notation of an action.
    pub(super) fn notation(self) -> Notation {
        Notation::parse(self.word()).expect("the words are short ASCII")
    }
}

/// The other of the two players.
pub(super) fn opponent(player: Player) -> Player {
    Player::new(u8::from(player.seat() == 0))
}
