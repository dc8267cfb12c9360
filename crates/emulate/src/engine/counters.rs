//! What is counted of a group's IO, and handed in at the end of each period.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use blockyard_model::storage::{Counted, Owner, Storage};
use blockyard_model::units::Nanos;
use blockyard_record::{Histogram, InFlight, IntervalCounts, RunShape, ThreadCounters};

use super::Account;
use super::queue::Pending;
use crate::groups::Group;
use crate::request::IoResult;
use crate::trace::Arrival;

/// What a group counts. Devices, volumes and limits have the group's own numbers.
#[derive(Debug)]
pub(crate) struct Counters {
    interval: Nanos,
    period: Nanos,
    /// When the running period ends.
    end: Nanos,
    counters: ThreadCounters,
    volumes: usize,
    hosts: Vec<usize>,
    accounts: Vec<Account>,
    /// By limit: the IOs that it throttled in the running period, and for how long.
    throttled: Vec<(u64, Nanos)>,
    /// How late replies went out in the running interval.
    lateness: Histogram,
    ended: VecDeque<PeriodCounts>,
    arrivals: Option<Arrivals>,
}

/// What a group counted in a period.
#[derive(Debug)]
pub(crate) struct PeriodCounts {
    pub(crate) volumes: Vec<Counted>,
    /// What passed each host for which this group counts it.
    pub(crate) hosts: Vec<(usize, Counted)>,
    /// By limit: the IOs that it throttled, and for how long.
    pub(crate) throttled: Vec<(u64, Nanos)>,
    /// If an interval ended with the period.
    pub(crate) interval: Option<GroupInterval>,
}

/// What a group counted in an interval.
#[derive(Debug)]
pub(crate) struct GroupInterval {
    pub(crate) series: IntervalCounts,
    pub(crate) lateness: Histogram,
    /// By limit: its rate at the end.
    pub(crate) rates: Vec<u64>,
}

/// Requests that were answered, until they are written down.
#[derive(Debug)]
struct Arrivals {
    /// The number of the next request, among those of all groups.
    next: Arc<AtomicU64>,
    answered: Vec<Arrival>,
}

impl Counters {
    /// Counters of `group` in intervals of `plan`, the plan of its own storage. Where `numbers`
    /// counts requests, keeps what was answered, too.
    pub(crate) fn new(group: &Group, plan: &RunShape, numbers: Option<Arc<AtomicU64>>) -> Self {
        Self {
            interval: plan.interval,
            period: plan.period(),
            end: plan.period(),
            counters: ThreadCounters::new(plan),
            volumes: group.volumes.len(),
            hosts: group.hosts.clone(),
            accounts: vec![Account::default(); group.devices.len()],
            throttled: vec![(0, 0); group.limits.len()],
            lateness: Histogram::default(),
            ended: VecDeque::new(),
            arrivals: numbers.map(|next| Arrivals {
                next,
                answered: Vec::new(),
            }),
        }
    }

    /// By device: what it has served so far.
    pub(crate) fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// How late replies went out in the running interval.
    pub(crate) fn lateness(&self) -> &Histogram {
        &self.lateness
    }

    /// The counts of the first period that ended and was not taken yet.
    pub(crate) fn take_period(&mut self) -> Option<PeriodCounts> {
        self.ended.pop_front()
    }

    /// The requests that were answered before `now` and not taken yet, in the order of the
    /// replies.
    pub(crate) fn take_answered(&mut self, now: Nanos) -> Vec<Arrival> {
        let Some(arrivals) = &mut self.arrivals else {
            return Vec::new();
        };
        let before = arrivals.answered.partition_point(|io| io.sent < now);
        arrivals.answered.drain(..before).collect()
    }

    pub(super) fn arrived(&mut self, now: Nanos, pending: &mut Pending) {
        let request = pending.model_request();
        pending.io = Some(self.counters.begin(now, now, &request));
        self.accounts[pending.device].arrived();
        if let Some(arrivals) = &self.arrivals {
            pending.number = arrivals.next.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn completed(&mut self, now: Nanos, pending: &Pending, result: IoResult) {
        let Some(io) = pending.io else {
            return;
        };
        let failed = result.is_err();
        self.counters.end(now, &InFlight { failed, ..io });
        if let Some(limit) = pending.reply.limit
            && pending.reply.throttled > 0
        {
            let (ios, time) = &mut self.throttled[limit.index()];
            *ios += 1;
            *time += pending.reply.throttled;
        }
        let latency = now - pending.arrival;
        self.accounts[pending.device].completed(&pending.request, latency, result);
        // Where the backing store itself was slower than the model, the model
        // cannot be kept: that is lateness too.
        self.lateness.record(now - pending.due);
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.answered.push(Arrival {
                number: pending.number,
                device: pending.device,
                op: pending.request.op,
                offset: pending.request.offset,
                len: pending.request.len,
                arrival: pending.arrival,
                due: pending.due,
                sent: now,
                failed,
            });
        }
    }

    /// When the running period ends.
    pub(super) fn period_end(&self) -> Nanos {
        self.end
    }

    /// The running period ends. Of a `storage` that is broken nothing is known.
    pub(super) fn end_period(&mut self, storage: Option<&mut Storage>) {
        let end = self.end;
        self.close(storage, end, end.is_multiple_of(self.interval));
        self.end += self.period;
    }

    /// The running period ends early, at `now`, and the interval with it. There is nothing to
    /// hand in where it has only just begun.
    pub(super) fn cut(&mut self, storage: Option<&mut Storage>, now: Nanos) {
        if !now.is_multiple_of(self.interval) {
            self.close(storage, now, true);
        }
    }

    fn close(&mut self, mut storage: Option<&mut Storage>, end: Nanos, interval_ends: bool) {
        let nothing = vec![(0, 0); self.throttled.len()];
        let volumes = (0..self.volumes).map(Owner::Volume);
        let hosts = self.hosts.iter().map(|&host| (host, Owner::Host(host)));
        let interval = interval_ends.then(|| GroupInterval {
            series: self.counters.close(end),
            lateness: std::mem::take(&mut self.lateness),
            rates: storage.as_ref().map_or(Vec::new(), |it| rates(it)),
        });
        let mut counted = |owner| {
            let storage = storage.as_mut();
            storage.map_or(Counted::default(), |it| it.take_counted(owner, end))
        };
        self.ended.push_back(PeriodCounts {
            volumes: volumes.map(&mut counted).collect(),
            hosts: hosts.map(|(it, owner)| (it, counted(owner))).collect(),
            throttled: std::mem::replace(&mut self.throttled, nothing),
            interval,
        });
    }
}

fn rates(storage: &Storage) -> Vec<u64> {
    storage.limits().iter().map(|(_, it)| it.rate).collect()
}
