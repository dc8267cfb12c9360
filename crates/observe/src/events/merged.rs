//! The events of all processors, in the order of time.

use std::io;

use blockyard_machine::{Tracefs, monotonic, online};
use blockyard_model::units::{Bytes, MILLISECOND, Nanos};

use super::instance::Instance;
use super::page::Layout;
use super::ring::{Loss, Ring, Taken};

/// An event is in its ring for good this long after its time.
const WRITTEN: Nanos = MILLISECOND;

/// A trace whose events are read as `E`.
#[derive(Debug)]
pub(crate) struct Merged<E> {
    // Closed before the trace ends: the kernel removes none whose rings are open.
    rings: Vec<Ring>,
    trace: Instance,
    /// Events that are too young to be sure that none came before them.
    held: Vec<(Nanos, E)>,
    /// Losses whose time is not over.
    open: Vec<Loss>,
    /// Those that nobody took yet.
    losses: Vec<Loss>,
    events: u64,
    stopped: bool,
}

impl<E> Merged<E> {
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
            rings: rings.collect::<io::Result<_>>()?,
            trace,
            held: Vec::new(),
            open: Vec::new(),
            losses: Vec::new(),
            events: 0,
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

    /// Events that were read.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Takes what was recorded up to now; says of each event whether others of its time were lost.
    /// Gives the moment up to which all have been taken.
    pub(crate) fn take(
        &mut self,
        read: impl Fn(Nanos, &[u8]) -> Option<E>,
        mut each: impl FnMut(E, bool),
    ) -> Nanos {
        let settled = if self.stopped {
            Nanos::MAX
        } else {
            monotonic().saturating_sub(WRITTEN)
        };
        for ring in &mut self.rings {
            ring.take(settled, |taken| match taken {
                Taken::Event(time, raw) => {
                    self.events += 1;
                    if let Some(event) = read(time, raw) {
                        self.held.push((time, event));
                    }
                }
                Taken::Loss(loss) => {
                    self.open.push(loss);
                    self.losses.push(loss);
                }
            });
            if self.stopped {
                self.losses.extend(ring.rest(monotonic()));
            }
        }
        // Stable: events of one moment stay in their processor's order.
        self.held.sort_by_key(|(time, _)| *time);
        let young = self.held.partition_point(|(time, _)| *time <= settled);
        for (time, event) in self.held.drain(..young) {
            let lost = |loss: &Loss| (loss.from..=loss.to).contains(&time);
            each(event, self.open.iter().any(lost));
        }
        self.open.retain(|loss| loss.to > settled);
        settled
    }

    /// The losses since the last call.
    pub(crate) fn losses(&mut self) -> Vec<Loss> {
        std::mem::take(&mut self.losses)
    }
}
