//! Calls that ended, each with the IOs that its thread asked for meanwhile.

use std::collections::{BTreeMap, VecDeque};

use blockyard_model::units::{Nanos, SECOND};

use super::event::{Event, What};
use super::kinds::{CALLS, Kind};

/// A call that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) start: Nanos,
    pub(super) end: Nanos,
    pub(super) thread: u32,
    /// Index into [`CALLS`].
    pub(super) call: usize,
    pub(super) file: Option<u32>,
    pub(super) result: i64,
    pub(super) ios: Ios,
}

/// The IOs that a thread asked for in a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ios {
    /// How many.
    pub(super) count: u32,
    /// Those that ended in the call.
    pub(super) waited: u32,
    /// From the first one's arrival to the last one's end, as far as that lies in the call.
    pub(super) time: Nanos,
    /// The first one's arrival.
    first: Nanos,
}

impl Call {
    /// Whether its thread waited for storage.
    pub(super) fn waits(&self) -> bool {
        CALLS[self.call].1 == Kind::Syncs || self.ios.waited > 0
    }
}

/// An IO of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadIo {
    pub(super) thread: u32,
    pub(super) from: Nanos,
    pub(super) to: Nanos,
}

/// Puts beginnings and ends together, and IOs below them.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// By thread, as one does one call at a time.
    begun: BTreeMap<u32, Call>,
    /// By end: those whose IOs may still end.
    ended: BTreeMap<u32, VecDeque<Call>>,
}

/// IOs that a call left behind are counted if they end within this time.
const PATIENCE: Nanos = SECOND;

impl Calls {
    /// Takes the next event, unless it has nothing to do with `data`. Of a call whose beginning was
    /// not seen nothing is known, and one whose end was not seen is forgotten once its thread
    /// begins another.
    pub(super) fn take(&mut self, event: &Event, data: bool) {
        match event.what {
            What::Begin(_) if !data => {
                self.begun.remove(&event.thread);
            }
            What::Begin(file) => {
                let begun = Call {
                    start: event.time,
                    end: Nanos::MAX,
                    thread: event.thread,
                    call: event.call,
                    file,
                    result: 0,
                    ios: Ios::default(),
                };
                self.begun.insert(event.thread, begun);
            }
            What::End(result) => {
                let begun = self.begun.remove(&event.thread);
                if let Some(mut call) = begun.filter(|begun| begun.call == event.call) {
                    (call.end, call.result) = (event.time, result);
                    self.ended.entry(event.thread).or_default().push_back(call);
                }
            }
        }
    }

    /// Puts an IO below the call in which its thread asked for it, if there is one.
    pub(super) fn add(&mut self, io: ThreadIo) {
        let begun = self.begun.get_mut(&io.thread);
        let call = match begun.filter(|call| call.start <= io.from) {
            Some(call) => Some(call),
            None => before(self.ended.get_mut(&io.thread), io.from),
        };
        let Some(call) = call.filter(|call| io.from <= call.end) else {
            return;
        };
        let (ios, end) = (&mut call.ios, call.end);
        let last = (ios.first + ios.time).max(io.to.min(end));
        ios.first = if ios.count == 0 {
            io.from
        } else {
            ios.first.min(io.from)
        };
        ios.time = last - ios.first;
        ios.count += 1;
        ios.waited += u32::from(io.to <= end);
    }

    /// Forgets what threads have begun, unless they are to be kept: ends may have been lost, or
    /// never come.
    pub(super) fn forget(&mut self, mut keep: impl FnMut(u32) -> bool) {
        self.begun.retain(|thread, _| keep(*thread));
    }

    /// Gives the calls whose IOs have ended by `now`, in each thread in order.
    pub(super) fn finish(&mut self, now: Nanos, mut each: impl FnMut(&Call)) {
        let until = now.saturating_sub(PATIENCE);
        self.ended.retain(|_, calls| {
            while let Some(call) = calls.front().filter(|call| call.end <= until) {
                each(call);
                calls.pop_front();
            }
            !calls.is_empty()
        });
    }

    /// The earliest beginning of a call that was not given.
    pub(super) fn oldest(&self) -> Option<Nanos> {
        let ended = self.ended.values().filter_map(VecDeque::front);
        self.begun
            .values()
            .chain(ended)
            .map(|call| call.start)
            .min()
    }
}

/// The last of the calls of a thread, which are in order, that began by a moment.
fn before(calls: Option<&mut VecDeque<Call>>, moment: Nanos) -> Option<&mut Call> {
    let calls = calls?;
    let later = calls.partition_point(|call| call.start <= moment);
    calls.get_mut(later.checked_sub(1)?)
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
