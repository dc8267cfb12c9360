//! The events of all processors, in the order of time.

use std::io;

use blockyard_machine::{Tracefs, monotonic, online};
use blockyard_model::units::{Bytes, MILLISECOND, Nanos};

use super::instance::Instance;
use super::page::Layout;
use super::ring::{Loss, Ring};
use super::rings::Rings;

/// An event is in its ring for good this long after its time.
const WRITTEN: Nanos = MILLISECOND;

/// A trace, and its rings.
#[derive(Debug)]
pub(crate) struct Merged {
    // Closed before the trace ends: the kernel removes none whose rings are open.
    rings: Rings,
    trace: Instance,
    stopped: bool,
}

impl Merged {
    /// Records tracepoints, each with its filter, from now on; only events of `threads`, and of
    /// those that they make, where they are given.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub(crate) fn start(
        tracefs: Tracefs,
        tracepoints: &[(impl AsRef<str>, String)],
        pages: Layout,
        memory: Bytes,
        threads: Option<&[u32]>,
    ) -> io::Result<Self> {
        let trace = Instance::new(tracefs, memory)?;
        if let Some(threads) = threads {
            trace.follow(threads)?;
        }
        let begin = monotonic();
        for (name, filter) in tracepoints {
            trace.enable(name.as_ref(), filter)?;
        }
        let rings = online().into_iter().map(|processor| {
            let (file, counters) = trace.ring(processor)?;
            Ok(Ring::new(file, counters, pages, begin))
        });
        Ok(Self {
            rings: Rings::new(rings.collect::<io::Result<_>>()?),
            trace,
            stopped: false,
        })
    }

    /// Follows more threads.
    ///
    /// # Errors
    /// If the kernel refuses, as where all of them have ended.
    pub(crate) fn follow(&self, threads: &[u32]) -> io::Result<()> {
        self.trace.follow(threads)
    }

    /// Switches all events off: what was recorded by now still comes.
    pub(crate) fn stop(&mut self) {
        self.trace.stop();
        self.stopped = true;
    }

    /// Events that were given.
    pub(crate) fn events(&self) -> u64 {
        self.rings.events()
    }

    /// Gives what was recorded up to now; says of each event whether others of its time were lost.
    /// Gives the moment up to which all have been taken.
    pub(crate) fn take(&mut self, each: impl FnMut(Nanos, &[u8], bool)) -> Nanos {
        let settled = if self.stopped {
            Nanos::MAX
        } else {
            monotonic().saturating_sub(WRITTEN)
        };
        self.rings.take(settled, each);
        if self.stopped {
            self.rings.lose_rest(monotonic());
        }
        settled
    }

    /// The losses since the last call.
    pub(crate) fn losses(&mut self) -> Vec<Loss> {
        self.rings.losses()
    }
}
