//! Inclusion and consistency paths.

use super::node_hash;
use hall_wire::Digest;

/// Why a path proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathProblem {
    /// The leaf lies outside the tree, or the earlier tree is the larger one.
    #[error("{inner} does not lie within a tree of {size} leaves")]
    OutOfRange {
        /// The index of the leaf, or the size of the earlier tree.
        inner: u64,
        /// The size of the tree.
        size: u64,
    },
    /// A path between these two places has another length.
    #[error("the path is too short or too long")]
    WrongLength,
    /// The path leads to another root.
    #[error("the path leads to another root")]
    AnotherRoot,
}

/// The root that `path`, from the leaf upwards, leads to from the leaf with this hash and index.
///
/// # Errors
/// The index is not below `size`, or the path does not have the length that index and size demand.
pub fn root_above(index: u64, size: u64, leaf: &Digest, path: &[Digest]) -> Result<Digest, PathProblem> {
    if index >= size {
        return Err(PathProblem::OutOfRange { inner: index, size });
    }
    let mut climb = Climb { at: index, last: size - 1 };
    let mut root = *leaf;
    for sibling in path {
        root = match climb.step()? {
            Side::Left => node_hash(sibling, &root),
            Side::Right => node_hash(&root, sibling),
        };
    }
    climb.arrived().then_some(root).ok_or(PathProblem::WrongLength)
}

/// Checks that a tree of `size` leaves with this root holds the leaf with this hash at `index`.
///
/// # Errors
/// What is wrong with the path.
pub fn inclusion(
    index: u64,
    size: u64,
    leaf: &Digest,
    path: &[Digest],
    root: &Digest,
) -> Result<(), PathProblem> {
    let above = root_above(index, size, leaf, path)?;
    (above == *root).then_some(()).ok_or(PathProblem::AnotherRoot)
}

/// Checks that the tree `to` (its size and root) begins with all leaves of the tree `from`.
///
/// Every tree begins with the empty one and with itself; the path is empty then.
///
/// # Errors
/// What is wrong with the path.
pub fn consistency(from: (u64, &Digest), to: (u64, &Digest), path: &[Digest]) -> Result<(), PathProblem> {
    let ((from_size, from_root), (to_size, to_root)) = (from, to);
    if from_size > to_size {
        return Err(PathProblem::OutOfRange { inner: from_size, size: to_size });
    }
    if from_size == 0 || from_size == to_size {
        return match path {
            [] if from_size == 0 && *from_root != super::empty_root() => Err(PathProblem::AnotherRoot),
            [] if from_size == to_size && from_root != to_root => Err(PathProblem::AnotherRoot),
            [] => Ok(()),
            _ => Err(PathProblem::WrongLength),
        };
    }
    // A complete earlier tree is a node of the later one, and the path does not repeat its root.
    let (first, rest) = if from_size.is_power_of_two() {
        (*from_root, path)
    } else {
        path.split_first().map(|(first, rest)| (*first, rest)).ok_or(PathProblem::WrongLength)?
    };
    let mut climb = Climb { at: from_size - 1, last: to_size - 1 };
    while climb.at & 1 == 1 {
        climb.rise();
    }
    let (mut earlier, mut later) = (first, first);
    for sibling in rest {
        match climb.step()? {
            Side::Left => {
                earlier = node_hash(sibling, &earlier);
                later = node_hash(sibling, &later);
            }
            Side::Right => later = node_hash(&later, sibling),
        }
    }
    if !climb.arrived() {
        return Err(PathProblem::WrongLength);
    }
    (earlier == *from_root && later == *to_root).then_some(()).ok_or(PathProblem::AnotherRoot)
}

/// A way from a leaf up to the root: where it is on the present level, and the last place of that level.
struct Climb {
    at: u64,
    last: u64,
}

/// On which side the next sibling stands.
enum Side {
    Left,
    Right,
}

impl Climb {
    /// Takes the next hash of the path.
    fn step(&mut self) -> Result<Side, PathProblem> {
        if self.last == 0 {
            return Err(PathProblem::WrongLength);
        }
        let left = self.at & 1 == 1 || self.at == self.last;
        if left {
            // Where a level ends with a node without a sibling, that node is the same on the level above.
            while self.at & 1 == 0 && self.at != 0 {
                self.rise();
            }
        }
        self.rise();
        Ok(if left { Side::Left } else { Side::Right })
    }

    const fn rise(&mut self) {
        self.at >>= 1;
        self.last >>= 1;
    }

    const fn arrived(&self) -> bool {
        self.last == 0
    }
}
