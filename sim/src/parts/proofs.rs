//! Proofs over the log's tree, against the definitions of RFC 6962, which hash whole lists of leaves.

use super::Comparison;
use crate::dice::Dice;
use hall_wire::Digest;
use hall_wire::merkle::{Nodes, leaf_hash};
use std::convert::Infallible;

/// Leaves of the largest tree that is asked.
const MOST: u64 = 40;
/// Proofs that are asked of one tree.
const PROOFS: u32 = 12;

/// The hashes of a log's leaves.
pub(super) struct Leaves(Vec<Digest>);

impl Leaves {
    fn between(&self, begin: u64, end: u64) -> &[Digest] {
        let place = |index: u64| usize::try_from(index).unwrap_or(usize::MAX).min(self.0.len());
        self.0.get(place(begin)..place(end)).unwrap_or_default()
    }
}

impl Nodes for Leaves {
    type Error = Infallible;

    fn node(&self, height: u32, index: u64) -> Result<Digest, Infallible> {
        Ok(tree_hash(self.between(index << height, (index + 1) << height)))
    }
}

/// Both kinds of proof for any sizes of a random log, sizes that are none among them; the consistency of two sizes by
/// what is given for it.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    consistency: impl Fn(&Leaves, u64, u64) -> Vec<Digest>,
) {
    let leaves = Leaves((0..MOST).map(|_| leaf_hash(&dice.bytes::<8>())).collect());
    for _ in 0..PROOFS {
        let to = dice.between(0, MOST);
        let from = dice.between(0, to + 1);
        let all = leaves.between(0, to);
        let input = || format!("{from} of {to} leaves");
        let Ok(root) = hall_wire::merkle::root(&leaves, to);
        out.same("log: root", input, tree_hash(all), root);
        let expected = if (1..=to).contains(&from) { agreement(from, all, true) } else { Vec::new() };
        out.same("log: consistency", input, expected, consistency(&leaves, from, to));
        let expected = if from < to { inclusion(from, all) } else { Vec::new() };
        let Ok(found) = hall_wire::merkle::inclusion_path(&leaves, from, to);
        out.same("log: inclusion", input, expected, found);
    }
}

/// MTH of the RFC, over leaves that are hashed already.
fn tree_hash(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => Digest::of(b""),
        [one] => *one,
        _ => {
            let (left, right) = halves(leaves);
            Digest::of_parts(&[b"\x01", tree_hash(left).as_bytes(), tree_hash(right).as_bytes()])
        }
    }
}

/// PATH of the RFC.
fn inclusion(index: u64, leaves: &[Digest]) -> Vec<Digest> {
    if leaves.len() < 2 {
        return Vec::new();
    }
    let (left, right) = halves(leaves);
    let before = count(left);
    let (mut path, sibling) = match index.checked_sub(before) {
        None => (inclusion(index, left), right),
        Some(index) => (inclusion(index, right), left),
    };
    path.push(tree_hash(sibling));
    path
}

/// SUBPROOF of the RFC.
fn agreement(from: u64, leaves: &[Digest], complete: bool) -> Vec<Digest> {
    if from == count(leaves) {
        return if complete { Vec::new() } else { vec![tree_hash(leaves)] };
    }
    let (left, right) = halves(leaves);
    let before = count(left);
    let (mut path, sibling) = if from <= before {
        (agreement(from, left, complete), right)
    } else {
        (agreement(from - before, right, false), left)
    };
    path.push(tree_hash(sibling));
    path
}

/// The largest power of two of leaves that is less than all, and the rest.
fn halves(leaves: &[Digest]) -> (&[Digest], &[Digest]) {
    let mut split = 1;
    while split * 2 < leaves.len() {
        split *= 2;
    }
    leaves.split_at_checked(split).unwrap_or((leaves, &[]))
}

fn count(leaves: &[Digest]) -> u64 {
    u64::try_from(leaves.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::merkle;

    fn differences(consistency: impl Fn(&Leaves, u64, u64) -> Vec<Digest>) -> usize {
        let mut out = Comparison::default();
        compare(&mut Dice::of(1, "proofs", 0), &mut out, consistency);
        out.differences.len()
    }

    fn path(leaves: &Leaves, from: u64, to: u64) -> Vec<Digest> {
        let Ok(path) = merkle::consistency_path(leaves, from, to);
        path
    }

    #[test]
    fn a_proof_that_leaves_out_what_the_verifier_cannot_know_differs() {
        assert_eq!(differences(path), 0);
        let short = |leaves: &Leaves, from: u64, to: u64| {
            let skipped = usize::from(!from.is_power_of_two());
            path(leaves, from, to).into_iter().skip(skipped).collect()
        };
        assert_ne!(differences(short), 0);
    }
}
