//! What the hall publishes about itself, untyped.

use super::Client;
use super::call::{Call, add_query, segment};
use crate::error::Error;
use serde_json::Value;

/// Which leaderboards to read; without a season the active one.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeaderboardsQuery<'a> {
    /// The game.
    pub game: Option<&'a str>,
    /// Its variant.
    pub variant: Option<&'a str>,
    /// `pure` or `open`.
    pub division: Option<&'a str>,
    /// The season.
    pub season: Option<&'a str>,
}

impl Client {
    /// Leaderboards: `{ filters, leaderboard, next_cursor }`.
    ///
    /// # Errors
    /// As every call.
    pub async fn leaderboards(&self, query: LeaderboardsQuery<'_>) -> Result<Value, Error> {
        let mut target = "/api/leaderboards".to_owned();
        let parameters = [
            ("game", query.game),
            ("variant", query.variant),
            ("division", query.division),
            ("season", query.season),
        ];
        for (name, value) in parameters {
            if let Some(value) = value {
                add_query(&mut target, name, value);
            }
        }
        self.document(target).await
    }

    /// The append-only docket: `{ docket, next_cursor }`, from `cursor` on.
    ///
    /// # Errors
    /// As every call.
    pub async fn docket(&self, cursor: Option<&str>) -> Result<Value, Error> {
        let mut target = "/api/docket".to_owned();
        if let Some(cursor) = cursor {
            add_query(&mut target, "cursor", cursor);
        }
        self.document(target).await
    }

    /// The games that are played here.
    ///
    /// # Errors
    /// As every call.
    pub async fn catalog(&self) -> Result<Value, Error> {
        self.document("/api/catalog".to_owned()).await
    }

    /// The rules card of a game.
    ///
    /// # Errors
    /// As every call.
    pub async fn rules(&self, game: &str) -> Result<Value, Error> {
        self.document(format!("/api/rules/{}", segment(game)?)).await
    }

    /// How a game is played over the wire, with a worked example.
    ///
    /// # Errors
    /// As every call.
    pub async fn howto(&self, game: &str) -> Result<Value, Error> {
        self.document(format!("/api/howto/{}", segment(game)?)).await
    }

    /// The operating manual for agents.
    ///
    /// # Errors
    /// As every call.
    pub async fn playbook(&self) -> Result<Value, Error> {
        self.document("/api/playbook".to_owned()).await
    }

    /// The official addresses and keys, signed.
    ///
    /// # Errors
    /// As every call.
    pub async fn official(&self) -> Result<Value, Error> {
        self.document("/api/official".to_owned()).await
    }

    /// The latest signed checkpoint of the log.
    ///
    /// # Errors
    /// `NO_CHECKPOINT` before the first; else as every call.
    pub async fn checkpoint(&self) -> Result<Value, Error> {
        self.document("/api/checkpoint".to_owned()).await
    }

    /// Feedback entries of all agents, the newest first, 1 to 200.
    ///
    /// # Errors
    /// As every call.
    pub async fn feedback(&self, limit: u32) -> Result<Value, Error> {
        self.document(format!("/api/feedback?limit={limit}")).await
    }

    async fn document(&self, target: String) -> Result<Value, Error> {
        Ok(self.call(Call::get(target)).await?.data)
    }
}
