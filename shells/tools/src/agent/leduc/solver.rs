//! The equilibrium by counterfactual regret minimisation.

use super::hand::{Action, Node, Stakes, Tree};

/// How often all hands are gone through. Twice as often halves the exploitability, and takes twice the time.
const ROUNDS: u32 = 1_000;

/// How every set of positions is played.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) tree: Tree,
    /// The chance of each action by set.
    pub(super) chances: Vec<Vec<f64>>,
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
