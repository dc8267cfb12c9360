//! When threads that hardly read write much, as checkpoints, write daemons and write-back do.

use blockyard_model::units::Bytes;
use blockyard_record::result::HeavyWrites;

/// Heavy is so many times the mean of the run: at most half of the intervals can be.
const TIMES: f64 = 2.0;
/// And at least so many bytes a second.
const LEAST: f64 = (1 << 20) as f64;

/// Bytes that they wrote, by interval.
#[derive(Debug, Default)]
pub(super) struct Background(Vec<Bytes>);

impl Background {
    pub(super) fn add(&mut self, interval: u64, bytes: Bytes) {
        let place = interval as usize;
        if place >= self.0.len() {
            self.0.resize(place + 1, 0);
        }
        self.0[place] += bytes;
    }

    /// The heavy intervals of a run of so many, those that follow each other as one.
    pub(super) fn heavy(&self, intervals: u64, interval_s: f64) -> Vec<HeavyWrites> {
        let sum: Bytes = self.0.iter().sum();
        let mean = sum as f64 / intervals.max(1) as f64;
        let least = (TIMES * mean).max(LEAST * interval_s);
        let mut found: Vec<HeavyWrites> = Vec::new();
        let mut last = None;
        for (place, bytes) in self.0.iter().enumerate() {
            if (*bytes as f64) < least {
                continue;
            }
            let to_s = (place + 1) as f64 * interval_s;
            match found.last_mut() {
                Some(before) if last == place.checked_sub(1) => {
                    before.to_s = to_s;
                    before.bytes += bytes;
                }
                _ => found.push(HeavyWrites {
                    from_s: place as f64 * interval_s,
                    to_s,
                    bytes: *bytes,
                }),
            }
            last = Some(place);
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
            background.add(at, mib << 20);
        }
        let found = background.heavy(intervals, 1.0).into_iter();
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
}
