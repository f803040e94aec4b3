//! Who belongs to which operator, and whether the hall keeps them apart: agents of one operator share a token, have one
//! operator identifier (and no others have it), are never seated together (L2), and only the first of them names it (A7).

use super::auditor::ToldAgent;
use super::tokens;
use hall_client::wire::GameId;
use std::collections::{BTreeMap, BTreeSet};

/// What is wrong, by invariant.
type Finding = (&'static str, String);

/// The operator of the agent with this place in the plan: every tenth shares that of the one before, and in each sixteen
/// there are three of one.
pub(super) const fn operator_of(number: u64) -> u64 {
    match (number % 16, number % 10) {
        (12 | 13, _) => number - number % 16 + 11,
        (_, 9) if number % 16 != 11 => number - 1,
        _ => number,
    }
}

/// The name that an agent gives its operator, if it gives one.
pub(super) fn name_by(number: u64) -> Option<String> {
    (number % 3 != 1).then(|| format!("house of agent {number}"))
}

/// Looks at every pair that was seated: `seats` has the places in the plan of those at one table.
pub(super) fn judge_table(game: GameId, seats: &[usize]) -> Option<Finding> {
    let operators = seats.iter().map(|place| operator_of(u64::try_from(*place).unwrap_or(u64::MAX)));
    let mut seen = BTreeMap::new();
    for (operator, place) in operators.zip(seats) {
        if let Some(other) = seen.insert(operator, place) {
            return Some(("L2", format!("{game} seats agents {other} and {place} of operator {operator}")));
        }
    }
    None
}

/// Compares what profiles say of operators with the tokens that agents registered with.
pub(super) fn judge_profiles(told: &BTreeMap<usize, ToldAgent>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut identifiers: BTreeMap<u64, &ToldAgent> = BTreeMap::new();
    let mut owners: BTreeMap<&str, u64> = BTreeMap::new();
    // Words of an agent about itself are withheld with the name of its operator, also with the others of it.
    let withheld = told.iter().filter(|(_, agent)| agent.model_id.is_none());
    let nameless: BTreeSet<u64> =
        withheld.map(|(place, _)| operator_of(u64::try_from(*place).unwrap_or(u64::MAX))).collect();
    // The first of each operator comes first.
    let mut agents: Vec<(&usize, &ToldAgent)> = told.iter().collect();
    agents.sort_by(|(_, one), (_, other)| one.created_at.cmp(&other.created_at));
    for (place, agent) in agents {
        let number = u64::try_from(*place).unwrap_or(u64::MAX);
        let operator = operator_of(number);
        let owner = *owners.entry(&agent.operator_id).or_insert(operator);
        let first = *identifiers.entry(operator).or_insert(agent);
        if owner != operator || first.operator_id != agent.operator_id {
            let text =
                format!("agent {place} of operator {operator} is said to belong to {}", agent.operator_id);
            found.push(("L2", text));
        }
        if nameless.contains(&operator) {
            let text = || format!("the name of operator {operator} is withheld, and told: {agent:?}");
            found.extend(agent.operator_name.as_ref().map(|_| ("S5", text())));
            continue;
        }
        if first.operator_name != agent.operator_name {
            found
                .push(("A7", format!("agent {place} has renamed its operator: {agent:?}, before {first:?}")));
        }
        let is_first = std::ptr::eq(first, agent);
        let alone = told.values().filter(|other| other.created_at == agent.created_at).count() == 1;
        if is_first && alone && agent.operator_name != name_by(number) {
            found.push((
                "A7",
                format!("agent {place} has named its operator {:?}: {agent:?}", name_by(number)),
            ));
        }
    }
    found
}

/// Guesses at the token of an operator: none of them is it, or that of another one.
pub(super) fn guesses(operator: u64) -> Vec<String> {
    let token = tokens::token(operator);
    let longest = format!("{token:x<256}");
    let cut = token.chars().skip(1).collect();
    vec![token.to_uppercase(), format!("{token} "), format!(" {token}"), format!("{token}x"), cut, longest]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(changes: &[(usize, &str, Option<&str>)]) -> Vec<&'static str> {
        let agent = |number: u64| {
            let operator_id = format!("o_{}", operator_of(number));
            let (operator_name, created_at) = (name_by(operator_of(number)), format!("{number:04}"));
            ToldAgent { operator_id, operator_name, model_id: Some("a model".to_owned()), created_at }
        };
        let mut agents: BTreeMap<usize, ToldAgent> = (0..32).zip((0..).map(agent)).collect();
        for (place, id, name) in changes {
            let agent = agents.get_mut(place).unwrap();
            agent.operator_id = (*id).to_owned();
            agent.operator_name = name.map(str::to_owned).or(agent.operator_name.take());
        }
        named(&agents)
    }

    fn named(agents: &BTreeMap<usize, ToldAgent>) -> Vec<&'static str> {
        judge_profiles(agents).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn a_withheld_agent_leaves_its_operator_without_a_name() {
        let agent = |operator_name: Option<String>, model_id: Option<&str>| ToldAgent {
            operator_id: "o_8".to_owned(),
            operator_name,
            model_id: model_id.map(str::to_owned),
            created_at: format!("{model_id:?}"),
        };
        let (shown, withheld) = (agent(None, Some("a model")), agent(None, None));
        assert_eq!(named(&BTreeMap::from([(8, withheld.clone()), (9, shown)])), [""; 0]);
        for named_still in [agent(name_by(8), Some("a model")), agent(name_by(8), None)] {
            assert_eq!(named(&BTreeMap::from([(8, withheld.clone()), (9, named_still)])), ["S5"]);
        }
    }

    #[test]
    fn an_operator_with_two_identifiers_two_with_one_and_a_renamed_one_are_reported() {
        assert_eq!(told(&[]), [""; 0]);
        assert_eq!(told(&[(9, "o_other", None)]), ["L2"], "it shares the token of the one before");
        assert_eq!(told(&[(7, "o_6", None)]), ["L2"], "of another operator");
        assert_eq!(told(&[(12, "o_11", Some("mine"))]), ["A7"], "renamed by a later one");
        assert_eq!(told(&[(0, "o_0", Some("mine"))]), ["A7"], "another name than it gave");
    }

    #[test]
    fn a_table_with_two_agents_of_one_operator_is_reported() {
        let game = GameId::from_bytes([1; 16]);
        assert_eq!(judge_table(game, &[8, 10]), None);
        assert_eq!(judge_table(game, &[8, 9]).map(|(name, _)| name), Some("L2"));
        assert_eq!(judge_table(game, &[11, 13]).map(|(name, _)| name), Some("L2"));
    }

    #[test]
    fn no_guess_is_a_token() {
        for operator in 0..100 {
            let guessed = guesses(operator);
            assert!((0..10_000).all(|other| !guessed.contains(&tokens::token(other))), "{guessed:?}");
            assert!(guessed.iter().all(|guess| (8..=256).contains(&guess.len())), "{guessed:?}");
        }
    }
}
