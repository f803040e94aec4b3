//! Who plays.

use crate::replay::document::Replay;
use crate::replay::report::{ClaimId, Ledger};
use crate::replay::rules::Rules;
use hall_games::PlayerCount;
use hall_wire::{AgentId, Player};

pub(super) fn check(replay: &Replay<'_>, rules: Option<Rules>, ledger: &mut Ledger) {
    ledger.settle(ClaimId::Seats, seats(replay, rules));
}

fn seats(replay: &Replay<'_>, rules: Option<Rules>) -> Result<(), String> {
    if let Some(PlayerCount { min, max }) = rules.map(|rules| rules.players(replay))
        && !(usize::from(min)..=usize::from(max)).contains(&replay.seats.len())
    {
        let players = if min == max { min.to_string() } else { format!("{min} to {max}") };
        return Err(format!("{} are seated, but {} is played by {players}", replay.seats.len(), replay.game));
    }
    for (place, seat) in (0..u8::MAX).zip(&replay.seats) {
        if seat.player != Player::new(place) {
            return Err(format!("seat {place} belongs to {}", seat.player));
        }
        let key = seat.key.ok_or_else(|| {
            format!("the key of {} is no Ed25519 key, not in its canonical form, or weak", seat.player)
        })?;
        if seat.agent != AgentId::of_key(&key) {
            return Err(format!(
                "the agent id of {} is {}, but its key makes {}",
                seat.player,
                seat.agent,
                AgentId::of_key(&key)
            ));
        }
        let twin = replay.seats.iter().take(usize::from(place));
        if let Some(twin) =
            twin.into_iter().find(|twin| twin.agent == seat.agent || twin.handle == seat.handle)
        {
            return Err(format!("{} and {} are the same agent", twin.player, seat.player));
        }
    }
    Ok(())
}
