//! A small client against connections on socket pairs, and against servers.

mod abuse;
mod budget;
mod client;
mod clients;
mod commands;
mod corpus;
mod handshake;
mod held;
mod server;
mod tls;
mod wire;
