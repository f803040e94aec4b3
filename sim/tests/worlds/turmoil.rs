//! Whole worlds over real HTTP.

use hall_sim::plan::Profile;
use hall_sim::report::WorldReport;
use hall_sim::run::Choices;
use hall_sim::turmoil_world::{NetworkFaults, NetworkPlan, Traffic, run};
use hall_wire::Span;
use std::collections::BTreeSet;
use std::process::Command;
use std::time::Instant;

/// Runs a world and fails with its report unless it was clean.
fn clean(plan: &NetworkPlan) -> WorldReport {
    let report = run(plan);
    assert!(report.is_clean(), "{report:#?}");
    assert_eq!(report.games_ended, report.games_begun, "{report:#?}");
    report
}

fn storm(seed: u64, agents: usize) -> NetworkPlan {
    NetworkPlan::new(seed, agents, Span::from_secs(240), Profile::Storm)
}

/// A world with a visitor, redactions and a disk that runs full, and with a long game or a limit on requests.
fn with_everything(seed: u64, per_minute: u32) -> NetworkPlan {
    let mut plan = NetworkPlan::new(seed, 40, Span::from_secs(240), Profile::Swarm);
    plan.faults = NetworkFaults { full_disks: Some(Span::from_secs(60)), ..NetworkFaults::default() };
    (plan.redactions, plan.hostile, plan.visitor) = (Some(Span::from_secs(8)), 400, true);
    (plan.spectators, plan.researchers, plan.marathon) = (4, 2, per_minute == 0);
    plan.traffic = Traffic { per_minute, connections: 24, streams: 6, challenge_seconds: 45 };
    plan
}

/// Plays at least `least` of these worlds, and goes on until all of that is reached. Each of them must be clean.
fn reach(wanted: &[&str], least: usize, worlds: impl IntoIterator<Item = NetworkPlan>) {
    let mut reached = BTreeSet::new();
    let missed = |reached: &BTreeSet<String>| -> Vec<String> {
        wanted.iter().filter(|mark| !reached.contains(**mark)).map(ToString::to_string).collect()
    };
    for (played, plan) in worlds.into_iter().enumerate() {
        if played >= least && missed(&reached).is_empty() {
            break;
        }
        reached.extend(clean(&plan).marks);
    }
    let missed = missed(&reached);
    assert!(missed.is_empty(), "never reached: {missed:?}, but {reached:?}");
}

#[test]
fn honest_agents_in_a_calm_world_play_to_the_end_without_a_strike() {
    let report = clean(&NetworkPlan::new(1, 24, Span::from_secs(120), Profile::Calm));
    assert!(report.games_ended > 10, "{report:#?}");
    assert_eq!((report.strikes, report.starts), (0, 1), "{report:#?}");
}

#[test]
fn two_thousand_agents_play_complete_games_over_http() {
    let report = clean(&NetworkPlan::one_game_each(2, 2_000));
    assert_eq!((report.games_ended, report.strikes), (1_000, 0), "{report:#?}");
}

#[test]
fn worlds_with_some_faults_lose_no_acknowledged_move_and_every_game_ends() {
    for seed in 5..=8 {
        clean(&NetworkPlan::new(seed, 100, Span::from_secs(240), Profile::Swarm));
    }
}

#[test]
fn worlds_full_of_faults_lose_no_acknowledged_move_and_every_game_ends() {
    let wanted = [
        "fault:hall killed",
        "fault:power cut",
        "fault:disk fault",
        "fault:storage.failed_done",
        "fault:hall restarted",
        "fault:machine suspended",
        "fault:system clock set",
        "fault:site cut off",
        "fault:site cut off one way",
        "fault:messages held",
        "fault:link slow",
        "fault:link lossy",
        "fault:agents killed",
        "fault:connection reset in a request",
        "fault:connection reset in an answer",
        "fault:connection drips",
        "fault:connection half-open in a request",
        "fault:connection half-open in an answer",
        "fault:read failed",
        "fault:reader panicked",
        "answered:INTERNAL",
        "fact:strike",
        "fact:deadline_extended",
        "move:applied although its answer was lost",
        "move:refused while no writes are taken",
        "stream:resumed",
        "stream:to the end",
        "researcher:read a live game",
        "researcher:read again",
        "researcher:turned pages to the end",
        "researcher:verified with its log",
        "researcher:was refused a replay",
        "start:from a snapshot",
        "manner:used_before_restart",
        "manner:unsent_before_restart",
        "manner:challenge_before_restart",
        "agent:killed",
    ];
    reach(&wanted, 5, [1, 2, 3, 11, 14].into_iter().chain(19..30).map(|seed| storm(seed, 100)));
}

#[test]
fn a_flood_of_hostile_agents_is_refused_and_costs_no_honest_agent_a_strike() {
    let wanted = [
        "answered:AUTH_HANDLE_MISMATCH",
        "answered:AUTH_MISSING",
        "answered:CHALLENGE_SPENT",
        "answered:CHALLENGE_UNKNOWN",
        "answered:GAME_ID_MISMATCH",
        "answered:GAME_NOT_FOUND",
        "answered:HANDLE_TAKEN",
        "answered:INVALID_BODY",
        "answered:INVALID_JSON",
        "answered:KEY_ALREADY_REGISTERED",
        "answered:NOT_SEATED",
        "answered:SIG_INVALID",
        "answered:illegal_move",
        "answered:ok",
        "answered:wrong_turn",
        "fact:illegal_attempt",
        "fact:strike",
        "manner:challenge_flood",
        "manner:forged_body",
        "manner:forged_header",
        "manner:forged_move",
        "manner:half_a_body",
        "manner:half_a_head",
        "manner:handle_taken",
        "manner:idle_connection",
        "manner:illegal_move",
        "manner:invented_challenge",
        "manner:junk_bytes",
        "manner:junk_challenge",
        "manner:junk_signature",
        "manner:key_shared",
        "manner:malformed",
        "manner:missing_header",
        "manner:one_challenge",
        "manner:other_body",
        "manner:other_handle",
        "manner:other_key",
        "manner:other_path",
        "manner:others_challenge",
        "manner:others_filing",
        "manner:others_game",
        "manner:out_of_turn",
        "manner:race",
        "manner:replay",
        "manner:spent_by_refusal",
        "manner:stale_turn",
        "manner:text_posted",
        "manner:text_refused",
        "manner:text_spoken",
        "manner:third_illegal",
        "manner:unspent",
        "manner:view_flood",
        "manner:walked_away",
        "manner:weak_key",
    ];
    reach(&wanted, 3, (1..=6).map(|seed| NetworkPlan::new(seed, 60, Span::from_secs(200), Profile::Flood)));
}

#[test]
fn visitors_redactions_full_disks_and_slow_readers_are_met_without_a_violation() {
    let wanted = [
        "fault:disk full",
        "hall:low_disk_over",
        "manner:after_the_wait",
        "manner:challenge_in_time",
        "manner:challenge_too_late",
        "manner:feedback_posted",
        "manner:future_turn",
        "manner:token_guessed",
        "manner:too_many_connections",
        "manner:too_many_requests",
        "manner:too_many_streams",
        "researcher:asked for a tile that has no checkpoint yet",
        "researcher:looked for a withheld post",
        "researcher:looked for withheld commentary",
        "researcher:read a bundle of leaves",
        "researcher:read a full tile again",
        "researcher:read an older partial tile",
        "researcher:read an upper tile",
        "researcher:read on a full disk",
        "researcher:verified that one checkpoint follows another",
        "researcher:verified the place of a leaf",
        "researcher:verified the places of a game's leaves",
        "researcher:was refused to write on a full disk",
        "stream:not read for long",
        "stream:resumed far behind",
        "withheld:commentary",
        "withheld:feedback",
        "withheld:while a player looked",
    ];
    reach(&wanted, 4, (1..=8).map(|seed| with_everything(seed, if seed % 2 == 0 { 240 } else { 0 })));
}

#[test]
fn a_seed_gives_the_same_world_in_every_process_and_another_seed_a_different_world() {
    let here = hash_of_a_storm(3);
    assert_eq!(here, hash_of_a_storm(3));
    assert_ne!(here, hash_of_a_storm(4));
    let name = "turmoil::prints_the_hash_of_a_storm";
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args(["--exact", name, "--ignored", "--nocapture"]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains(&format!("hash {here}")), "{here} is not in: {printed}");
}

#[test]
fn worlds_of_every_profile_are_the_same_while_the_machine_is_busy() {
    let worlds = [
        (2, 3, Profile::Swarm),
        (101, 30, Profile::Swarm),
        (101, 30, Profile::Flood),
        (101, 30, Profile::Bells),
        (101, 30, Profile::Storm),
    ];
    let mut plans = worlds
        .map(|(seed, agents, profile)| NetworkPlan::new(seed, agents, Span::from_secs(150), profile))
        .to_vec();
    // Stopped every few seconds, so that a stop meets all that it can meet.
    let mut stopped = NetworkPlan::new(2, 40, Span::from_secs(120), Profile::Flood);
    stopped.faults.restarts = Some(Span::from_secs(20));
    plans.push(stopped);
    for plan in plans {
        let play = || run(&plan).trace_hash;
        let hashes = std::thread::scope(|scope| {
            let copies = [(); 4].map(|()| scope.spawn(play));
            copies.map(|copy| copy.join().unwrap())
        });
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{plan:?}: {hashes:?}");
    }
}

/// The first start died of a read before anything was durable (D1), an agent slept through its patience (T9), and a
/// stream that could not be read had given its place to another (V4).
#[test]
fn worlds_in_which_judges_once_objected_to_a_sound_hall_are_clean() {
    let worlds =
        [(5_008_019, Profile::Storm, 40), (5_991_002, Profile::Bells, 40), (7_016, Profile::Bells, 40)];
    for (seed, profile, agents) in worlds {
        clean(&Choices { agents: Some(agents), ..Choices::drawn(seed, profile) }.turmoil_plan());
    }
}

fn hash_of_a_storm(seed: u64) -> String {
    let mut plan = storm(seed, 30);
    plan.lasts = Span::from_secs(150);
    run(&plan).trace_hash
}

#[test]
#[ignore = "the other process of the test above"]
fn prints_the_hash_of_a_storm() {
    println!("hash {}", hash_of_a_storm(3));
}

/// Prints how a world goes; `HALL_SIM_WORLD` is `seed agents seconds profile`, with `once` for one game each.
#[test]
#[ignore = "measures, and asserts nothing"]
fn measures_a_world() {
    let asked = std::env::var("HALL_SIM_WORLD").unwrap_or_else(|_| "1 500 60 calm".to_owned());
    let [seed, agents, seconds, profile] = asked.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{asked}")
    };
    let (seed, agents) = (seed.parse().unwrap(), agents.parse().unwrap());
    let plan = match Profile::parse(profile) {
        Some(profile) => NetworkPlan::new(seed, agents, Span::from_secs(seconds.parse().unwrap()), profile),
        None => NetworkPlan::one_game_each(seed, agents),
    };
    let began = Instant::now();
    let report = run(&plan);
    let (wall, virtual_millis) = (began.elapsed(), report.virtual_millis);
    println!("{report:#?}");
    println!("wall {wall:?} for {virtual_millis} ms, hash {}", report.trace_hash);
}
