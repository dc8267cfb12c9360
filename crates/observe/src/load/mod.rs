//! What the IOs of a device are like: their order, their places, and who issues them.
//!
//! Each IO is looked at once, as it ends, in memory that does not grow with their number.

mod background;
mod issuers;
mod order;
mod places;

use blockyard_model::units::{Bytes, Nanos};
use blockyard_record::result::ObservedLoad;
use blockyard_text::grouped;

use self::background::Background;
use self::issuers::Known;
pub(crate) use self::issuers::Thread;
use self::order::Order;
use self::places::Blocks;

const READ: usize = 0;
const WRITE: usize = 1;

/// An IO, as far as it says what the load is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Issued {
    /// When it was asked for.
    pub(crate) at: Nanos,
    /// Index into [`blockyard_trace::OPS`].
    pub(crate) op: usize,
    /// The first byte, and how many.
    pub(crate) place: (Bytes, Bytes),
    /// The interval in which it ended.
    pub(crate) interval: u64,
    /// Who asked for it, if that is known.
    pub(crate) by: Option<Thread>,
    /// It asks for a flush alone.
    pub(crate) flush: bool,
}

/// The IOs of a device.
#[derive(Debug, Default)]
pub(crate) struct Load {
    order: [Order; 2],
    blocks: Blocks,
    threads: Known,
    background: Background,
}

impl Load {
    /// Adds an IO; `name` is that of its thread.
    pub(crate) fn add(&mut self, io: &Issued, name: impl FnOnce() -> String) {
        let (offset, bytes) = io.place;
        let moves = matches!(io.op, READ | WRITE) && bytes > 0;
        if moves {
            self.order[io.op].add(io.at, io.place);
            self.blocks.add(io.op, offset);
        }
        let Some(by) = io.by.filter(|_| moves || io.flush) else {
            return;
        };
        if self.threads.add(by, io, name) {
            self.background.add(io.interval, by, bytes);
        }
    }

    /// What they were like, in a run of so many intervals; none without IOs that have a place.
    pub(crate) fn result(&self, intervals: u64, interval_s: f64) -> Option<ObservedLoad> {
        let [reads, writes] = &self.order;
        Some(ObservedLoad {
            sequential_reads: reads.sequential(),
            sequential_writes: writes.sequential(),
            places: self.blocks.result()?,
            issuers: self.threads.result(),
            heavy_writes: self
                .background
                .heavy(intervals, interval_s, |by| self.threads.name(by).to_owned()),
        })
    }

    /// That their order is known of a sample, if it is.
    pub(crate) fn notice(&self, device: &str) -> Option<String> {
        let [reads, writes] = self.order.each_ref().map(Order::sample);
        let (known, all) = (reads.0 + writes.0, reads.1 + writes.1);
        (known < all).then(|| {
            let (known, all) = (grouped(known), grouped(all));
            format!("{device}: shares of sequential IOs are of {known} of {all} reads and writes")
        })
    }
}
