//! A small client against connections on socket pairs, and against servers.

mod abuse;
mod client;
mod commands;
mod corpus;
mod handshake;
mod held;
mod server;
mod wire;
