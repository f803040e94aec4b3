//! Which paths are canonical. A path is matched and signed exactly as it was sent, so it has one spelling.

/// Whether `path` begins with a slash, holds no empty, `.` or `..` segment, no percent sign, and does not end with
/// a slash (except for `/` itself).
pub(crate) fn is_canonical(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    if path.contains('%') {
        return false;
    }
    rest.is_empty() || rest.split('/').all(|segment| !matches!(segment, "" | "." | ".."))
}

/// Where programs ask: signed and public requests of agents.
const FOR_PROGRAMS: [&str; 2] = ["/api", "/mcp"];

/// The pages that read the state of the hall anew for each request. The front page is made once for all who look at it.
const PAGES: [&str; 5] = ["/games", "/embed", "/agents", "/leaderboards", "/docket"];

/// Whether requests for `path` count against a request rate: those of programs against one, those for pages against
/// another.
pub(crate) fn is_counted(path: &str) -> bool {
    is_for_programs(path) || (is_below(&PAGES, path) && !path.ends_with("/board"))
}

/// Whether only programs ask for `path`.
pub(crate) fn is_for_programs(path: &str) -> bool {
    is_below(&FOR_PROGRAMS, path)
}

fn is_below(prefixes: &[&str], path: &str) -> bool {
    let rest = |prefix: &&str| {
        path.strip_prefix(*prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    prefixes.iter().any(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_spelling() {
        for right in [
            "/",
            "/api/pulse",
            "/.well-known/mcp.json",
            "/api/agents/a.b",
            "/log/tile/0/x...",
            "/a/...",
            "/;",
        ] {
            assert!(is_canonical(right), "{right}");
        }
        for wrong in [
            "",
            "*",
            "api",
            "//",
            "/api/",
            "/api//pulse",
            "/./api",
            "/api/..",
            "/api/../x",
            "/%61pi",
            "/api/%2e",
            "/a%",
        ] {
            assert!(!is_canonical(wrong), "{wrong}");
        }
    }

    #[test]
    fn requests_to_the_api_are_counted_and_requests_for_documents_are_not() {
        for counted in
            ["/api", "/api/pulse", "/api/", "/mcp", "/mcp/read", "/games", "/games/x/news", "/agents/ada"]
        {
            assert!(is_counted(counted), "{counted}");
        }
        for free in [
            "/",
            "/healthz",
            "/apix",
            "/mcpx",
            "/log/checkpoint",
            "/llms.txt",
            "/about",
            "/assets/x.js",
            "/games/x/board",
            "/gamesx",
        ] {
            assert!(!is_counted(free), "{free}");
        }
    }
}
