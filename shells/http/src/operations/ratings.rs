//! How rated games changed the ratings of an agent.

use super::listing::{self, Found};
use super::{archived_room, data};
use crate::answer::{Failure, Outcome};
use crate::errors::ApiCode;
use crate::payload::{Authored, RatingChange, RatingChangesData};
use crate::requests::RatingsRequest;
use crate::shell::Shell;
use hall_driver::EndRange;
use hall_wire::Handle;

pub(super) async fn list(shell: &Shell, asked: RatingsRequest) -> Outcome {
    let RatingsRequest { handle, game, page } = asked;
    let not_found = || Failure::from(ApiCode::AgentNotFound);
    let handle = Handle::parse(&handle).ok_or_else(not_found)?;
    let agent = shell.engine.read(|hall| hall.desk().agent_by_handle(&handle).map(|agent| agent.id)).await?;
    let agent = agent.ok_or_else(not_found)?;
    let archive = shell.engine.archive();
    let found = listing::walk_ends(shell, Some(agent), EndRange::default(), page, |end| {
        let rated = archive.rated_game(&end.game)?;
        let Some(rated) = rated.filter(|rated| game.is_none_or(|game| rated.board.game == game)) else {
            return Ok(None);
        };
        let room = archived_room(shell, &end.game)?;
        Ok(RatingChange::of(end, &room, &rated, &agent))
    });
    let Found { items: ratings, next_cursor } = found.await?;
    data(&RatingChangesData { agent_id: agent, handle: Authored(handle), ratings, next_cursor })
}
