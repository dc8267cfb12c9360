//! One volume: counts and merges what it is sent, charges its limits, draws
//! latencies.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use crate::gate::{Cause, Cost, Gate, Grant};
use crate::latency::{Latency, Tables};
use crate::meter::{Counted, Meter};
use crate::random::Stream;
use crate::request::Reply;
use crate::spec::{Applies, VolumeSpec};
use crate::units::{Bytes, Nanos};

/// A part of a request that falls on one volume.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) volume: usize,
    pub(crate) offset: Bytes,
    pub(crate) len: Bytes,
    pub(crate) write: bool,
    pub(crate) job: u16,
}

/// A part on its way: what it costs and when its latency alone would end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admitted {
    /// What it takes from the host's limits.
    pub(crate) cost: Cost,
    pub(crate) ready: Nanos,
    /// Number of the part, to find out whether it is still the newest.
    pub(crate) number: u64,
}

/// A volume.
#[derive(Clone, Debug)]
pub(crate) struct Volume {
    pub(crate) name: String,
    pub(crate) behind_host: bool,
    meter: Meter,
    /// One gate for all, or one for reads and one for writes.
    gates: Vec<Gate>,
    first_cause: Cause,
    host_causes: usize,
    unit_bits: u32,
    whole_units: bool,
    latency: Latency,
    unfairness_permille: u64,
    unfair: Vec<Stream>,
    newest: Newest,
}

/// The part submitted last, which a sequential one may join.
#[derive(Clone, Copy, Debug, Default)]
struct Newest {
    number: u64,
    end: Bytes,
    write: bool,
    /// Bytes in its open unit; 0 if the unit is full.
    filled: Bytes,
    /// When it is granted; `Nanos::MAX` while that is not known.
    granted: Nanos,
}

impl Volume {
    /// The volume of `spec`, whose limits are the causes from `first_cause`
    /// on, behind a host with `host_causes` limits.
    pub(crate) fn new(
        spec: &VolumeSpec,
        tables: Arc<Tables>,
        seed: u64,
        first_cause: Cause,
        host_causes: usize,
        period: Nanos,
    ) -> Self {
        // Limits on reads alone must not make writes wait in line, so where a
        // limit tells them apart there are two lines.
        let split = spec
            .limits
            .iter()
            .any(|limit| limit.applies != Applies::Both);
        let kinds = if split {
            vec![Applies::Reads, Applies::Writes]
        } else {
            vec![Applies::Both]
        };
        let mut next_cause = first_cause;
        let mut gates = Vec::new();
        for &kind in &kinds {
            let gate = Gate::new(spec.limits.iter().filter(|l| l.applies == kind), next_cause);
            next_cause += gate.len() as Cause;
            gates.push(gate);
        }
        let stream = |kind| Stream::new(seed, &format!("volume/{}/unfair/{kind:?}", spec.name));
        Self {
            name: spec.name.clone(),
            behind_host: spec.behind_host,
            meter: Meter::new(period, host_causes + spec.limits.len()),
            gates,
            first_cause,
            host_causes,
            unit_bits: spec.unit.ilog2(),
            whole_units: spec.whole_units,
            latency: Latency::new(&spec.latency, tables, seed, &spec.name),
            unfairness_permille: u64::from(spec.unfairness_permille),
            unfair: kinds.into_iter().map(stream).collect(),
            newest: Newest::default(),
        }
    }

    /// Takes a part in at `now`: counts it in units and draws its latency.
    ///
    /// A part that continues the newest one, in the same direction, while
    /// that still waits for tokens, fills up its open unit before it starts
    /// another.
    #[inline]
    pub(crate) fn admit(&mut self, now: Nanos, part: &Part) -> Admitted {
        let newest = &mut self.newest;
        let joins = now < newest.granted && part.offset == newest.end && part.write == newest.write;
        let filled = if joins { newest.filled } else { 0 };
        let total = filled + part.len;
        let within = (1 << self.unit_bits) - 1;
        let ios = ((total + within) >> self.unit_bits) - u64::from(filled > 0);
        *newest = Newest {
            number: newest.number + 1,
            end: part.offset + part.len,
            write: part.write,
            filled: total & within,
            granted: Nanos::MAX,
        };
        Admitted {
            cost: Cost {
                ios,
                bytes: part.len,
                job: part.job,
            },
            ready: now + self.latency.draw(now, part.write, part.len),
            number: newest.number,
        }
    }

    /// The line that a part waits in: an index below [`Volume::lines`].
    #[inline]
    pub(crate) fn line(&self, write: bool) -> usize {
        usize::from(write && self.gates.len() > 1)
    }

    /// Lines of the volume.
    pub(crate) fn lines(&self) -> usize {
        self.gates.len()
    }

    /// The grant of the next part in a line that arrived at `arrival`.
    pub(crate) fn probe(&mut self, line: usize, arrival: Nanos, cost: &Cost) -> Grant {
        let cost = self.own_cost(cost);
        self.gates[line].probe(arrival, &cost)
    }

    /// Grants a part that its host let through with `entered`; says when and
    /// why it completes.
    #[inline]
    pub(crate) fn pass(&mut self, part: &Part, admitted: &Admitted, entered: Grant) -> Reply {
        let line = self.line(part.write);
        let cost = self.own_cost(&admitted.cost);
        let gate = &mut self.gates[line];
        let grant = gate.pass(entered.at, &cost);
        self.meter.count(grant.at, cost.ios, part.len, gate);
        if grant.cause.is_some() {
            self.meter.contend(part.job, gate.contention());
        }
        if self.newest.number == admitted.number {
            self.newest.granted = grant.at;
        }
        if grant.at <= admitted.ready {
            return Reply::free(admitted.ready);
        }
        let cause = grant.cause.or(entered.cause);
        self.delayed(line, grant.at, grant.at - admitted.ready, cause)
    }

    /// What a part takes from the volume's own limits.
    #[inline]
    fn own_cost(&self, cost: &Cost) -> Cost {
        let bytes = if self.whole_units {
            cost.ios << self.unit_bits
        } else {
            cost.bytes
        };
        Cost { bytes, ..*cost }
    }

    /// The reply of a part that limits held for `held` until `granted`.
    #[inline(never)]
    fn delayed(&mut self, line: usize, granted: Nanos, held: Nanos, cause: Option<Cause>) -> Reply {
        let mut extra = 0;
        if self.unfairness_permille > 0 {
            let mean = u128::from(held) * u128::from(self.unfairness_permille) / 1000;
            extra = self.unfair[line].exponential_of(mean as u64);
        }
        let held = held + extra;
        if let Some(cause) = cause {
            self.meter.hold(self.local_cause(cause), held);
        }
        Reply {
            at: granted + extra,
            held,
            cause,
            failed: false,
        }
    }

    /// The number of a cause among those that can hold this volume's IO: the
    /// host's limits first, then its own.
    fn local_cause(&self, cause: Cause) -> usize {
        let cause = usize::from(cause);
        if cause < self.host_causes {
            return cause;
        }
        cause - usize::from(self.first_cause) + self.host_causes
    }

    /// What was served in period `index`.
    pub(crate) fn served(&mut self, index: u64) -> Counted {
        // Limits with credits apply to reads and writes, so that there is one gate.
        self.meter.take(index, &self.gates[0])
    }

    /// Lets nothing through before `now`.
    pub(crate) fn hold_until(&mut self, now: Nanos) {
        for gate in &mut self.gates {
            gate.hold_until(now);
        }
    }

    /// Nothing that was admitted before can be joined any more.
    pub(crate) fn cut_off(&mut self) {
        self.newest.granted = 0;
    }

    /// Changes limit number `index` of the volume at `now`.
    pub(crate) fn set(&mut self, mut index: usize, now: Nanos, rate: u64, depth: u64) {
        for gate in &mut self.gates {
            if index < gate.len() {
                return gate.set(index, now, rate, depth);
            }
            index -= gate.len();
        }
    }
}
