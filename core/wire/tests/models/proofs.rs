//! Proofs over the log's tree, against the definitions of RFC 6962, which hash whole lists of leaves.

use crate::{holds, same};
use hall_wire::Digest;
use hall_wire::merkle::{self, Nodes, leaf_hash};
use proptest::prelude::*;
use std::convert::Infallible;

/// Leaves of the largest tree that is asked.
const MOST_LEAVES: usize = 40;

/// The hashes of a log's leaves.
#[derive(Clone, Debug)]
struct Leaves(Vec<Digest>);

impl Leaves {
    fn between(&self, begin: u64, end: u64) -> &[Digest] {
        let place = |index: u64| usize::try_from(index).unwrap().min(self.0.len());
        &self.0[place(begin)..place(end)]
    }
}

impl Nodes for Leaves {
    type Error = Infallible;

    fn node(&self, height: u32, index: u64) -> Result<Digest, Infallible> {
        Ok(tree_hash(self.between(index << height, (index + 1) << height)))
    }
}

/// A log and two sizes; the smaller may be none that has a proof: 0, or beyond the larger.
fn logs() -> impl Strategy<Value = (Leaves, u64, u64)> {
    let leaves = prop::collection::vec(any::<[u8; 8]>(), MOST_LEAVES)
        .prop_map(|leaves| Leaves(leaves.iter().map(|leaf| leaf_hash(leaf)).collect()));
    (leaves, 0..=count(MOST_LEAVES)).prop_flat_map(|(leaves, to)| (Just(leaves), 0..=to + 1, Just(to)))
}

/// The root and both kinds of proof; the consistency of two sizes by what is given for it.
fn compare(
    (leaves, from, to): (Leaves, u64, u64),
    consistency: impl Fn(&Leaves, u64, u64) -> Vec<Digest>,
) -> Result<(), TestCaseError> {
    let all = leaves.between(0, to);
    let Ok(root) = merkle::root(&leaves, to);
    same((from, to), tree_hash(all), root)?;
    let expected = if (1..=to).contains(&from) { agreement(from, all, true) } else { Vec::new() };
    same((from, to), expected, consistency(&leaves, from, to))?;
    let expected = if from < to { inclusion(from, all) } else { Vec::new() };
    let Ok(found) = merkle::inclusion_path(&leaves, from, to);
    same((from, to), expected, found)
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
    let (mut path, sibling) = match index.checked_sub(count(left.len())) {
        None => (inclusion(index, left), right),
        Some(index) => (inclusion(index, right), left),
    };
    path.push(tree_hash(sibling));
    path
}

/// SUBPROOF of the RFC.
fn agreement(from: u64, leaves: &[Digest], complete: bool) -> Vec<Digest> {
    if from == count(leaves.len()) {
        return if complete { Vec::new() } else { vec![tree_hash(leaves)] };
    }
    let (left, right) = halves(leaves);
    let before = count(left.len());
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
    leaves.split_at(split)
}

fn count(leaves: usize) -> u64 {
    u64::try_from(leaves).unwrap()
}

fn consistency(leaves: &Leaves, from: u64, to: u64) -> Vec<Digest> {
    let Ok(path) = merkle::consistency_path(leaves, from, to);
    path
}

proptest! {
    #[test]
    fn roots_and_proofs_match_the_rfc(log in logs()) {
        compare(log, consistency)?;
    }
}

#[test]
fn a_proof_without_the_hash_that_the_verifier_cannot_know_is_noticed() {
    assert!(!holds(24, logs(), |log| {
        compare(log, |leaves, from, to| {
            let skipped = usize::from(!from.is_power_of_two());
            consistency(leaves, from, to).into_iter().skip(skipped).collect()
        })
    }));
}
