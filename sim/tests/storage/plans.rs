//! Random plans of faults over several lives of a journal: acknowledged batches are there, or the journal refuses to
//! open; and it refuses only after a fault that no journal can survive.

use crate::subject::{append_while_possible, check_records, recover};
use hall_journal::Journal as _;
use hall_sim::storage::{Fault, FaultPlan, Pieces, SimDisk, SimJournal, Squeeze, Survival, Unit, fuzz};
use proptest::prelude::*;

/// One life: its faults, how many batches it tries, and how it ends.
#[derive(Clone, Debug)]
struct Life {
    plan: FaultPlan,
    batches: u64,
    killed: bool,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_number_of_tolerated_faults_loses_nothing_and_causes_no_refusal(
        seed: u64,
        lives in lives(Fault::ALL.into_iter().filter(|fault| fault.is_promised()).collect()),
    ) {
        let (acked, disk) = live(seed, &lives);
        let found = recover(&disk).unwrap();
        check_records(acked, &found).unwrap();
    }

    #[test]
    fn any_number_of_any_faults_loses_nothing_or_causes_a_refusal(
        seed: u64,
        lives in lives(Fault::ALL.to_vec()),
    ) {
        let (acked, disk) = live(seed, &lives);
        let events = disk.take_events();
        let broken = |name: &str| Fault::ALL.iter().any(|fault| fault.name() == name && !fault.is_promised());
        match recover(&disk) {
            Ok(found) => check_records(acked, &found).unwrap(),
            Err(refusal) => prop_assert!(events.iter().any(|event| broken(event.fault)), "{refusal}"),
        }
    }

    #[test]
    fn opening_arbitrary_bytes_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        fuzz::open_bytes(&bytes);
    }
}

/// Runs the lives, and ends with a disk without faults. Returns the last acknowledged batch.
fn live(seed: u64, lives: &[Life]) -> (u64, std::sync::Arc<SimDisk>) {
    let disk = SimDisk::new(seed);
    let mut acked = 0;
    for life in lives {
        let mut plan = life.plan.clone();
        if let Some(squeeze) = &mut plan.squeeze {
            squeeze.full_at_call += disk.calls();
        }
        disk.plan(plan);
        if let Ok(mut journal) = SimJournal::open(&disk) {
            let from = journal.position().batch;
            assert!(from >= acked, "{from} batches where {acked} were acknowledged");
            acked = append_while_possible(&mut journal, from + 1, from + life.batches);
            if life.batches % 4 == 0 {
                drop(Box::new(journal).close());
            }
        }
        if life.killed && !disk.is_down() { disk.kill() } else { disk.crash() }
    }
    disk.plan(FaultPlan::default());
    (acked, disk)
}

fn lives(faults: Vec<Fault>) -> impl Strategy<Value = Vec<Life>> {
    let chance = (prop::sample::select(faults), 0..40_000_u32);
    let pieces = prop::sample::select(vec![
        Pieces::Nothing,
        Pieces::Length,
        Pieces::Everything,
        Pieces::FirstHalf,
        Pieces::SecondHalf,
        Pieces::Drawn,
    ]);
    let unit = prop::sample::select(vec![Unit::Sector, Unit::Block]);
    let squeeze = prop::option::weighted(0.2, (0..60_u64, 1..60_u64)).prop_map(|found| {
        found.map(|(full_at_call, over_calls)| Squeeze { full_at_call, over_calls, from_bytes: 1 << 20 })
    });
    let plan = (prop::collection::vec(chance, 0..4), unit, pieces, squeeze).prop_map(
        |(chances, unit, pieces, squeeze)| FaultPlan {
            chances,
            squeeze,
            survival: Survival::of(unit, pieces),
            ..FaultPlan::default()
        },
    );
    let life =
        (plan, 0..9_u64, any::<bool>()).prop_map(|(plan, batches, killed)| Life { plan, batches, killed });
    prop::collection::vec(life, 1..6)
}
