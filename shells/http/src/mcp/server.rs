//! The interface to the protocol's library: server information, the list of tools, and calls.

use super::call::{CallContext, call};
use super::tools::Tools;
use super::words::instructions;
use crate::description::HallDescription;
use crate::endpoint::{Endpoints, ToolSet};
use http::Uri;
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig, Tool as Shown,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::borrow::Cow;
use std::sync::Arc;

/// The revisions that are served, oldest first: three with a handshake, one without (decision 11.1).
pub(crate) const VERSIONS: &[&str] = &["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

const SUPPORTED: &[ProtocolVersion] = &[
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// What can be called. Other methods that the protocol's library knows are answered like unknown ones.
const METHODS: &[&str] = &["initialize", "server/discover", "ping", "tools/list", "tools/call"];

/// How long a list of tools may be kept, in milliseconds. It changes with the hall's software and settings only.
const LIST_TTL_MS: u64 = 3_600_000;

/// The service of one endpoint.
pub(super) type Service = StreamableHttpService<Server, NeverSessionManager>;

/// The services of both endpoints.
pub(crate) struct Services {
    full: Service,
    read: Service,
}

impl Services {
    /// Services whose tools call `endpoints`.
    pub(crate) fn new(endpoints: Endpoints, hall: &HallDescription) -> Self {
        let service = |set| service(endpoints, set, hall);
        Self { full: service(ToolSet::Full), read: service(ToolSet::Read) }
    }

    pub(super) const fn of(&self, set: ToolSet) -> &Service {
        match set {
            ToolSet::Full => &self.full,
            ToolSet::Read => &self.read,
        }
    }
}

fn service(endpoints: Endpoints, set: ToolSet, hall: &HallDescription) -> Service {
    let tools = Tools::new(endpoints, set, hall);
    let server = Server { tools: Arc::new(tools), about: Arc::new(about(endpoints, set, hall)) };
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(hosts(&hall.base_url))
        .with_allowed_origins(origin(&hall.base_url))
        .enforce_origin_validation();
    StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), config)
}

/// The names under which the hall may be addressed.
///
/// Decision: that of its base address, and this machine's own, which no page elsewhere can make a browser send to a
/// hall that it may not reach. Ports are not compared: a proxy's port may differ from the hall's.
fn hosts(base_url: &str) -> Vec<String> {
    let own = base_url.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    own.into_iter().chain(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned)).collect()
}

/// The only origin whose pages may post here: the hall's own.
fn origin(base_url: &str) -> Option<String> {
    let uri: Uri = base_url.parse().ok()?;
    let usual = if uri.scheme_str() == Some("https") { 443 } else { 80 };
    let port = uri.port_u16().unwrap_or(usual);
    Some(format!("{}://{}:{port}", uri.scheme_str()?, uri.host()?))
}

fn about(endpoints: Endpoints, set: ToolSet, hall: &HallDescription) -> ServerConfig {
    let (name, version) = hall.software.split_once(['/', ' ']).unwrap_or((&hall.software, "0"));
    let mut implementation = Implementation::new(name, version);
    implementation.title = Some("Hall".to_owned());
    implementation.website_url = Some(hall.base_url.clone());
    let capabilities = ServerCapabilities::builder().enable_tools().build();
    ServerConfig::new(capabilities)
        .with_server_info(implementation)
        .with_instructions(instructions(endpoints, set))
}

/// One endpoint's side of the protocol; cloned for every message.
#[derive(Clone)]
pub(super) struct Server {
    tools: Arc<Tools>,
    about: Arc<ServerConfig>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        (*self.about).clone()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(SUPPORTED)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list =
            ListToolsResult::with_all_items(self.tools.iter().map(|tool| tool.shown.clone()).collect());
        list.ttl_ms = Some(LIST_TTL_MS);
        list.cache_scope = Some(CacheScope::Public);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        request_context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.find(&request.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.tool.name).collect();
            let message = format!("There is no such tool here. The tools are {}.", names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let parts = request_context.extensions.get::<http::request::Parts>();
        let Some(context) = parts.and_then(|parts| parts.extensions.get::<Arc<CallContext>>()).cloned()
        else {
            return Err(ErrorData::internal_error("the message did not come through the pipeline", None));
        };
        tokio::select! {
            biased;
            // The caller has gone.
            () = request_context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            result = call(&context, tool) => Ok(result.into()),
        }
    }

    fn get_tool(&self, name: &str) -> Option<Shown> {
        self.tools.find(name).map(|tool| tool.shown.clone())
    }

    /// Methods that are known, with parameters that do not fit, arrive here like unknown ones.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if METHODS.contains(&request.method.as_str()) {
            let message = format!("The params of {} do not have its shape.", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(no_such_method())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(no_such_method())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(no_such_method())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(no_such_method())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(no_such_method())
    }
}

fn no_such_method() -> ErrorData {
    let message = format!("There is no such method here. The methods are {}.", METHODS.join(", "));
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_the_hall_and_its_own_pages_are_accepted_as_host_and_origin() {
        for (base_url, host, from) in [
            ("https://hall.example", "hall.example", "https://hall.example:443"),
            ("http://hall.example", "hall.example", "http://hall.example:80"),
            ("http://127.0.0.1:8080", "127.0.0.1", "http://127.0.0.1:8080"),
            ("http://[::1]:8080", "[::1]", "http://[::1]:8080"),
        ] {
            assert_eq!(hosts(base_url).first().map(String::as_str), Some(host), "{base_url}");
            assert_eq!(origin(base_url).as_deref(), Some(from), "{base_url}");
        }
    }

    #[test]
    fn the_published_protocol_revisions_are_the_supported_ones() {
        let served: Vec<&str> = SUPPORTED.iter().map(ProtocolVersion::as_str).collect();
        assert_eq!(served, VERSIONS);
    }
}
