//! `--operator-token-file FILE`: the secret that makes agents one operator's.

use super::AgentError;
use hall_client::{Key, KeyError, Origin, SystemRandomness};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use zeroize::Zeroizing;

/// The key at `path`, made if there is none. With a token file the agent registers under that token; the token of
/// an agent that is registered already stays what it was.
pub(super) fn key(path: &Path, hall: &Origin, token_file: Option<&Path>) -> Result<Key, AgentError> {
    let Some(token_file) = token_file else {
        return Ok(Key::load_or_generate(path, hall, &SystemRandomness)?);
    };
    let token = read(token_file)?;
    if !(8..=256).contains(&token.chars().count()) {
        return Err(of_file(token_file, "its first line, the token, must have 8 to 256 characters"));
    }
    let with_token = |key: Key| key.with_operator_token(&token).map_err(AgentError::from);
    match Key::load(path, hall) {
        Err(KeyError::NotFound { .. }) => {}
        loaded => return with_token(loaded?),
    }
    let key = with_token(Key::generate(hall, &SystemRandomness)?)?;
    match key.save(path, &SystemRandomness) {
        // Another process was faster: its key is the agent's.
        Err(KeyError::Exists { .. }) => with_token(Key::load(path, hall)?),
        saved => Ok(saved.map(|()| key)?),
    }
}

/// The first line of the file without the white space around it.
fn read(path: &Path) -> Result<Zeroizing<String>, AgentError> {
    let text = std::fs::read_to_string(path).map(Zeroizing::new);
    let text = text.map_err(|error| of_file(path, &error.to_string()))?;
    let mode = std::fs::metadata(path).map_or(0, |metadata| metadata.permissions().mode() & 0o777);
    if mode & 0o077 != 0 {
        let name = path.display();
        eprintln!(
            "hall agent: warning: others may read {name} (mode {mode:o}), and anyone with the token is your operator; run: chmod \
             600 {name}"
        );
    }
    Ok(Zeroizing::new(text.lines().next().unwrap_or_default().trim().to_owned()))
}

fn of_file(path: &Path, why: &str) -> AgentError {
    AgentError::Usage(format!("the operator token file {}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_the_file_is_the_token_of_a_new_or_existing_key() {
        let folder = tempfile::tempdir().unwrap();
        let hall = Origin::parse("http://127.0.0.1:8080").unwrap();
        let (key_file, token_file) = (folder.path().join("ada.json"), folder.path().join("token"));
        for (text, token) in
            [("  a shared secret \nnot this\n", "a shared secret"), ("another one", "another one")]
        {
            std::fs::write(&token_file, text).unwrap();
            let key = key(&key_file, &hall, Some(&token_file)).unwrap();
            assert_eq!(key.operator_token(), token);
        }
        let kept = Key::load(&key_file, &hall).unwrap();
        assert_eq!(kept.operator_token(), "a shared secret", "kept as it was made");
    }

    #[test]
    fn a_file_without_a_token_is_refused_by_name_and_no_key_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let hall = Origin::parse("http://127.0.0.1:8080").unwrap();
        let (key_file, token_file) = (folder.path().join("ada.json"), folder.path().join("token"));
        for text in [None, Some(""), Some("\na secret in the second line"), Some("short")] {
            if let Some(text) = text {
                std::fs::write(&token_file, text).unwrap();
            }
            let error = key(&key_file, &hall, Some(&token_file)).unwrap_err().to_string();
            assert!(error.contains("token:"), "{error}");
            assert!(!key_file.exists());
        }
    }
}
