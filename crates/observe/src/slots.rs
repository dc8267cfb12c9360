//! Even intervals from samples at times that are only nearly even.

use blockyard_model::units::Nanos;

/// Which intervals samples belong to.
#[derive(Debug)]
pub(crate) struct Slots {
    interval: Nanos,
    /// Intervals that ended.
    done: u64,
    /// Those of them that no sample of their own ended.
    missed: u64,
}

impl Slots {
    pub(crate) fn new(interval: Nanos) -> Self {
        Self {
            interval,
            done: 0,
            missed: 0,
        }
    }

    /// When the next interval ends.
    pub(crate) fn next_end(&self) -> Nanos {
        (self.done + 1) * self.interval
    }

    /// The intervals that a sample at `now` ends: the next, and those that no sample ended.
    pub(crate) fn ended(&mut self, now: Nanos) -> std::ops::Range<u64> {
        let first = self.done;
        let nearest = (now + self.interval / 2) / self.interval;
        self.done = nearest.max(first + 1);
        self.missed += self.done - first - 1;
        first..self.done
    }

    /// What to say of intervals without a sample of their own, if there are any.
    pub(crate) fn notice(&self) -> Option<String> {
        (self.missed > 0).then(|| {
            format!(
                "{} of {} intervals had no sample of their own, as this machine was too busy; \
                 what was counted is spread evenly over them",
                self.missed, self.done
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_samples_end_all_intervals_up_to_them() {
        let mut slots = Slots::new(100);
        assert_eq!(slots.next_end(), 100);
        assert_eq!(slots.ended(101), 0..1);
        assert_eq!(slots.ended(199), 1..2);
        assert_eq!(slots.notice(), None);
        assert_eq!(slots.ended(540), 2..5);
        assert_eq!(slots.next_end(), 600);
        assert!(slots.notice().unwrap().starts_with("2 of 5 intervals"));
        // Stopped soon after the last: what was counted since has an interval, too.
        assert_eq!(slots.ended(541), 5..6);
    }
}
