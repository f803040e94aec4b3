//! What a move costs the single writer, without network, signatures or disk: prints microseconds per part.
//!
//! `cargo run --release -p hall-driver --example move_cost`

use hall_core::rooms::Room;
use hall_core::{
    AdapterKind, Caller, Choice, Command, DeskCommand, Division, Entropy, Filing, Hall, HallCommand,
    HallKeys, HallSettings, JoinLobby, MoveSubmission, NewAgent, Reply, RoomCommand, SignatureCheck,
    SignedBody, Timing, ToolAccess, Word,
};
use hall_driver::JournalEntry;
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Digest, GameId, Handle, OperatorId, Signature, Span, Timestamp};
use std::sync::Arc;
use std::time::{Duration, Instant};

const GAMES: usize = 500;
const PLIES: usize = 40;

struct Counting(u64);

impl Entropy for Counting {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0 += 1;
        let digest = Digest::of(&self.0.to_be_bytes());
        bytes.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
    }
}

#[derive(Default)]
struct Cost {
    decide: Duration,
    encode: Duration,
    apply: Duration,
    bytes: usize,
}

fn main() {
    let mut hall = Hall::new(hall_games::CATALOG, hall_driver::docket_wording);
    let mut entropy = Counting(0);
    let now = Timestamp::from_millis(1_795_000_000_000);
    let keys = HallKeys { log: "log".to_owned(), ring: "ring".to_owned() };
    run(
        &mut hall,
        now,
        Caller::Hall,
        &Command::Hall(HallCommand::Start { settings: settings(), keys }),
        &mut entropy,
    );
    let agents: Vec<AgentId> =
        [("ada", 1), ("bob", 2)].map(|(name, op)| register(&mut hall, now, name, op, &mut entropy)).into();
    let mut games = Vec::new();
    for _ in 0..GAMES {
        for agent in &agents {
            let lobby = JoinLobby {
                game: "chess".to_owned(),
                variant: "standard".to_owned(),
                division: Division::Open,
            };
            let reply = run(
                &mut hall,
                now,
                Caller::Agent(*agent),
                &Command::Desk(DeskCommand::JoinLobby(lobby)),
                &mut entropy,
            );
            if let Reply::Joined { game: Some(game), .. } = reply {
                games.push(game);
            }
        }
    }
    let mut cost = Cost::default();
    let mut moves = 0_u32;
    for ply in 0..PLIES {
        for game in &games {
            moves += u32::from(play(&mut hall, now, *game, ply, &mut entropy, &mut cost));
        }
    }
    let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(moves);
    println!(
        "{{\"moves\":{moves},\"decide_us\":{:.2},\"encode_us\":{:.2},\"apply_us\":{:.2},\"bytes_per_move\":{}}}",
        each(cost.decide),
        each(cost.encode),
        each(cost.apply),
        cost.bytes / usize::try_from(moves).unwrap_or(1).max(1),
    );
}

fn play(
    hall: &mut Hall,
    now: Timestamp,
    game: GameId,
    ply: usize,
    entropy: &mut Counting,
    cost: &mut Cost,
) -> bool {
    let Some(room) = hall.rooms().find(&game).map(Arc::clone) else { return false };
    let Some(player) = room.to_move().iter().next() else { return false };
    let legal = room.legal_moves(player);
    let choice = legal.get((ply * 7 + 3) % legal.len()).map(|entry| Choice::Notation(entry.notation));
    let Some(agent) = room.seat(player).map(|seat| seat.seat.agent) else { return false };
    let what = Command::Room(RoomCommand::Submit(request(&room, choice)));
    drop(room);
    let clock = Instant::now();
    let decision = hall.decide(now, now, Caller::Agent(agent), &what, entropy);
    cost.decide += clock.elapsed();
    let clock = Instant::now();
    let who = Caller::Agent(agent);
    let entry = JournalEntry {
        v: 1,
        at: now,
        stamp: now,
        who,
        what,
        entropy: String::new(),
        facts: decision.facts,
        away_since: None,
    };
    cost.bytes += entry.encode().len();
    cost.encode += clock.elapsed();
    let clock = Instant::now();
    entry.facts.iter().for_each(|fact| hall.apply(fact));
    cost.apply += clock.elapsed();
    true
}

fn request(room: &Room, choice: Option<Choice>) -> MoveSubmission {
    let (game, turn_index) = (room.id(), room.turn_index());
    let body = format!("{{\"game_id\":\"{game}\",\"move\":\"e2e4\",\"turn_index\":{turn_index}}}");
    MoveSubmission {
        game,
        turn_index,
        choice,
        resign: false,
        draw_offer: false,
        draw_accept: false,
        commentary: None,
        signature_check: SignatureCheck::Valid,
        signed: Some(SignedBody {
            sha256: Digest::of(body.as_bytes()),
            body,
            signature: Signature::from_bytes([1; 64]),
            challenge: Challenge::from_bytes([2; 32]),
            auth_signature: Signature::from_bytes([3; 64]),
            request_sha256: Digest::of(b"request"),
        }),
    }
}

fn settings() -> HallSettings {
    let chess = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(2_400)) };
    HallSettings {
        joins_per_day: 0,
        concurrent_games: 0,
        timing: [(Word::parse("chess").expect("a word"), chess)].into(),
        ..HallSettings::default()
    }
}

fn register(hall: &mut Hall, now: Timestamp, name: &str, operator: u8, entropy: &mut Counting) -> AgentId {
    let new = NewAgent {
        handle: Handle::parse(name).expect("a handle"),
        key: PrivateKey::from_seed(Digest::of(name.as_bytes()).as_bytes()).public(),
        operator: OperatorId::from_bytes([operator; 16]),
        operator_name: None,
        model_id: "model".to_owned(),
        adapter_kind: None,
    };
    let agent = AgentId::of_key(&new.key);
    run(hall, now, Caller::Hall, &Command::Desk(DeskCommand::RegisterAgent(new)), entropy);
    let filing = Filing {
        season_id: "current".to_owned(),
        division: Division::Open,
        model_id: "model".to_owned(),
        adapter_kind: AdapterKind::Api,
        endpoint_url: None,
        system_prompt_sha256: Digest::of(b"prompt"),
        config_sha256: Digest::of(b"config"),
        tool_access: ToolAccess::Pure,
    };
    run(
        hall,
        now,
        Caller::Agent(agent),
        &Command::Desk(DeskCommand::FileHomologation { agent, filing }),
        entropy,
    );
    agent
}

fn run(hall: &mut Hall, now: Timestamp, who: Caller, what: &Command, entropy: &mut Counting) -> Reply {
    let decision = hall.decide(now, now, who, what, entropy);
    decision.facts.iter().for_each(|fact| hall.apply(fact));
    decision.answer.expect("granted")
}
