//! What is sent more than once as it was made: documents that never change while the hall runs, and the compressed forms
//! of other contents.

use crate::lock::lock;
use crate::response::Response;
use bytes::Bytes;
use hall_wire::Digest;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock};

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

/// How many contents keep their compressed form.
const CONTENTS: usize = 512;

/// The compressed forms of contents that were sent last, by the hash of the content: one that is sent to many is
/// compressed once.
#[derive(Default)]
pub(crate) struct Contents(Mutex<KeptContents>);

#[derive(Default)]
struct KeptContents {
    forms: BTreeMap<Digest, Arc<OnceLock<Bytes>>>,
    /// The hashes in the order in which they came.
    order: VecDeque<Digest>,
}

impl Contents {
    /// The place for the compressed form of this content.
    pub(crate) fn of(&self, content: &Digest) -> Arc<OnceLock<Bytes>> {
        let mut kept = lock(&self.0);
        if let Some(form) = kept.forms.get(content) {
            return Arc::clone(form);
        }
        if kept.order.len() == CONTENTS
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.forms.remove(&oldest);
        }
        kept.order.push_back(*content);
        Arc::clone(kept.forms.entry(*content).or_default())
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_has_the_same_place_until_many_others_came() {
        let contents = Contents::default();
        let hash = |number: usize| Digest::of(&number.to_be_bytes());
        let first = contents.of(&hash(0));
        assert!(Arc::ptr_eq(&first, &contents.of(&hash(0))));
        for number in 1..=CONTENTS {
            contents.of(&hash(number));
        }
        assert!(!Arc::ptr_eq(&first, &contents.of(&hash(0))));
        let kept = lock(&contents.0);
        assert_eq!((kept.forms.len(), kept.order.len()), (CONTENTS, CONTENTS));
    }
}
