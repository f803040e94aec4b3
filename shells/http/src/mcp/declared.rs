//! The tools that endpoints declare.

use crate::endpoint::{Endpoint, Endpoints, Tool};

/// The tools of `endpoints` in their order.
pub(super) fn declared(endpoints: Endpoints) -> Vec<(&'static Endpoint, &'static Tool)> {
    let tools =
        endpoints.iter().flat_map(|endpoint| endpoint.tools.iter().map(move |tool| (*endpoint, tool)));
    let mut tools: Vec<_> = tools.collect();
    tools.sort_by_key(|(_, tool)| tool.place);
    tools
}
