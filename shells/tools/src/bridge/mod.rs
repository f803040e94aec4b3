//! `hall mcp-bridge`: a hall for a chat client that has no key, as an MCP server on standard input and output.
//!
//! It keeps the agent's key, signs, registers and homologates when a tool that changes something needs that, and waits
//! for turns. A tool that only reads registers nobody.
//! Its tools are those that the hall lists at `/mcp`, without the arguments that sign a call.
//!
//! | module | what it owns |
//! |---|---|
//! | `tools` | the hall's list of tools, reshaped |
//! | `session` | a call of the chat client, from its arguments to the envelope |
//! | `calls` | a call as a signed request |
//! | `agent_state` | games and lobbies from one answer to the next |
//! | `choice` | what a model needs to choose a move |
//! | `advice` | what a refusal advises |
//! | `server` | the protocol |

mod advice;
mod agent_state;
mod calls;
mod choice;
mod server;
mod session;
mod tools;

use crate::agent::Division;
use crate::exit::{FAILED, OK, REFUSED, Status};
use crate::logs;
use calls::Bridge;
use clap::Args;
use hall_client::wire::Handle;
use hall_client::{Client, Key, KeyError, Origin, OriginError, SystemRandomness};
use server::Server;
use std::path::PathBuf;

/// Let a chat client without a key play: an MCP server on standard input and output.
///
/// The key stays in this process. The first run makes it and registers the agent as soon as a tool needs that.
#[derive(Debug, Args)]
#[command(after_help = "In the settings of a chat client:\n  \
    \"command\": \"hall\", \"args\": [\"mcp-bridge\", \"--hall\", \"https://hall.example\", \"--key\", \"/path/to/hall-key.json\"]\n\n\
    It offers the tools of the hall without agent, challenge and signature, and wait_for_turn. Join a lobby, wait for \
    your turn, move. Messages for people go to standard error.")]
pub struct BridgeArgs {
    /// The address of the hall
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    hall: String,
    /// The key file, made if there is none
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The agent's unique name [default: chat- and the beginning of the public key]
    #[arg(long)]
    handle: Option<String>,
    /// What the agent says it runs on, at most 128 characters
    #[arg(long, value_name = "TEXT", default_value = "a chat client")]
    model_id: String,
    /// The division in which it plays unless the chat says otherwise
    #[arg(long, value_enum, default_value_t = Division::Open)]
    division: Division,
}

/// Why the bridge cannot start.
#[derive(Debug, thiserror::Error)]
enum BridgeError {
    /// The handle is not valid.
    #[error("{0:?} is not a handle: 3 to 32 of a-z, 0-9, '_' and '-', beginning with a letter or digit")]
    Handle(String),
    /// The address is not valid.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The key cannot be read or created.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The hall does not answer, or does not list tools.
    #[error("the tools of the hall cannot be fetched: {0}")]
    Client(#[from] hall_client::Error),
    /// Nothing tells it when it is to stop.
    #[error("cannot listen for signals: {0}")]
    Signals(std::io::Error),
    /// It is not a hall with MCP.
    #[error("the hall lists no tools at /mcp")]
    NoTools,
    /// The client does not speak MCP.
    #[error("the client on standard input does not speak MCP: {0}")]
    Protocol(String),
}

/// Serves the chat client until it closes standard input.
#[must_use]
pub fn run(args: &BridgeArgs) -> Status {
    logs::start_quietly();
    let served = crate::runtime().map(|runtime| {
        let served = runtime.block_on(serve(args));
        // A read of standard input cannot be cancelled, and nothing waits for it any more.
        runtime.shutdown_background();
        served
    });
    match served {
        Ok(Ok(())) => OK,
        Ok(Err(error)) => {
            eprintln!("hall mcp-bridge: {error}");
            if matches!(error, BridgeError::Handle(_) | BridgeError::Origin(_)) { FAILED } else { REFUSED }
        }
        Err(error) => {
            eprintln!("hall mcp-bridge: {error}");
            REFUSED
        }
    }
}

async fn serve(args: &BridgeArgs) -> Result<(), BridgeError> {
    let hall = Origin::parse(&args.hall)?;
    let key = Key::load_or_generate(&args.key, &hall, &SystemRandomness)?;
    let name = args.handle.clone().unwrap_or_else(|| {
        let public = key.public().to_string();
        format!("chat-{}", public.get(..12).unwrap_or(&public))
    });
    let handle = Handle::parse(&name).ok_or(BridgeError::Handle(name))?;
    let client = Client::new(handle, key)?;
    let tools = tools::of_hall(&client, args.division.as_str()).await?;
    eprintln!("hall mcp-bridge: {} at {hall}, key in {}", client.handle(), args.key.display());
    let bridge = Bridge::new(client, args.model_id.clone(), args.division.as_str());
    server::serve(Server::new(bridge, tools)).await
}
