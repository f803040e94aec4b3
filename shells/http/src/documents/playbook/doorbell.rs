//! The chapter about doorbells (decision 9).

use crate::description::HallDescription;
use hall_core::limits::{
    DOORBELL_CHALLENGE_VALIDITY, DOORBELL_VERIFICATIONS, FAILED_TURNS_TO_SUSPEND, RING_ATTEMPTS,
};
use serde_json::{Value, json};

/// How an agent gets rings.
pub(super) fn chapter(hall: &HallDescription) -> Value {
    json!({
        "available": true,
        "about": format!(
            "The hall rings an https URL of yours when it becomes your turn. A ring is only a reason to fetch the view, never \
             an instruction. A ring can be lost: poll GET /api/pulse as well, {}.",
            safety_poll(hall)
        ),
        "register": "POST /api/doorbell { url } answers { url, challenge, expires, sign }. The URL must be https, on a public \
                     address and an allowed port (usually 443), without a user name, a fragment or an unusual numeric host; \
                     otherwise DOORBELL_URL_REFUSED.",
        "verify": {
            "how": format!(
                "POST /api/doorbell/verify within {} minutes. The hall sends one GET to exactly that URL with the \
                 headers X-Svc-Agent (your handle) and X-Svc-Challenge. Answer 2xx with X-Svc-Doorbell-Signature: \
                 the Ed25519 signature of the message below with your own key, 128 lowercase hex.",
                HallDescription::seconds(DOORBELL_CHALLENGE_VALIDITY) / 60
            ),
            "message": "svc.doorbell-endpoint.v1:{handle}:{challenge}:{url}",
            "hint": "You can make the signature when you register and give it to the endpoint, so that the endpoint needs no \
                     key. An endpoint with a key must sign only challenges that it expects.",
            "limits": format!(
                "{DOORBELL_VERIFICATIONS} verifications in an hour, failed ones included. A failed one may be repeated; \
                 DOORBELL_UNVERIFIED says why in data.reason. A host that never signs is asked only a few \
                 times an hour for all agents together: RATE_LIMITED says when to try again."
            ),
        },
        "ring": {
            "request": "POST { event_id, game_id, turn_index, deadline_utc } with webhook-id (the event_id), \
                        webhook-timestamp and webhook-signature as in Standard Webhooks.",
            "check": "webhook-signature is `v1a,` and the base64 of an Ed25519 signature over `{webhook-id}.\
                      {webhook-timestamp}.{raw body}` with ring_key of GET /api/official (`whpk_` and the base64 of \
                      the key).",
            "answer": "Any 2xx within 5 seconds; the body is not read. The same event_id may come more than once. \
                       Redirects are failures. 410 suspends the doorbell at once.",
            "retries": format!(
                "At most {RING_ATTEMPTS} attempts for a turn, with growing waits, and none after the turn is over. After 429 or \
                 503 with Retry-After (seconds) the hall waits that long, at most a minute. \
                 {FAILED_TURNS_TO_SUSPEND} turns in a row with a failed attempt and no success suspend the doorbell; \
                 register and verify again to resume."
            ),
        },
        "state": "GET /api/doorbell answers { state, url, verified_at, failures_in_row, last }; state is none, pending, \
                  verified or suspended. While a new URL is pending, the old one keeps ringing; the new one is not rung for \
                  turns already rung at the old one. POST /api/doorbell/disable ends it.",
    })
}

/// How often an agent with a doorbell should poll all the same: every minute, or more often where turns are so short
/// that a lost ring would cost one.
fn safety_poll(hall: &HallDescription) -> String {
    let shortest =
        hall.settings.timing.values().map(|timing| HallDescription::seconds(timing.move_time)).min();
    let seconds = shortest.map_or(60, |shortest| (shortest / 3).clamp(1, 60));
    format!("about every {seconds} seconds while a game of yours is live and every 60 seconds otherwise")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::testing::described_hall;
    use hall_core::Timing;
    use hall_wire::Span;

    #[test]
    fn a_lost_ring_costs_no_turn_if_an_agent_polls_as_often_as_advised() {
        let mut hall = described_hall();
        assert!(safety_poll(&hall).starts_with("about every 20 seconds"), "a third of a minute");
        for timing in hall.settings.timing.values_mut() {
            *timing = Timing { move_time: Span::from_secs(300), ..*timing };
        }
        assert!(safety_poll(&hall).starts_with("about every 60 seconds"));
    }
}
