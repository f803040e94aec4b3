//! The inputs of the desk's decisions besides state and command.

use crate::desk::docket::DocketWording;
use crate::settings::HallSettings;
use hall_games::Catalog;
use hall_wire::Timestamp;

/// What a decision depends on besides state and command.
#[derive(Clone, Copy, Debug)]
pub struct DeskContext<'a> {
    /// Core time.
    pub at: Timestamp,
    /// The settings in force.
    pub settings: &'a HallSettings,
    /// The games on offer.
    pub catalog: &'a Catalog,
    /// The words of docket entries.
    pub wording: DocketWording,
}
