//! The settings of the log.

use hall_outbound::BaseUrl;
use hall_verify::note::VerifierKey;
use std::path::PathBuf;

/// Witnesses of a log at most: every line that they give is served with every note.
pub(super) const MAX_WITNESSES: usize = 16;

/// The log.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// Its name, if one is set.
    pub(crate) origin: Option<String>,
    /// Where its newest checkpoint is marked, if anywhere.
    pub(crate) mark_path: Option<PathBuf>,
    /// Who cosigns it.
    pub(crate) witnesses: Vec<WitnessAt>,
}

/// A witness of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WitnessAt {
    /// The key of its cosignatures.
    pub(crate) key: VerifierKey,
    /// Where it takes submissions.
    pub(crate) url: BaseUrl,
}

impl WitnessAt {
    /// Reads a key and an address with a blank between them; the error says what is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split_whitespace().collect();
        let [key, url] = parts.as_slice() else {
            return Err("write the key of the witness, a blank, and its address".to_owned());
        };
        let key = VerifierKey::parse_witness(key).map_err(|problem| format!("its key: {problem}"))?;
        let url = BaseUrl::parse(url).map_err(|problem| problem.to_string())?;
        Ok(Self { key, url })
    }
}
