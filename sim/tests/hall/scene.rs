//! The scene of the small worlds whose inputs come in every order: a game of two agents at its first turn.

use crate::life::{Known, Life};
use crate::subject::{play, seat};
use hall_sim::storage::{DiskImage, SimDisk};
use hall_wire::{AgentId, GameId};

/// A game at its first turn, on a disk.
pub(crate) struct Scene {
    pub(crate) image: DiskImage,
    pub(crate) known: Known,
    pub(crate) game: GameId,
    /// White and black.
    pub(crate) agents: [AgentId; 2],
}

pub(crate) fn scene() -> Scene {
    let disk = SimDisk::new(1);
    let known = play(&disk, 4, true, Known::default());
    let mut after = known.clone();
    let life = Life::start(&disk, &mut after, 0).unwrap();
    let ((game, white), (_, black)) = life.peek(|hall| (seat(hall, 0).unwrap(), seat(hall, 1).unwrap()));
    drop(life);
    Scene { image: disk.image(), known: after, game, agents: [white, black] }
}

/// All distinct orders of these in which each item may precede the items that are left.
pub(crate) fn orders_of<T: Copy + PartialEq>(all: &[T], may: impl Fn(T, &[T]) -> bool) -> Vec<Vec<T>> {
    let mut orders = Vec::new();
    permute(&mut Vec::new(), all, &may, &mut orders);
    orders
}

fn permute<T: Copy + PartialEq>(
    done: &mut Vec<T>,
    left: &[T],
    may: &impl Fn(T, &[T]) -> bool,
    orders: &mut Vec<Vec<T>>,
) {
    if left.is_empty() {
        orders.push(done.clone());
    }
    for (place, one) in left.iter().enumerate() {
        let twin = left[..place].contains(one);
        if twin || !may(*one, left) {
            continue;
        }
        done.push(*one);
        permute(done, &[&left[..place], &left[place + 1..]].concat(), may, orders);
        done.pop();
    }
}
