//! Checks replays in a browser: hall-verify behind three functions, which a page calls over the memory of a WebAssembly
//! module.
//!
//! A page asks for [`room`], writes its question there, calls [`check`], and reads so many bytes from [`answer`] on. A
//! question is one line of JSON that says whom the reader trusts (`Trusted`), and after it the bytes of the replay. An
//! answer is JSON: the report as `hall verify --json` prints it, or `{"problem": "…"}` where there is nothing to check.
//! Nothing but these bytes goes in or comes out.

use hall_verify::note::VerifierKey;
use hall_verify::replay::{EarlyProof, Trust, TrustedChain, verify};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
struct Buffers {
    question: Vec<u8>,
    answer: Vec<u8>,
}

static BUFFERS: Mutex<Buffers> = Mutex::new(Buffers { question: Vec::new(), answer: Vec::new() });

fn buffers() -> MutexGuard<'static, Buffers> {
    BUFFERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a question of `length` bytes, and says where it is. It is valid until the next call of this function.
#[expect(unsafe_code, reason = "the page finds it by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    let mut buffers = buffers();
    buffers.question = vec![0; length];
    buffers.question.as_mut_ptr()
}

/// Answers the question, and says how long the answer is, in bytes.
#[expect(unsafe_code, reason = "the page finds it by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn check() -> usize {
    let mut buffers = buffers();
    buffers.answer = answered(&buffers.question).into_bytes();
    buffers.answer.len()
}

/// Where the answer is. It is valid until the next call of [`check`].
#[expect(unsafe_code, reason = "the page finds it by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    buffers().answer.as_ptr()
}

/// Whom the reader trusts, each as `hall verify` takes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Trusted {
    /// Keys that sign, or signed, the checkpoints of the hall's log.
    log_keys: Vec<String>,
    /// Keys of witnesses.
    witnesses: Vec<String>,
    /// Drand chains besides quicknet.
    chains: Vec<String>,
    /// What `/api/games/{id}/proof` answered while the game was live.
    early_proof: Option<String>,
}

impl Trusted {
    fn trust(&self) -> Result<Trust, String> {
        let mut trust = Trust {
            log_keys: each(&self.log_keys, VerifierKey::parse_log)?,
            witnesses: each(&self.witnesses, VerifierKey::parse_witness)?,
            early: self.early_proof.as_ref().map(|text| EarlyProof::parse(text.as_bytes())).transpose()?,
            ..Trust::default()
        };
        // A chain that was given counts before one that is built in.
        trust.chains.splice(0..0, each(&self.chains, TrustedChain::parse)?);
        Ok(trust)
    }
}

fn each<T, E: Display>(texts: &[String], parse: impl Fn(&str) -> Result<T, E>) -> Result<Vec<T>, String> {
    texts.iter().map(|text| parse(text).map_err(|problem| format!("{text}: {problem}"))).collect()
}

fn answered(question: &[u8]) -> String {
    let answer = report(question).unwrap_or_else(|problem| json!({ "problem": problem }));
    answer.to_string()
}

fn report(question: &[u8]) -> Result<Value, String> {
    let end = question.iter().position(|byte| *byte == b'\n').ok_or("the question has no first line")?;
    let (trusted, replay) = question.split_at(end);
    let trusted: Trusted = serde_json::from_slice(trusted).map_err(|error| error.to_string())?;
    let report = verify(replay.get(1..).unwrap_or_default(), &trusted.trust()?);
    report.map(|report| report.to_json()).map_err(|problem| problem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLAY: &str = include_str!("../../verify/tests/replays/agreement.json");

    fn asked(trusted: &str, replay: &str) -> Value {
        serde_json::from_str(&answered(format!("{trusted}\n{replay}").as_bytes())).unwrap()
    }

    #[test]
    fn the_answer_is_the_report_of_the_library() {
        let report = verify(REPLAY.as_bytes(), &Trust::default()).unwrap();
        assert!(report.holds());
        assert_eq!(asked("{}", REPLAY), report.to_json());
        let changed = REPLAY.replacen("\"e2e4\"", "\"d2d4\"", 1);
        assert_ne!(changed, REPLAY);
        assert_eq!(asked("{}", &changed)["holds"], false);
    }

    #[test]
    fn whom_the_reader_trusts_is_read_as_on_the_command_line() {
        let told = |trusted: &str| asked(trusted, REPLAY)["problem"].as_str().map(str::to_owned);
        assert_eq!(told("{}"), None);
        assert_eq!(
            told(r#"{"log_keys":["x"]}"#).unwrap(),
            "x: it must be NAME+ID+KEY, the id 8 lowercase hexadecimal digits and the key base64"
        );
        assert!(told(r#"{"chains":["x"]}"#).unwrap().starts_with("x: it must be HASH:KEY:GENESIS:PERIOD"));
        assert!(told(r#"{"key":[]}"#).unwrap().contains("unknown field"));
        assert_eq!(answered(b"{}"), r#"{"problem":"the question has no first line"}"#);
        assert_eq!(
            asked("{}", "{}")["problem"],
            "it is not a replay: it has no version, game_id, events and moves"
        );
    }

    #[test]
    fn a_question_and_its_answer_lie_where_the_module_says() {
        let question = format!("{{}}\n{REPLAY}");
        let at = room(question.len());
        assert_eq!(at.cast_const(), buffers().question.as_ptr());
        buffers().question.copy_from_slice(question.as_bytes());
        let length = check();
        let buffers = buffers();
        assert_eq!(
            (length, answered(question.as_bytes()).as_bytes()),
            (buffers.answer.len(), buffers.answer.as_slice())
        );
        drop(buffers);
        assert!(!answer().is_null());
    }
}
