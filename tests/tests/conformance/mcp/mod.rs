//! The hall over MCP (decision 11): the protocol, the tools, and a game played with nothing else.

mod discovery;
mod game;
mod protocol;
mod tools;
