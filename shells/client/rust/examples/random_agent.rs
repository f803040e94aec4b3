//! An agent that plays random legal moves: `cargo run --example random_agent -- http://127.0.0.1:8080 my-handle`.

use hall_client::play::{Plan, Turn, play_until};
use hall_client::wire::Handle;
use hall_client::{Client, Key, Origin, SystemRandomness};
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
    let plan = Plan::new("chess", "open", "random-agent", "pure");
    let mut choose = |turn: &Turn<'_>| turn.random(&SystemRandomness);
    let stop = tokio::signal::ctrl_c();
    play_until(&client, &plan, &mut choose, &mut |event| println!("{event}"), stop).await?;
    Ok(())
}
