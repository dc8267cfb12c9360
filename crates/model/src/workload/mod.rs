//! What issues IO: pure state machines that are told the time.
//!
//! A workload has numbered slots, and at most one IO or one alarm is outstanding on each. It issues
//! through [`IoSink`]. What it will do is known before it runs from [`JobSpec`](spec::JobSpec),
//! whose methods answer for every kind of job.

pub(crate) mod access;
mod arrivals;
pub(crate) mod demand;
mod describe;
mod facts;
pub(crate) mod io;
pub(crate) mod oltp;
pub(crate) mod ranwrite;
pub(crate) mod replay;
mod sequential;
mod skew;
pub mod spec;
mod steps;

pub use self::describe::{FileUse, LoopType, Offered};
pub use self::facts::{
    CopyStage, Cycle, EngineCounts, EngineIo, EngineStop, Fact, GroupCounts, HeldUp, LagCounts,
    MembershipChange, MembershipEvent, NodeCounts, Transaction, TransactionWait, Waits,
};
pub use self::io::{Backlog, IoSink, Outcome, Part, Slot};
pub(crate) use self::oltp::slots::PURPOSES;
pub(crate) use self::ranwrite::Replica;
pub use self::skew::popularity::Popularity;
