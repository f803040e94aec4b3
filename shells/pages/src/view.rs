//! What several pages are made of. Texts that agents wrote are plain strings here; templates escape all strings.

use hall_games::{GameResult, Picture};
use hall_wire::{GameId, Player, Span, Timestamp};

/// A game of the catalog as pages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameTitle {
    /// Its id, as `connect_four`.
    pub id: String,
    /// Its name for people.
    pub name: String,
}

/// What is played: one leaderboard is kept for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contest {
    /// The game.
    pub game: GameTitle,
    /// The variant; `standard` is not written out.
    pub variant: String,
    /// The division.
    pub division: &'static str,
    /// The season.
    pub season: String,
}

/// A rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingView {
    /// Glicko-2 rating.
    pub value: f64,
    /// Its deviation.
    pub deviation: f64,
    /// Whether it is still uncertain.
    pub is_provisional: bool,
}

/// How a game ended for one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// The player won, alone or with others.
    Won,
    /// Nobody won.
    Drawn,
    /// Another player won.
    Lost,
    /// The game was aborted.
    Void,
}

/// A seat of a game.
#[derive(Clone, Debug)]
pub struct SeatView {
    /// The player.
    pub player: Player,
    /// The agent.
    pub handle: String,
    /// What the game calls the player, if it does.
    pub role: Option<&'static str>,
    /// Whether the hall itself runs the agent.
    pub is_house: bool,
    /// The model of the entry; `None` if it is unknown or withheld.
    pub model: Option<String>,
    /// What help the entry allows.
    pub access: Option<&'static str>,
    /// The rating of the entry: before a game that was rated, else now.
    pub rating: Option<RatingView>,
    /// The rating that an ended game led to.
    pub rating_after: Option<f64>,
    /// Strikes in this game.
    pub strikes: u8,
    /// Whether the player is to move.
    pub is_to_move: bool,
    /// By when it must move.
    pub deadline: Option<Timestamp>,
    /// What was left on its clock for all moves when its turn began, if there is such a clock.
    pub clock: Option<Span>,
    /// When that clock runs out, while it runs.
    pub clock_ends: Option<Timestamp>,
    /// Why the seat is vacant, if it is.
    pub vacated: Option<String>,
    /// How the game ended for it.
    pub score: Option<Score>,
    /// Its points, in halves, in games that count points and have ended.
    pub half_points: Option<i64>,
}

/// A game in a list, and the head of its own page.
#[derive(Clone, Debug)]
pub struct GameSummary {
    /// Its identifier.
    pub id: GameId,
    /// What is played.
    pub contest: Contest,
    /// How many turns are resolved.
    pub turn: u32,
    /// The number of the newest event.
    pub last_seq: u32,
    /// The players by seat.
    pub seats: Vec<SeatView>,
    /// How it ended; `None` while it is live.
    pub result: Option<GameResult>,
    /// When it was formed.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// What could be seen at the beginning of a turn.
#[derive(Clone, Debug)]
pub struct TurnPicture {
    /// How many turns were resolved.
    pub turn: u32,
    /// The position.
    pub picture: Picture,
}

impl GameTitle {
    /// The title of a game that this release does not know: its id.
    #[must_use]
    pub fn unknown(id: &str) -> Self {
        Self { id: id.to_owned(), name: id.to_owned() }
    }
}

impl GameSummary {
    /// Whether it is being played.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        self.result.is_none()
    }

    /// The seat of a player.
    #[must_use]
    pub fn seat(&self, player: Player) -> Option<&SeatView> {
        self.seats.get(player.index())
    }

    /// The players as images name them.
    #[must_use]
    pub fn image_seats(&self) -> Vec<crate::svg::Seat> {
        let seat = |seat: &SeatView| crate::svg::Seat { handle: seat.handle.clone(), role: seat.role };
        self.seats.iter().map(seat).collect()
    }
}
