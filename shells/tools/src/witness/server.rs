//! The two requests that a witness answers over HTTP: `POST /add-checkpoint` and `GET /<origin hash>/checkpoint`.

use super::book::{Book, Verdict};
use super::request::{MAX_BYTES, Submission};
use super::store::origin_hash;
use salvo::http::{HeaderValue, ResBody, StatusCode, header};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router, Service, async_trait};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

const TEXT: &str = "text/plain; charset=utf-8";
/// The media type in which a witness tells its size.
const SIZE: &str = "text/x.tlog.size";

/// The requests as a service for a listener.
pub(super) fn service(book: Arc<Book>) -> Service {
    Service::new(Router::new()).hoop(Front { book })
}

struct Front {
    book: Arc<Book>,
}

/// An answer: status, media type, body.
type Answer = (StatusCode, &'static str, String);

#[async_trait]
impl Handler for Front {
    async fn handle(
        &self,
        request: &mut Request,
        _: &mut Depot,
        response: &mut Response,
        flow: &mut FlowCtrl,
    ) {
        flow.skip_rest();
        let (method, path) = (request.method().as_str().to_owned(), request.uri().path().to_owned());
        let (status, media_type, body) = match (method.as_str(), path.as_str()) {
            ("POST", "/add-checkpoint") => self.add(request).await,
            (_, "/add-checkpoint") => said(StatusCode::METHOD_NOT_ALLOWED, "POST a checkpoint here"),
            ("GET" | "HEAD", path) => self.newest(path),
            _ => nothing(),
        };
        response.status_code(status);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response.body(ResBody::Once(body.into()));
    }
}

impl Front {
    async fn add(&self, request: &mut Request) -> Answer {
        let body = match request.payload_with_max_size(MAX_BYTES).await {
            Ok(body) => body.clone(),
            Err(_) => return said(StatusCode::BAD_REQUEST, "the body is too long or incomplete"),
        };
        let book = Arc::clone(&self.book);
        // Signatures and disk writes take time.
        let judging = tokio::task::spawn_blocking(move || match Submission::parse(&body) {
            Ok(submission) => book.add(&submission, now()),
            Err(problem) => Verdict::Impossible(problem),
        });
        match judging.await {
            Ok(verdict) => answer(verdict),
            Err(_) => said(StatusCode::INTERNAL_SERVER_ERROR, "it could not be judged"),
        }
    }

    fn newest(&self, path: &str) -> Answer {
        let hash = path.strip_prefix('/').and_then(|path| path.strip_suffix("/checkpoint"));
        let note = hash.and_then(|hash| self.book.newest(|origin| origin_hash(origin) == hash));
        note.map_or_else(nothing, |note| (StatusCode::OK, TEXT, note))
    }
}

fn answer(verdict: Verdict) -> Answer {
    match verdict {
        Verdict::Cosigned(line) => (StatusCode::OK, TEXT, line),
        Verdict::Has(size) => (StatusCode::CONFLICT, SIZE, format!("{size}\n")),
        Verdict::OtherRoot => {
            said(StatusCode::CONFLICT, "the checkpoint of this size that was cosigned has another root")
        }
        Verdict::Impossible(why) => said(StatusCode::BAD_REQUEST, &why),
        Verdict::NotSigned(why) => said(StatusCode::FORBIDDEN, &why),
        Verdict::UnknownLog => said(StatusCode::NOT_FOUND, "this witness does not know the log"),
        Verdict::Inconsistent(why) => said(StatusCode::UNPROCESSABLE_ENTITY, why),
        Verdict::NotKept => said(StatusCode::INTERNAL_SERVER_ERROR, "it could not be kept"),
    }
}

fn said(status: StatusCode, why: &str) -> Answer {
    (status, TEXT, format!("{why}\n"))
}

fn nothing() -> Answer {
    said(
        StatusCode::NOT_FOUND,
        "a witness has POST /add-checkpoint and GET /<sha256 of an origin>/checkpoint",
    )
}

/// Seconds since 1970; an earlier clock counts as second 1, because a cosignature must have a time.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs().max(1))
}
