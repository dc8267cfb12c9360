//! When threads that hardly read write much, as checkpoints, write daemons and write-back do.

use std::collections::BTreeMap;

use blockyard_model::units::Bytes;
use blockyard_record::result::HeavyWrites;

use super::Thread;

/// Heavy is so many times the mean of the run: at most half of the intervals can be.
const TIMES: f64 = 2.0;
/// And at least so many bytes a second.
const LEAST: f64 = (1 << 20) as f64;
/// Threads that are told apart in an interval.
const MOST: usize = 16;

/// Bytes that they wrote, by interval.
#[derive(Debug, Default)]
pub(super) struct Background(Vec<Written>);

#[derive(Clone, Debug, Default)]
struct Written {
    bytes: Bytes,
    by: Vec<(Thread, Bytes)>,
}

impl Background {
    pub(super) fn add(&mut self, interval: u64, by: Thread, bytes: Bytes) {
        let place = interval as usize;
        if place >= self.0.len() {
            self.0.resize(place + 1, Written::default());
        }
        let written = &mut self.0[place];
        written.bytes += bytes;
        if let Some((_, own)) = written.by.iter_mut().find(|(own, _)| *own == by) {
            *own += bytes;
        } else if written.by.len() < MOST {
            written.by.push((by, bytes));
        }
    }

    /// The heavy intervals of a run of so many, those that follow each other as one; `name` is that
    /// of a thread.
    pub(super) fn heavy(
        &self,
        intervals: u64,
        interval_s: f64,
        name: impl Fn(Thread) -> String,
    ) -> Vec<HeavyWrites> {
        let sum: Bytes = self.0.iter().map(|written| written.bytes).sum();
        let mean = sum as f64 / intervals.max(1) as f64;
        let least = (TIMES * mean).max(LEAST * interval_s);
        let mut found: Vec<HeavyWrites> = Vec::new();
        let mut last = None;
        for (place, written) in self.0.iter().enumerate() {
            if (written.bytes as f64) < least {
                continue;
            }
            if found.is_empty() || last != place.checked_sub(1) {
                found.push(HeavyWrites {
                    from_s: place as f64 * interval_s,
                    to_s: 0.0,
                    bytes: 0,
                    by: BTreeMap::new(),
                });
            }
            last = Some(place);
            if let Some(burst) = found.last_mut() {
                burst.to_s = (place + 1) as f64 * interval_s;
                burst.bytes += written.bytes;
                for (by, bytes) in &written.by {
                    *burst.by.entry(name(*by)).or_default() += bytes;
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heavy(mib: &[u64], intervals: u64) -> Vec<(f64, f64, u64)> {
        let mut background = Background::default();
        for (at, mib) in (0..).zip(mib) {
            background.add(at, (0, at as u32 % 2), mib << 20);
        }
        let found = background
            .heavy(intervals, 1.0, |by| by.1.to_string())
            .into_iter();
        found
            .map(|one| (one.from_s, one.to_s, one.bytes >> 20))
            .collect()
    }

    #[test]
    fn heavy_is_twice_the_mean() {
        let mib = [1, 1, 9, 8, 1, 1, 1, 1, 7, 0];
        assert_eq!(heavy(&mib, 10), [(2.0, 4.0, 17), (8.0, 9.0, 7)]);
        assert_eq!(heavy(&[3; 10], 10), []);
        // Those in which nothing was written count, too.
        assert_eq!(heavy(&[3; 5], 10), [(0.0, 5.0, 15)]);
        assert_eq!(heavy(&[0, 0, 0], 10), []);
    }
    #[test]
    fn a_burst_has_its_own_writers() {
        let mut background = Background::default();
        for at in 0..10 {
            background.add(at, (0, 1), 4 << 20);
        }
        for thread in 2..40 {
            background.add(5, (0, thread), 1 << 20);
        }
        let [burst] = &background.heavy(10, 1.0, |by| format!("t{}", by.1))[..] else {
            panic!("one burst")
        };
        // Those beyond the most only count.
        assert_eq!((burst.bytes >> 20, burst.by.len()), (42, MOST));
        assert_eq!((burst.by["t1"] >> 20, burst.by["t2"] >> 20), (4, 1));
    }
}
