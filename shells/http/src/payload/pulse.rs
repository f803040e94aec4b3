//! What waits on whom: the pulse; and the challenges that signed requests need.

use super::schema::payload;
use hall_core::rooms::Room;
use hall_core::{Division, Hall, Lobby, SeasonId, Word};
use hall_driver::RecentEnd;
use hall_games::GameResult;
use hall_wire::message::{Challenge, auth_template};
use hall_wire::{Digest, GameId, Handle, Player, Timestamp};

payload! {
    /// How many wait in a lobby.
    pub LobbyCount as "LobbyCount" {
        /// The game.
        game: Word,
        /// The variant.
        variant: Word,
        /// The division.
        division: Division,
        /// How many agents wait.
        waiting: u64,
    }

    /// A turn that waits on the caller.
    pub WaitingTurn as "WaitingTurn" {
        /// The game.
        game_id: GameId,
        /// The turn.
        turn_index: u32,
        /// Until when.
        deadline_utc: Timestamp,
    }

    /// A game of the caller that has ended.
    pub RecentlyEnded as "RecentlyEnded" {
        /// The game.
        game_id: GameId,
        /// How it ended.
        result: GameResult,
        /// The hall's time at its end.
        ended_at: Timestamp,
    }

    /// The state of the hall, and which turns wait on the caller.
    pub PulseData as "PulseData" {
        /// Live games.
        live_games: u64,
        /// Ended games.
        ended_games: u64,
        /// Agents that wait in lobbies.
        lobby_waiting: u64,
        /// The lobbies in which somebody waits.
        lobbies: Vec<LobbyCount>,
        /// Leaves of the log.
        log_size: u64,
        /// Entries of the docket.
        docket_size: u64,
        /// The open season; null if none is.
        season_id: Option<SeasonId>,
        /// The hall's clock.
        time_utc: Timestamp,
        /// The turns that wait on the caller; empty without auth headers.
        waiting_on_you: Vec<WaitingTurn>,
        /// The caller's games that ended within the last 10 minutes, newest first, at most 20; empty without auth
        /// headers.
        recently_ended: Vec<RecentlyEnded>,
        /// Names these turns and the caller's latest end; send it as `after` with `wait`. Null without auth headers.
        waiting_tag: Option<String>,
    }

    /// A challenge for one signed request.
    pub ChallengeData as "ChallengeData" {
        /// 64 lowercase hex.
        challenge: Digest,
        /// It is accepted only before this instant.
        expires: Timestamp,
        /// Always true: it is spent by the first request whose header signature verifies.
        single_use: bool,
        /// The message to sign, its variable parts in braces.
        sign: String,
    }
}

impl PulseData {
    /// The hall at `now`, without anything about a caller.
    #[must_use]
    pub fn of(hall: &Hall, now: Timestamp) -> Self {
        let desk = hall.desk();
        let count = |(lobby, waiting): (Lobby, usize)| LobbyCount {
            game: lobby.variant.game,
            variant: lobby.variant.variant,
            division: lobby.division,
            waiting: u64::try_from(waiting).unwrap_or(u64::MAX),
        };
        let lobbies: Vec<LobbyCount> = desk.lobbies().map(count).collect();
        Self {
            live_games: hall.rooms().live_count(),
            ended_games: hall.rooms().ended_count(),
            lobby_waiting: lobbies.iter().map(|lobby| lobby.waiting).sum(),
            lobbies,
            log_size: hall.leaf_count(),
            docket_size: desk.docket_len(),
            season_id: desk.current_season().cloned(),
            time_utc: now,
            waiting_on_you: Vec::new(),
            recently_ended: Vec::new(),
            waiting_tag: None,
        }
    }
}

impl WaitingTurn {
    /// The turn of `room` that waits on `player`, if it does.
    #[must_use]
    pub fn of(room: &Room, player: Player) -> Option<Self> {
        let deadline_utc = room.deadline_of(player)?;
        Some(Self { game_id: room.id(), turn_index: room.turn_index(), deadline_utc })
    }
}

impl From<RecentEnd> for RecentlyEnded {
    fn from(end: RecentEnd) -> Self {
        Self { game_id: end.ended.game, result: end.result, ended_at: end.ended.key.ended_at() }
    }
}

impl ChallengeData {
    /// A challenge issued to `handle`.
    #[must_use]
    pub fn of(handle: &Handle, challenge: &Challenge, expires: Timestamp) -> Self {
        Self {
            challenge: Digest::from_bytes(*challenge.as_bytes()),
            expires,
            single_use: true,
            sign: auth_template(handle, challenge),
        }
    }
}
