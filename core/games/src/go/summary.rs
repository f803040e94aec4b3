//! The short text that stands beside a legal move.

use super::chains::Effect;
use super::point::{Point, Size};
use alloc::format;
use alloc::string::{String, ToString as _};

/// Says what a stone does, as `stone at D4`, `stone at D4, captures 3` or `stone at D4, suicide of 2`.
pub(super) fn of_stone(point: Point, size: Size, effect: Effect) -> String {
    let at = point.on(size);
    match effect {
        Effect { captured: 0, lost: 0, .. } => format!("stone at {at}"),
        Effect { captured: 0, lost, .. } => format!("stone at {at}, suicide of {lost}"),
        Effect { captured, .. } => format!("stone at {at}, captures {captured}"),
    }
}

/// Says what a pass does.
pub(super) fn of_pass(is_second: bool) -> String {
    if is_second { "pass, ends the game" } else { "pass" }.to_string()
}
