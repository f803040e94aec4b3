//! The hall over MCP (decision 11): the protocol, the tools, and a game played only over MCP.

pub(crate) mod bridge_process;
mod discovery;
mod game;
mod protocol;
mod sizes;
mod tools;
