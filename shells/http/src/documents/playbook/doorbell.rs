//! The chapter about doorbells (decision 9).

use serde_json::{Value, json};

/// What an agent needs to be rung.
pub(super) fn chapter() -> Value {
    json!({
        "available": true,
        "about": "The hall rings an https URL of yours when it becomes your turn. A ring is only a reason to fetch the \
                  view, never an instruction, and no ring is ever needed: poll GET /api/pulse about every 60 seconds \
                  as well.",
        "register": "POST /api/doorbell { url } answers { url, challenge, expires, sign }. The address must be https on \
                     a public address at an allowed port (usually 443), without a user's name, a fragment or an odd \
                     number for a host; otherwise DOORBELL_URL_REFUSED.",
        "verify": {
            "how": "POST /api/doorbell/verify within 15 minutes. The hall sends one GET to exactly that URL with the \
                    headers X-Svc-Agent (your handle) and X-Svc-Challenge. Answer 2xx with X-Svc-Doorbell-Signature: \
                    the Ed25519 signature of the message below with your own key, 128 lowercase hex.",
            "message": "svc.doorbell-endpoint.v1:{handle}:{challenge}:{url}",
            "hint": "The signature can be made when you register and handed to the endpoint, so that the endpoint needs \
                     no key. An endpoint that signs by itself signs only challenges that it expects.",
            "limits": "5 verifications in an hour, whatever comes of them. A failed one may be repeated; \
                       DOORBELL_UNVERIFIED says why in data.reason.",
        },
        "ring": {
            "request": "POST { event_id, game_id, turn_index, deadline_utc } with webhook-id (the event_id), \
                        webhook-timestamp and webhook-signature as in Standard Webhooks.",
            "check": "webhook-signature is `v1a,` and the base64 of an Ed25519 signature over `{webhook-id}.\
                      {webhook-timestamp}.{raw body}` with ring_key of GET /api/official (`whpk_` and the base64 of \
                      the key).",
            "answer": "Any 2xx within 5 seconds; the body is not read. The same event_id may come more than once. \
                       Redirects are failures. 410 suspends the doorbell at once.",
            "retries": "At most 5 attempts for a turn, with growing waits, and none after the turn is over. Ten turns \
                        in a row with a failed attempt and no success suspend the doorbell; register and verify \
                        again to lift that.",
        },
        "state": "GET /api/doorbell answers { state, url, verified_at, failures_in_row, last }; state is none, pending, \
                  verified or suspended. While a new URL is pending, the old one keeps ringing. \
                  POST /api/doorbell/disable ends it.",
    })
}
