//! The log part of a replay (decision 6.4).

use super::fields::{Node, Shaped};
use hall_wire::{Digest, Player};

/// Proof that the log holds the game.
pub(in crate::replay) struct Log<'v> {
    pub(in crate::replay) note: &'v str,
    pub(in crate::replay) leaves: Vec<(u64, LeafPlace)>,
    pub(in crate::replay) registrations: Vec<Registration<'v>>,
}

/// Where a leaf stands, and the way from it to the root.
pub(in crate::replay) struct LeafPlace {
    pub(in crate::replay) index: u64,
    pub(in crate::replay) path: Vec<Digest>,
}

/// The registration of a player.
pub(in crate::replay) struct Registration<'v> {
    pub(in crate::replay) player: Player,
    pub(in crate::replay) leaf: &'v str,
    pub(in crate::replay) place: LeafPlace,
}

impl<'v> Log<'v> {
    pub(super) fn read(node: &Node<'v, '_>, unknown: &mut Vec<String>) -> Shaped<Self> {
        let log = node.object(&["note", "leaves", "registrations"], unknown)?;
        let leaves = log.member("leaves")?;
        let registrations = log.member("registrations")?;
        Ok(Self {
            note: log.member("note")?.text()?,
            leaves: leaves.list(|leaf| {
                let members = leaf.object(&["seq", "leaf_index", "path"], unknown)?;
                Ok((members.member("seq")?.number()?, LeafPlace::read(leaf)?))
            })?,
            registrations: registrations.list(|registration| {
                let members = registration.object(&["player", "leaf", "leaf_index", "path"], unknown)?;
                Ok(Registration {
                    player: members.member("player")?.player()?,
                    leaf: members.member("leaf")?.text()?,
                    place: LeafPlace::read(registration)?,
                })
            })?,
        })
    }
}

impl LeafPlace {
    fn read(node: &Node<'_, '_>) -> Shaped<Self> {
        let members = node.object(&[], &mut Vec::new())?;
        let path = members.member("path")?;
        Ok(Self { index: members.member("leaf_index")?.number()?, path: path.list(|hash| hash.digest())? })
    }
}
