//! Load that lasts: demand known by interval, carried through all limits at once.
//!
//! The engine passes IO by IO, which for months of load takes hours. Here IO is a flow. Between two
//! moments at which anything changes (an interval ends, credits run out, a queue is empty) all
//! rates are constant, so a day of minutes is a few thousand steps, whatever its IOPS. Balances
//! are those of [`Balance`], and so the engine's.
//!
//! What a limit does not let through waits in its job's queue, first come, first served; the jobs
//! share what is scarce as they do in the engine ([`turns`]). What happens within an interval
//! of even demand is all that is known: means, no percentiles.

mod allocation;
mod costs;
mod due;
mod period;
mod queue;
mod schedule;
#[cfg(test)]
mod tests;
mod turns;

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use self::allocation::Asking;
use self::costs::{Along, costs};
pub use self::period::{OfJob, OfVolume, Period, Waiting};
use self::queue::{Passed, Queue};
use self::turns::{Turn, take_turns};
use crate::balance::Balance;
use crate::latency::{Latency, Origin, Tables};
use crate::limits::Limits;
use crate::spec::{Discipline, Layout, StorageSpec};
use crate::units::{Nanos, SECOND};
use crate::workload::spec::{DemandSpec, JobSpec};

/// A storage under demand.
#[derive(Debug)]
pub struct ByInterval {
    now: Nanos,
    queues: Vec<Queue>,
    /// In the order of [`Limits::iter`].
    balances: Vec<Balance>,
    /// In whose turn each of them is served.
    disciplines: Vec<Discipline>,
    volumes: usize,
}

/// Why something cannot be carried by interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The job of this number has no demand by interval.
    Job(usize),
    /// The device of this number is more than volumes, stripes of them, and those one after
    /// another.
    Device(usize),
}

impl ByInterval {
    /// `spec` at time 0 under `jobs`. `seed` draws the volumes' latency factors, as in the engine.
    ///
    /// # Errors
    /// The first job or device that cannot be carried.
    pub fn new(spec: &StorageSpec, jobs: &[JobSpec], seed: u64) -> Result<Self, Refusal> {
        let latencies = (0..spec.volumes.len()).map(|volume| {
            let tables = Arc::new(Tables::new(&spec.volumes[volume].latency));
            let origin = Origin::new(seed, volume, spec);
            Latency::new(&spec.volumes[volume].latency, tables, origin)
        });
        let latencies: Vec<_> = latencies.collect();
        let along = Along {
            spec,
            limits: &Limits::new(spec),
            latencies: &latencies,
        };
        let queue = |(number, job): (usize, &JobSpec)| {
            let demand = demand(spec, number, job)?;
            Ok(Queue::new(demand, |size| costs(&along, demand.file, size)))
        };
        let of_hosts = spec.hosts.iter().flat_map(|host| &host.limits);
        let of_volumes = spec.volumes.iter().flat_map(|volume| &volume.limits);
        let hosts = spec.hosts.iter().map(|it| (it.discipline, it.limits.len()));
        let volumes = spec
            .volumes
            .iter()
            .map(|it| (it.discipline, it.limits.len()));
        let disciplines = hosts.chain(volumes);
        Ok(Self {
            now: 0,
            queues: jobs
                .iter()
                .enumerate()
                .map(queue)
                .collect::<Result<_, _>>()?,
            balances: of_hosts.chain(of_volumes).map(Balance::new).collect(),
            disciplines: disciplines
                .flat_map(|(it, limits)| vec![it; limits])
                .collect(),
            volumes: spec.volumes.len(),
        })
    }

    /// Goes on until `until`, and says what happened until then.
    pub fn advance(&mut self, until: Nanos) -> Period {
        let sizes = (self.queues.len(), self.balances.len(), self.volumes);
        let mut period = Period::new(sizes);
        while self.now < until {
            self.pass(until - self.now, &mut period);
        }
        let queues = self.queues.iter().zip(&mut period.jobs);
        queues.for_each(|(queue, job)| job.queued = queue.backlog(until));
        period.balances_pct = self.balances_pct();
        period
    }

    /// What is left of each limit's tokens, in percent, in the order of [`Limits::iter`].
    pub fn balances_pct(&self) -> Vec<f64> {
        self.balances.iter().map(Balance::percent).collect()
    }

    /// Passes the time in which all rates are constant, at most `at_most`.
    fn pass(&mut self, at_most: Nanos, period: &mut Period) {
        let now = self.now;
        let asking: Vec<Asking> = self.queues.iter_mut().map(|it| it.look(now)).collect();
        let scarce = |balance: &Balance| balance.is_dry().then(|| balance.rate());
        let capacities: Vec<_> = self.balances.iter().map(scarce).collect();
        let turns = take_turns(&asking, &capacities, &self.disciplines);
        let mut flows = vec![0.0; self.balances.len()];
        for (asking, turn) in asking.iter().zip(&turns) {
            for &(limit, cost) in &asking.costs {
                flows[limit] += cost * turn.granted.rate;
            }
        }
        let lasts = self.constant_for(at_most, &turns, &flows);
        for (balance, &flow) in self.balances.iter_mut().zip(&flows) {
            balance.draw(flow, lasts);
        }
        let waits: Vec<_> = (0..self.queues.len())
            .map(|job| behind_others(job, &self.queues, &asking, &turns, now))
            .collect();
        for (job, queue) in self.queues.iter_mut().enumerate() {
            let turn = &turns[job];
            let passed = queue.pass(now, lasts, &turn.granted);
            let (behind_s, others) = &waits[job];
            match turn.granted.limits.is_empty() {
                true => period.add(job, &passed, *behind_s, others),
                false => {
                    let own_s = apart(&passed, &asking[job], turn);
                    period.add(job, &passed, own_s, &turn.granted.limits);
                }
            }
        }
        period.add_held(lasts, &turns);
        self.now += lasts;
    }

    /// For how long nothing changes if jobs and limits have these rates.
    fn constant_for(&self, at_most: Nanos, turns: &[Turn], flows: &[f64]) -> Nanos {
        let queues = self.queues.iter().zip(turns);
        let queues = queues.map(|(queue, turn)| queue.constant_for(self.now, turn.granted.rate));
        let balances = self.balances.iter().zip(flows);
        let until_dry = balances.filter_map(|(balance, &flow)| {
            (!balance.is_dry()).then(|| balance.lasts(flow)).flatten()
        });
        let lasts = queues.chain(until_dry).fold(at_most, Nanos::min).max(1);
        let top_ups = self.balances.iter().map(|it| it.up_to_top_up(lasts));
        top_ups.fold(lasts, Nanos::min)
    }
}

/// A job that gets all that it asks for still waits in the queue of a limit that others fill: as
/// long as those of theirs that are in flight do. In seconds, of reads and of writes, with the
/// limits.
fn behind_others(
    job: usize,
    queues: &[Queue],
    asking: &[Asking],
    turns: &[Turn],
    now: Nanos,
) -> ([f64; 2], Vec<usize>) {
    let mut most = ([0.0; 2], Vec::new());
    if !turns[job].granted.limits.is_empty() || !turns[job].shares_queue {
        return most;
    }
    let mut longest = 0.0;
    for (other, queue) in queues.iter().enumerate() {
        let its = &turns[other];
        let passes = |limit: &&usize| asking[job].costs.iter().any(|cost| cost.0 == **limit);
        let shared: Vec<_> = its.granted.limits.iter().filter(passes).copied().collect();
        let mean = queue.in_flight(now) / its.granted.rate.max(1.0 / SECOND as f64);
        let seconds = mean / asking[other].slowed(its.waits);
        if !shared.is_empty() && seconds > longest {
            longest = seconds;
            most = (its.waits.map(|wait| wait * seconds), shared);
        }
    }
    most
}

/// By how much longer than a job's IOs in general its reads and its writes wait in flight, in
/// seconds.
fn apart(passed: &Passed<'_>, asking: &Asking, turn: &Turn) -> [f64; 2] {
    let mean = passed.in_flight / turn.granted.rate.max(1.0 / SECOND as f64);
    let slowed = asking.slowed(turn.waits);
    turn.waits.map(|wait| mean * (wait / slowed - 1.0))
}

/// Why `jobs` on `spec` cannot be carried by interval; none if they can.
#[must_use]
pub fn refusal(spec: &StorageSpec, jobs: &[JobSpec]) -> Option<Refusal> {
    let mut numbered = jobs.iter().enumerate();
    numbered.find_map(|(number, job)| demand(spec, number, job).err())
}

fn demand<'a>(
    spec: &StorageSpec,
    number: usize,
    job: &'a JobSpec,
) -> Result<&'a DemandSpec, Refusal> {
    let demand = job.demand().ok_or(Refusal::Job(number))?;
    let device = demand.file.device;
    match is_plain(&spec.devices[device].layout) {
        true => Ok(demand),
        false => Err(Refusal::Device(device)),
    }
}

/// Whether a layout is volumes, stripes of such, and those one after another.
fn is_plain(layout: &Layout) -> bool {
    fn striped(layout: &Layout) -> bool {
        match layout {
            Layout::Volume(_) => true,
            Layout::Stripe { parts, .. } => parts.iter().all(striped),
            Layout::Linear { .. } | Layout::Mirror(_) => false,
        }
    }
    match layout {
        Layout::Linear { parts } => parts.iter().all(|(part, _)| is_plain(part)),
        other => striped(other),
    }
}
