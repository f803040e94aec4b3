//! Content codings: which answers are compressed, for whom (RFC 9110, sections 8.4 and 12.5.3).
//!
//! Only public content is compressed: documents and large answers of public GETs. An answer to a signed request
//! combines what one player alone may know with what the opponent wrote, and its compressed length would reveal
//! something of both. No player who is to move waits for a compressed answer.
//!
//! Decision: only gzip. Every client knows it, and the crates for brotli and zstd are a C library or several times the
//! code for a tenth of the bytes.

use crate::negotiation::quality;
use crate::permits::Permits;
use crate::response::{Content, Outcome};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use salvo::http::{HeaderMap, HeaderValue, StatusCode, header};
use std::io::Write as _;
use std::sync::{Arc, OnceLock};

/// Contents below this many bytes are sent uncompressed: they fit into a packet.
const LEAST_BYTES: usize = 1_400;

/// Contents above this many bytes are compressed off the threads that answer requests.
const LONG_BYTES: usize = 32 * 1024;

/// The client's `Accept-Encoding`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Codings {
    /// Whether gzip is preferred at least as much as the identity coding.
    pub(super) gzip: bool,
}

impl Codings {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
        let named: Vec<(&str, u32)> = lines.flat_map(|line| line.split(',')).map(quality).collect();
        let wish = |names: &[&str]| {
            let found =
                named.iter().find(|(name, _)| names.iter().any(|known| name.eq_ignore_ascii_case(known)));
            found.map(|(_, quality)| *quality)
        };
        let any = wish(&["*"]);
        let gzip = wish(&["gzip", "x-gzip"]).or(any).unwrap_or(0);
        // A client that does not name `identity` accepts it, but prefers a coding that it names.
        let identity = wish(&["identity"]).unwrap_or(0);
        Self { gzip: gzip > 0 && gzip >= identity }
    }
}

/// The answer in the coding that the client wants, if answers of its kind are compressed. A long one waits for a permit,
/// and is sent as it is if none is free in time.
pub(super) async fn encoded(outcome: Outcome, codings: Codings, permits: &Permits) -> Outcome {
    let Ok(mut answer) = outcome else { return outcome };
    let Content::Whole(plain) = &answer.body else { return Ok(answer) };
    if plain.len() < LEAST_BYTES || answer.status != StatusCode::OK || !shrinks(answer.content_type) {
        return Ok(answer);
    }
    if codings.gzip
        && let Some(short) = compressed(answer.document.clone(), plain.clone(), permits).await
    {
        answer.body = Content::Whole(short);
        answer.headers.push((header::CONTENT_ENCODING, HeaderValue::from_static("gzip")));
    }
    match answer.headers.iter_mut().find(|(name, _)| name == header::VARY) {
        // The only other request header that answers vary by.
        Some((_, by)) => *by = HeaderValue::from_static("Accept, Accept-Encoding"),
        None => answer.headers.push((header::VARY, HeaderValue::from_static("Accept-Encoding"))),
    }
    Ok(answer)
}

/// Whether a media type is worth compressing: text, and the verifier for browsers.
fn shrinks(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.starts_with("text/")
        || matches!(
            essence,
            "application/json" | "application/wasm" | "application/x-chess-pgn" | "image/svg+xml"
        )
        || essence.ends_with("+json")
}

/// The compressed content: cached for documents, computed each time for other answers.
async fn compressed(
    document: Option<Arc<OnceLock<Bytes>>>,
    plain: Bytes,
    permits: &Permits,
) -> Option<Bytes> {
    if let Some(kept) = document.as_ref().and_then(|document| document.get()) {
        return Some(kept.clone());
    }
    let is_long = plain.len() > LONG_BYTES;
    let work = move || match document {
        Some(document) => document.get_or_init(|| gzip(&plain, Compression::best())).clone(),
        None => gzip(&plain, Compression::fast()),
    };
    if !is_long {
        return Some(work());
    }
    let _permit = permits.permit().await.ok()?;
    hall_driver::in_background(work).await.ok()
}

fn gzip(plain: &[u8], level: Compression) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 4), level);
    // Writing into memory cannot fail.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::Response;

    #[test]
    fn gzip_is_used_if_the_client_prefers_it_at_least_as_much_as_identity() {
        for (lines, gzip) in [
            (&[][..], false),
            (&[""], false),
            (&["gzip"], true),
            (&["x-gzip"], true),
            (&["GZip"], true),
            (&["gzip, deflate, br, zstd"], true),
            (&["br", "gzip;q=0.1"], true),
            (&["br, zstd"], false),
            (&["compress, unheard-of"], false),
            (&["*"], true),
            (&["*;q=0.1"], true),
            (&["*;q=0"], false),
            (&["gzip;q=0"], false),
            (&["gzip;q=0.000"], false),
            (&["gzip;q=0, *"], false),
            (&["gzip; q=0.5, *;q=0"], true),
            (&["identity"], false),
            (&["identity, gzip;q=0.5"], false),
            (&["identity;q=0.5, gzip"], true),
            (&["identity;q=0, *"], true),
            (&["identity;q=0"], false),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::ACCEPT_ENCODING, HeaderValue::from_static(line));
            }
            assert_eq!(Codings::of(&headers), Codings { gzip }, "{lines:?}");
        }
    }

    #[tokio::test]
    async fn only_long_texts_are_compressed_and_they_send_vary() {
        let (wanted, permits) = (Codings { gzip: true }, Permits::new(1));
        let long = "a long text ".repeat(LONG_BYTES / 8);
        for (answer, coded, varies) in [
            (Response::bare("text/plain", long.clone()), true, true),
            (Response::bare("text/plain", long.get(..LEAST_BYTES).unwrap().to_owned()), true, true),
            (Response::bare("text/plain", long.get(..LEAST_BYTES - 1).unwrap().to_owned()), false, false),
            (Response::bare("application/octet-stream", long.clone()), false, false),
            (Response::bare("text/plain", long.clone()).with_status(StatusCode::ACCEPTED), false, false),
            (Response::empty(StatusCode::NO_CONTENT), false, false),
        ] {
            let plain = encoded(Ok(answer), Codings::default(), &permits).await.ok().unwrap();
            let named = |answer: &Response, name| answer.headers.iter().any(|(known, _)| known == name);
            assert_eq!(named(&plain, header::VARY), varies);
            assert!(!named(&plain, header::CONTENT_ENCODING));
            let answer =
                encoded(Ok(Response { headers: Vec::new(), ..plain }), wanted, &permits).await.ok().unwrap();
            assert_eq!(named(&answer, header::CONTENT_ENCODING), coded);
            assert_eq!(named(&answer, header::VARY), varies);
            if let (true, Content::Whole(bytes)) = (coded, &answer.body) {
                assert!(bytes.len() < LEAST_BYTES / 2, "{}", bytes.len());
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_answer_that_finds_no_permit_is_sent_as_it_is_unless_its_compressed_form_is_kept() {
        let (wanted, permits) = (Codings { gzip: true }, Permits::new(1));
        let kept = Arc::new(OnceLock::new());
        let long = || Response::bare("text/plain", "a long text ".repeat(LONG_BYTES / 8));
        let is_coded =
            |answer: Response| answer.headers.iter().any(|(name, _)| name == header::CONTENT_ENCODING);
        let held = permits.permit().await.ok().unwrap();
        for answer in [long(), long().document(&kept)] {
            assert!(!is_coded(encoded(Ok(answer), wanted, &permits).await.ok().unwrap()));
        }
        drop(held);
        assert!(is_coded(encoded(Ok(long().document(&kept)), wanted, &permits).await.ok().unwrap()));
        let _held = permits.permit().await.ok().unwrap();
        assert!(is_coded(encoded(Ok(long().document(&kept)), wanted, &permits).await.ok().unwrap()));
    }

    #[tokio::test]
    async fn a_document_is_compressed_once() {
        let kept = Arc::new(OnceLock::new());
        let document = |text: &str| Response::bare("text/plain", text.repeat(1_000)).document(&kept);
        let (wanted, permits) = (Codings { gzip: true }, Permits::new(1));
        let first = encoded(Ok(document("first ")), wanted, &permits).await.ok().unwrap();
        let second = encoded(Ok(document("other ")), wanted, &permits).await.ok().unwrap();
        let (Content::Whole(first), Content::Whole(second)) = (first.body, second.body) else {
            panic!("both are whole")
        };
        assert_eq!(first, second, "what was kept is sent");
    }
}
