//! The public record of a game, and the lists of games.

use super::authored::Authored;
use super::by_player::ByPlayer;
use super::house_agents::HouseAgents;
use super::pulse::RecentlyEnded;
use super::schema::{Components, Schema, component, described, payload};
use hall_core::rooms::{Room, SeatState};
use hall_core::{Division, SeasonId, Word};
use hall_games::GameResult;
use hall_wire::json::Value;
use hall_wire::{AgentId, Digest, GameId, Handle, HomologationId, Player, PublicKey, Timestamp};
use serde::Serialize;
use serde_json::json;

payload! {
    /// A seat of a game.
    pub SeatRecord as "Seat" {
        /// The player in this seat.
        player: Player,
        /// The agent.
        agent_id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
        /// Its Ed25519 public key.
        pubkey_ed25519: PublicKey,
        /// The homologation entry that it plays under.
        homologation_id: HomologationId,
    }

    /// A seat of a game as records and lists show it.
    pub GameSeat as "GameSeat" {
        /// The player in this seat.
        player: Player,
        /// The agent.
        agent_id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
        /// Its Ed25519 public key.
        pubkey_ed25519: PublicKey,
        /// The homologation entry that it plays under.
        homologation_id: HomologationId,
        /// true for one of the agents that the hall itself runs; left out for all others.
        house [skip_serializing_if = "crate::payload::house_agents::is_false"]: bool,
    }

    /// The public randomness that a game is bound to.
    pub GameBeacon as "GameBeacon" {
        /// The drand chain; null while the hall has no beacon.
        chain_hash: Option<Digest>,
        /// The round; null while the hall has no beacon.
        round: Option<u64>,
        /// `off`, `waiting`, `verified` or `missed`. A game that ended before its round was known, and needed no draw,
        /// stays `waiting`.
        status: &'static str,
    }

    /// The public record of a game.
    pub GameRecord as "Game" {
        /// Its identifier.
        id: GameId,
        /// The game's id in the catalog.
        game: Word,
        /// The variant.
        variant: Word,
        /// The division.
        division: Division,
        /// The season.
        season_id: SeasonId,
        /// `live` or `ended`.
        status: &'static str,
        /// Who plays, in seat order.
        seats: Vec<GameSeat>,
        /// The version of the rules.
        ruleset_version: String,
        /// sha256 of `svc.seed.v1:` + id + `:` + seed; the seed is revealed at the end.
        commitment: Digest,
        /// The public randomness that the game is bound to.
        beacon: GameBeacon,
        /// The current turn: how many have been resolved.
        turn_index: u32,
        /// Who must move now.
        to_move: Vec<Player>,
        /// The earliest deadline of those who must move; null if nobody must.
        deadline_utc: Option<Timestamp>,
        /// Strikes by player.
        strikes: ByPlayer<u8>,
        /// When it was formed.
        started_at: Timestamp,
        /// When it ended; null until then.
        ended_at: Option<Timestamp>,
        /// How it ended; null until then.
        result: Option<GameResult>,
        /// The path of its replay; null until the end.
        replay: Option<String>,
    }

    /// One game.
    pub GameData as "GameData" {
        /// The game.
        game: GameRecord,
    }

    /// A page of games, newest first.
    pub GamesData as "GamesData" {
        /// The games.
        games: Vec<GameRecord>,
        /// Where the next page begins; null at the end.
        next_cursor: Option<String>,
    }

    /// A page of the caller's own games, newest first.
    pub MyGamesData as "MyGamesData" {
        /// The caller.
        agent_id: AgentId,
        /// Which games were asked for: `live` or `ended`.
        status: &'static str,
        /// The games.
        games: Vec<MyGame>,
        /// Where the next page begins; null at the end.
        next_cursor: Option<String>,
        /// The caller's games that ended within the last 10 minutes, newest first, at most 20.
        recently_ended: Vec<RecentlyEnded>,
        /// Names the turns that wait on the caller now and its latest end; send it as `after` with `wait`.
        waiting_tag: String,
    }
}

/// A game as one of its players sees it in a list.
#[derive(Clone, Debug, Serialize)]
pub struct MyGame {
    /// The public record.
    #[serde(flatten)]
    pub game: GameRecord,
    /// Which player the caller is.
    pub your_player: Player,
    /// Whether the game waits on the caller.
    pub your_turn: bool,
}

impl Schema for MyGame {
    fn schema(components: &mut Components) -> Value {
        component(components, "MyGame", |components| {
            let own = json!({
                "type": "object",
                "properties": {
                    "your_player": described(Player::schema(components), "Which player the caller is."),
                    "your_turn": { "type": "boolean", "description": "Whether the game waits on the caller." },
                },
                "required": ["your_player", "your_turn"],
            });
            let record = GameRecord::schema(components);
            json!({ "description": "A game as one of its players sees it in a list.", "allOf": [record, own] })
        })
    }
}

impl Schema for GameResult {
    fn schema(components: &mut Components) -> Value {
        component(components, "GameResult", |components| {
            let members = vec![
                (
                    "winners",
                    described(
                        Vec::<Player>::schema(components),
                        "Who won; empty in a draw and in an aborted game.",
                    ),
                ),
                (
                    "draw",
                    described(bool::schema(components), "Whether it is a draw; false in an aborted game."),
                ),
                (
                    "reason",
                    json!({
                        "type": "string",
                        "description": "checkmate, stalemate, fifty_moves, threefold_repetition, \
                                        insufficient_material, agreement, resignation, clock, strikes, \
                                        adjudicated, aborted; other games add theirs.",
                    }),
                ),
                (
                    "points",
                    json!({
                        "type": "object",
                        "additionalProperties": { "type": "integer" },
                        "description": "The points of each player, in games that count points.",
                    }),
                ),
                (
                    "places",
                    json!({
                        "type": ["object", "null"],
                        "additionalProperties": { "type": "integer" },
                        "description": "The place of each player from 1 at a table of more than two, equal places \
                                        sharing the better number; null in an aborted game.",
                    }),
                ),
            ];
            super::schema::object(
                "How a game ended. An aborted game has no winners and is not a draw.",
                members,
                &["points", "places"],
            )
        })
    }
}

/// The seats of `room` as records list them.
pub(super) fn seats(room: &Room) -> Vec<SeatRecord> {
    let record = |(player, seat): (Player, &SeatState)| SeatRecord {
        player,
        agent_id: seat.seat.agent,
        handle: Authored(seat.seat.handle.clone()),
        pubkey_ed25519: seat.seat.key,
        homologation_id: seat.seat.homologation,
    };
    room.players().zip(room.seats()).map(record).collect()
}

/// The strikes of `room` by player.
pub(super) fn strikes(room: &Room) -> ByPlayer<u8> {
    ByPlayer(room.seats().iter().map(|seat| seat.strikes).collect())
}

impl GameSeat {
    fn of(seat: SeatRecord, house_agents: &HouseAgents) -> Self {
        let SeatRecord { player, agent_id, handle, pubkey_ed25519, homologation_id } = seat;
        Self {
            player,
            house: house_agents.contains(&agent_id),
            agent_id,
            handle,
            pubkey_ed25519,
            homologation_id,
        }
    }
}

impl GameRecord {
    /// The record of `room`, with `house_agents` marked.
    #[must_use]
    pub fn of(room: &Room, house_agents: &HouseAgents) -> Self {
        let ended = room.result().is_some();
        let terms = room.beacon_terms();
        Self {
            id: room.id(),
            game: room.variant().game,
            variant: room.variant().variant,
            division: room.division(),
            season_id: room.season().clone(),
            status: if ended { "ended" } else { "live" },
            seats: seats(room).into_iter().map(|seat| GameSeat::of(seat, house_agents)).collect(),
            ruleset_version: room.ruleset_version().to_owned(),
            commitment: *room.commitment(),
            beacon: GameBeacon {
                chain_hash: terms.map(|terms| terms.chain_hash),
                round: terms.map(|terms| terms.round),
                status: room.beacon_status().as_str(),
            },
            turn_index: room.turn_index(),
            to_move: room.to_move().iter().collect(),
            deadline_utc: room.deadline(),
            strikes: strikes(room),
            started_at: room.started_at(),
            ended_at: room.ended_at(),
            result: room.result().cloned(),
            replay: ended.then(|| format!("/api/games/{}/replay", room.id())),
        }
    }
}

impl MyGame {
    /// The game as `player` sees it in a list, with `house_agents` marked.
    #[must_use]
    pub fn of(room: &Room, player: Player, house_agents: &HouseAgents) -> Self {
        let your_turn = room.to_move().contains(player);
        Self { game: GameRecord::of(room, house_agents), your_player: player, your_turn }
    }
}
