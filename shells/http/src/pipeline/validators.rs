//! Strong validators (RFC 9110, section 8.8.3): a client that has a content already is told so instead of sending it again.
//!
//! A validator is the hash of the content, followed by the content coding, because the coded form has other bytes.

use crate::response::{Outcome, Response};
use hall_wire::Digest;
use salvo::http::{HeaderMap, HeaderName, StatusCode, header};

/// Headers that a 304 repeats.
const REPEATED: [HeaderName; 3] = [header::VARY, header::CONTENT_SECURITY_POLICY, header::REFERRER_POLICY];

/// The answer with its validator, or 304 if the client has the content; its content coding is known already.
pub(super) fn validated(outcome: Outcome, headers: &HeaderMap) -> Outcome {
    let Ok(answer) = outcome else { return outcome };
    let Some(content) = answer.validator.filter(|_| answer.status == StatusCode::OK) else {
        return Ok(answer);
    };
    let Some(known) = known(&content, headers) else {
        let is_coded = answer.headers.iter().any(|(name, _)| name == header::CONTENT_ENCODING);
        let tag = if is_coded { coded(&content) } else { plain(&content) };
        return Ok(answer.with_header(header::ETAG, &tag));
    };
    let repeated = answer.headers.into_iter().filter(|(name, _)| REPEATED.contains(name)).collect();
    let unchanged =
        Response { headers: repeated, cache: answer.cache, ..Response::empty(StatusCode::NOT_MODIFIED) };
    Ok(unchanged.with_header(header::ETAG, &known))
}

/// The validator among those that the client has.
fn known(content: &Digest, headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
    let sent: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
    // A proxy may have weakened the validator; for this question that makes no difference.
    let is_sent = |tag: &String| sent.iter().any(|sent| sent.trim_start_matches("W/") == tag);
    [plain(content), coded(content)].into_iter().find(is_sent)
}

fn plain(content: &Digest) -> String {
    format!("\"{}\"", digits(content))
}

fn coded(content: &Digest) -> String {
    format!("\"{}-gzip\"", digits(content))
}

/// As many digits as no two contents of a hall share.
fn digits(content: &Digest) -> String {
    let hex = content.to_hex();
    hex.get(..32).unwrap_or(&hex).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderValue;

    #[test]
    fn only_a_client_that_has_the_content_is_told_that_it_is_unchanged() {
        let content = Digest::of(b"a page");
        let (plain, coded) = (plain(&content), coded(&content));
        assert_ne!(plain, coded);
        for (sent, unchanged) in [
            (None, false),
            (Some(plain.clone()), true),
            (Some(coded.clone()), true),
            (Some(format!("\"other\", W/{coded}")), true),
            (Some("\"other\"".to_owned()), false),
            (Some(plain.trim_matches('"').to_owned()), false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(sent) = &sent {
                headers.insert(header::IF_NONE_MATCH, HeaderValue::from_str(sent).unwrap());
            }
            let answer =
                Response::bare("text/html", "a page").with_header(header::VARY, "Accept").validated(content);
            let answer = validated(Ok(answer), &headers).ok().unwrap();
            let status = if unchanged { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
            assert_eq!(answer.status, status, "{sent:?}");
            for name in [header::VARY, header::ETAG] {
                assert!(answer.headers.iter().any(|(known, _)| *known == name), "{sent:?}: {name}");
            }
        }
    }
}
