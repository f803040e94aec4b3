//! The agents of the small worlds, their settings and their requests.

use hall_core::{
    AdapterKind, Choice, Command, DeskCommand, Division, Filing, HallKeys, HallSettings, JoinLobby,
    MoveSubmission, NewAgent, SignatureCheck, SignedBody, Timing, ToolAccess, Word,
};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Digest, GameId, Handle, OperatorId, PublicKey, Signature, Span, Timestamp};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// When the small worlds begin: a day in November 2026.
pub(crate) const BEGIN: Timestamp = Timestamp::from_millis(1_795_176_000_000);
/// Time for one move: so short that missing it does not count as a pause of the hall.
pub(crate) const MOVE_TIME: Span = Span::from_secs(4);

pub(crate) fn settings() -> HallSettings {
    let chess = Timing { move_time: MOVE_TIME, side_time: Some(Span::from_secs(40)) };
    HallSettings {
        feedback_per_day: 2,
        timing: BTreeMap::from([(Word::parse("chess").unwrap(), chess)]),
        ..HallSettings::default()
    }
}

pub(crate) fn keys() -> HallKeys {
    HallKeys { log: "hall.sim+00000000+AA==".to_owned(), ring: "whpk_AA==".to_owned() }
}

/// The agents of the small worlds.
pub(crate) const NAMES: [&str; 4] = ["ada", "bob", "cleo", "dan"];

/// The key of an agent. Making one takes longer than a whole decision, so they are made once.
fn key(name: &str) -> PublicKey {
    static KEYS: LazyLock<[PublicKey; 4]> = LazyLock::new(|| {
        NAMES.map(|name| PrivateKey::from_seed(Digest::of(name.as_bytes()).as_bytes()).public())
    });
    KEYS[NAMES.iter().position(|known| *known == name).unwrap()]
}

/// The agent of this name, registered or not.
pub(crate) fn agent(name: &str) -> AgentId {
    AgentId::of_key(&key(name))
}

/// A registration under its own operator.
pub(crate) fn registration(name: &str) -> Command {
    let mut operator = [0; 16];
    operator.copy_from_slice(&Digest::of(name.as_bytes()).as_bytes()[..16]);
    Command::Desk(DeskCommand::RegisterAgent(NewAgent {
        handle: Handle::parse(name).unwrap(),
        key: key(name),
        operator: OperatorId::from_bytes(operator),
        operator_name: None,
        model_id: "model".to_owned(),
        adapter_kind: None,
    }))
}

pub(crate) fn filing(name: &str) -> Command {
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
    Command::Desk(DeskCommand::FileHomologation { agent: agent(name), filing })
}

pub(crate) fn join() -> Command {
    let (game, variant) = ("chess".to_owned(), "standard".to_owned());
    Command::Desk(DeskCommand::JoinLobby(JoinLobby { game, variant, division: Division::Open }))
}

/// A move request as it comes from the gate; the caller fills in what it asks for.
pub(crate) fn request(game: GameId, turn_index: u32, choice: Option<Choice>) -> MoveSubmission {
    let body = format!("{{\"game_id\":\"{game}\",\"turn_index\":{turn_index}}}");
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
