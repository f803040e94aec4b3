//! What the book promises, and the same against a plain set of spent challenges.

use super::*;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use proptest::prelude::*;

const VALIDITY: Span = Span::from_secs(300);
const START: i64 = 1_795_211_400_000;

#[test]
fn a_challenge_is_valid_from_its_issue_to_the_millisecond_before_its_expiry() {
    assert_eq!(book().expiry(at(1_000)), at(301_000));
    let (mut book, ada) = (book(), handle("ada"));
    let challenge = book.issue(at(0), &ada);
    for (millis, expected) in [
        (-1, Err(ChallengeProblem::Unknown)),
        (0, Ok(())),
        (299_999, Ok(())),
        (300_000, Err(ChallengeProblem::Expired)),
        (900_000, Err(ChallengeProblem::Expired)),
    ] {
        assert_eq!(book.check(at(millis), &ada, &challenge), expected, "after {millis} ms");
    }
}

#[test]
fn a_challenge_is_spent_once() {
    let (mut book, ada) = (book(), handle("ada"));
    let challenge = book.issue(at(0), &ada);
    assert_eq!(book.spend(at(1), &ada, &challenge), Ok(()));
    let spent = ChallengeProblem::Spent;
    assert_eq!(book.check(at(2), &ada, &challenge), Err(spent));
    assert_eq!(book.spend(at(2), &ada, &challenge), Err(SpendProblem::Refused(spent)));
}

#[test]
fn spending_one_challenge_of_a_page_spends_no_other() {
    let (mut book, ada) = (book(), handle("ada"));
    let issued: Vec<_> = (0..=PAGE_SERIALS).map(|_| book.issue(at(0), &ada)).collect();
    for challenge in &issued {
        assert_eq!(book.spend(at(1), &ada, challenge), Ok(()));
    }
    for challenge in &issued {
        assert_eq!(book.check(at(1), &ada, challenge), Err(ChallengeProblem::Spent));
    }
}

#[test]
fn an_expired_challenge_is_called_expired_even_if_it_was_spent() {
    let (mut book, ada) = (book(), handle("ada"));
    let challenge = book.issue(at(0), &ada);
    book.spend(at(1), &ada, &challenge).unwrap();
    assert_eq!(book.check(at(300_000), &ada, &challenge), Err(ChallengeProblem::Expired));
}

#[test]
fn checking_spends_nothing() {
    let (mut book, ada) = (book(), handle("ada"));
    let challenge = book.issue(at(0), &ada);
    for _ in 0..1_000 {
        assert_eq!(book.check(at(5), &ada, &challenge), Ok(()));
    }
    assert_eq!(book.bytes(), 0);
}

#[test]
fn of_two_who_were_recognised_at_once_one_spends() {
    let (mut book, ada) = (book(), handle("ada"));
    let challenge = book.issue(at(0), &ada);
    let [first, second] = [at(1), at(2)].map(|at| book.recognise(at, &ada, &challenge).unwrap());
    assert_eq!(book.spend_recognised(at(1), first), Ok(()));
    let spent = SpendProblem::Refused(ChallengeProblem::Spent);
    assert_eq!(book.spend_recognised(at(2), second), Err(spent));
}

#[test]
fn what_was_recognised_can_expire_before_it_is_spent() {
    let (mut book, ada) = (book(), handle("ada"));
    let challenge = book.issue(at(0), &ada);
    let recognised = book.recognise(at(299_999), &ada, &challenge).unwrap();
    let expired = SpendProblem::Refused(ChallengeProblem::Expired);
    assert_eq!(book.spend_recognised(at(300_000), recognised), Err(expired));
}

#[test]
fn another_handle_cannot_use_it_and_does_not_burn_it() {
    let (mut book, ada, bob) = (book(), handle("ada"), handle("bob"));
    let challenge = book.issue(at(0), &ada);
    let unknown = SpendProblem::Refused(ChallengeProblem::Unknown);
    assert_eq!(book.spend(at(1), &bob, &challenge), Err(unknown));
    assert_eq!(book.spend(at(1), &ada, &challenge), Ok(()));
}

#[test]
fn a_restart_forgets_every_challenge() {
    let ada = handle("ada");
    let challenge = book().issue(at(0), &ada);
    let mut restarted = ChallengeBook::new(&[8; 32], VALIDITY);
    restarted.issue(at(0), &ada);
    assert_eq!(restarted.check(at(1), &ada, &challenge), Err(ChallengeProblem::Unknown));
}

#[test]
fn every_changed_bit_makes_a_challenge_unknown() {
    let (mut book, ada) = (book(), handle("ada"));
    let bytes = *book.issue(at(0), &ada).as_bytes();
    for bit in 0..256 {
        let mut changed = bytes;
        changed[bit / 8] ^= 1 << (bit % 8);
        let challenge = Challenge::from_bytes(changed);
        assert_eq!(book.check(at(1), &ada, &challenge), Err(ChallengeProblem::Unknown), "bit {bit}");
    }
}

#[test]
fn no_two_challenges_are_equal() {
    let (mut book, ada) = (book(), handle("ada"));
    let issued: BTreeSet<_> = (0..10_000).map(|_| book.issue(at(0), &ada)).collect();
    assert_eq!(issued.len(), 10_000);
}

#[test]
fn a_million_issues_take_no_memory_and_leave_the_first_valid() {
    let (mut book, ada, eve) = (book(), handle("ada"), handle("eve"));
    let first = book.issue(at(0), &ada);
    for _ in 0..1_000_000 {
        book.issue(at(1), &eve);
    }
    assert_eq!(book.bytes(), 0);
    assert_eq!(book.spend(at(2), &ada, &first), Ok(()));
}

#[test]
fn a_full_book_spends_nothing_more_until_the_oldest_have_expired() {
    fills_up_with_two_pages(2 * PAGE_COST);
    fills_up_with_two_pages(3 * PAGE_COST - 1);
}

fn fills_up_with_two_pages(capacity: usize) {
    let mut book = ChallengeBook::with_capacity(&[7; 32], VALIDITY, capacity);
    let ada = handle("ada");
    // Three challenges on three pages; there is room for two pages.
    let mut on_pages = Vec::new();
    for page in 0..3 {
        on_pages.push(book.issue(at(page), &ada));
        for _ in 1..PAGE_SERIALS {
            book.issue(at(page), &ada);
        }
    }
    assert_eq!(book.spend(at(10), &ada, &on_pages[0]), Ok(()));
    assert_eq!(book.spend(at(10), &ada, &on_pages[1]), Ok(()));
    assert_eq!(book.spend(at(10), &ada, &on_pages[2]), Err(SpendProblem::Full));
    assert_eq!(book.check(at(10), &ada, &on_pages[2]), Ok(()), "what was not spent stays valid");
    assert_eq!(book.spend(at(250_000), &ada, &on_pages[2]), Err(SpendProblem::Full));
    let spent = Err(ChallengeProblem::Spent);
    assert_eq!(book.check(at(299_999), &ada, &on_pages[0]), spent, "nothing is forgotten early");
    let later = book.issue(at(320_000), &ada);
    assert_eq!(book.spend(at(320_001), &ada, &later), Ok(()));
    assert_eq!(book.bytes(), PAGE_COST, "both old pages are gone");
}

#[test]
fn a_page_is_forgotten_as_soon_as_nobody_can_ask_for_what_is_on_it() {
    let (mut book, ada) = (book(), handle("ada"));
    let old = book.issue(at(0), &ada);
    for _ in 1..PAGE_SERIALS {
        book.issue(at(0), &ada);
    }
    assert_eq!(book.spend(at(0), &ada, &old), Ok(()));
    let gone = at(0) + VALIDITY + LATE;
    for (time, pages) in [(gone - Span::from_millis(1), 2), (gone, 1)] {
        let new = book.issue(time, &ada);
        assert_eq!(book.spend(time, &ada, &new), Ok(()));
        assert_eq!(book.bytes(), pages * PAGE_COST, "at {time}");
    }
}

#[test]
fn a_page_is_counted_with_its_place_in_the_map_and_not_much_more() {
    let least = PAGE_BYTES + size_of::<(u64, Page)>();
    assert!((least..2 * least).contains(&PAGE_COST), "{PAGE_COST} for {least}");
}

#[test]
fn a_stamp_is_judged_exactly_although_later_ones_were_seen() {
    let (mut book, ada, bob) = (book(), handle("ada"), handle("bob"));
    let challenge = book.issue(at(0), &ada);
    let other = book.issue(at(0), &bob);
    book.spend(at(1), &bob, &other).unwrap();
    let later = book.issue(at(305_000), &bob);
    book.spend(at(305_000), &bob, &later).unwrap();
    assert_eq!(book.check(at(299_999), &ada, &challenge), Ok(()));
    assert_eq!(book.check(at(1), &bob, &other), Err(ChallengeProblem::Spent));
    book.issue(at(310_000), &bob);
    assert_eq!(book.check(at(299_999), &ada, &challenge), Err(ChallengeProblem::Expired), "too late");
}

/// What happens to a book: time passes, then something is done.
#[derive(Clone, Debug)]
enum Act {
    Issue { to: usize },
    Spend { which: usize, by: usize },
    Check { which: usize, by: usize },
}

proptest! {
    #[test]
    fn the_book_agrees_with_a_set_of_spent_challenges(
        acts in prop::collection::vec((0_i64..400, act()), 1..200)
    ) {
        let validity = Span::from_millis(3_000);
        let mut book = ChallengeBook::new(&[7; 32], validity);
        let names = ["ada", "bob"].map(handle);
        let mut issued: Vec<(usize, i64, Challenge)> = Vec::new();
        let mut spent: BTreeSet<Challenge> = BTreeSet::new();
        let mut now = 0;
        for (pause, act) in acts {
            now += pause;
            let expected = |which: usize, by: usize, spent: &BTreeSet<Challenge>| {
                let (owner, since, challenge) = issued[which % issued.len()];
                let verdict = if owner != by {
                    Err(ChallengeProblem::Unknown)
                } else if now - since >= 3_000 {
                    Err(ChallengeProblem::Expired)
                } else if spent.contains(&challenge) {
                    Err(ChallengeProblem::Spent)
                } else {
                    Ok(())
                };
                (challenge, verdict)
            };
            match act {
                Act::Issue { to } => issued.push((to, now, book.issue(at(now), &names[to]))),
                Act::Spend { .. } | Act::Check { .. } if issued.is_empty() => {}
                Act::Check { which, by } => {
                    let (challenge, verdict) = expected(which, by, &spent);
                    prop_assert_eq!(book.check(at(now), &names[by], &challenge), verdict);
                }
                Act::Spend { which, by } => {
                    let (challenge, verdict) = expected(which, by, &spent);
                    let came = book.spend(at(now), &names[by], &challenge);
                    prop_assert_eq!(came, verdict.map_err(SpendProblem::Refused));
                    if verdict.is_ok() {
                        spent.insert(challenge);
                    }
                }
            }
            prop_assert!(book.bytes() <= limits::SPENT_CHALLENGE_BYTES);
        }
    }
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0_usize..2).prop_map(|to| Act::Issue { to }),
        (any::<usize>(), 0_usize..2).prop_map(|(which, by)| Act::Spend { which, by }),
        (any::<usize>(), 0_usize..2).prop_map(|(which, by)| Act::Check { which, by }),
    ]
}

fn book() -> ChallengeBook {
    ChallengeBook::new(&[7; 32], VALIDITY)
}

fn handle(name: &str) -> Handle {
    Handle::parse(name).unwrap_or_else(|| panic!("{}", format!("{name} is no handle")))
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(START + millis)
}
