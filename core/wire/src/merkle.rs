//! The Merkle tree of the hall's log: RFC 6962 over SHA-256 (decision 8.1).
//!
//! A leaf and an inner node hash with different prefixes, so that neither can be taken for the other. A tree of `size`
//! leaves splits at the largest power of two below its size; every *perfect* subtree, of `2^height` leaves that begin
//! at a multiple of that, never changes, and everything else is computed from those.

use crate::digest::Digest;
use alloc::vec::Vec;

/// The hash of a leaf: sha256 of a zero byte and the leaf.
#[must_use]
pub fn leaf_hash(leaf: &[u8]) -> Digest {
    Digest::of_parts(&[&[0], leaf])
}

/// The hash of two subtrees side by side: sha256 of a one byte and both hashes.
#[must_use]
pub fn node_hash(left: &Digest, right: &Digest) -> Digest {
    Digest::of_parts(&[&[1], left.as_bytes(), right.as_bytes()])
}

/// The right edge of a growing tree: the roots of the perfect subtrees that it consists of, the largest first. It
/// is all that is needed to append leaves and to know the root, whatever the size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    peaks: Vec<Digest>,
}

impl Frontier {
    /// The edge of the tree of the first `size` leaves of a log.
    ///
    /// # Errors
    /// The error of `nodes`, if it cannot provide a hash.
    pub fn of<N: Nodes>(nodes: &N, size: u64) -> Result<Self, N::Error> {
        let peaks = perfect_parts(0, size)
            .map(|(height, index)| nodes.node(height, index))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { size, peaks })
    }

    /// Leaves so far.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Appends the hash of a leaf, and passes `completed` the height, the index and the root of every perfect subtree
    /// that the leaf completes, the leaf itself included (height 0).
    pub fn push(&mut self, leaf: Digest, mut completed: impl FnMut(u32, u64, Digest)) {
        let mut node = leaf;
        let mut index = self.size;
        completed(0, index, node);
        for height in 1..=self.size.trailing_ones() {
            let Some(left) = self.peaks.pop() else { break };
            node = node_hash(&left, &node);
            index >>= 1;
            completed(height, index, node);
        }
        self.peaks.push(node);
        self.size += 1;
    }

    /// The root; of an empty tree sha256 of nothing.
    #[must_use]
    pub fn root(&self) -> Digest {
        let mut peaks = self.peaks.iter().rev();
        let Some(last) = peaks.next() else { return Digest::of(b"") };
        peaks.fold(*last, |right, left| node_hash(left, &right))
    }
}

/// A lookup of the roots of perfect subtrees.
pub trait Nodes {
    /// Why a root cannot be looked up.
    type Error;

    /// The root of the perfect subtree of `2^height` leaves that begins at leaf `index * 2^height`.
    ///
    /// # Errors
    /// The tree is not that large, or its stored hashes cannot be read.
    fn node(&self, height: u32, index: u64) -> Result<Digest, Self::Error>;
}

/// The root of the tree of the first `size` leaves.
///
/// # Errors
/// The error of `nodes`, if it cannot provide a hash.
pub fn root<N: Nodes>(nodes: &N, size: u64) -> Result<Digest, N::Error> {
    Frontier::of(nodes, size).map(|frontier| frontier.root())
}

/// The inclusion path of leaf `index` in the tree of the first `size` leaves, leaf to root (RFC 6962, 2.1.1). Empty if
/// there is no such leaf.
///
/// # Errors
/// The error of `nodes`, if it cannot provide a hash.
pub fn inclusion_path<N: Nodes>(nodes: &N, index: u64, size: u64) -> Result<Vec<Digest>, N::Error> {
    let mut path = Vec::new();
    if index < size {
        include(nodes, index, 0, size, &mut path)?;
    }
    Ok(path)
}

/// The path that proves that the tree of `from` leaves is a prefix of the tree of `to` leaves (RFC 6962, 2.1.2). Empty
/// if both are equal, or unless 1 ≤ `from` ≤ `to`.
///
/// # Errors
/// The error of `nodes`, if it cannot provide a hash.
pub fn consistency_path<N: Nodes>(nodes: &N, from: u64, to: u64) -> Result<Vec<Digest>, N::Error> {
    let mut path = Vec::new();
    if (1..to).contains(&from) {
        agree(nodes, from, 0, to, true, &mut path)?;
    }
    Ok(path)
}

/// The path of leaf `index` within the leaves from `begin` to before `end`.
fn include<N: Nodes>(
    nodes: &N,
    index: u64,
    begin: u64,
    end: u64,
    path: &mut Vec<Digest>,
) -> Result<(), N::Error> {
    if end - begin < 2 {
        return Ok(());
    }
    let middle = begin + split(end - begin);
    if index < middle {
        include(nodes, index, begin, middle, path)?;
        path.push(range_root(nodes, middle, end)?);
    } else {
        include(nodes, index, middle, end, path)?;
        path.push(range_root(nodes, begin, middle)?);
    }
    Ok(())
}

/// The proof that the leaves from `begin` to before `from` are a beginning of those to before `end`; `whole` while
/// the verifier knows the root of the smaller tree itself.
fn agree<N: Nodes>(
    nodes: &N,
    from: u64,
    begin: u64,
    end: u64,
    whole: bool,
    path: &mut Vec<Digest>,
) -> Result<(), N::Error> {
    if from == end {
        if !whole {
            path.push(range_root(nodes, begin, end)?);
        }
        return Ok(());
    }
    let middle = begin + split(end - begin);
    if from <= middle {
        agree(nodes, from, begin, middle, whole, path)?;
        path.push(range_root(nodes, middle, end)?);
    } else {
        agree(nodes, from, middle, end, false, path)?;
        path.push(range_root(nodes, begin, middle)?);
    }
    Ok(())
}

/// Where a tree of `count` ≥ 2 leaves splits: the largest power of two below `count`.
const fn split(count: u64) -> u64 {
    1 << (u64::BITS - 1 - (count - 1).leading_zeros())
}

/// The root of the subtree over the leaves from `begin`, where a perfect subtree of its size could begin, to before
/// `end`.
fn range_root<N: Nodes>(nodes: &N, begin: u64, end: u64) -> Result<Digest, N::Error> {
    let peaks = perfect_parts(begin, end)
        .map(|(height, index)| nodes.node(height, index))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Frontier { size: end - begin, peaks }.root())
}

/// The perfect subtrees, as height and index, that the leaves from `begin` to before `end` consist of, the largest
/// first. `begin` is a multiple of every one of their sizes.
fn perfect_parts(begin: u64, end: u64) -> impl Iterator<Item = (u32, u64)> {
    let mut at = begin;
    core::iter::from_fn(move || {
        let left = end - at;
        let height = left.checked_ilog2()?;
        let index = at >> height;
        at += 1 << height;
        Some((height, index))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    /// The definition of RFC 6962, section 2.1, taken literally.
    fn naive_root(leaves: &[Digest]) -> Digest {
        match leaves {
            [] => Digest::of(b""),
            [leaf] => *leaf,
            _ => {
                let mut middle = 1;
                while middle * 2 < leaves.len() {
                    middle *= 2;
                }
                let (left, right) = leaves.split_at(middle);
                node_hash(&naive_root(left), &naive_root(right))
            }
        }
    }

    fn leaves(count: u64) -> Vec<Digest> {
        (0..count).map(|number| leaf_hash(&number.to_be_bytes())).collect()
    }

    struct Stored(BTreeMap<(u32, u64), Digest>);

    impl Nodes for Stored {
        type Error = (u32, u64);

        fn node(&self, height: u32, index: u64) -> Result<Digest, Self::Error> {
            self.0.get(&(height, index)).copied().ok_or((height, index))
        }
    }

    fn grown(leaves: &[Digest]) -> (Frontier, Stored) {
        let (mut frontier, mut nodes) = (Frontier::default(), BTreeMap::new());
        for leaf in leaves {
            frontier.push(*leaf, |height, index, node| {
                assert_eq!(nodes.insert((height, index), node), None, "every subtree is completed once");
            });
        }
        (frontier, Stored(nodes))
    }

    /// RFC 9162, section 2.1.3.2.
    fn includes(leaf: Digest, index: u64, size: u64, path: &[Digest], root: Digest) -> bool {
        let (mut at, mut last, mut node) = (index, size - 1, leaf);
        for step in path {
            if last == 0 {
                return false;
            }
            if at % 2 == 1 || at == last {
                node = node_hash(step, &node);
                while at % 2 == 0 && at != 0 {
                    at >>= 1;
                    last >>= 1;
                }
            } else {
                node = node_hash(&node, step);
            }
            at >>= 1;
            last >>= 1;
        }
        last == 0 && node == root
    }

    /// RFC 9162, section 2.1.4.2.
    fn agrees(from: u64, to: u64, path: &[Digest], old: Digest, new: Digest) -> bool {
        if from == to {
            return path.is_empty() && old == new;
        }
        let mut path: Vec<Digest> = path.to_vec();
        if from.is_power_of_two() {
            path.insert(0, old);
        }
        let (mut at, mut last) = (from - 1, to - 1);
        while at % 2 == 1 {
            at >>= 1;
            last >>= 1;
        }
        let Some((first, rest)) = path.split_first() else { return false };
        let (mut left, mut right) = (*first, *first);
        for step in rest {
            if last == 0 {
                return false;
            }
            if at % 2 == 1 || at == last {
                left = node_hash(step, &left);
                right = node_hash(step, &right);
                while at % 2 == 0 && at != 0 {
                    at >>= 1;
                    last >>= 1;
                }
            } else {
                right = node_hash(&right, step);
            }
            at >>= 1;
            last >>= 1;
        }
        last == 0 && left == old && right == new
    }

    #[test]
    fn the_known_tree_of_eight_leaves_has_its_published_roots() {
        let data = [
            "",
            "00",
            "10",
            "2021",
            "3031",
            "40414243",
            "5051525354555657",
            "606162636465666768696a6b6c6d6e6f",
        ];
        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        let mut frontier = Frontier::default();
        assert_eq!(frontier.root(), Digest::of(b""));
        for (leaf, root) in data.into_iter().zip(roots) {
            frontier.push(leaf_hash(&hex::decode(leaf).unwrap()), |_, _, _| {});
            assert_eq!(frontier.root().to_hex(), root);
        }
    }

    #[test]
    fn every_tree_up_to_seventy_leaves_matches_the_definition() {
        let all = leaves(70);
        let (_, nodes) = grown(&all);
        let mut frontier = Frontier::default();
        for size in 0..70 {
            let expected = naive_root(&all[..size]);
            let size = u64::try_from(size).unwrap();
            assert_eq!(frontier.root(), expected, "{size}");
            assert_eq!(root(&nodes, size).unwrap(), expected, "{size}");
            assert_eq!(Frontier::of(&nodes, size).unwrap(), frontier, "{size}");
            frontier.push(all[usize::try_from(size).unwrap()], |_, _, _| {});
        }
    }

    #[test]
    fn every_path_in_small_trees_verifies_and_is_as_short_as_it_can_be() {
        let all = leaves(40);
        let (_, nodes) = grown(&all);
        for to in 1..=40_u64 {
            let new = naive_root(&all[..usize::try_from(to).unwrap()]);
            for index in 0..to {
                let path = inclusion_path(&nodes, index, to).unwrap();
                assert!(
                    includes(all[usize::try_from(index).unwrap()], index, to, &path, new),
                    "{index} of {to}"
                );
            }
            for from in 1..=to {
                let path = consistency_path(&nodes, from, to).unwrap();
                let old = naive_root(&all[..usize::try_from(from).unwrap()]);
                assert!(agrees(from, to, &path, old, new), "{from} to {to}");
            }
        }
        assert_eq!(inclusion_path(&nodes, 40, 40).unwrap(), []);
        assert_eq!(consistency_path(&nodes, 0, 40).unwrap(), []);
    }

    proptest! {
        #[test]
        fn no_other_leaf_and_no_other_tree_has_a_path(size in 2_u64..300, index in 0_u64..300, other in 0_u64..300) {
            let (index, other) = (index % size, other % size);
            let all = leaves(size);
            let (frontier, nodes) = grown(&all);
            let path = inclusion_path(&nodes, index, size).unwrap();
            let leaf = |at: u64| all[usize::try_from(at).unwrap()];
            prop_assert!(includes(leaf(index), index, size, &path, frontier.root()));
            if other != index {
                prop_assert!(!includes(leaf(other), index, size, &path, frontier.root()));
                prop_assert!(!includes(leaf(index), other, size, &path, frontier.root()));
                let changed = |at: u64| if at == other { Digest::of(b"another") } else { leaf(at) };
                let (forked, _) = grown(&(0..size).map(changed).collect::<Vec<_>>());
                prop_assert!(!includes(leaf(index), index, size, &path, forked.root()));
            }
        }
    }
}
