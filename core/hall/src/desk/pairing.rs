//! Who plays whom: a pure function of the queues.
//!
//! The longest-waiting agent plays those who have waited longest among the other operators. Only the first of each
//! queue can be next, so a plan costs O(log k) for each game with k operators waiting. It ends as soon as too few
//! operators are left, because then no two of the agents left can be paired.

use crate::desk::lobbies::QueuePosition;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use hall_wire::AgentId;

/// Groups of `size` agents, each from as many different queues, in the order in which the games are formed; at most
/// `most` groups. Within a group, agents that joined earlier come first.
///
/// A queue yields, in joining order, the agents of one operator that may be paired. Agents of different queues are
/// compatible, agents of the same queue are not.
pub(super) fn plan<L>(queues: impl Iterator<Item = L>, size: usize, most: usize) -> Vec<Vec<AgentId>>
where
    L: Iterator<Item = (QueuePosition, AgentId)>,
{
    let mut firsts = BTreeMap::new();
    let step = |mut queue: L, firsts: &mut BTreeMap<QueuePosition, (AgentId, L)>| {
        if let Some((position, agent)) = queue.next() {
            firsts.insert(position, (agent, queue));
        }
    };
    queues.for_each(|queue| step(queue, &mut firsts));
    let mut groups = Vec::new();
    while size > 0 && firsts.len() >= size && groups.len() < most {
        let mut taken = Vec::with_capacity(size);
        taken.extend((0..size).filter_map(|_| firsts.pop_first()));
        let mut group = Vec::with_capacity(size);
        for (_, (agent, queue)) in taken {
            group.push(agent);
            step(queue, &mut firsts);
        }
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_longest_waiting_play_first() {
        assert_eq!(pairs(&[0, 1, 2, 3, 4]), [[0, 1], [2, 3]]);
    }

    #[test]
    fn agents_of_one_operator_are_passed_over_for_each_other() {
        assert_eq!(pairs(&[7, 7, 7, 8, 9]), [[0, 3], [1, 4]]);
    }

    #[test]
    fn a_ring_of_one_operator_forms_no_game() {
        assert!(pairs(&[7; 1_000]).is_empty());
    }

    #[test]
    fn a_group_has_as_many_operators_as_seats() {
        assert_eq!(groups(&[1, 1, 2, 2, 3, 4, 4], 3), [[0, 2, 4], [1, 3, 5]]);
        assert!(groups(&[1, 2, 1, 2], 3).is_empty());
        assert!(groups(&[1, 2, 1, 2], 0).is_empty(), "nobody plays");
    }

    #[test]
    fn a_plan_reads_only_the_agents_it_pairs_and_the_next_one_of_their_queues() {
        let looked = core::cell::Cell::new(0);
        let queue = |first: u16, length: u16| {
            let agents = (first..first + length).map(|agent| (u64::from(agent), wide_id(agent)));
            agents.inspect(|_| looked.set(looked.get() + 1))
        };
        assert_eq!(plan([queue(0, 10_000), queue(20_000, 1)].into_iter(), 2, usize::MAX).len(), 1);
        assert_eq!(looked.get(), 3);
    }

    #[test]
    fn a_bound_on_games_limits_the_plan() {
        let queues = (0..10_u8).map(|agent| core::iter::once((u64::from(agent), id(agent))));
        assert_eq!(plan(queues, 2, 3).len(), 3);
    }

    proptest! {
        #[test]
        fn the_plan_agrees_with_a_search_through_the_whole_list(operators in prop::collection::vec(0_u8..5, 0..40)) {
            prop_assert_eq!(pairs(&operators), searched(&operators));
        }

        #[test]
        fn no_remaining_agents_could_have_been_paired(
            operators in prop::collection::vec(0_u8..5, 0..40), size in 2_usize..5,
        ) {
            let groups = groups(&operators, size);
            let left: alloc::collections::BTreeSet<u8> = (0..operators.len())
                .filter(|agent| !groups.iter().flatten().any(|taken| taken == agent))
                .map(|agent| operators[agent])
                .collect();
            prop_assert!(left.len() < size);
            for group in groups {
                let of: alloc::collections::BTreeSet<u8> = group.iter().map(|agent| operators[*agent]).collect();
                prop_assert_eq!(of.len(), size);
            }
        }
    }

    /// The rule, taken literally: the longest-waiting agent that has a compatible one plays the longest-waiting of
    /// those.
    fn searched(operators: &[u8]) -> Vec<[usize; 2]> {
        let mut left: Vec<usize> = (0..operators.len()).collect();
        let mut pairs = Vec::new();
        while let Some(pair) = left.iter().find_map(|&first| {
            let fits = |&&second: &&usize| operators[second] != operators[first];
            left.iter().find(fits).map(|&second| [first, second])
        }) {
            left.retain(|agent| !pair.contains(agent));
            pairs.push(pair);
        }
        pairs
    }

    fn pairs(operators: &[u8]) -> Vec<[usize; 2]> {
        groups(operators, 2).into_iter().map(|group| [group[0], group[1]]).collect()
    }

    fn groups(operators: &[u8], size: usize) -> Vec<Vec<usize>> {
        let mut queues: BTreeMap<u8, Vec<(QueuePosition, AgentId)>> = BTreeMap::new();
        for (agent, operator) in operators.iter().enumerate() {
            let wide = u16::try_from(agent).unwrap();
            queues.entry(*operator).or_default().push((u64::from(wide), wide_id(wide)));
        }
        let plan = plan(queues.into_values().map(Vec::into_iter), size, usize::MAX);
        plan.into_iter().map(|group| group.into_iter().map(place).collect()).collect()
    }

    fn id(agent: u8) -> AgentId {
        wide_id(u16::from(agent))
    }

    fn wide_id(agent: u16) -> AgentId {
        let mut bytes = [0; 16];
        bytes[..2].copy_from_slice(&agent.to_be_bytes());
        AgentId::from_bytes(bytes)
    }

    fn place(agent: AgentId) -> usize {
        usize::from(u16::from_be_bytes([agent.as_bytes()[0], agent.as_bytes()[1]]))
    }
}
