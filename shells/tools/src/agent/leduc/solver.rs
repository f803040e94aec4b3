//! The equilibrium by counterfactual regret minimisation, and the best answer to a strategy.

use super::hand::{Action, Node, Stakes, Tree};
use std::collections::BTreeMap;

/// How often all hands are gone through. Twice as often halves the exploitability, and takes twice the time.
const ROUNDS: u32 = 1_000;

/// How every set of positions is played.
#[derive(Debug)]
pub(super) struct Solved {
    tree: Tree,
    /// The chance of each action by set.
    chances: Vec<Vec<f64>>,
}

/// What is learnt about a set: regrets never fall below zero, and late rounds count for more in the mean.
struct Learnt {
    regrets: Vec<f64>,
    sums: Vec<f64>,
}

impl Solved {
    /// Learns by playing against itself.
    pub(super) fn of(stakes: Stakes) -> Self {
        Self::after(stakes, ROUNDS)
    }

    pub(super) fn after(stakes: Stakes, rounds: u32) -> Self {
        let tree = Tree::of(stakes);
        let empty = |actions: &Vec<Action>| Learnt {
            regrets: vec![0.0; actions.len()],
            sums: vec![0.0; actions.len()],
        };
        let mut learnt: Vec<Learnt> = tree.sets.iter().map(empty).collect();
        for round in 1..=rounds {
            for player in [0, 1] {
                // Regrets of a set change only after all hands, because a set lies in many of them.
                let now: Vec<Vec<f64>> = learnt.iter().map(|set| parts(&set.regrets)).collect();
                let mut gains: Vec<Vec<f64>> = now.iter().map(|chances| vec![0.0; chances.len()]).collect();
                let mut walk =
                    Walk { tree: &tree, now: &now, gains: &mut gains, learnt: &mut learnt, player, round };
                for (node, share) in &tree.deals {
                    walk.value(*node, [1.0, *share]);
                }
                for (set, gains) in learnt.iter_mut().zip(gains) {
                    set.regrets
                        .iter_mut()
                        .zip(gains)
                        .for_each(|(regret, gain)| *regret = (*regret + gain).max(0.0));
                }
            }
        }
        let chances = learnt.iter().map(|set| parts(&set.sums)).collect();
        Self { tree, chances }
    }

    /// The chance of each action for who knows this; `None` if nobody can know it.
    pub(super) fn chances(&self, key: &str) -> Option<Vec<(Action, f64)>> {
        let set = *self.tree.names.get(key)?;
        let (actions, chances) = (self.tree.sets.get(set)?, self.chances.get(set)?);
        Some(actions.iter().copied().zip(chances.iter().copied()).collect())
    }
}

/// Numbers as shares of their sum; equal shares of nothing.
fn parts(numbers: &[f64]) -> Vec<f64> {
    let sum: f64 = numbers.iter().sum();
    let count = u32::try_from(numbers.len()).map_or(1.0, f64::from);
    numbers.iter().map(|number| if sum > 0.0 { number / sum } else { 1.0 / count }).collect()
}

/// One way through all hands for one player.
struct Walk<'a> {
    tree: &'a Tree,
    now: &'a [Vec<f64>],
    gains: &'a mut [Vec<f64>],
    learnt: &'a mut [Learnt],
    player: usize,
    round: u32,
}

impl Walk<'_> {
    /// What a moment is worth to the player of this walk. `reach` is how likely the player itself makes it happen, and how
    /// likely the other and the cards do.
    fn value(&mut self, node: usize, reach: [f64; 2]) -> f64 {
        let (tree, now) = (self.tree, self.now);
        let (player, set, next) = match tree.nodes.get(node) {
            Some(Node::Act { player, set, next }) => (*player, *set, next),
            Some(Node::End(won)) => return if self.player == 0 { *won } else { -won },
            None => return 0.0,
        };
        let chances = now.get(set).map_or(&[][..], Vec::as_slice);
        let [own, others] = reach;
        if player != self.player {
            let each = next.iter().zip(chances);
            return each.map(|(node, chance)| chance * self.value(*node, [own, others * chance])).sum();
        }
        let each = next.iter().zip(chances);
        let values: Vec<f64> = each.map(|(node, chance)| self.value(*node, [own * chance, others])).collect();
        let value: f64 = values.iter().zip(chances).map(|(value, chance)| value * chance).sum();
        if let Some(gains) = self.gains.get_mut(set) {
            gains.iter_mut().zip(&values).for_each(|(gain, action)| *gain += others * (action - value));
        }
        if let Some(learnt) = self.learnt.get_mut(set) {
            let weight = own * f64::from(self.round);
            learnt.sums.iter_mut().zip(chances).for_each(|(sum, chance)| *sum += weight * chance);
        }
        value
    }
}

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
