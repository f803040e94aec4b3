//! What the best answer to a strategy wins: the measure of an equilibrium.

use super::hand::Node;
use super::solver::Solved;
use std::collections::BTreeMap;

impl Solved {
    /// What the best answer wins in a hand, on average over both places.
    pub(super) fn exploitability(&self) -> f64 {
        [0, 1].into_iter().map(|player| BestAnswer::new(self, player).wins()).sum::<f64>() / 2.0
    }

    /// How many sets of positions there are that a player cannot tell apart.
    pub(super) fn sets(&self) -> usize {
        self.chances.len()
    }

    /// What who acts first wins in a hand if both play so.
    pub(super) fn value(&self) -> f64 {
        self.tree.deals.iter().map(|(node, share)| share * self.expected(*node)).sum()
    }

    fn expected(&self, node: usize) -> f64 {
        match self.tree.nodes.get(node) {
            Some(Node::Act { set, next, .. }) => {
                let chances = self.chances.get(*set).map_or(&[][..], Vec::as_slice);
                next.iter().zip(chances).map(|(node, chance)| chance * self.expected(*node)).sum()
            }
            Some(Node::End(won)) => *won,
            None => 0.0,
        }
    }
}

/// A player that knows the other's strategy.
struct BestAnswer<'a> {
    solved: &'a Solved,
    player: usize,
    /// The moments of each set of the player, with how likely the other and the cards make them happen.
    members: BTreeMap<usize, Vec<(usize, f64)>>,
    /// The best action of each set that was looked at.
    best: BTreeMap<usize, usize>,
}

impl<'a> BestAnswer<'a> {
    fn new(solved: &'a Solved, player: usize) -> Self {
        let mut answer = Self { solved, player, members: BTreeMap::new(), best: BTreeMap::new() };
        for (node, share) in &solved.tree.deals {
            answer.collect(*node, *share);
        }
        answer
    }

    fn collect(&mut self, node: usize, reach: f64) {
        let Some(Node::Act { player, set, next }) = self.solved.tree.nodes.get(node) else { return };
        if *player == self.player {
            self.members.entry(*set).or_default().push((node, reach));
        }
        let chances = self.solved.chances.get(*set).map_or(&[][..], Vec::as_slice);
        for (node, chance) in next.iter().zip(chances) {
            self.collect(*node, if *player == self.player { reach } else { reach * chance });
        }
    }

    fn wins(mut self) -> f64 {
        let deals = &self.solved.tree.deals;
        deals.iter().map(|(node, share)| share * self.value(*node)).sum()
    }

    fn value(&mut self, node: usize) -> f64 {
        match self.solved.tree.nodes.get(node) {
            Some(Node::Act { player, set, next }) if *player == self.player => {
                let best = self.best(*set);
                next.get(best).map_or(0.0, |node| self.value(*node))
            }
            Some(Node::Act { set, next, .. }) => {
                let chances = self.solved.chances.get(*set).map_or(&[][..], Vec::as_slice);
                next.iter().zip(chances).map(|(node, chance)| chance * self.value(*node)).sum()
            }
            Some(Node::End(won)) => {
                if self.player == 0 {
                    *won
                } else {
                    -won
                }
            }
            None => 0.0,
        }
    }

    /// The action that wins most over all moments of a set.
    fn best(&mut self, set: usize) -> usize {
        if let Some(best) = self.best.get(&set) {
            return *best;
        }
        let members = self.members.get(&set).cloned().unwrap_or_default();
        let actions = self.solved.tree.sets.get(set).map_or(0, Vec::len);
        let mut won = vec![0.0; actions];
        for (node, reach) in members {
            let Some(Node::Act { next, .. }) = self.solved.tree.nodes.get(node) else { continue };
            for (won, node) in won.iter_mut().zip(next) {
                *won += reach * self.value(*node);
            }
        }
        let places = won.iter().enumerate();
        let best = places
            .reduce(|best, other| if other.1 > best.1 { other } else { best })
            .map_or(0, |(place, _)| place);
        self.best.insert(set, best);
        best
    }
}
