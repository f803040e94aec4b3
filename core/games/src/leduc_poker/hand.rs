//! One hand: its cards, what was done in it, and what follows from that.

use super::rules::{ANTE, Card, MOST_CARDS, Rules, Step, opponent};
use alloc::string::String;
use core::cmp::Ordering;
use hall_wire::Player;

/// The most steps of a hand: in each of two rounds check, bet, raise, call, and the board between them.
const MOST_STEPS: usize = 9;

/// A hand of a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hand {
    /// Who acts first in every round.
    pub(super) first: Player,
    /// The shuffled deck; where the variant has fewer cards, the rest means nothing.
    deck: [Card; MOST_CARDS],
    steps: [Step; MOST_STEPS],
    length: u8,
}

impl Hand {
    /// A hand that was dealt from `deck`.
    pub(super) const fn dealt(deck: [Card; MOST_CARDS], first: Player) -> Self {
        Self { first, deck, steps: [Step::Check; MOST_STEPS], length: 0 }
    }

    /// The deck in order.
    pub(super) fn deck(&self, rules: &Rules) -> &[Card] {
        self.deck.get(..rules.cards.len()).unwrap_or(&self.deck)
    }

    /// The card of `player`.
    pub(super) fn card(&self, player: Player) -> Option<Card> {
        let [zero, one, ..] = self.deck;
        [zero, one].get(player.index()).copied()
    }

    /// The board, once it is turned.
    pub(super) fn board(&self) -> Option<Card> {
        self.steps().contains(&Step::Board).then_some(self.third_card())
    }

    /// The card that is the board once it is turned; before that nobody may know it.
    pub(super) const fn third_card(&self) -> Card {
        let [_, _, third, ..] = self.deck;
        third
    }

    /// Everything that was done, in order.
    pub(super) fn steps(&self) -> &[Step] {
        self.steps.get(..usize::from(self.length)).unwrap_or(&[])
    }

    /// Adds a step; `None` if it is not possible now, and nothing has changed then.
    pub(super) fn take(&mut self, rules: &Rules, step: Step) -> Option<()> {
        if !self.betting(rules).allows(rules, step) {
            return None;
        }
        *self.steps.get_mut(usize::from(self.length))? = step;
        self.length += 1;
        Some(())
    }

    /// How the bets stand.
    pub(super) fn betting(&self, rules: &Rules) -> Betting {
        let mut betting = Betting::of_first(self.first, ANTE);
        self.steps().iter().for_each(|step| betting.take(rules, *step));
        betting
    }

    /// The net chips that each player wins in this hand, once it is over.
    pub(super) fn net(&self, rules: &Rules) -> Option<[i32; 2]> {
        let betting = self.betting(rules);
        let loser = match betting.next {
            Next::Player(_) | Next::Board => return None,
            Next::Folded(player) => Some(player),
            Next::Showdown => self.beaten(rules),
        };
        let lost = loser.map_or(0, |player| i32::from(betting.paid(player)));
        Some(if loser == Some(Player::new(0)) { [-lost, lost] } else { [lost, -lost] })
    }

    /// Who loses a showdown; nobody at equal ranks.
    fn beaten(&self, rules: &Rules) -> Option<Player> {
        let [zero, one, ..] = self.deck.map(|card| rules.rank(card));
        let board = self.board().map(|card| rules.rank(card));
        let strength = |rank: u8| (board == Some(rank), rank);
        match strength(zero).cmp(&strength(one)) {
            Ordering::Less => Some(Player::new(0)),
            Ordering::Equal => None,
            Ordering::Greater => Some(Player::new(1)),
        }
    }

    /// What a showdown tells: the cards of both.
    pub(super) fn shown(&self, rules: &Rules) -> Option<String> {
        let [zero, one, ..] = self.deck.map(|card| rules.name(card));
        (self.betting(rules).next == Next::Showdown).then(|| alloc::format!("p0 {zero} p1 {one}"))
    }
}

/// What happens next in a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A player acts.
    Player(Player),
    /// Nature turns the board.
    Board,
    /// Nothing: this player has folded.
    Folded(Player),
    /// Nothing: the cards are shown.
    Showdown,
}

/// The bets of a hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Betting {
    first: Player,
    /// The round, from 0.
    pub(super) round: usize,
    /// What each player has paid, in chips.
    pub(super) pot: [u8; 2],
    /// Bets and raises of this round.
    pub(super) bets: u8,
    /// Whether a player has acted in this round.
    opened: bool,
    pub(super) next: Next,
}

impl Betting {
    /// A hand in which nobody has acted, and both have paid `ante`.
    pub(super) const fn of_first(first: Player, ante: u8) -> Self {
        Self { first, round: 0, pot: [ante; 2], bets: 0, opened: false, next: Next::Player(first) }
    }

    /// What `player` has paid.
    pub(super) fn paid(&self, player: Player) -> u8 {
        self.pot.get(player.index()).copied().unwrap_or(0)
    }

    /// The chips of a bet in this round.
    pub(super) fn size(&self, rules: &Rules) -> u8 {
        rules.bets.get(self.round).copied().unwrap_or(0)
    }

    /// Whether `step` can come next.
    pub(super) fn allows(&self, rules: &Rules, step: Step) -> bool {
        match step {
            Step::Board => self.next == Next::Board,
            Step::Check | Step::Bet => self.bets == 0 && self.is_open(),
            Step::Call | Step::Fold => self.bets > 0 && self.is_open(),
            Step::Raise => self.bets > 0 && self.bets < rules.most_bets && self.is_open(),
        }
    }

    /// Whether a player is to act.
    const fn is_open(&self) -> bool {
        matches!(self.next, Next::Player(_))
    }

    fn take(&mut self, rules: &Rules, step: Step) {
        let Next::Player(player) = self.next else {
            *self = Self { pot: self.pot, round: self.round + 1, ..Self::of_first(self.first, ANTE) };
            return;
        };
        let other = opponent(player);
        let owed = self.paid(other);
        let closes = self.opened;
        self.opened = true;
        self.next = Next::Player(other);
        match step {
            Step::Check if closes => self.next = self.after_round(rules),
            Step::Check | Step::Board => {}
            Step::Bet | Step::Raise => {
                self.pay(player, owed + self.size(rules));
                self.bets += 1;
            }
            Step::Call => {
                self.pay(player, owed);
                self.next = self.after_round(rules);
            }
            Step::Fold => self.next = Next::Folded(player),
        }
    }

    fn pay(&mut self, player: Player, in_all: u8) {
        if let Some(paid) = self.pot.get_mut(player.index()) {
            *paid = in_all;
        }
    }

    const fn after_round(&self, rules: &Rules) -> Next {
        if self.round + 1 < rules.bets.len() { Next::Board } else { Next::Showdown }
    }
}
