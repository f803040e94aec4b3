//! A second implementation of the log's tree, written from RFC 6962 alone: it remembers every complete subtree and is
//! slow.

use hall_wire::Digest;
use std::collections::BTreeSet;

/// A tree that only grows.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The roots of all complete subtrees, by their height.
    levels: Vec<Vec<Digest>>,
}

impl Tree {
    /// Leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.levels.first().map_or(0, |leaves| u64::try_from(leaves.len()).unwrap_or(u64::MAX))
    }

    /// Adds a leaf.
    pub fn grow(&mut self, leaf: &str) {
        let mut node = Digest::of_parts(&[b"\0", leaf.as_bytes()]);
        for height in 0.. {
            if self.levels.len() == height {
                self.levels.push(Vec::new());
            }
            let Some(level) = self.levels.get_mut(height) else { return };
            level.push(node);
            match level.as_slice() {
                [.., left, right] if level.len().is_multiple_of(2) => {
                    node = Digest::of_parts(&[b"\x01", left.as_bytes(), right.as_bytes()]);
                }
                _ => return,
            }
        }
    }

    /// The root, from the smallest subtree without a partner upwards.
    #[must_use]
    pub fn root(&self) -> Digest {
        let lonely = self.levels.iter().filter(|level| level.len() % 2 == 1).filter_map(|level| level.last());
        let join =
            |right: Digest, left: &Digest| Digest::of_parts(&[b"\x01", left.as_bytes(), right.as_bytes()]);
        let mut lonely = lonely;
        match lonely.next() {
            Some(smallest) => lonely.fold(*smallest, join),
            None => Digest::of(b""),
        }
    }
}

/// Everything that a history has signed: sizes of the log and the roots told for them.
pub type Checkpoints = BTreeSet<(u64, Digest)>;

/// The root of every prefix of a log, the empty one first.
#[must_use]
pub fn roots<'a>(leaves: impl IntoIterator<Item = &'a str>) -> Vec<Digest> {
    let mut tree = Tree::default();
    let mut roots = vec![tree.root()];
    for leaf in leaves {
        tree.grow(leaf);
        roots.push(tree.root());
    }
    roots
}

/// Whether all checkpoints that a history has ever told, through all its lives, are pairwise consistent (G1, G4),
/// given the roots of the log that is there now: of two with one size the roots are equal, and the root of the smaller
/// is that of as many leaves of the greater. This holds exactly if each is a prefix of one log; and since the next
/// leaves continue the present log, that must be the one.
///
/// # Errors
/// The first pair or checkpoint that is inconsistent.
pub fn consistent(told: &Checkpoints, roots: &[Digest]) -> Result<(), String> {
    let pairs = told.iter().zip(told.iter().skip(1));
    for ((size, one), (same, other)) in pairs {
        if size == same {
            return Err(format!("G4: {size} leaves were told to have root {one} and root {other}"));
        }
    }
    for (size, root) in told {
        let there = usize::try_from(*size).ok().and_then(|size| roots.get(size));
        if there != Some(root) {
            let last = roots.len().saturating_sub(1);
            let there =
                there.map_or_else(|| format!("{last} leaves are there"), |root| format!("it is {root}"));
            return Err(format!("G1: {size} leaves were told to have root {root}, but {there}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(leaves: usize) -> Vec<String> {
        (0..leaves).map(|leaf| format!("leaf {leaf}")).collect()
    }

    fn roots_of(leaves: &[String]) -> Vec<Digest> {
        roots(leaves.iter().map(String::as_str))
    }

    #[test]
    fn the_roots_match_the_tree_of_the_hall() {
        let leaves = log(70);
        let mut frontier = hall_wire::merkle::Frontier::default();
        for (leaf, root) in leaves.iter().zip(roots_of(&leaves).into_iter().skip(1)) {
            frontier.push(hall_wire::merkle::leaf_hash(leaf.as_bytes()), |_, _, _| {});
            assert_eq!(frontier.root(), root);
        }
    }

    #[test]
    fn checkpoints_of_one_log_are_consistent_and_those_of_two_are_not() {
        let leaves = log(9);
        let mut forked = leaves.clone();
        forked[6] = "another leaf".to_owned();
        let (one, other) = (roots_of(&leaves), roots_of(&forked));
        let told = |list: &[(u64, Digest)]| list.iter().copied().collect::<Checkpoints>();
        assert_eq!(consistent(&told(&[(3, one[3]), (6, one[6]), (9, one[9])]), &one), Ok(()));
        assert_eq!(consistent(&told(&[(3, other[3]), (6, other[6])]), &one), Ok(()), "so far they are one");
        for (list, invariant) in [
            (vec![(7, one[7]), (7, other[7])], "G4"),
            (vec![(7, other[7]), (9, one[9])], "G1"),
            (vec![(6, one[6]), (7, other[7])], "G1"),
            (vec![(6, one[5])], "G1"),
        ] {
            let judged = consistent(&told(&list), &one).unwrap_err();
            assert!(judged.starts_with(invariant), "{judged}");
        }
        assert!(consistent(&told(&[(9, one[9])]), &one[..9]).is_err(), "a leaf that was signed is lost");
    }
}
