//! The host's limits over all the volumes behind it.

use crate::gate::{Cost, Gate, Grant};
use crate::meter::{Counted, Meter};
use crate::spec::LimitSpec;
use crate::units::Nanos;

/// What every IO to a network volume passes first.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) gate: Gate,
    meter: Meter,
}

impl Host {
    pub(super) fn new(limits: &[LimitSpec], period: Nanos) -> Self {
        Self {
            gate: Gate::new((0..).zip(limits)),
            meter: Meter::new(period, limits.len()),
        }
    }

    /// The grant of the next request if it arrived at `arrival`.
    pub(super) fn probe(&self, arrival: Nanos, cost: &Cost) -> Grant {
        self.gate.probe(arrival, cost)
    }

    /// Lets the next request through, which arrived at `arrival`.
    #[inline]
    pub(super) fn pass(&mut self, arrival: Nanos, cost: &Cost) -> Grant {
        let grant = self.gate.pass(arrival, cost);
        self.meter.count(grant.at, cost.ios, cost.bytes, &self.gate);
        if let Some(cause) = grant.cause {
            self.meter.hold(usize::from(cause), grant.at - arrival);
            self.meter.contend(cost.job, self.gate.contention());
        }
        grant
    }

    /// What passed in period `index`.
    pub(super) fn served(&mut self, index: u64) -> Counted {
        self.meter.take(index, &self.gate)
    }
}
