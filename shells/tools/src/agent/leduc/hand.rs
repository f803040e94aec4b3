//! A hand as a tree of what can happen in it. Only ranks count: cards of one rank are the same.

use std::collections::BTreeMap;

/// What is played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stakes {
    /// Two cards of each rank, a board, bets of 2 and 4, one raise.
    Leduc,
    /// One card of each rank, no board, one bet of 1.
    Kuhn,
}

/// What a player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Check,
    Bet,
    Call,
    Raise,
    Fold,
}

/// The ranks, as their cards begin, lowest first.
pub(super) const RANKS: [char; 3] = ['J', 'Q', 'K'];

/// A rank by its place.
pub(super) type Rank = usize;

impl Action {
    const ALL: [Self; 5] = [Self::Check, Self::Bet, Self::Call, Self::Raise, Self::Fold];

    /// The notation of the action.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Bet => "bet",
            Self::Call => "call",
            Self::Raise => "raise",
            Self::Fold => "fold",
        }
    }

    const fn letter(self) -> char {
        match self {
            Self::Check => 'k',
            Self::Bet => 'b',
            Self::Call => 'c',
            Self::Raise => 'r',
            Self::Fold => 'f',
        }
    }

    pub(super) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.word() == word)
    }
}

impl Stakes {
    /// How many cards there are of each rank.
    pub(super) const fn suits(self) -> u32 {
        match self {
            Self::Leduc => 2,
            Self::Kuhn => 1,
        }
    }

    /// The chips of a bet, by round.
    const fn bets(self) -> &'static [f64] {
        match self {
            Self::Leduc => &[2.0, 4.0],
            Self::Kuhn => &[1.0],
        }
    }

    const fn most_bets(self) -> usize {
        match self {
            Self::Leduc => 2,
            Self::Kuhn => 1,
        }
    }

    /// Every way to deal, with the number of its decks: the ranks of who acts first, of the other, and of the board.
    fn deals(self) -> Vec<([Rank; 3], f64)> {
        let ranks = 0..RANKS.len();
        let mut deals = Vec::new();
        for first in ranks.clone() {
            for second in ranks.clone() {
                for board in ranks.clone() {
                    let mut left = [self.suits(); 3];
                    let take = |left: &mut [u32; 3], rank: Rank| match left.get_mut(rank) {
                        Some(count) => {
                            let before = *count;
                            *count = count.saturating_sub(1);
                            before
                        }
                        None => 0,
                    };
                    let ways: u32 = [first, second, board].map(|rank| take(&mut left, rank)).iter().product();
                    if ways > 0 {
                        deals.push(([first, second, board], f64::from(ways)));
                    }
                }
            }
        }
        deals
    }
}

/// What a player knows, in letters: its rank, the board, and what was done in each round.
pub(super) fn key(rank: Rank, board: Option<Rank>, rounds: &[Vec<Action>]) -> String {
    let letter = |rank: Rank| RANKS.get(rank).copied().unwrap_or('?');
    let mut key = String::from(letter(rank));
    key.extend(board.map(letter));
    for round in rounds {
        key.push(' ');
        key.extend(round.iter().map(|action| action.letter()));
    }
    key
}

/// All hands.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// Where each deal begins, with its share of all deals.
    pub(super) deals: Vec<(usize, f64)>,
    /// The actions of each set of positions that their player cannot tell apart.
    pub(super) sets: Vec<Vec<Action>>,
    /// The sets by what their player knows.
    pub(super) names: BTreeMap<String, usize>,
}

/// A moment of a hand.
#[derive(Debug)]
pub(super) enum Node {
    /// It is over; what who acted first wins.
    End(f64),
    /// A player is to act: 0 acts first in each round.
    Act { player: usize, set: usize, next: Vec<usize> },
}

/// A hand as far as it is.
#[derive(Clone)]
struct Line {
    ranks: [Rank; 3],
    rounds: Vec<Vec<Action>>,
    paid: [f64; 2],
}

impl Tree {
    pub(super) fn of(stakes: Stakes) -> Self {
        let mut tree =
            Self { nodes: Vec::new(), deals: Vec::new(), sets: Vec::new(), names: BTreeMap::new() };
        let deals = stakes.deals();
        let all: f64 = deals.iter().map(|(_, ways)| ways).sum();
        for (ranks, ways) in deals {
            let line = Line { ranks, rounds: vec![Vec::new()], paid: [1.0; 2] };
            let node = tree.grow(stakes, &line);
            tree.deals.push((node, ways / all));
        }
        tree
    }

    /// Adds the moment after `line` and all that follows it.
    fn grow(&mut self, stakes: Stakes, line: &Line) -> usize {
        let node = match line.end(stakes) {
            Some(won) => Node::End(won),
            None => {
                let player = line.player();
                let actions = line.actions(stakes);
                let set = self.set(line.key(player), &actions);
                let next =
                    actions.iter().map(|action| self.grow(stakes, &line.with(stakes, *action))).collect();
                Node::Act { player, set, next }
            }
        };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn set(&mut self, key: String, actions: &[Action]) -> usize {
        let fresh = self.sets.len();
        let set = *self.names.entry(key).or_insert(fresh);
        if set == fresh {
            self.sets.push(actions.to_vec());
        }
        set
    }
}

impl Line {
    fn round(&self) -> &[Action] {
        self.rounds.last().map_or(&[], Vec::as_slice)
    }

    /// Who acts: the players take turns within a round.
    fn player(&self) -> usize {
        self.round().len() % 2
    }

    fn paid(&self, player: usize) -> f64 {
        self.paid.get(player).copied().unwrap_or(0.0)
    }

    fn bets(&self) -> usize {
        self.round().iter().filter(|action| matches!(action, Action::Bet | Action::Raise)).count()
    }

    fn actions(&self, stakes: Stakes) -> Vec<Action> {
        match self.bets() {
            0 => vec![Action::Check, Action::Bet],
            bets if bets < stakes.most_bets() => vec![Action::Call, Action::Raise, Action::Fold],
            _ => vec![Action::Call, Action::Fold],
        }
    }

    fn with(&self, stakes: Stakes, action: Action) -> Self {
        let (player, other) = (self.player(), 1 - self.player());
        let bet = stakes.bets().get(self.rounds.len() - 1).copied().unwrap_or(0.0);
        let mut line = self.clone();
        let pays = match action {
            Action::Check | Action::Fold => self.paid(player),
            Action::Call => self.paid(other),
            Action::Bet | Action::Raise => self.paid(other) + bet,
        };
        if let Some(paid) = line.paid.get_mut(player) {
            *paid = pays;
        }
        if let Some(round) = line.rounds.last_mut() {
            round.push(action);
        }
        if line.is_round_over() && line.rounds.len() < stakes.bets().len() {
            line.rounds.push(Vec::new());
        }
        line
    }

    fn is_round_over(&self) -> bool {
        matches!(self.round(), [.., Action::Call] | [.., Action::Check, Action::Check])
    }

    /// What who acted first wins, if the hand is over.
    fn end(&self, stakes: Stakes) -> Option<f64> {
        let [first, second, board] = self.ranks;
        if let [.., Action::Fold] = self.round() {
            // Who folded has acted last, so it is the turn of the other.
            let loser = 1 - self.player();
            return Some(if loser == 0 { -self.paid(0) } else { self.paid(1) });
        }
        if !self.is_round_over() {
            return None;
        }
        let has_board = stakes.bets().len() > 1;
        let strength = |rank: Rank| (has_board && rank == board, rank);
        Some(match strength(first).cmp(&strength(second)) {
            std::cmp::Ordering::Less => -self.paid(0),
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => self.paid(1),
        })
    }

    fn key(&self, player: usize) -> String {
        let [first, second, board] = self.ranks;
        let own = if player == 0 { first } else { second };
        key(own, (self.rounds.len() > 1).then_some(board), &self.rounds)
    }
}
