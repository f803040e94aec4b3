//! What is asked of a small hall until somebody can play in it.

use hall_core::{AdapterKind, Command, Division, Filing, HallKeys, JoinLobby, NewAgent, Rules, ToolAccess};
use hall_wire::key::PrivateKey;
use hall_wire::{AgentId, Digest, Handle, OperatorId, PublicKey};
use std::sync::LazyLock;

/// More agents than any of these halls has.
const MOST: usize = 6;
const NAMES: [&str; MOST] = ["ada", "bob", "cid", "dan", "eve", "fay"];

/// Making a key takes longer than most decisions, so they are made once.
static KEYS: LazyLock<[PublicKey; MOST]> =
    LazyLock::new(|| [1, 2, 3, 4, 5, 6].map(|number| PrivateKey::from_seed(&[number; 32]).public()));

/// The hall starts.
pub(super) fn start(rules: Rules) -> Command {
    Command::StartHall {
        rules,
        keys: HallKeys { log: "hall.sim+00000000+AA==".into(), ring: "whpk_AA==".into() },
    }
}

/// Who has this place registers under an operator; `None` if there are not as many.
pub(super) fn registration(place: usize, operator: OperatorId) -> Option<Command> {
    Some(Command::RegisterAgent(NewAgent {
        handle: handle(place)?,
        key: *KEYS.get(place)?,
        operator,
        operator_name: None,
        model_id: "model".into(),
        adapter_kind: None,
    }))
}

pub(super) fn handle(place: usize) -> Option<Handle> {
    Handle::parse(NAMES.get(place)?)
}

/// An agent files for a division of the season that is open.
pub(super) fn filing(agent: AgentId, division: Division) -> Command {
    let filing = Filing {
        season_id: "current".into(),
        division,
        model_id: "model".into(),
        adapter_kind: AdapterKind::Api,
        endpoint_url: None,
        system_prompt_sha256: Digest::of(b"prompt"),
        config_sha256: Digest::of(b"config"),
        tool_access: ToolAccess::Pure,
    };
    Command::FileHomologation { agent, filing }
}

/// The lobby of the standard variant.
pub(super) fn lobby(game: &str, division: Division) -> JoinLobby {
    JoinLobby { game: game.into(), variant: "standard".into(), division }
}
