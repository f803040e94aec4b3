//! The body of joining and leaving a lobby (specification 2.4).

use super::fields::Fields;
use super::homologation::DIVISION_RULE;
use super::unread;
use crate::answer::Failure;
use hall_core::{Division, JoinLobby};
use hall_wire::text::TextRule;

/// The variant where none is named.
const STANDARD: &str = "standard";

/// Longer names belong to no game and no variant.
const NAME: TextRule = TextRule { min: 1, max: 64, line_feeds: false };

pub(super) fn read(body: &[u8]) -> Result<JoinLobby, Failure> {
    let mut fields = Fields::parse(body)?;
    let game = fields.text("game", &NAME);
    let variant = fields.optional_text("variant", &NAME).unwrap_or_else(|| STANDARD.to_owned());
    let division = fields.parsed("division", DIVISION_RULE, Division::parse);
    fields.finish()?;
    let (Some(game), Some(division)) = (game, division) else { return Err(unread()) };
    Ok(JoinLobby { game, variant, division })
}
