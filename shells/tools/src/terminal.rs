//! What the terminal can show: whether a picture can be drawn again in place, colours, chess symbols; and how a stranger's
//! text is shown there.

/// Ends all attributes.
const PLAIN: &str = "\x1b[0m";

/// The abilities of standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// The cursor can be moved. Elsewhere, in a file or a pipe, lines are written one after the other.
    pub redraws: bool,
    /// There are 256 colours, and nobody objects to them.
    pub colours: bool,
    /// Text is UTF-8, and the font is likely to have chess symbols.
    pub symbols: bool,
}

impl Terminal {
    /// What standard output can show, from the environment: `TERM`, `NO_COLOR` and the locale.
    pub fn detect() -> Self {
        use std::io::IsTerminal as _;
        Self::of(std::io::stdout().is_terminal(), |name| {
            std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    /// The same for a given environment; a variable that is empty counts as absent, as POSIX and the convention of
    /// `NO_COLOR` have it.
    fn of(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = set("TERM").filter(|term| term != "dumb");
        let redraws = is_terminal && term.is_some();
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
        let utf8 = ["utf-8", "utf8"].iter().any(|name| locale.to_ascii_lowercase().contains(name));
        Self {
            redraws,
            colours: redraws && set("NO_COLOR").is_none(),
            // The fonts of the Linux console have no chess symbols.
            symbols: redraws && utf8 && term.as_deref() != Some("linux"),
        }
    }

    /// `text` with the given attributes, which are the numbers of an SGR sequence; as it is without colours.
    pub fn paint(self, attributes: &str, text: &str) -> String {
        if self.colours { format!("\x1b[{attributes}m{text}{PLAIN}") } else { text.to_owned() }
    }
}

/// The longest text of a stranger that is shown, in characters.
const MAX_SHOWN: usize = 400;

/// Text for a terminal: what a stranger wrote must not move its cursor or turn its lines around.
#[must_use]
pub fn plain(text: &str) -> String {
    let hidden = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::new();
    for (place, letter) in text.chars().enumerate() {
        if place == MAX_SHOWN {
            shown.push('…');
            break;
        }
        if hidden(letter) { shown.extend(letter.escape_unicode()) } else { shown.push(letter) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_what_is_shown() {
        let full = [("TERM", "xterm-256color"), ("LANG", "de_DE.UTF-8")];
        for (is_terminal, changed, expected) in [
            (true, &[][..], (true, true, true)),
            (false, &[], (false, false, false)),
            (true, &[("TERM", "dumb")], (false, false, false)),
            (true, &[("TERM", "")], (false, false, false)),
            (true, &[("TERM", "linux")], (true, true, false)),
            (true, &[("NO_COLOR", "1")], (true, false, true)),
            (true, &[("NO_COLOR", "")], (true, true, true)),
            (true, &[("LC_ALL", "C")], (true, true, false)),
            (true, &[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")], (true, true, true)),
            (true, &[("LANG", "")], (true, true, false)),
        ] {
            let all: Vec<_> = full.iter().chain(changed).collect();
            let found = Terminal::of(is_terminal, |name| {
                all.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            });
            assert_eq!((found.redraws, found.colours, found.symbols), expected, "{is_terminal} {changed:?}");
        }
    }

    #[test]
    fn text_without_colours_has_no_escapes() {
        let plain = Terminal { redraws: true, colours: false, symbols: true };
        assert_eq!(plain.paint("1", "x"), "x");
        assert_eq!(Terminal { colours: true, ..plain }.paint("1", "x"), "\x1b[1mx\x1b[0m");
    }
}
