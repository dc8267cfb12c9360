//! Single IOs, brought into windows.

use std::collections::BTreeMap;

use blockyard_model::units::{MILLISECOND, Nanos};

use crate::trace::{Bin, Kind, Op, Part, Trace, Window, merged};

/// At most this number of IOs is kept, in some 400 MB; those that follow are left out.
pub const MOST_IOS: usize = 8_000_000;

/// The length of a window: a hundredth of the second that a limit's bucket usually holds.
const WINDOW: Nanos = 10 * MILLISECOND;

/// Windows at most; of longer records they are longer.
const MOST_WINDOWS: u64 = 400_000;

/// An IO that completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// When it was issued.
    pub issued: Nanos,
    /// How long it took.
    pub latency: Nanos,
    /// What it did.
    pub op: Op,
    /// Its size.
    pub bytes: u64,
}

/// Records of single IOs, in any order.
#[derive(Clone, Debug, Default)]
pub struct Records {
    ios: Vec<Io>,
    left_out: u64,
}

impl Records {
    /// Adds an IO, unless there are [`MOST_IOS`]. One without bytes is none: such a write only asks
    /// for a flush, and no volume counts it.
    pub fn push(&mut self, io: Io) {
        if io.bytes == 0 {
            return;
        }
        if self.ios.len() < MOST_IOS {
            self.ios.push(io);
        } else {
            self.left_out += 1;
        }
    }

    /// IOs that found no room.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// As a trace for each stretch between the times in `lost`, from when to when others were not
    /// recorded. What went on in one of them is left out.
    #[must_use]
    pub fn traces(self, lost: &[(Nanos, Nanos)]) -> Vec<Trace> {
        if lost.is_empty() {
            return vec![self.trace()];
        }
        let lost = apart(lost);
        let mut stretches = vec![Self::default(); lost.len() + 1];
        for io in self.ios {
            let place = lost.partition_point(|(_, until)| *until <= io.issued);
            if lost.get(place).is_none_or(|(from, _)| end(&io) <= *from) {
                stretches[place].ios.push(io);
            }
        }
        stretches.retain(|stretch| !stretch.ios.is_empty());
        stretches.into_iter().map(Self::trace).collect()
    }

    /// As windows, from the first IO that was issued on; an IO counts where it completed.
    #[must_use]
    pub fn trace(mut self) -> Trace {
        self.ios.sort_unstable_by_key(end);
        let first = self.ios.iter().map(|io| io.issued).min().unwrap_or(0);
        let last = self.ios.last().map_or(0, end);
        let length = WINDOW.max((last - first) / MOST_WINDOWS);
        let mut windows = Vec::new();
        let mut ios = self.ios.as_slice();
        let mut start = first;
        while !ios.is_empty() {
            // The last window ends with the last IO.
            let until = start.saturating_add(length).min(last + 1);
            let (done, rest) = ios.split_at(ios.partition_point(|io| end(io) < until));
            ios = rest;
            windows.push(Window {
                start,
                length: until - start,
                parts: parts(done),
            });
            start = until;
        }
        Trace {
            windows,
            error: 0.0,
            percentiles: false,
        }
    }
}

/// Times in order, of which none overlaps another.
fn apart(times: &[(Nanos, Nanos)]) -> Vec<(Nanos, Nanos)> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.dedup_by(|next, kept| {
        let meets = next.0 <= kept.1;
        if meets {
            kept.1 = kept.1.max(next.1);
        }
        meets
    });
    times
}

/// Before the end of time, as a window ends after its last IO.
fn end(io: &Io) -> Nanos {
    io.issued.saturating_add(io.latency).min(Nanos::MAX - 1)
}

fn parts(ios: &[Io]) -> Vec<Part> {
    let mut kinds: BTreeMap<Kind, Vec<Bin>> = BTreeMap::new();
    for io in ios {
        let kind = Kind {
            op: io.op,
            bytes: Some(io.bytes),
        };
        kinds.entry(kind).or_default().push(Bin {
            nanos: io.latency,
            count: 1,
        });
    }
    let part = |(kind, bins): (Kind, Vec<Bin>)| Part {
        kind,
        ios: bins.len() as u64,
        bytes: bins.len() as u64 * kind.bytes.unwrap_or(0),
        sum: bins.iter().map(|bin| u128::from(bin.nanos)).sum(),
        bins: merged(bins.iter()),
    };
    kinds.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: Io = Io {
        issued: 0,
        latency: 2 * MILLISECOND,
        op: Op::Read,
        bytes: 4096,
    };

    fn recorded(ios: impl IntoIterator<Item = Io>) -> Records {
        let mut records = Records::default();
        ios.into_iter().for_each(|io| records.push(io));
        records
    }

    fn ios(trace: &Trace) -> u64 {
        trace.windows.iter().map(Window::ios).sum()
    }

    #[test]
    fn ios_at_the_end_of_time_are_in_the_last_window() {
        for last in [Nanos::MAX, Nanos::MAX - 1, Nanos::MAX - WINDOW] {
            let records = recorded([last - 3 * WINDOW, last].map(|issued| Io { issued, ..READ }));
            let windows = records.trace().windows;
            assert!((3..=4).contains(&windows.len()), "{}", windows.len());
            assert_eq!((windows[0].ios(), windows[windows.len() - 1].ios()), (1, 1));
        }
    }

    #[test]
    fn what_only_asks_for_a_flush_is_no_io() {
        let ios = [8192, 0, 0, 8192].map(|bytes| Io {
            op: Op::Write,
            bytes,
            ..READ
        });
        let trace = recorded(ios).trace();
        let sizes: Vec<_> = trace.kinds().iter().map(|kind| kind.bytes).collect();
        assert_eq!((sizes, self::ios(&trace)), (vec![Some(8192)], 2));
    }

    #[test]
    fn a_time_without_a_record_divides_a_trace() {
        let each = (0..100).map(|at| Io {
            issued: at * MILLISECOND,
            ..READ
        });
        let all = recorded(each);
        let at = |ms: u64| ms * MILLISECOND;
        let traces = all
            .clone()
            .traces(&[(at(50), at(60)), (at(20), at(30)), (at(55), at(58))]);
        // One that is issued at 18 ms ends with the last event before the first of them.
        assert_eq!(traces.iter().map(ios).collect::<Vec<_>>(), [19, 19, 40]);
        assert_eq!(traces[1].windows[0].start, at(30));
        let (whole, none) = (all.clone().traces(&[]), all.traces(&[(0, at(200))]));
        assert_eq!((whole.len(), ios(&whole[0]), none.len()), (1, 100, 0));
    }
}
