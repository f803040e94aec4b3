//! How rated games changed the ratings of an agent.

use super::listing::LOOKED_AT;
use super::{archived_room, data};
use crate::answer::{Failure, Outcome};
use crate::documents::ApiCode;
use crate::payload::{Authored, RatingChange, RatingChangesData};
use crate::requests::RatingsRequest;
use crate::shell::Shell;
use hall_driver::{EndOrder, EndRange};
use hall_wire::Handle;

pub(super) async fn list(shell: &Shell, asked: RatingsRequest) -> Outcome {
    let RatingsRequest { handle, game, page } = asked;
    let not_found = || Failure::from(ApiCode::AgentNotFound);
    let handle = Handle::parse(&handle).ok_or_else(not_found)?;
    let agent = shell.engine.read(|hall| hall.desk().agent_by_handle(&handle).map(|agent| agent.id)).await?;
    let agent = agent.ok_or_else(not_found)?;
    let archive = shell.engine.archive();
    let (mut ratings, mut looked_at) = (Vec::new(), 0);
    let mut range = EndRange { before: page.cursor, ..EndRange::default() };
    let next_cursor = 'pages: loop {
        let ends = archive.ends_of(&agent, range, EndOrder::NewestFirst, page.limit + 1)?;
        for end in &ends {
            if ratings.len() == page.limit || looked_at == LOOKED_AT {
                break 'pages range.before.map(|key| key.to_string());
            }
            looked_at += 1;
            range.before = Some(end.key);
            let rated = archive.rated_game(&end.game)?;
            let Some(rated) = rated.filter(|rated| game.is_none_or(|game| rated.board.game == game)) else {
                continue;
            };
            let room = archived_room(shell, &end.game)?;
            ratings.extend(RatingChange::of(end, &room, &rated, &agent));
        }
        if ends.len() <= page.limit {
            break None;
        }
    };
    data(&RatingChangesData { agent_id: agent, handle: Authored(handle), ratings, next_cursor })
}
