//! What a UCI engine says.

/// The relevant lines of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EngineLine {
    /// `id name …`
    Name(String),
    /// `uciok`
    UciOk,
    /// `readyok`
    Ready,
    /// `bestmove …`
    BestMove(String),
}

/// Reads one line of an engine; `None` for what does not matter, such as `info`.
pub(super) fn read(line: &str) -> Option<EngineLine> {
    let mut words = line.split_whitespace();
    match words.next()? {
        "uciok" => Some(EngineLine::UciOk),
        "readyok" => Some(EngineLine::Ready),
        "bestmove" => Some(EngineLine::BestMove(words.next().unwrap_or_default().to_owned())),
        "id" if words.next() == Some("name") => Some(EngineLine::Name(words.collect::<Vec<_>>().join(" "))),
        _ => None,
    }
}
