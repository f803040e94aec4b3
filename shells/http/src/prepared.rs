//! Documents that never change while the hall runs, as they are sent.

use crate::response::Response;
use bytes::Bytes;
use std::sync::{Arc, OnceLock};

/// A document that does not change while the hall runs, as it is sent.
pub(crate) struct Document {
    plain: Bytes,
    /// Its compressed form, once it was requested.
    compressed: Arc<OnceLock<Bytes>>,
}

impl Document {
    /// The document with these bytes.
    pub(crate) fn new(plain: impl Into<Bytes>) -> Self {
        Self { plain: plain.into(), compressed: Arc::default() }
    }

    /// The document as an answer.
    pub(crate) fn answer(&self, content_type: &'static str) -> Response {
        Response::bare(content_type, self.plain.clone()).document(&self.compressed)
    }
}

/// All of them, built when the first one is requested.
pub(crate) struct Documents {
    pub(crate) llms_text: Document,
    pub(crate) openapi: Document,
    pub(crate) reference: Document,
    /// The Content-Security-Policy of the reference.
    pub(crate) reference_policy: String,
    pub(crate) mcp_discovery: Document,
    pub(crate) mcp_server_card: Document,
    pub(crate) ai_catalog: Document,
    pub(crate) playbook: Document,
    /// The spectators' page.
    pub(crate) page: Document,
    /// The Content-Security-Policy of the page.
    pub(crate) page_policy: String,
}
