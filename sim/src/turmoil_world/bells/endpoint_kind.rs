//! What an endpoint is like, and at which address its agent registers it.

/// What an endpoint is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum EndpointKind {
    /// Proves itself and answers.
    Good,
    /// Answers in single bytes and late, or too late. It shares its host with the mute ones.
    Slow,
    /// Takes rings and never answers.
    Mute,
    /// Proves itself; afterwards nothing listens at its address.
    Dead,
    /// Proves itself; afterwards nothing that is sent to its address arrives.
    Hole,
    /// Sends rings to a victim.
    Redirecting,
    /// Its name leads to a public address and to those of victims by turns.
    Rebinding,
    /// Now answers and now fails.
    Flapping,
    /// Answers with endless headers and bodies.
    Huge,
    /// Declines further rings now and then.
    Leaving,
    /// A stranger's, which signs with another key.
    Forging,
    /// A stranger's, which signs nothing.
    Bare,
    /// No TLS is spoken there.
    Garbled,
    /// Its name leads to a victim from the beginning, alone or beside a public address.
    Inside,
    /// The address itself names a victim, or a port or scheme that no endpoint has.
    Literal,
}

/// All but the good ones; slow ones and mute ones more often, because they share a host.
const HOSTILE: [EndpointKind; 16] = [
    EndpointKind::Mute,
    EndpointKind::Slow,
    EndpointKind::Dead,
    EndpointKind::Redirecting,
    EndpointKind::Mute,
    EndpointKind::Rebinding,
    EndpointKind::Slow,
    EndpointKind::Hole,
    EndpointKind::Flapping,
    EndpointKind::Literal,
    EndpointKind::Huge,
    EndpointKind::Inside,
    EndpointKind::Leaving,
    EndpointKind::Forging,
    EndpointKind::Garbled,
    EndpointKind::Bare,
];

/// Addresses whose text shows that they lead to a victim, or to no endpoint.
const VICTIMS: [&str; 9] = [
    "https://10.0.0.7/ring",
    "https://127.0.0.1/ring",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/ring",
    "https://[::ffff:10.0.0.7]/ring",
    "https://2130706433/ring",
    "https://localhost/ring",
    "http://good0.bells.example/0",
    "https://good0.bells.example:8443/0",
];

impl EndpointKind {
    /// The kind of the endpoint of the agent with this place in the plan; none where it has no doorbell.
    pub(in super::super) fn of(seed: u64, number: usize) -> Option<Self> {
        if number % 8 == 6 {
            return None;
        }
        if number.is_multiple_of(2) {
            return Some(Self::Good);
        }
        let turned = usize::try_from(seed % 16).unwrap_or(0).wrapping_mul(5);
        HOSTILE.get((number / 2 + turned) % HOSTILE.len()).copied()
    }

    /// Where the endpoint of this agent is.
    pub(in super::super) fn url(self, number: usize) -> String {
        match self {
            Self::Slow | Self::Mute => format!("https://slow.bells.example/{number}"),
            Self::Literal => VICTIMS.get(number / 2 % VICTIMS.len()).map_or("", |url| url).to_owned(),
            Self::Good
            | Self::Dead
            | Self::Hole
            | Self::Redirecting
            | Self::Rebinding
            | Self::Flapping
            | Self::Huge
            | Self::Leaving
            | Self::Forging
            | Self::Bare
            | Self::Garbled
            | Self::Inside => format!("https://{}{number}.bells.example/{number}", self.word()),
        }
    }

    /// Its word.
    pub(in super::super) const fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Slow => "slow",
            Self::Mute => "mute",
            Self::Dead => "dead",
            Self::Hole => "hole",
            Self::Redirecting => "redirecting",
            Self::Rebinding => "rebinding",
            Self::Flapping => "flapping",
            Self::Huge => "huge",
            Self::Leaving => "leaving",
            Self::Forging => "forging",
            Self::Bare => "bare",
            Self::Garbled => "garbled",
            Self::Inside => "inside",
            Self::Literal => "literal",
        }
    }
}
