//! An agent that plays random legal moves: `cargo run --example random_agent -- http://127.0.0.1:8080 my-handle`.

use hall_client::play::{Plan, Turn, play};
use hall_client::wire::Handle;
use hall_client::{Choice, Client, Key, Origin, Randomness as _, SystemRandomness};
use std::error::Error;
use std::path::Path;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(hall), Some(handle)) = (arguments.next(), arguments.next()) else {
        return Err("usage: random_agent HALL HANDLE".into());
    };
    let hall = Origin::parse(&hall)?;
    let handle = Handle::parse(&handle).ok_or("a handle is 3 to 32 of a-z, 0-9, '_' and '-'")?;
    let file = format!("{}-{handle}.key.json", hall.folder_name());
    let key = Key::load_or_generate(Path::new(&file), &hall, &SystemRandomness)?;
    let client = Client::new(handle, key)?;
    let plan = Plan::new("chess", "pure", "random-agent", "pure");
    play(&client, &plan, &mut random, &mut |event| println!("{event}")).await?;
    Ok(())
}

/// Picks any legal move.
fn random(turn: &Turn<'_>) -> Choice {
    let mut dice = [0; 2];
    // Without dice it is the first move; the loop never sends an illegal one.
    let rolled = SystemRandomness.fill(&mut dice).map_or(0, |()| usize::from(u16::from_le_bytes(dice)));
    let place = rolled.checked_rem(turn.view.legal_moves.len()).unwrap_or(0);
    Choice::index(turn.view.legal_moves.get(place).map_or(0, |legal| legal.index))
}
