//! Stretches of time in which events were lost.

use blockyard_model::units::Nanos;
use blockyard_sys::perf::Record;

/// What was lost: no more than that of these events some are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    /// The last event before, and the first after, on the processor that lost them.
    pub(crate) from: Nanos,
    pub(crate) to: Nanos,
    pub(crate) events: u64,
}

/// Finds the losses of a processor, record by record.
#[derive(Debug, Default)]
pub(super) struct Losses {
    last: Nanos,
    lost: u64,
}

impl Losses {
    /// Takes the next record, and gives the loss that it ends, if it ends one.
    pub(super) fn take(&mut self, record: &Record<'_>) -> Option<Loss> {
        match *record {
            Record::Lost(events) => {
                self.lost += events;
                None
            }
            Record::Event(time, _) => {
                let from = std::mem::replace(&mut self.last, time);
                let events = std::mem::take(&mut self.lost);
                let to = time;
                (events > 0).then_some(Loss { from, to, events })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_lies_between_two_events() {
        let mut losses = Losses::default();
        let event = |time| Record::Event(time, &[]);
        let expected = Loss {
            from: 3,
            to: 9,
            events: 7,
        };
        assert_eq!(losses.take(&event(3)), None);
        assert_eq!(losses.take(&Record::Lost(5)), None);
        assert_eq!(losses.take(&Record::Lost(2)), None);
        assert_eq!(losses.take(&event(9)), Some(expected));
        assert_eq!(losses.take(&event(10)), None);
    }
}
