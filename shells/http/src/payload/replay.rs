//! The replay: all that a stranger needs to check an ended game without the hall.

use super::authored::Authored;
use super::by_player::ByPlayer;
use super::event::EventElement;
use super::game::{SeatRecord, seats};
use super::record::record;
use super::schema::payload;
use hall_core::rooms::{Attempt, BodyRecord, ForcedCause, Resolution, Room, RoomChange, RoomFact};
use hall_core::{Division, SeasonId, Word};
use hall_games::GameResult;
use hall_wire::json::Value;
use hall_wire::roll::RollHash;
use hall_wire::{Digest, GameId, Notation, Player, Signature, Span, Timestamp};

payload! {
    /// The beacon of a game after its end.
    pub ReplayBeacon as "ReplayBeacon" {
        /// The drand chain; null while the hall had no beacon.
        chain_hash: Option<Digest>,
        /// The round; null while the hall had no beacon.
        round: Option<u64>,
        /// `off`, `waiting`, `verified` or `missed`. A game that ended before its round was known, and needed no draw,
        /// stays `waiting`.
        status: &'static str,
        /// sha256 of the signature; null unless verified.
        randomness: Option<Digest>,
        /// Lowercase hexadecimal; null unless verified.
        signature: Option<String>,
    }

    /// One hash taken for a random draw.
    pub ReplayDraw as "ReplayDraw" {
        /// Its position within the turn, from 0.
        counter: u32,
        /// The draw is below this.
        n: u64,
        /// The first eight bytes of the hash, as 16 hexadecimal digits.
        x: String,
        /// The value drawn; null if x was rejected.
        value: Option<u64>,
    }

    /// An illegal move that was counted.
    pub ReplayAttempt as "ReplayAttempt" {
        /// When it arrived.
        at: Timestamp,
        /// The canonical text of the signed body; null if it is withheld.
        body: Option<Authored<String>>,
        /// sha256 of the body, there only if it is withheld.
        body_sha256 [skip_serializing_if = "Option::is_none"]: Option<Digest>,
        /// The body signature.
        signature: Signature,
        /// The challenge of the request.
        challenge: String,
        /// The header signature, which proves that the attempt was a separate request.
        auth_signature: Signature,
        /// sha256 of the raw request body.
        request_sha256: Digest,
    }

    /// One turn.
    pub ReplayMove as "ReplayMove" {
        /// Its index.
        turn_index: u32,
        /// Whose turn it was; null for an adjudication or abort.
        player: Option<Player>,
        /// When it began.
        started_at: Timestamp,
        /// The deadline that stood, before any wait for a beacon; null if no clock ran.
        deadline_utc: Option<Timestamp>,
        /// When it was resolved.
        at: Timestamp,
        /// The move applied; null if none was.
        notation: Option<Notation>,
        /// `deadline`, `illegal_moves` or `vacated` where the hall acted in the player's place, else null.
        forced: Option<&'static str>,
        /// The canonical text of the signed body without `signature`, exactly the bytes hashed; null if nobody signed or if it is
        /// withheld.
        body: Option<Authored<String>>,
        /// The body signature; null if nobody signed.
        signature: Option<Signature>,
        /// sha256 of body; null if nobody signed.
        body_sha256: Option<Digest>,
        /// Hash of the state after the turn.
        state_hash: Digest,
        /// Milliseconds left on the side clocks after the turn; null without side clocks.
        clocks_ms: Option<ByPlayer<u64>>,
        /// The random draws of the turn.
        draws: Vec<ReplayDraw>,
        /// The illegal moves counted in the turn.
        attempts: Vec<ReplayAttempt>,
    }

    /// An act of nature.
    pub ReplayAct as "ReplayAct" {
        /// The turn that began after it.
        turn_index: u32,
        /// When the hall acted.
        at: Timestamp,
        /// The complete outcome.
        outcome: String,
        /// The random draws of the act.
        draws: Vec<ReplayDraw>,
    }

    /// An action that was void because the game ended while it was sealed.
    pub ReplayUnresolved as "ReplayUnresolved" {
        /// Who acted.
        player: Player,
        /// The stamp of the request, or when the hall acted.
        at: Timestamp,
        /// The canonical text of the signed body; null if nobody signed or if it is withheld.
        body: Option<Authored<String>>,
        /// The body signature; null if nobody signed.
        signature: Option<Signature>,
    }

    /// Where a leaf stands in the log.
    pub ReplayLeaf as "ReplayLeaf" {
        /// The event.
        seq: u32,
        /// Its leaf.
        leaf_index: u64,
        /// The inclusion path, leaf to root.
        path: Vec<Digest>,
    }

    /// Where the registration of a player stands in the log.
    pub ReplayRegistration as "ReplayRegistration" {
        /// The player.
        player: Player,
        /// The canonical text of the leaf.
        leaf: Authored<String>,
        /// Its place.
        leaf_index: u64,
        /// The inclusion path, leaf to root.
        path: Vec<Digest>,
    }

    /// Proof that the log holds the game.
    pub ReplayLog as "ReplayLog" {
        /// The signed checkpoint, fixed; cosignatures of witnesses may still be added after the log's own signature.
        note: String,
        /// The events.
        leaves: Vec<ReplayLeaf>,
        /// The registrations of the players.
        registrations: Vec<ReplayRegistration>,
    }

    /// A whole ended game.
    pub ReplayRecord as "Replay" {
        /// `svc.replay.v1`.
        version: &'static str,
        /// The game.
        game_id: GameId,
        /// The game's id in the catalog.
        game: Word,
        /// The variant.
        variant: Word,
        /// The division.
        division: Division,
        /// The season.
        season_id: SeasonId,
        /// The version of the rules.
        ruleset_version: String,
        /// Who played, in seat order.
        seats: Vec<SeatRecord>,
        /// sha256 of `svc.seed.v1:` + game_id + `:` + seed.
        commitment: Digest,
        /// The seed.
        seed: Option<String>,
        /// The public randomness.
        beacon: ReplayBeacon,
        /// Every spectator event.
        events: Vec<EventElement>,
        /// Every turn; a shared turn has an entry for each player.
        moves: Vec<ReplayMove>,
        /// Every act of nature; left out in games without chance.
        chance [skip_serializing_if = "Option::is_none"]: Option<Vec<ReplayAct>>,
        /// Actions that were sealed when the game ended, and are void; left out where turns are not shared.
        unresolved [skip_serializing_if = "Option::is_none"]: Option<Vec<ReplayUnresolved>>,
        /// What was hidden during the game; null if nothing was.
        hidden: Value,
        /// How it ended.
        result: Option<GameResult>,
        /// The moves as PGN, without comments; null for games without such a form.
        pgn: Option<Authored<String>>,
        /// Proof that the log holds the game; null until a checkpoint covers its last leaf.
        log: Option<ReplayLog>,
    }

    /// The replay.
    pub ReplayData as "ReplayData" {
        /// The replay.
        replay: ReplayRecord,
    }
}

impl ReplayRecord {
    /// The replay of an ended game from all its facts, in order. `site` is the address of the hall, for the PGN; `log`
    /// proves that the log holds the game.
    #[must_use]
    pub fn of(room: &Room, facts: &[RoomFact], site: &str, log: Option<ReplayLog>) -> Self {
        let terms = room.beacon_terms();
        let round = room.beacon_round();
        Self {
            version: "svc.replay.v1",
            game_id: room.id(),
            game: room.variant().game,
            variant: room.variant().variant,
            division: room.division(),
            season_id: room.season().clone(),
            ruleset_version: room.ruleset_version().to_owned(),
            seats: seats(room),
            commitment: *room.commitment(),
            seed: room.revealed_seed(),
            beacon: ReplayBeacon {
                chain_hash: terms.map(|terms| terms.chain_hash),
                round: terms.map(|terms| terms.round),
                status: room.beacon_status().as_str(),
                randomness: round.map(|(randomness, _)| *randomness),
                signature: round.map(|(_, signature)| signature.to_owned()),
            },
            events: facts.iter().filter_map(EventElement::of).collect(),
            moves: moves(facts, room.is_simultaneous()),
            chance: room.rules().filter(|rules| rules.describe().randomness != "none").map(|_| acts(facts)),
            unresolved: room.is_simultaneous().then(|| unresolved(facts)),
            hidden: room.position().hidden(),
            result: room.result().cloned(),
            pgn: record(room, facts, site, "pgn").map(Authored),
            log,
        }
    }
}

/// The turns that `facts` resolve, each with the illegal moves counted in it: where turns are shared, those of the
/// player alone.
fn moves(facts: &[RoomFact], shared: bool) -> Vec<ReplayMove> {
    let mut attempts: Vec<(Player, ReplayAttempt)> = Vec::new();
    let mut moves = Vec::new();
    for fact in facts {
        if let RoomChange::IllegalAttempted { player, attempt, .. } = &fact.change {
            attempts.push((*player, ReplayAttempt::of(attempt)));
        }
        if let Some(resolution) = fact.change.resolution() {
            let is_own = |player: Player| {
                !shared || resolution.notation.is_none() || resolution.player == Some(player)
            };
            let (counted, others): (Vec<_>, Vec<_>) =
                attempts.into_iter().partition(|(player, _)| is_own(*player));
            attempts = others;
            let counted = counted.into_iter().map(|(_, attempt)| attempt).collect();
            moves.push(ReplayMove::of(resolution, counted));
        }
    }
    moves
}

fn acts(facts: &[RoomFact]) -> Vec<ReplayAct> {
    let acts = facts.iter().filter_map(|fact| {
        let RoomChange::NatureActed { turn_index, complete, rolls, .. } = &fact.change else { return None };
        Some(ReplayAct {
            turn_index: *turn_index,
            at: fact.at,
            outcome: complete.clone(),
            draws: rolls.iter().map(ReplayDraw::of).collect(),
        })
    });
    acts.collect()
}

/// What was sealed in the turn that the end of the game resolved otherwise.
fn unresolved(facts: &[RoomFact]) -> Vec<ReplayUnresolved> {
    let mut sealed = Vec::new();
    for fact in facts {
        if let RoomChange::MoveSealed { player, action, .. } = &fact.change {
            sealed.push(ReplayUnresolved {
                player: *player,
                at: action.at,
                body: action.body.as_ref().and_then(shown),
                signature: action.body.as_ref().map(|body| body.signature),
            });
        } else if matches!(fact.change, RoomChange::MovePlayed(_)) {
            sealed.clear();
        }
    }
    sealed
}

/// The text of a signed body, unless it is withheld: the archive empties it then.
fn shown(body: &BodyRecord) -> Option<Authored<String>> {
    Some(&body.text).filter(|text| !text.is_empty()).cloned().map(Authored)
}

impl ReplayAttempt {
    fn of(attempt: &Attempt) -> Self {
        Self {
            at: attempt.at,
            body: shown(&attempt.body),
            body_sha256: attempt.body.text.is_empty().then_some(attempt.body.sha256),
            signature: attempt.body.signature,
            challenge: attempt.challenge.0.clone(),
            auth_signature: attempt.auth_signature,
            request_sha256: attempt.request_sha256,
        }
    }
}

impl ReplayMove {
    fn of(resolution: &Resolution, attempts: Vec<ReplayAttempt>) -> Self {
        let body = resolution.body.as_ref();
        let millis = |clocks: &Vec<Span>| ByPlayer(clocks.iter().map(|left| left.as_millis()).collect());
        Self {
            turn_index: resolution.turn_index,
            player: resolution.player,
            started_at: resolution.started_at,
            deadline_utc: resolution.deadline,
            at: resolution.at,
            notation: resolution.notation,
            forced: resolution.forced.map(ForcedCause::as_str),
            body: body.and_then(shown),
            signature: body.map(|body| body.signature),
            body_sha256: body.map(|body| body.sha256),
            state_hash: resolution.state_hash,
            clocks_ms: resolution.clocks.as_ref().map(millis),
            draws: resolution.rolls.iter().map(ReplayDraw::of).collect(),
            attempts,
        }
    }
}

impl ReplayDraw {
    fn of(hash: &RollHash) -> Self {
        Self { counter: hash.counter, n: hash.n, x: format!("{:016x}", hash.x), value: hash.value }
    }
}
