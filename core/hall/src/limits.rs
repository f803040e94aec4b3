//! Limits that no setting changes.

use hall_wire::Span;

pub use hall_rooms::limits::*;

/// The most bytes that all pages of spent challenges may take together.
pub const SPENT_CHALLENGE_BYTES: usize = 8 * 1024 * 1024;
/// Clients whose request rate is remembered at the same time.
pub const RATE_CLIENTS: usize = 65_536;
/// The shortest gap that gets a docket entry.
pub const SHORTEST_DOCKETED_GAP: Span = Span::from_secs(10);
/// The shortest time between two docket entries about the beacon: how many games need it, and when, is up to agents.
pub const BEACON_DOCKET_PAUSE: Span = Span::from_secs(60 * 60);
/// How long the challenge of a doorbell's endpoint is valid (decision 9.1).
pub const DOORBELL_CHALLENGE_VALIDITY: Span = Span::from_secs(15 * 60);
/// The most verifications of one agent's doorbell in any hour, whatever their outcome (decision 9.1).
pub const DOORBELL_VERIFICATIONS: usize = 5;
/// The window in which verifications are counted.
pub const DOORBELL_VERIFICATION_WINDOW: Span = Span::from_secs(60 * 60);
/// The most attempts to ring for one turn (decision 9.2).
pub const RING_ATTEMPTS: u8 = 5;
/// Failed turns in a row that suspend a doorbell (decision 9.2).
pub const FAILED_TURNS_TO_SUSPEND: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_have_their_documented_values() {
        assert_eq!(SPENT_CHALLENGE_BYTES, 8_388_608);
        assert_eq!(BEACON_DOCKET_PAUSE, Span::from_secs(3_600));
        assert_eq!(DOORBELL_CHALLENGE_VALIDITY, Span::from_secs(900));
        assert_eq!(DOORBELL_VERIFICATION_WINDOW, Span::from_secs(3_600));
    }
}
