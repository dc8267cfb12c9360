//! What storage and workloads are, as pure state machines.
//!
//! Nothing here reads a clock, does IO, starts a thread or keeps a global:
//! the time is an argument, so that one model serves virtual time
//! (`simulate`) and real time (`emulate`, `bench`).
#![no_std]
#![cfg_attr(test, allow(clippy::unreachable, reason = "a test fails by panicking"))]

extern crate alloc;

pub mod balance;
pub mod by_interval;
pub mod cluster;
mod engine;
pub mod event_queue;
pub mod fault;
pub mod job;
mod latency;
mod layout;
mod limits;
mod meter;
pub mod network;
mod product;
pub mod random;
pub mod replication;
mod request;
pub mod spec;
pub mod storage;
pub mod streams;
mod throttle;
mod token_bucket;
pub mod units;
mod volume;
pub mod workload;
