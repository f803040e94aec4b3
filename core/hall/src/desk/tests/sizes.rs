//! What an agent costs while it does nothing.

use super::*;

/// A B-tree's node is between half full and full; two thirds on average over random keys.
const TREE_OVERHEAD_PERCENT: usize = 150;
/// What an allocation costs besides its bytes.
const ALLOCATION: usize = 16;
/// The two counts of a shared value.
const SHARED: usize = 16;

#[test]
fn an_idle_agent_takes_less_than_half_a_kibibyte_and_a_homologated_one_less_than_one() {
    let in_tree = |bytes: usize| bytes * TREE_OVERHEAD_PERCENT / 100;
    let pointer = size_of::<usize>();
    let (handle, model, name) = (16, 24, 16);
    let agent = in_tree(size_of::<AgentId>() + 2 * pointer)
        + SHARED
        + size_of::<Agent>()
        + handle
        + model
        + 3 * ALLOCATION;
    let operator = in_tree(size_of::<OperatorId>() + size_of::<Operator>()) + name + ALLOCATION;
    let entry = in_tree(16 + pointer)
        + in_tree(size_of::<(AgentId, SeasonNumber, Division)>() + 16)
        + SHARED
        + size_of::<Entry>()
        + model
        + 2 * ALLOCATION;
    assert!(agent + operator <= 512, "registered, with an operator of its own: {}", agent + operator);
    assert!(agent + operator + entry <= 1_024, "and homologated: {}", agent + operator + entry);
}
