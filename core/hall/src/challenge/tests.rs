//! What the book promises, and the same against a plain register of what was issued.

use super::*;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;

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
fn a_challenge_recognised_twice_is_spent_only_once() {
    let (mut book, ada) = (book(), handle("ada"));
    let challenge = book.issue(at(0), &ada);
    let [first, second] = [at(1), at(2)].map(|at| book.recognise(at, &ada, &challenge).unwrap());
    assert_eq!(book.spend_recognised(at(1), first), Ok(()));
    let spent = SpendProblem::Refused(ChallengeProblem::Spent);
    assert_eq!(book.spend_recognised(at(2), second), Err(spent));
}

#[test]
fn a_recognised_challenge_can_expire_before_it_is_spent() {
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
fn a_page_is_forgotten_as_soon_as_none_of_its_challenges_can_be_asked_for() {
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
fn the_cost_of_a_page_includes_its_map_entry_and_little_more() {
    let least = PAGE_BYTES + size_of::<(u64, Page)>();
    assert!((least..2 * least).contains(&PAGE_COST), "{PAGE_COST} for {least}");
}

#[test]
fn a_stamp_is_judged_exactly_even_after_later_ones() {
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

/// A model of the challenges issued and spent (specification 2.5 and 5.3).
#[derive(Default)]
struct Register {
    latest: i64,
    /// Whether nothing can be remembered.
    full: bool,
    known: BTreeMap<Challenge, Known>,
}

struct Known {
    handle: Handle,
    issued: i64,
    spent: bool,
}

impl Register {
    fn verdict(&self, at: i64, handle: &Handle, challenge: &Challenge) -> Result<(), ChallengeProblem> {
        // A request that is checked later than this after its stamp counts as exactly this late.
        let (late, validity) = (10_000, 300_000);
        match self.known.get(challenge).filter(|known| known.handle == *handle && known.issued <= at) {
            None => Err(ChallengeProblem::Unknown),
            Some(known) if at.max(self.latest - late) >= known.issued + validity => {
                Err(ChallengeProblem::Expired)
            }
            Some(known) if known.spent => Err(ChallengeProblem::Spent),
            Some(_) => Ok(()),
        }
    }

    fn spend(&mut self, at: i64, handle: &Handle, challenge: &Challenge) -> Result<(), SpendProblem> {
        self.verdict(at, handle, challenge).map_err(SpendProblem::Refused)?;
        self.latest = self.latest.max(at);
        if self.full {
            return Err(SpendProblem::Full);
        }
        self.known.get_mut(challenge).unwrap().spent = true;
        Ok(())
    }
}

/// What happens to a book, at random and at the edges of validity.
#[derive(Clone, Debug)]
struct Run {
    /// Challenges that are issued before the steps: now and then so many that the steps reach a second page.
    before: u64,
    full: bool,
    steps: Vec<(i64, Act)>,
}

#[derive(Clone, Debug)]
enum Act {
    Issue { to: usize, elsewhere: bool },
    Use(Use),
}

/// A challenge is checked, and perhaps spent.
#[derive(Clone, Debug)]
struct Use {
    spends: bool,
    which: Index,
    /// One of the last is likelier to be of use.
    recent: bool,
    flipped: Option<usize>,
    /// Who uses it, unless it is the one to whom it was issued.
    other: Option<usize>,
    /// The stamp, in milliseconds after the issue, unless it is the present.
    edge: Option<i64>,
}

/// Names of which some begin with another.
const NAMES: [&str; 4] = ["ada", "adam", "adam-1", "eve"];

fn runs() -> impl Strategy<Value = Run> {
    let pauses = vec![0, 1, -1, -5_000, 9_999, 10_000, 10_001, 299_999, 300_000, 300_001, 310_000];
    let jump = prop_oneof![1 => select(pauses), 3 => 0_i64..2_000];
    let used = (
        prop::bool::weighted(0.7),
        any::<Index>(),
        prop::bool::weighted(0.7),
        prop::option::weighted(0.08, 0_usize..256),
        prop::option::weighted(0.15, 0_usize..4),
        prop::option::weighted(0.4, select(vec![-1, 0, 299_999, 300_000, 300_001])),
    );
    let used = used.prop_map(|(spends, which, recent, flipped, other, edge)| {
        Act::Use(Use { spends, which, recent, flipped, other, edge })
    });
    let issue = (0_usize..4, prop::bool::weighted(0.15));
    let issue = issue.prop_map(|(to, elsewhere)| Act::Issue { to, elsewhere });
    let act = prop_oneof![1 => issue, 3 => used];
    let before = prop_oneof![19 => Just(0), 1 => Just(PAGE_SERIALS - 16)];
    let steps = prop::collection::vec((jump, act), 60..120);
    (before, prop::bool::weighted(0.25), steps).prop_map(|(before, full, steps)| Run { before, full, steps })
}

/// Issues, checks and spends; spends by what is given for it.
fn compare(
    Run { before, full, steps }: Run,
    mut spend: impl FnMut(&mut ChallengeBook, Timestamp, &Handle, &Challenge) -> Result<(), SpendProblem>,
) -> Result<(), TestCaseError> {
    let capacity = if full { 0 } else { limits::SPENT_CHALLENGE_BYTES };
    let mut book = ChallengeBook::with_capacity(&[7; 32], VALIDITY, capacity);
    let mut elsewhere = ChallengeBook::new(&[8; 32], VALIDITY);
    let mut register = Register { full, ..Register::default() };
    let mut issued: Vec<Challenge> = Vec::new();
    let handles = NAMES.map(handle);
    let hasty = (0..before).map(|_| (1, Act::Issue { to: 0, elsewhere: false }));
    let mut now = START;
    for (pause, act) in hasty.chain(steps) {
        now += pause;
        let used = match act {
            Act::Use(used) => used,
            Act::Issue { to, elsewhere: other } => {
                let challenge = book.issue(Timestamp::from_millis(now), &handles[to]);
                register.latest = register.latest.max(now);
                let known = Known { handle: handles[to].clone(), issued: register.latest, spent: false };
                prop_assert!(register.known.insert(challenge, known).is_none(), "issued twice");
                issued.push(challenge);
                issued.extend(other.then(|| elsewhere.issue(Timestamp::from_millis(now), &handles[to])));
                continue;
            }
        };
        let recent = if used.recent { issued.len().saturating_sub(12) } else { 0 };
        let Some(challenge) = issued[recent..].get(used.which.index((issued.len() - recent).max(1))) else {
            continue;
        };
        let mut bytes = *challenge.as_bytes();
        used.flipped.into_iter().for_each(|bit| bytes[bit / 8] ^= 1 << (bit % 8));
        let challenge = Challenge::from_bytes(bytes);
        let own = register.known.get(&challenge).map(|known| (known.handle.clone(), known.issued));
        let other = handles[used.other.unwrap_or(0)].clone();
        let by = own.clone().filter(|_| used.other.is_none()).map_or(other, |(handle, _)| handle);
        let at = own.zip(used.edge).map_or(now, |((_, issued), edge)| issued + edge);
        let stamp = Timestamp::from_millis(at);
        let expected = register.verdict(at, &by, &challenge);
        prop_assert_eq!(book.check(stamp, &by, &challenge), expected, "{:?} at {}", used, at);
        if used.spends {
            let expected = register.spend(at, &by, &challenge);
            prop_assert_eq!(spend(&mut book, stamp, &by, &challenge), expected, "{:?} at {}", used, at);
        }
        prop_assert!(book.bytes() <= capacity);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_book_agrees_with_a_register_of_what_was_issued(run in runs()) {
        compare(run, ChallengeBook::spend)?;
    }
}

#[test]
fn every_planted_fault_of_the_book_is_noticed() {
    type Spend = fn(&mut ChallengeBook, Timestamp, &Handle, &Challenge) -> Result<(), SpendProblem>;
    let faults: [(&str, Spend); 3] = [
        ("checks", |book, at, by, it| book.check(at, by, it).map_err(SpendProblem::Refused)),
        ("late", |book, at, by, it| book.spend(at + Span::from_millis(1), by, it)),
        ("anyhow", |book, at, by, it| match book.spend(at, by, it) {
            Err(SpendProblem::Full) => Ok(()),
            other => other,
        }),
    ];
    for (name, spend) in faults {
        assert!(TestRunner::deterministic().run(&runs(), |run| compare(run, spend)).is_err(), "{name}");
    }
}

#[test]
fn what_one_process_issues_any_other_recognises_and_the_leader_spends_once() {
    let shared = |process| ChallengeBook::shared(&[7; 32], VALIDITY, process);
    let (mut leader, mut first, mut second) = (shared(0), shared(1), shared(2));
    let ada = handle("ada");
    // The clock of the second is behind: it uses what the first has issued before its own clock shows that time.
    let challenge = first.issue(at(1_000), &ada);
    let recognised = second.recognise(at(990), &ada, &challenge).unwrap();
    let (serial, issued) = recognised.parts();
    assert_eq!(issued, at(1_000));
    let told = Recognised::elsewhere(serial, issued);
    assert_eq!(leader.spend_recognised(at(990), told), Ok(()));
    let spent = Err(SpendProblem::Refused(ChallengeProblem::Spent));
    assert_eq!(leader.spend_recognised(at(1_001), told), spent);
    let others = [leader.issue(at(1_000), &ada), second.issue(at(1_000), &ada)];
    assert!(!others.contains(&challenge), "no two processes issue the same");
    for other in others {
        assert_eq!(leader.spend(at(1_002), &ada, &other), Ok(()));
    }
    assert_eq!(leader.bytes(), 3 * PAGE_COST);
    // Once they have expired, a page of any process is given back.
    let later = second.issue(at(400_000), &ada);
    assert_eq!(leader.spend(at(400_001), &ada, &later), Ok(()));
    assert_eq!(leader.bytes(), PAGE_COST);
    assert_eq!(
        ChallengeBook::shared(&[8; 32], VALIDITY, 0).check(at(400_001), &ada, &later),
        Err(ChallengeProblem::Unknown),
        "another leader has another secret"
    );
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
