//! More than one copy of the data, each on a host of its own: what is sent between them, who must
//! have what before it counts as done, what happens when one does not answer, and how it catches
//! up.
//!
//! - [`mirror`]: devices that keep each byte twice (DRBD, LVM, VxVM), and IRIS's mirrors, whose
//!   journal is kept on other hosts. They stand between jobs and devices.
//! - [`group`]: engines with the same data, which certify write sets (Galera) or are shipped a log
//!   (PostgreSQL, MySQL). They are made of engines, and are one job.

pub(crate) mod group;
pub mod mirror;

use crate::network::Processors;
use crate::workload::IoSink;

/// Where engines issue to that send messages to each other.
pub trait NetworkSink: IoSink {
    /// Has `act` do what messages do now over links of the job's own, with what handles packets
    /// on the hosts: that does so for all jobs and mirrors of a run.
    fn over_network(&mut self, act: impl FnOnce(&mut Processors));
}
