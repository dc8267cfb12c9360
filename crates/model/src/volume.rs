//! One volume: counts and merges what it is sent, charges its limits, draws
//! latencies.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::gate::{Cause, Cost, Gate, Grant};
use crate::latency::{Latency, Tables};
use crate::meter::{Counted, Meter};
use crate::random::Stream;
use crate::request::Reply;
use crate::spec::{Applies, LimitSpec, VolumeSpec};
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
    /// One for all, or one for reads and one for writes.
    lines: Vec<Line>,
    first_cause: Cause,
    host_causes: usize,
    unit_bits: u32,
    whole_units: bool,
    latency: Latency,
    unfairness_permille: u64,
    newest: Newest,
}

/// Where parts wait, with what counts those that have passed.
#[derive(Clone, Debug)]
struct Line {
    gate: Gate,
    meter: Meter,
    unfair: Stream,
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
        // Limits on reads alone must not make writes wait in line, so where
        // none is for both there are two lines. A limit for both is one bucket,
        // which the two could not reach in the order of their arrival.
        let both = |limit: &LimitSpec| limit.applies == Applies::Both;
        let kinds: &[Applies] = if spec.limits.is_empty() || spec.limits.iter().any(both) {
            &[Applies::Both]
        } else {
            &[Applies::Reads, Applies::Writes]
        };
        let line = |&kind: &Applies| {
            let in_line = |limit: &LimitSpec| kind == Applies::Both || limit.applies == kind;
            let limits = (first_cause..).zip(&spec.limits);
            let label = format!("volume/{}/unfair/{kind:?}", spec.name);
            Line {
                gate: Gate::new(limits.filter(|(_, limit)| in_line(limit))),
                meter: Meter::new(period, host_causes + spec.limits.len()),
                unfair: Stream::new(seed, &label),
            }
        };
        Self {
            name: spec.name.clone(),
            behind_host: spec.behind_host,
            lines: kinds.iter().map(line).collect(),
            first_cause,
            host_causes,
            unit_bits: spec.unit.ilog2(),
            whole_units: spec.whole_units,
            latency: Latency::new(&spec.latency, tables, seed, &spec.name),
            unfairness_permille: u64::from(spec.unfairness_permille),
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
                write: part.write,
                job: part.job,
            },
            ready: now + self.latency.draw(now, part.write, part.len),
            number: newest.number,
        }
    }

    /// The line that a part waits in: an index below [`Volume::lines`].
    #[inline]
    pub(crate) fn line(&self, write: bool) -> usize {
        usize::from(write && self.lines.len() > 1)
    }

    /// Lines of the volume.
    pub(crate) fn lines(&self) -> usize {
        self.lines.len()
    }

    /// The grant of the next part in a line that arrived at `arrival`.
    pub(crate) fn probe(&self, line: usize, arrival: Nanos, cost: &Cost) -> Grant {
        let cost = self.own_cost(cost);
        self.lines[line].gate.probe(arrival, &cost)
    }

    /// Grants a part that its host let through with `entered`; says when and
    /// why it completes.
    #[inline]
    pub(crate) fn pass(&mut self, part: &Part, admitted: &Admitted, entered: Grant) -> Reply {
        let line = self.line(part.write);
        let cost = self.own_cost(&admitted.cost);
        let Line { gate, meter, .. } = &mut self.lines[line];
        let grant = gate.pass(entered.at, &cost);
        meter.count(grant.at, cost.ios, part.len, gate);
        if grant.cause.is_some() {
            meter.contend(part.job, gate.contention());
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
            extra = self.lines[line].unfair.exponential_of(mean as u64);
        }
        let held = held + extra;
        if let Some(cause) = cause {
            let cause = self.local_cause(cause);
            self.lines[line].meter.hold(cause, held);
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
        let lines = self.lines.iter_mut();
        let served = lines.map(|line| line.meter.take(index, &line.gate));
        let sum = served.reduce(|mut sum, more| {
            sum.add(more);
            sum
        });
        sum.unwrap_or_default()
    }

    /// Lets nothing through before `now`.
    pub(crate) fn hold_until(&mut self, now: Nanos) {
        for line in &mut self.lines {
            line.gate.hold_until(now);
        }
    }

    /// Nothing that was admitted before can be joined any more.
    pub(crate) fn cut_off(&mut self) {
        self.newest.granted = 0;
    }

    /// Changes limit `cause` of the volume at `now`.
    pub(crate) fn set(&mut self, cause: Cause, now: Nanos, rate: u64, depth: u64) {
        for line in &mut self.lines {
            line.gate.set(cause, now, rate, depth);
        }
    }
}
