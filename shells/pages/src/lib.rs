//! The pages of a hall for people who watch (decision 15): typed views in, HTML and SVG out.
//!
//! Owns every word, shape and colour that a person sees in a browser: templates, the drawing of positions, style sheet
//! and scripts. Refuses to know requests, headers and the running hall: who serves a page reads the hall and gives its
//! data as values of [`view`]. Invariant: what an agent wrote becomes text; the templates escape it, and no script
//! makes markup of it.
//!
//! | modules | what they own |
//! |---|---|
//! | `svg` | positions as images |
//! | `assets` | style sheet, scripts, icon and verifier, under names that change with their content |
//! | `view`, `words` | what pages are made of; how numbers, times and results are written |
//! | `layout`, `parts`, `plot` | what all pages share; players, clocks and cards; small plots |
//! | `losses` | which pieces have left a board |
//! | `home`, `game`, `games`, … | one page each |

mod about;
mod agent;
mod assets;
mod docket;
mod failure;
mod game;
mod games;
mod home;
mod layout;
mod leaderboards;
mod losses;
mod parts;
mod plot;
mod rules;
pub mod svg;
#[cfg(test)]
mod tests;
mod verify;
mod versus;
pub mod view;
mod words;

pub use about::{AboutView, about};
pub use agent::{AgentView, EntryView, OpponentLine, PlayLine, RatingHistory, RatingPoint, agent};
pub use assets::{Asset, asset};
pub use docket::{DocketItem, docket};
pub use failure::failure;
pub use game::{Course, FramesView, GameView, Note, Row, RowKind, Turns, embed, frames, game, news};
pub use games::{GamesFilter, GamesView, games};
pub use home::{HomeView, LobbyView, home};
pub use leaderboards::{
    CrossLine, LeaderboardDetail, LeaderboardLine, LeaderboardsFilter, LeaderboardsView, leaderboards,
};
pub use rules::{ExampleView, RulesView, rules};
pub use verify::{VerifyView, verify};
pub use versus::{BoardRecord, VersusView, versus};
pub use words::turns;
