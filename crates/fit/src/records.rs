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
    /// Adds an IO, unless there are [`MOST_IOS`].
    pub fn push(&mut self, io: Io) {
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

    /// As windows, from the first IO that was issued on; an IO counts where it completed.
    #[must_use]
    pub fn trace(mut self) -> Trace {
        // Before the end of time, as a window ends after its last IO.
        let end = |io: &Io| io.issued.saturating_add(io.latency).min(Nanos::MAX - 1);
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

    #[test]
    fn ios_at_the_end_of_time_are_in_the_last_window() {
        for last in [Nanos::MAX, Nanos::MAX - 1, Nanos::MAX - WINDOW] {
            let mut records = Records::default();
            for issued in [last - 3 * WINDOW, last] {
                records.push(Io {
                    issued,
                    latency: 2 * MILLISECOND,
                    op: Op::Read,
                    bytes: 4096,
                });
            }
            let windows = records.trace().windows;
            let ios = |window: &Window| window.parts.iter().map(|part| part.ios).sum::<u64>();
            assert!((3..=4).contains(&windows.len()), "{}", windows.len());
            assert_eq!((ios(&windows[0]), ios(&windows[windows.len() - 1])), (1, 1));
        }
    }
}
