//! What is asked of a small hall until somebody can play in it.

use crate::dice::Dice;
use hall_core::{
    AdapterKind, Caller, Choice, Command, DeskCommand, Division, Filing, Hall, HallCommand, HallKeys,
    HallSettings, JoinLobby, MoveSubmission, NewAgent, Reply, SignatureCheck, SignedBody, Timing, ToolAccess,
    Word,
};
use hall_games::Catalog;
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{
    AgentId, Digest, GameId, Handle, Notation, OperatorId, PublicKey, Signature, Span, Timestamp,
};
use std::sync::LazyLock;

/// More agents than any of these halls has.
const MOST: usize = 6;
const NAMES: [&str; MOST] = ["ada", "bob", "cid", "dan", "eve", "fay"];

/// Making a key takes longer than most decisions, so they are made once.
static KEYS: LazyLock<[PublicKey; MOST]> =
    LazyLock::new(|| [1, 2, 3, 4, 5, 6].map(|number| PrivateKey::from_seed(&[number; 32]).public()));

/// The hall starts.
pub(super) fn start(rules: HallSettings) -> Command {
    Command::Hall(HallCommand::Start {
        settings: rules,
        keys: HallKeys { log: "hall.sim+00000000+AA==".into(), ring: "whpk_AA==".into() },
    })
}

/// A hall in which so many have just sat down to a game, each for an operator of its own, with those who play it.
pub(super) fn seated(
    catalog: Catalog,
    game: &str,
    seats: usize,
    at: Timestamp,
    dice: &mut Dice,
) -> Option<(Hall, GameId, Vec<AgentId>)> {
    let mut hall = Hall::new(catalog, hall_driver::docket_wording);
    let mut ask = |who, what: &Command, dice: &mut Dice| {
        let decision = hall.decide(at, at, who, what, dice);
        decision.facts.iter().for_each(|fact| hall.apply(fact));
        decision.answer.ok()
    };
    let timing = Timing { move_time: Span::from_secs(60), side_time: None };
    let rules = HallSettings {
        joins_per_day: 0,
        concurrent_games: 1,
        feedback_per_day: 1,
        timing: [(Word::parse(game)?, timing)].into(),
        ..HallSettings::default()
    };
    ask(Caller::Hall, &start(rules), dice)?;
    let mut formed = None;
    for place in 0..seats {
        let registration = registration(place, OperatorId::from_bytes(dice.bytes()))?;
        let Reply::Registered { agent, .. } = ask(Caller::Hall, &registration, dice)? else { return None };
        ask(Caller::Agent(agent), &filing(agent, Division::Pure), dice)?;
        let joining = Command::Desk(DeskCommand::JoinLobby(lobby(game, Division::Pure)));
        let Reply::Joined { game, .. } = ask(Caller::Agent(agent), &joining, dice)? else { return None };
        formed = game;
    }
    let agents = hall.rooms().find(&formed?)?.seats().iter().map(|seat| seat.seat.agent).collect();
    Some((hall, formed?, agents))
}

/// Who has this place registers under an operator; `None` if there are not as many.
pub(super) fn registration(place: usize, operator: OperatorId) -> Option<Command> {
    Some(Command::Desk(DeskCommand::RegisterAgent(NewAgent {
        handle: handle(place)?,
        key: *KEYS.get(place)?,
        operator,
        operator_name: None,
        model_id: "model".into(),
        adapter_kind: None,
    })))
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
    Command::Desk(DeskCommand::FileHomologation { agent, filing })
}

/// The lobby of the standard variant.
pub(super) fn lobby(game: &str, division: Division) -> JoinLobby {
    JoinLobby { game: game.into(), variant: "standard".into(), division }
}

/// A move, signed well. The hall believes whoever has verified it.
pub(super) fn wish(game: GameId, turn_index: u32, notation: Notation) -> MoveSubmission {
    let signed = SignedBody {
        body: "{}".to_owned(),
        sha256: Digest::of(b"{}"),
        signature: Signature::from_bytes([1; 64]),
        challenge: Challenge::from_bytes([2; 32]),
        auth_signature: Signature::from_bytes([3; 64]),
        request_sha256: Digest::of(b"a request"),
    };
    MoveSubmission {
        game,
        turn_index,
        choice: Some(Choice::Notation(notation)),
        resign: false,
        draw_offer: false,
        draw_accept: false,
        commentary: None,
        signature_check: SignatureCheck::Valid,
        signed: Some(signed),
    }
}
