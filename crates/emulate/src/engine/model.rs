//! What decides when requests are due: the storage with its faults, and what is done to it
//! while it serves.

use blockyard_model::storage::{Change, LimitId, LimitInfo, Limits, Owner, Storage, Ticket};
use blockyard_model::units::Nanos;

use super::Counters;
use super::queue::{Pending, Queue};
use crate::fault::{Active, Faults, VolumeChange};
use crate::groups::Group;
use crate::rates;

/// The storage of a group, with what is counted of its IO. Devices, volumes and limits have
/// the group's own numbers.
#[derive(Debug)]
pub(crate) struct Model {
    storage: Storage,
    /// The limits as they are provisioned, which faults may undercut.
    provisioned: Limits,
    faults: Faults,
    counters: Counters,
}

impl Model {
    /// The storage of `group` at rest.
    pub(crate) fn new(group: &Group, seed: u64, counters: Counters) -> Self {
        let storage = Storage::new(&group.storage, seed);
        Self {
            provisioned: storage.limits().clone(),
            faults: Faults::new(&group.storage, seed),
            storage,
            counters,
        }
    }

    pub(crate) fn counters(&mut self) -> &mut Counters {
        &mut self.counters
    }

    /// The same, for reading.
    pub(crate) fn counted(&self) -> &Counters {
        &self.counters
    }

    /// The limits over a volume's IO, at the rates in force.
    pub(super) fn limits_over(&self, volume: usize) -> Vec<&LimitInfo> {
        let limits = self.storage.limits();
        limits.over(volume).map(|limit| &limits[limit]).collect()
    }

    /// Whether a volume answers nothing.
    pub(super) fn is_paused(&self, volume: usize) -> bool {
        self.faults.applied(volume).paused
    }

    /// A request from before the service, which counts as one that arrived at its beginning.
    pub(super) fn adopt(&mut self, pending: &mut Pending) {
        self.counters.arrived(0, pending);
    }

    pub(super) fn submit(&mut self, now: Nanos, ticket: Ticket, queue: &mut Queue) {
        let Some(pending) = queue.get(ticket) else {
            return;
        };
        self.counters.arrived(now, pending);
        let request = pending.model_request();
        pending.effect = self.faults.on_request(now, &request);
        self.advance(now, queue);
        if let Some(reply) = self.storage.submit(now, ticket, &request) {
            queue.ends(now, ticket, Some(reply));
        }
    }

    /// Tells `queue` of every end that became known up to `now`.
    pub(super) fn advance(&mut self, now: Nanos, queue: &mut Queue) {
        // Event by event: when an end became known is as much the model's as the end.
        while let Some(at) = self.storage.next_event()
            && at <= now
        {
            let ends = &mut |ticket, reply| queue.ends(at, ticket, Some(reply));
            self.storage.advance(at, ends);
        }
    }

    /// When [`Model::advance`] or [`Model::pass`] has something to do.
    pub(super) fn next_event(&self) -> Option<Nanos> {
        let storage = self.storage.next_event();
        storage.into_iter().chain(self.faults.next_event()).min()
    }

    /// Closes the periods that ended before `now` and ends the faults that were over.
    pub(super) fn pass(&mut self, now: Nanos, queue: &mut Queue) {
        loop {
            let end = self.counters.period_end();
            let over = self.faults.next_event().unwrap_or(Nanos::MAX);
            if end.min(over) > now {
                return;
            }
            if over <= end {
                self.advance(over, queue);
                self.apply_faults(over, queue);
            } else {
                // What happens at the very end of a period belongs to the next.
                self.advance(end - 1, queue);
                self.counters.end_period(&mut self.storage);
            }
        }
    }

    /// Ends the running period early.
    pub(super) fn cut(&mut self, now: Nanos) {
        self.counters.cut(&mut self.storage, now);
    }

    /// Gives a limit another rate and depth.
    pub(crate) fn provision(
        &mut self,
        now: Nanos,
        (limit, rate, depth): (LimitId, u64, u64),
        queue: &mut Queue,
    ) {
        self.provisioned.set(limit, rate, depth);
        self.enforce(now, limit, queue);
    }

    /// Starts a fault of this group's volumes.
    pub(crate) fn start_fault(&mut self, now: Nanos, fault: Active, queue: &mut Queue) {
        self.faults.start(fault);
        self.apply_faults(now, queue);
    }

    /// Ends the stalls of these volumes.
    pub(crate) fn resume(&mut self, now: Nanos, volumes: &[usize], queue: &mut Queue) {
        self.faults.resume(volumes);
        self.apply_faults(now, queue);
    }

    /// Ends all faults.
    pub(crate) fn clear_faults(&mut self, now: Nanos, queue: &mut Queue) {
        self.faults.clear();
        self.apply_faults(now, queue);
    }

    /// Does what faults that started or ended ask for.
    fn apply_faults(&mut self, now: Nanos, queue: &mut Queue) {
        for change in self.faults.advance(now) {
            match change {
                VolumeChange::Pause { volume } => {
                    self.change(now, Change::Pause { volume }, queue);
                }
                VolumeChange::Resume { volume } => {
                    self.change(now, Change::Resume { volume }, queue);
                }
                VolumeChange::Share { volume } => {
                    let limits = self.provisioned.of(Owner::Volume(volume));
                    limits.for_each(|limit| self.enforce(now, limit, queue));
                }
            }
        }
    }

    /// A limit lets through what is provisioned, or the share of it that
    /// faults leave.
    fn enforce(&mut self, now: Nanos, limit: LimitId, queue: &mut Queue) {
        let info = &self.provisioned[limit];
        let permille = match info.owner {
            Owner::Host(_) => 1000,
            Owner::Volume(volume) => self.faults.applied(volume).permille,
        };
        let rate = (u128::from(info.rate) * u128::from(permille) / 1000).max(1) as u64;
        let depth = rates::depth(info, rate);
        self.change(now, Change::Limit { limit, rate, depth }, queue);
    }

    fn change(&mut self, now: Nanos, change: Change, queue: &mut Queue) {
        self.advance(now, queue);
        let ends = &mut |ticket, reply| queue.ends(now, ticket, reply);
        self.storage.change(now, change, ends);
    }
}
