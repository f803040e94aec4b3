//! What can go wrong with a call, told apart by what one can do about it.

use crate::envelope::Refusal;
use crate::key::KeyError;
use crate::link::LinkError;
use crate::origin::OriginError;
use crate::randomness::NoRandomness;
use std::fmt;
use std::time::Duration;

/// Why a call has no answer that could be used.
///
/// `Debug` is the sentence of `Display`: a `main` that returns this error prints it.
#[derive(thiserror::Error)]
pub enum Error {
    /// The hall understood and refused. Whether it succeeded is decided by `ok`, never by the status alone.
    #[error("the hall refused: {0}")]
    Refused(Box<Refusal>),
    /// No connection, or it broke before the whole answer was here.
    #[error("the hall cannot be reached: {0}")]
    Transport(LinkError),
    /// No whole answer within the time of a call. The request may have been carried out.
    #[error("no answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    /// An answer came, but it is not the hall's envelope, or not what the specification says of this endpoint.
    #[error("not an answer of a hall (HTTP {status}): {reason}; it begins {start:?}")]
    Protocol {
        /// The HTTP status.
        status: u16,
        /// What is wrong with it.
        reason: String,
        /// Its first characters, for a person.
        start: String,
    },
    /// The answer is larger than this client reads.
    #[error("the answer is larger than {limit} bytes")]
    TooLarge {
        /// The most that is read, in bytes.
        limit: usize,
    },
    /// The request cannot be made at all; nothing was sent.
    #[error("{0}")]
    Request(String),
    /// The key cannot be used here.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The address of the hall is invalid.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// No randomness for a key.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

/// Makes the sentence of `Display` what `Debug` writes, which is what a `main` that returns the error prints.
macro_rules! debug_is_the_sentence {
    ($($error:ty),+) => {
        $(impl fmt::Debug for $error {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, out)
            }
        })+
    };
}

debug_is_the_sentence!(Error, KeyError, OriginError);

impl Error {
    /// The refusal, if this is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        if let Self::Refused(refusal) = self { Some(refusal) } else { None }
    }

    /// Whether the hall refused with this code.
    #[must_use]
    pub fn is_code(&self, code: &str) -> bool {
        self.refusal().is_some_and(|refusal| refusal.code == code)
    }

    /// Whether the hall may have carried out the request although there is no usable answer.
    #[must_use]
    pub fn leaves_doubt(&self) -> bool {
        match self {
            Self::Transport(error) => !error.is_unsent(),
            Self::Timeout(_) | Self::TooLarge { .. } => true,
            // A proxy in front of the hall answers for it when it fails half-way.
            Self::Protocol { status, .. } => *status >= 500,
            Self::Refused(refusal) => {
                refusal.code == "INTERNAL"
                    || refusal.data.get("outcome").is_some_and(|outcome| outcome == "unknown")
            }
            Self::Request(_) | Self::Key(_) | Self::Origin(_) | Self::Randomness(_) => false,
        }
    }

    /// Whether the same request may succeed a little later.
    ///
    /// What a client sends is well formed: a hall that calls it a bad request has got only a part of it, and has done
    /// nothing.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Transport(_) | Self::Timeout(_) => true,
            Self::Protocol { status, .. } => *status >= 500,
            Self::Refused(refusal) => {
                matches!(refusal.code.as_str(), "RATE_LIMITED" | "UNAVAILABLE" | "INTERNAL" | "BAD_REQUEST")
            }
            Self::TooLarge { .. }
            | Self::Request(_)
            | Self::Key(_)
            | Self::Origin(_)
            | Self::Randomness(_) => false,
        }
    }
}
