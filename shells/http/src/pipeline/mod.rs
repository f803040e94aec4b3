//! The request pipeline, which checks every request in a fixed order.
//!
//! Rate; framing and canonical path; route and method; type and size of the body; the three headers; the shape of body
//! and query; a registered handle; a challenge that is known, fresh and unspent; the header signature; and then the
//! challenge is consumed. Everything after that depends on the state of the hall. So neither a malformed body nor a
//! bad header signature consumes a challenge, and a verified request always consumes its own, whatever its outcome.
//! The second half of the order, from the shape on, is [`dispatch`].

mod body;
mod coding;
mod head;
mod validators;

use crate::access_log;
use crate::authentication::Credentials;
use crate::dispatch::{RoutedRequest, dispatch, guarded};
use crate::endpoint::{self, Access, Endpoint, Handling, Match, Route};
use crate::endpoints::{ALL, PAGES};
use crate::errors::ApiCode;
use crate::mcp;
use crate::negotiation::Accepts;
use crate::network::{Origin, client_address, is_local};
use crate::paths::{is_canonical, is_counted, is_for_programs};
use crate::rate_policy::RatePolicy;
use crate::refusals::rate_limited;
use crate::response::{Failure, Outcome, Response};
use crate::settings::limits;
use crate::shell::Shell;
use hall_core::rate::ClientKey;
use head::{ResponseHead, status_of};
use http::uri::Authority;
use salvo::http::{HeaderMap, StatusCode, Version, header};
use salvo::{Depot, FlowCtrl, Handler, Request, Response as SalvoResponse, Router, Service, async_trait};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, OnceLock};

/// The whole interface of the hall as one service, for any server.
#[must_use]
pub fn service(shell: Arc<Shell>) -> Service {
    Service::new(Router::new()).hoop(Pipeline { shell, counts: true, mcp: OnceLock::new() })
}

/// Like [`service`], for connections within this process, whose requests are not counted.
#[must_use]
pub(crate) fn service_inside(shell: Arc<Shell>) -> Service {
    Service::new(Router::new()).hoop(Pipeline { shell, counts: false, mcp: OnceLock::new() })
}

/// Answers every request itself; salvo's router behind it is never asked.
struct Pipeline {
    shell: Arc<Shell>,
    /// Whether requests count against the limit of their address.
    counts: bool,
    /// Created with the first message.
    mcp: OnceLock<mcp::Services>,
}

#[async_trait]
impl Handler for Pipeline {
    async fn handle(
        &self,
        request: &mut Request,
        _: &mut Depot,
        response: &mut SalvoResponse,
        flow: &mut FlowCtrl,
    ) {
        flow.skip_rest();
        let began = tokio::time::Instant::now();
        let shell = &self.shell;
        let request_id = sent_request_id(request.headers()).unwrap_or_else(|| shell.mint_request_id());
        // Older clients know no chunks, and connections within the process have no addresses.
        let has_chunks = request.version() == Version::HTTP_11 && self.counts;
        let chunks_to = request.remote_addr().clone().into_std().filter(|_| has_chunks);
        let mut head = ResponseHead::new(request_id, request.method().as_str() == "HEAD", chunks_to);
        let origin = if self.counts { origin_of(shell, request) } else { Origin::Inside };
        let outcome = guarded(self.run(request, origin, &mut head)).await;
        let (status, took) = (status_of(&outcome).as_u16(), began.elapsed());
        let code = outcome.as_ref().err().map(|failure| failure.code.as_str());
        let operation = head.route.map(|route| route.id);
        shell.metrics.answered(operation, status, took);
        if let Some(code) = code {
            shell.metrics.failed(code);
        }
        let told = access_log::Entry {
            request_id: &head.request_id,
            origin,
            agent: head.authenticated.as_ref().map(hall_wire::Handle::as_str),
            code,
        };
        let asked = (request.method().as_str(), request.uri().path());
        shell.access_log.request(&told, asked, operation, (status, took));
        let is_public = head.route.is_some_and(Route::is_public_read) && head.authenticated.is_none();
        let outcome = if is_public {
            let codings = coding::Codings::of(request.headers());
            validators::validated(
                coding::encoded(outcome, codings, &shell.compressions).await,
                request.headers(),
            )
        } else {
            outcome
        };
        head.write(shell, outcome, response);
    }
}

/// The client's address, according to the connection and a trusted proxy.
fn origin_of(shell: &Shell, request: &Request) -> Origin {
    Origin::Address(client_address(peer_of(request), request.headers(), &shell.settings.trusted_proxies))
}

/// The other end of the connection.
fn peer_of(request: &Request) -> IpAddr {
    request.remote_addr().ip().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

/// The client's own request id, if it is safe to repeat in an answer and in a log.
fn sent_request_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get("x-request-id")?.to_str().ok()?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    ((1..=64).contains(&id.len()) && id.bytes().all(allowed)).then(|| id.to_owned())
}

impl Pipeline {
    /// Runs all checks in order, then the action.
    async fn run(&self, request: &mut Request, origin: Origin, head: &mut ResponseHead) -> Outcome {
        let shell = &self.shell;
        let client = origin.key();
        let path = request.uri().path().to_owned();
        let accepts = Accepts::of(request.headers());
        // A person who asks too often or follows a wrong link reads a page too.
        head.is_page = accepts.html && !is_for_programs(&path);
        let spared = shell.settings.spares_loopback && is_local(peer_of(request), request.headers());
        if self.counts && !spared && is_counted(&path) {
            count(shell, client, &path, head)?;
        }
        if self.counts {
            check_host(request)?;
        }
        check_framing(request, &path)?;
        let method = request.method().as_str().to_owned();
        let found = match endpoint::find(ALL, &method, &path) {
            Match::Nothing => endpoint::find(PAGES, &method, &path),
            found @ (Match::Found(..) | Match::OtherMethod { .. }) => {
                head.is_page = false;
                found
            }
        };
        let (endpoint, params) = match found {
            Match::Found(endpoint, params) => (endpoint, params),
            Match::OtherMethod { allow, public_get } => {
                return other_method(&method, allow, public_get, head);
            }
            Match::Nothing => return Err(ApiCode::NotFound.into()),
        };
        head.route = Some(&endpoint.route);
        head.any_origin = endpoint.route.is_public_read();
        let bytes = read_body(shell, request, endpoint).await?;
        // Stamped as soon as the last byte has arrived: the time after that is the hall's, not the caller's.
        let arrival = shell.engine.arrive();
        if let Handling::Mcp(set) = endpoint.handling {
            let (headers, request_id) = (request.headers(), head.request_id.as_str());
            let services = self.mcp_services()?;
            let message = mcp::Message { set, headers, request_id, origin, arrival, bytes };
            return mcp::answer(shell, services, message).await;
        }
        let credentials = match endpoint.route.access {
            Access::Public => None,
            Access::OptionallySigned if !Credentials::are_sent(request.headers()) => None,
            Access::OptionallySigned | Access::Signed | Access::KeyInBody => {
                Some(Credentials::read(request.headers())?)
            }
        };
        let request = RoutedRequest {
            endpoint,
            params: &params,
            method: &method,
            path: &path,
            query: request.uri().query(),
            body: &bytes,
            signed_body: &bytes,
            requirement: None,
            credentials,
            arrival,
            client,
            head: head.is_all,
            accepts,
        };
        dispatch(shell, request, &mut head.authenticated).await
    }

    fn mcp_services(&self) -> Result<&mcp::Services, Failure> {
        let hall = self.shell.description()?;
        Ok(self.mcp.get_or_init(|| mcp::Services::new(ALL, hall)))
    }
}

fn count(shell: &Shell, client: ClientKey, path: &str, head: &mut ResponseHead) -> Result<(), Failure> {
    let rate = if is_for_programs(path) { shell.admit(client) } else { shell.admit_to_pages(client) };
    match rate {
        Ok(remaining) => {
            head.rate = Some(remaining);
            Ok(())
        }
        Err(refused) => {
            // A web page that polls too fast must be able to read why it is refused.
            head.any_origin = true;
            let message = format!(
                "Too many requests: at most {} in 60 seconds from one address. Wait {} seconds; GET /api/pulse?wait=25 replaces many polls.",
                refused.limit, refused.seconds
            );
            Err(rate_limited(message, RatePolicy::requests(refused.limit), refused.seconds))
        }
    }
}

/// Each request names its host once, as HTTP/1.1 wants it (RFC 9112, section 3.2). Of two, a proxy may have read the one and
/// the hall the other.
fn check_host(request: &Request) -> Result<(), Failure> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let is_named = match (hosts.next(), hosts.next()) {
        (None, _) => request.version() != Version::HTTP_11,
        (Some(host), None) => is_host(host.as_bytes()),
        (Some(_), Some(_)) => false,
    };
    if is_named {
        return Ok(());
    }
    Err(Failure::saying(
        ApiCode::BadRequest,
        "Send exactly one Host header: the name of the hall, and its port.",
    )
    .closing())
}

/// Whether this is a name or an address, perhaps with a port; it may be empty.
fn is_host(host: &[u8]) -> bool {
    host.is_empty() || (!host.contains(&b'@') && Authority::try_from(host).is_ok())
}

fn check_framing(request: &Request, path: &str) -> Result<(), Failure> {
    if !is_canonical(path) {
        return Err(ApiCode::BadRequest.into());
    }
    // A coding of the message beside chunks would be taken for the body itself.
    let mut codings = request.headers().get_all(header::TRANSFER_ENCODING).iter();
    if codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked")) {
        return Err(Failure::saying(
            ApiCode::BadRequest,
            "The only Transfer-Encoding is chunked. Send the body in chunks alone, or with its Content-Length.",
        )
        .closing());
    }
    let reads = matches!(request.method().as_str(), "GET" | "HEAD");
    if reads && body::is_present(request.headers(), request.body()) {
        return Err(Failure::from(ApiCode::BadRequest).closing());
    }
    Ok(())
}

/// The answer of a path to a method that it does not have: OPTIONS lists the methods, others are refused.
fn other_method(method: &str, allow: String, public_get: bool, head: &mut ResponseHead) -> Outcome {
    if method != "OPTIONS" {
        return Err(Failure { allow: Some(allow), ..ApiCode::MethodNotAllowed.into() });
    }
    head.allow = Some(allow);
    head.any_origin = public_get;
    Ok(Response::empty(StatusCode::NO_CONTENT))
}

async fn read_body(
    shell: &Shell,
    request: &mut Request,
    endpoint: &Endpoint,
) -> Result<zeroize::Zeroizing<Vec<u8>>, Failure> {
    if !body::is_present(request.headers(), request.body()) {
        return Ok(zeroize::Zeroizing::new(Vec::new()));
    }
    body::check_type(request.headers()).map_err(|failure| {
        if request.headers().contains_key(header::EXPECT) { failure.closing() } else { failure }
    })?;
    let is_mcp = endpoint.tool_set().is_some();
    let limit = if is_mcp { limits::MCP_BODY_BYTES } else { limits::BODY_BYTES };
    let body = request.take_body();
    body::read(request.headers(), body, limit, shell.settings.body_timeout).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderValue;

    #[test]
    fn only_harmless_request_ids_are_echoed() {
        let longest = "x".repeat(64);
        let too_long = "x".repeat(65);
        for (id, repeated) in [
            ("a-B_9.z", true),
            (longest.as_str(), true),
            (too_long.as_str(), false),
            ("", false),
            ("a b", false),
            ("é", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("x-request-id", HeaderValue::from_bytes(id.as_bytes()).unwrap());
            assert_eq!(sent_request_id(&headers).as_deref(), repeated.then_some(id), "{id}");
        }
    }
}
