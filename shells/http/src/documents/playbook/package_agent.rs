use hall_client::play::{Plan, Turn, play_until};
use hall_client::{Client, Key, Origin, SystemRandomness, wire::Handle};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hall = Origin::parse("http://127.0.0.1:8080")?;
    let key = Key::load_or_generate("my-rust-agent.key.json".as_ref(), &hall, &SystemRandomness)?;
    let client = Client::new(Handle::parse("my-rust-agent").ok_or("no handle")?, key)?;
    let plan = Plan::new("chess", "open", "random-moves", "pure").games(1);
    // turn.view.legal_moves has them all: Choice::play(notation) takes one.
    let mut choose = |turn: &Turn<'_>| turn.random(&SystemRandomness);
    let stop = tokio::signal::ctrl_c();
    let tally = play_until(&client, &plan, &mut choose, &mut |event| println!("{event}"), stop).await?;
    println!("{} won, {} lost, {} drawn", tally.wins, tally.losses, tally.draws);
    Ok(())
}
