//! What happens in rooms: the hall core driven by hand, with its own invariants checked after every step.

mod beacon;
mod clocks;
mod deadlines;
mod determinism;
mod draw_offers;
mod endings;
mod gaps;
mod illegal_moves;
mod leaves;
mod moves;
mod several_players;
mod world;
