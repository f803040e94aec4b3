//! What a UCI engine says.

/// The relevant lines of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
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
pub(super) fn read(line: &str) -> Option<Said> {
    let mut words = line.split_whitespace();
    match words.next()? {
        "uciok" => Some(Said::UciOk),
        "readyok" => Some(Said::Ready),
        "bestmove" => Some(Said::BestMove(words.next().unwrap_or_default().to_owned())),
        "id" if words.next() == Some("name") => Some(Said::Name(words.collect::<Vec<_>>().join(" "))),
        _ => None,
    }
}
