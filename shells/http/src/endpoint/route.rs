//! Routes: method, path and access of an endpoint, and how a path is matched.
//!
//! Paths are matched as they were sent, segment by segment, letter by letter. A segment in braces takes any
//! non-empty text; `{*rest}` at the end takes everything that follows.

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// Read something. HEAD is answered by the same route.
    Get,
    /// Do something.
    Post,
}

impl Verb {
    /// The method's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody, without headers.
    Public,
    /// Anybody; who sends any of the three headers must sign rightly.
    OptionallySigned,
    /// Only registered agents, by signature.
    Signed,
    /// Anybody who proves possession of the key in the body (registration).
    KeyInBody,
}

/// A route.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// Its name in the OpenAPI document, in metrics and in the log.
    pub id: &'static str,
    /// The method.
    pub verb: Verb,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    /// What it is for, in one sentence.
    pub summary: &'static str,
}

impl Route {
    /// A route that is read.
    pub(crate) const fn get(
        id: &'static str,
        path: &'static str,
        access: Access,
        summary: &'static str,
    ) -> Self {
        Self { id, verb: Verb::Get, path, access, summary }
    }

    /// A route that does something.
    pub(crate) const fn post(
        id: &'static str,
        path: &'static str,
        access: Access,
        summary: &'static str,
    ) -> Self {
        Self { id, verb: Verb::Post, path, access, summary }
    }

    /// Whether pages of any origin may read it.
    pub(crate) fn is_public_read(&self) -> bool {
        self.verb == Verb::Get && matches!(self.access, Access::Public | Access::OptionallySigned)
    }

    /// The parameters with which `path` fits it; `None` if it does not.
    pub(super) fn fit(&self, path: &str) -> Option<Params> {
        fit(self.path, path)
    }
}

/// The values of a path's parameters, in the order of the path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Params(Vec<String>);

impl Params {
    /// The only parameter of a path that has one.
    pub(crate) fn only(&self) -> &str {
        self.at(0)
    }

    /// The parameter at this place of the path, counted from 0.
    pub(crate) fn at(&self, place: usize) -> &str {
        self.0.get(place).map_or("", String::as_str)
    }
}

/// The parameters with which `path` fits `template`.
fn fit(template: &str, path: &str) -> Option<Params> {
    // Each request is held against all routes, and most of them differ before their first parameter.
    if !path.starts_with(template.split('{').next()?) {
        return None;
    }
    let mut params = Vec::new();
    let mut path = path.strip_prefix('/')?;
    let mut template = template.strip_prefix('/')?;
    loop {
        if template.starts_with("{*") {
            params.push(path.to_owned());
            return (!path.is_empty()).then_some(Params(params));
        }
        let (wanted, wanted_rest) = split(template);
        let (sent, sent_rest) = split(path);
        if wanted.starts_with('{') {
            if sent.is_empty() {
                return None;
            }
            params.push(sent.to_owned());
        } else if wanted != sent {
            return None;
        }
        match (wanted_rest, sent_rest) {
            (Some(wanted), Some(sent)) => (template, path) = (wanted, sent),
            (None, None) => return Some(Params(params)),
            (Some(_), None) | (None, Some(_)) => return None,
        }
    }
}

fn split(path: &str) -> (&str, Option<&str>) {
    match path.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    }
}
