//! Where the engines of a group issue to.

use core::ops::Range;

use crate::replication::NetworkSink;
use crate::request::Request;
use crate::units::Nanos;
use crate::workload::io::{IoSink, Slot};
use crate::workload::{EngineCounts, Fact};

/// Where a node of a group issues to: its slots are a part of the group's.
pub(super) struct NodeSink<'a, S> {
    pub(super) sink: &'a mut S,
    pub(super) first: Slot,
    /// Those of its threads, as it numbers them.
    pub(super) threads: Range<Slot>,
    pub(super) is_writer: bool,
    /// IOs that it issued, and those of them that threads wait for.
    pub(super) issued: u32,
    pub(super) reading: u32,
    /// What it reported of a second of its engine.
    pub(super) told: Option<EngineCounts>,
}

impl<S: NetworkSink> IoSink for NodeSink<'_, S> {
    fn io(&mut self, slot: Slot, due: Nanos, request: Request) {
        self.issued += 1;
        self.reading += u32::from(self.threads.contains(&slot));
        self.sink.io(self.first + slot, due, request);
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.sink.wake(self.first + slot, at);
    }

    fn fact(&mut self, fact: Fact) {
        match fact {
            Fact::Engine(counts) => self.told = Some(counts),
            Fact::Stopped(_) => self.sink.fact(fact),
            _ if self.is_writer => self.sink.fact(fact),
            _ => {}
        }
    }
}
