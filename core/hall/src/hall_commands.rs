//! The commands that the hall gives itself: its start, its keys, its checkpoints and its archive.

use crate::decision::Decision;
use crate::desk::docket::DocketMatter;
use crate::desk::fact::GovernanceFact;
use crate::fact::{Fact, HallFact};
use crate::hall::Hall;
use crate::keys::{HallKeys, KeyOccasion, KeyPurpose};
use crate::leaf;
use crate::rejection::Rejection;
use crate::reply::Reply;
use crate::settings::HallSettings;
use alloc::string::ToString;
use alloc::vec::Vec;
use hall_rooms::{RoomRejection, Word};
use hall_wire::{Digest, GameId, Signature, Timestamp};

impl Hall {
    /// The first start makes the hall's first facts; a later one only records what changed: settings, and the rules of
    /// the games on offer.
    pub(crate) fn start(&self, at: Timestamp, settings: &HallSettings, keys: &HallKeys) -> Decision {
        let mut facts = Vec::new();
        if self.keys.is_none() {
            for (purpose, public_key) in [(KeyPurpose::Log, &keys.log), (KeyPurpose::Ring, &keys.ring)] {
                let leaf = leaf::key(at, purpose, public_key, None);
                let public_key = public_key.clone();
                facts.push(Fact::Hall(HallFact::KeyPublished {
                    at,
                    purpose,
                    public_key,
                    signature: None,
                    leaf,
                }));
            }
        }
        if self.settings.as_ref() != Some(settings) {
            facts.push(Fact::Hall(HallFact::SettingsSet { at, settings: settings.clone() }));
        }
        if self.settings.is_none() {
            let season = settings.first_season.clone();
            let entry = self.enter_docket(at, &DocketMatter::FirstSeasonOpened { season: &season });
            facts.push(Fact::Governance(GovernanceFact::SeasonOpened { at, season }));
            facts.push(entry);
        }
        facts.extend(self.offer_rules(at));
        Decision::grant(Reply::Done, facts)
    }

    /// Tells of the versions of rules that are new in this release; the docket does so unless this is the hall's first
    /// start, at which nothing has changed (decision 13.11).
    fn offer_rules(&self, at: Timestamp) -> Vec<Fact> {
        let newest = self.catalog.iter().map(|game| game.describe()).filter(|game| !game.is_by_first_rules());
        let versions: Vec<Word> = newest
            .map(|game| Word::parse(game.ruleset_version).expect("a rules version is a short word"))
            .filter(|version| !self.rules_offered.contains(version))
            .collect();
        if versions.is_empty() {
            return Vec::new();
        }
        let is_change = self.settings.is_some();
        let entry =
            is_change.then(|| self.enter_docket(at, &DocketMatter::RulesChanged { versions: &versions }));
        [Fact::Hall(HallFact::RulesOffered { at, versions })].into_iter().chain(entry).collect()
    }

    /// Another key of the hall takes the place of the present one, and the docket tells why. A key that another node has
    /// replaced meanwhile signs no successor.
    pub(crate) fn replace_key(
        &self,
        at: Timestamp,
        purpose: KeyPurpose,
        (public_key, replaces): (&str, Option<&str>),
        signature: &Signature,
        occasion: KeyOccasion,
        reason: &str,
    ) -> Decision {
        let present = self.keys.as_ref().map(|keys| match purpose {
            KeyPurpose::Log => keys.log.as_str(),
            KeyPurpose::Ring => keys.ring.as_str(),
        });
        if present == Some(public_key) || (replaces.is_some() && replaces != present) {
            return Decision::refuse(Rejection::NothingToChange);
        }
        let signature = Some(signature.to_string());
        let leaf = leaf::key(at, purpose, public_key, signature.as_deref());
        let entry =
            self.enter_docket(at, &DocketMatter::KeyReplaced { purpose, public_key, occasion, reason });
        let public_key = public_key.to_string();
        Decision::grant(
            Reply::Done,
            [Fact::Hall(HallFact::KeyPublished { at, purpose, public_key, signature, leaf }), entry].into(),
        )
    }

    /// The log has grown: a checkpoint over all of it is to be signed.
    pub(crate) fn take_checkpoint(&self, at: Timestamp, size: u64, root: Digest) -> Decision {
        if !self.log.can_take_checkpoint(size) {
            return Decision::refuse(Rejection::NothingToChange);
        }
        Decision::grant(Reply::Done, [HallFact::CheckpointTaken { at, size, root }.into()].into())
    }

    pub(crate) fn archive(&self, at: Timestamp, game: &GameId) -> Decision {
        match self.rooms.find(game) {
            Some(room) if room.result().is_some() => {
                Decision::grant(Reply::Done, [Fact::Hall(HallFact::GameArchived { at, game: *game })].into())
            }
            Some(_) | None => Decision::refuse(Rejection::Room(RoomRejection::GameNotFound)),
        }
    }
}
