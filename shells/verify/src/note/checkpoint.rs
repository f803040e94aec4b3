//! The text of a checkpoint: which log, how many leaves, which root.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core::fmt;
use hall_wire::Digest;

/// The text of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name of the log.
    pub origin: String,
    /// How many leaves its tree has.
    pub size: u64,
    /// The root over them.
    pub root: Digest,
    /// Further lines, which say what they want.
    pub extensions: Vec<String>,
}

/// Why a text is no checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not a checkpoint: {what}")]
pub struct CheckpointProblem {
    what: &'static str,
}

impl Checkpoint {
    /// Reads the text of a note, its last line feed included, as a checkpoint.
    ///
    /// # Errors
    /// Which rule it breaks.
    pub fn parse(text: &str) -> Result<Self, CheckpointProblem> {
        let problem = |what| CheckpointProblem { what };
        let lines = text.strip_suffix('\n').ok_or_else(|| problem("its last line is not ended"))?;
        let mut lines = lines.split('\n');
        let origin = lines.next().filter(|line| !line.is_empty()).ok_or_else(|| problem("no origin"))?;
        let size = lines.next().and_then(size).ok_or_else(|| problem("its size is not a plain number"))?;
        let root =
            lines.next().and_then(root).ok_or_else(|| problem("its root is not the base64 of a hash"))?;
        let extensions: Vec<String> = lines.map(str::to_owned).collect();
        if extensions.iter().any(String::is_empty) {
            return Err(problem("it has an empty line"));
        }
        Ok(Self { origin: origin.to_owned(), size, root, extensions })
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}\n{}\n{}", self.origin, self.size, STANDARD.encode(self.root.as_bytes()))?;
        self.extensions.iter().try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// Plain decimals without leading zeros.
fn size(text: &str) -> Option<u64> {
    let number = text.parse::<u64>().ok()?;
    (number.to_string() == text).then_some(number)
}

fn root(text: &str) -> Option<Digest> {
    let bytes = STANDARD.decode(text).ok()?;
    bytes.try_into().ok().map(Digest::from_bytes)
}
