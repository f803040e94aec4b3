//! What `RateLimit` and `RateLimit-Policy` say, as in the draft of the HTTPAPI working group.

/// How much a client may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RatePolicy {
    name: &'static str,
    most: u64,
    /// Seconds in which so many are allowed; `None` where so many may be open at the same time.
    window: Option<u64>,
}

impl RatePolicy {
    /// The requests of one address in a minute.
    pub(crate) fn requests(most: u32) -> Self {
        Self { name: "requests", most: most.into(), window: Some(60) }
    }

    /// So many in an hour.
    pub(crate) const fn hourly(name: &'static str, most: u64) -> Self {
        Self { name, most, window: Some(3_600) }
    }

    /// So many open at the same time.
    pub(crate) const fn at_a_time(name: &'static str, most: u64) -> Self {
        Self { name, most, window: None }
    }

    /// The item of `RateLimit-Policy`.
    pub(crate) fn allowed(&self) -> String {
        let Self { name, most, window } = self;
        window.map_or_else(
            || format!("\"{name}\";q={most};qu=\"concurrent-requests\""),
            |window| format!("\"{name}\";q={most};w={window}"),
        )
    }

    /// The item of `RateLimit`: what is left, and after how many seconds there is more.
    pub(crate) fn left(&self, remaining: u64, seconds: u64) -> String {
        format!("\"{}\";r={remaining};t={seconds}", self.name)
    }
}
