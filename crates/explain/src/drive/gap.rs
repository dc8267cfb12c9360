//! Times in which a device did nothing although it had IO to do.

use blockyard_record::thresholds::MANY_TIMES;

use super::Cause;
use super::watched::Watched;

/// Intervals without IO, up to the one in which it ended, and the last that was slow for it.
pub(super) struct Gap {
    begin: usize,
    end: usize,
    last: usize,
}

impl Gap {
    pub(super) fn holds(&self, place: usize) -> bool {
        (self.begin..=self.last).contains(&place)
    }

    pub(super) fn cause(&self, interval_s: f64) -> Cause {
        Cause::Hung {
            longest_s: (self.end - self.begin) as f64 * interval_s,
        }
    }
}

impl Watched<'_> {
    /// The times in which it did nothing although an IO waited: whole intervals without IO before
    /// one whose IO had waited through them, and those in which it then makes up for it.
    pub(super) fn hung(&self) -> Vec<Gap> {
        let mut found = Vec::new();
        let mut begin = None;
        for (place, own) in self.device.intervals.iter().enumerate() {
            if own.ios() == 0 {
                continue;
            }
            if let Some(begin) = begin.filter(|&begin| begin < place) {
                let idle_us = (place - begin) as f64 * self.seen.interval_s * 1e6;
                let slow = own.us() > MANY_TIMES * self.expected_us[place];
                if slow && own.us() >= idle_us {
                    let rest = place..self.expected_us.len();
                    let last = rest.take_while(|&later| self.is_slow(later)).last();
                    found.push(Gap {
                        begin,
                        end: place,
                        last: last.unwrap_or(place),
                    });
                }
            }
            begin = Some(place + 1);
        }
        found
    }
}
