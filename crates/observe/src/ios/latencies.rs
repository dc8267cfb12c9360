//! Latencies of IOs by operation: of an interval, and of the whole time.

use std::collections::BTreeMap;

use blockyard_model::units::Nanos;
use blockyard_record::Histogram;
use blockyard_record::result::LatencyUs;
use blockyard_trace::block::Io;

use crate::counts::OPS;

/// The latencies of a device.
#[derive(Debug, Default)]
pub(crate) struct Latencies {
    /// By interval, of those that are not over: latencies by operation.
    open: BTreeMap<u64, [Histogram; OPS.len()]>,
    pub(crate) whole: [OpLatencies; OPS.len()],
}

/// The latencies of an operation.
#[derive(Debug, Default)]
pub(crate) struct OpLatencies {
    /// From arrival to end, of intervals that were taken out.
    pub(crate) all: Histogram,
    /// Before the device had it.
    pub(crate) queue: Histogram,
    /// While the device had it.
    pub(crate) device: Histogram,
    /// IOs that failed, which have no latencies.
    pub(crate) failed: u64,
}

impl OpLatencies {
    /// IOs whose ends were seen.
    pub(crate) fn ended(&self) -> u64 {
        self.all.count() + self.failed
    }

    /// The mean latency in microseconds without those that failed, which counters have in theirs;
    /// none if none failed, as counters then know no less.
    pub(crate) fn mean_us(&self) -> Option<f64> {
        LatencyUs::of(&self.all)
            .filter(|_| self.failed > 0)
            .map(|us| us.mean)
    }
}

impl Latencies {
    /// Adds an IO that ended in an interval. One that failed counts as that alone: its time is no
    /// latency of the device, but that of giving up.
    pub(crate) fn add(&mut self, io: &Io, interval: u64) {
        let whole = &mut self.whole[io.op];
        if io.failed {
            whole.failed += 1;
            return;
        }
        self.open.entry(interval).or_default()[io.op].record(io.latency);
        io.queue
            .into_iter()
            .for_each(|time| whole.queue.record(time));
        io.device
            .into_iter()
            .for_each(|time| whole.device.record(time));
    }

    /// Takes out the latencies of intervals before `end`; of all without one.
    pub(crate) fn ended(&mut self, end: Option<u64>) -> [Histogram; OPS.len()] {
        let later = end.map(|end| self.open.split_off(&end));
        let ended = std::mem::replace(&mut self.open, later.unwrap_or_default());
        let mut all = <[Histogram; OPS.len()]>::default();
        for each in ended.into_values() {
            for (all, one) in all.iter_mut().zip(&each) {
                all.merge(one);
            }
        }
        for (whole, all) in self.whole.iter_mut().zip(&all) {
            whole.all.merge(all);
        }
        all
    }
}

/// The interval that a moment belongs to.
pub(crate) fn interval_of(time: Nanos, origin: Nanos, length: Nanos) -> u64 {
    time.saturating_sub(origin) / length
}

#[cfg(test)]
mod tests {
    use super::*;
    use blockyard_trace::block::Task;

    #[test]
    fn an_interval_has_what_ended_in_it_or_before_and_was_not_taken() {
        let io = |latency| Io {
            time: 0,
            op: 1,
            failed: latency == 3,
            latency,
            queue: Some(1),
            device: Some(latency - 1),
            place: (0, 8),
            counted: 1,
            by: Task::default(),
        };
        let mut latencies = Latencies::default();
        latencies.add(&io(2), 0);
        latencies.add(&io(3), 1);
        latencies.add(&io(4), 2);
        // The one that failed has none.
        assert_eq!(latencies.ended(Some(2))[1].count(), 1);
        assert_eq!(latencies.ended(None)[1].max(), 4);
        assert_eq!(latencies.ended(None)[1].count(), 0);
        let whole = &latencies.whole[1];
        assert_eq!(
            (whole.all.count(), whole.failed, whole.queue.max()),
            (2, 1, 1)
        );
        assert_eq!((whole.ended(), whole.device.max()), (3, 3));
    }
}
