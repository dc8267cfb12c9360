//! What the simulator gives: one program, as each more takes seconds to build.

mod accounts;
mod by_interval;
mod clusters;
mod common;
mod determinism;
mod drawn;
mod events;
mod failover;
mod failures;
mod fsync;
mod items;
mod limits;
mod links;
mod membership;
mod mirrors;
mod packets;
mod published;
mod queues;
mod replay;
mod shared_network;
mod sharing;
mod stalls;
mod standbys;
mod streams;
mod theory;
mod write_daemon;
