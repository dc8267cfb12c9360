//! How many changed pages InnoDB writes a second, beside those that must make room.
//!
//! Once a second it takes the mean of three numbers: what the age of the oldest change calls for,
//! what it wrote of late, and what keeps that age from growing. So it follows the load even
//! while the log is nearly empty (`page_cleaner_flush_pages_recommendation` in MySQL 5.7's
//! `buf0flu.cc`).

use super::cleaner::Pressure;
use super::spec::Capacity;
use crate::units::Bytes;

/// Seconds after which it works out anew what was written and logged of late
/// (`innodb_flushing_avg_loops`).
const LOOPS: u64 = 30;

/// Seconds of log ahead for which it counts pages (`buf_flush_lsn_scan_factor`).
const AHEAD: u64 = 3;

/// Share of the pool, in 100, from which on it writes for the number of changed pages
/// (`innodb_max_dirty_pages_pct`).
const MOST_CHANGED: u64 = 75;

/// What it remembers from second to second.
#[derive(Clone, Debug, Default)]
pub(super) struct Adaptive {
    /// Pages a second, as decided last.
    rate: u64,
    /// Seconds since it worked out what follows, and pages written since.
    seconds: u64,
    written: u64,
    written_of_late: u64,
    logged_of_late: Bytes,
    /// Where the log ended then, and a second ago.
    end: Bytes,
    last_end: Bytes,
}

impl Adaptive {
    /// Pages a second until it decides again.
    pub(super) fn rate(&self) -> u64 {
        self.rate
    }

    /// So many pages are being written.
    pub(super) fn writes(&mut self, pages: u64) {
        self.written += pages;
    }

    /// A second has gone by. In 100 of the pool's pages, `changed` are; `until` says how many have
    /// changes from up to a place in the log.
    pub(super) fn decide(
        &mut self,
        capacity: Capacity,
        pressure: Pressure,
        changed: u64,
        until: impl Fn(Bytes) -> u64,
    ) {
        self.seconds += 1;
        if core::mem::replace(&mut self.last_end, pressure.end) == pressure.end {
            self.rate = capacity.rate;
            return;
        }
        if self.seconds >= LOOPS {
            self.written_of_late = (self.written / self.seconds + self.written_of_late) / 2;
            let logged = (pressure.end - self.end) / self.seconds;
            self.logged_of_late = (logged + self.logged_of_late) / 2;
            (self.seconds, self.written, self.end) = (0, 0, pressure.end);
        }
        let by_changed = if changed >= MOST_CHANGED {
            capacity.rate
        } else {
            0
        };
        let ahead = until(pressure.oldest + self.logged_of_late * AHEAD) / AHEAD;
        let ahead = ahead.min(capacity.most.saturating_mul(2));
        let wanted = by_age(capacity, pressure).max(by_changed);
        let sum = wanted.saturating_add(self.written_of_late + ahead);
        self.rate = (sum / 3).min(capacity.most);
    }
}

/// Pages a second that the age of the oldest change calls for (`af_get_pct_for_lsn`).
fn by_age(capacity: Capacity, pressure: Pressure) -> u64 {
    let share = pressure.age() as f64 * 1000.0 / pressure.capacity.max(1) as f64;
    if share < f64::from(capacity.low) {
        return 0;
    }
    let percent = 100.0 * share / f64::from(capacity.high.max(1));
    let times = (capacity.most / capacity.rate.max(1)) as f64;
    let of_rate = times * percent * libm::sqrt(percent) / 7.5;
    (of_rate / 100.0 * capacity.rate as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPACITY: Capacity = Capacity {
        rate: 200,
        most: 2000,
        low: 100,
        high: 710,
    };

    /// Writes as it decides for `seconds`, with a log of 1,000,000 bytes that grows by 1,000 a
    /// second, `age` bytes behind which changes of `pages` begin each second.
    fn after(seconds: u64, age: Bytes, pages: u64) -> u64 {
        let mut adaptive = Adaptive::default();
        for second in 1..=seconds {
            let end = age + second * 1000;
            let oldest = end - age;
            let capacity = 1_000_000;
            let pressure = Pressure {
                end,
                oldest,
                capacity,
            };
            adaptive.decide(CAPACITY, pressure, 0, |at| (at - oldest) * pages / 1000);
            adaptive.writes(adaptive.rate());
        }
        adaptive.rate()
    }

    #[test]
    fn with_a_young_log_it_writes_half_of_what_is_changed() {
        assert_eq!(
            after(29, 50_000, 900),
            0,
            "it does not know the log's pace yet"
        );
        assert!(after(30, 50_000, 900) > 0);
        let later = after(900, 50_000, 900);
        assert!((440..=450).contains(&later), "{later}");
    }

    #[test]
    fn with_an_older_log_it_writes_more_and_at_most_its_most() {
        let at = |age| after(900, age, 900);
        assert!(at(300_000) > at(150_000) && at(150_000) > at(99_000));
        assert!(
            at(99_000).abs_diff(at(50_000)) < 5,
            "below `low` age is nothing"
        );
        assert_eq!(at(900_000), CAPACITY.most);
    }

    #[test]
    fn at_rest_it_writes_at_its_rate_and_for_a_full_pool_too() {
        let mut adaptive = Adaptive::default();
        let pressure = |end| Pressure {
            end,
            oldest: 0,
            capacity: 1_000_000,
        };
        adaptive.decide(CAPACITY, pressure(0), 1, |_| 0);
        assert_eq!(adaptive.rate(), 200);
        adaptive.decide(CAPACITY, pressure(1000), 74, |_| 0);
        assert_eq!(adaptive.rate(), 0);
        adaptive.decide(CAPACITY, pressure(2000), 75, |_| 0);
        assert_eq!(adaptive.rate(), 66);
    }
}
