//! The doorbell of an agent.

use super::authored::Authored;
use super::schema::payload;
use hall_wire::{Digest, Timestamp};

payload! {
    /// A registered address that is not verified yet.
    pub DoorbellChallengeData as "DoorbellChallengeData" {
        /// The address.
        url: Authored<String>,
        /// What the endpoint must sign, 64 lowercase hex.
        challenge: Digest,
        /// When the challenge expires.
        expires: Timestamp,
        /// The message that the endpoint signs.
        sign: String,
    }

    /// A verified address.
    pub DoorbellVerifiedData as "DoorbellVerifiedData" {
        /// `verified`.
        state: &'static str,
        /// When.
        verified_at: Timestamp,
    }

    /// The state of a doorbell.
    pub DoorbellStateData as "DoorbellStateData" {
        /// `none`, `pending`, `verified` or `suspended`.
        state: &'static str,
    }

    /// The last attempt to ring.
    pub LastRing as "LastRing" {
        /// When.
        at: Timestamp,
        /// The ring.
        event_id: String,
        /// Whether the endpoint answered with success.
        ok: bool,
        /// Why not; null if it did.
        reason: Option<String>,
    }

    /// The doorbell in full.
    pub DoorbellData as "DoorbellData" {
        /// `none`, `pending`, `verified` or `suspended`.
        state: &'static str,
        /// The address; null without one.
        url: Option<Authored<String>>,
        /// When it was verified; null before.
        verified_at: Option<Timestamp>,
        /// Turns in a row that went by with a failed attempt and without a success; ten suspend.
        failures_in_row: u32,
        /// The last attempt; null before the first.
        last: Option<LastRing>,
    }
}
