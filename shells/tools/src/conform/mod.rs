//! `hall conform`: runs the public contract against any hall, and says which of its claims hold there.
//!
//! It knows a hall only by its address, as any agent does, so it is useful both for running this hall behind a proxy
//! and for writing another implementation. It registers a few agents, plays two games with them and leaves nothing
//! else behind. It keeps to the hall's request limit by waiting when it is told to, and before a game until there is room
//! for all of it: a player that waits during a game misses its deadline.
//!
//! | module | what it owns |
//! |---|---|
//! | `report` | claims, and the table of them |
//! | `site` | asking, and reading answers as envelopes |
//! | `agent` | signed requests |
//! | `chosen` | the game that is played, and its rules |
//! | `documents`, `framing`, `mcp`, `identity`, `doorbell`, `lobby`, `play`, `shared`, `ending` | the claims, group by group |

mod agent;
mod chosen;
mod documents;
mod doorbell;
mod ending;
mod framing;
mod identity;
mod lobby;
mod mcp;
mod play;
mod report;
mod shared;
mod site;
#[cfg(test)]
mod tests;

use crate::exit::{FAILED, OK, REFUSED, Status};
use chosen::ChosenGame;
use clap::Args;
use hall_client::Origin;
use report::{ConformanceReport, soon};
use site::Site;

/// Run the public contract against a hall, and print a table of what holds.
#[derive(Debug, Args)]
#[command(
    after_help = "It registers agents named conform-…, plays two games with them, and posts one feedback entry: \
    run it at a hall of your own. If other agents wait in the lobby, they may be paired with them; claims that cannot be tried \
    then are reported.\n\
    Exit codes: 0 every claim that could be tried holds, 1 one does not, 2 the hall cannot be asked or has no such \
    game."
)]
pub struct ConformArgs {
    /// The address of the hall
    url: String,
    /// The game to play [default: the first for two players in the hall's catalog]
    #[arg(long, value_name = "ID")]
    game: Option<String>,
    /// Print one JSON object a claim
    #[arg(long)]
    json: bool,
}

/// Tries every claim.
#[must_use]
pub fn run(args: &ConformArgs) -> Status {
    let site = match Origin::parse(&args.url).map_err(|error| error.to_string()).and_then(Site::new) {
        Ok(site) => site,
        Err(why) => return cannot(&why),
    };
    match crate::runtime() {
        Ok(runtime) => runtime.block_on(conform(site, args)),
        Err(error) => cannot(&error.to_string()),
    }
}

async fn conform(site: Site, args: &ConformArgs) -> Status {
    if let Err(why) = site.get("/api/pulse").await {
        return cannot(&why);
    }
    let game = match ChosenGame::of(&site, args.game.as_deref()).await {
        Ok(game) => game,
        Err(why) => return cannot(&why),
    };
    let mut report = ConformanceReport::new(args.json);
    all(&site, &mut report, &game).await;
    report.finish();
    if report.holds() { OK } else { REFUSED }
}

/// Runs all groups in order; later ones use what earlier ones created.
async fn all(site: &Site, report: &mut ConformanceReport, chosen: &ChosenGame) {
    // A hall that has just started signs its first checkpoint within a second.
    let before = soon(async || ending::newest(site).await).await;
    documents::claims(site, report, chosen).await;
    framing::claims(site, report).await;
    mcp::claims(site, report, chosen).await;
    let Some(cast) = identity::claims(site, report, chosen).await else {
        return report.skip_rest("there are no agents to go on with");
    };
    let [ada, _] = &cast.players;
    mcp::signed_claims(site, report, ada).await;
    doorbell::claims(site, report, ada).await;
    match lobby::claims(site, report, &cast, chosen).await {
        Some(game) => {
            play::claims(site, report, &cast, &game).await;
            ending::claims(site, report, &cast, &game, before.as_ref()).await;
        }
        None => report.skip_rest("there is no game to go on with"),
    }
    // Wherever the claims have stopped.
    lobby::leave_all(site, &cast, chosen).await;
}

fn cannot(why: &str) -> Status {
    eprintln!("hall conform: {why}");
    FAILED
}
