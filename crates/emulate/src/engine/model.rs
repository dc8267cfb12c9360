//! What decides when requests are due: the storage with its faults, and what is done to it
//! while it serves.

use blockyard_model::fault::{Fault, Faults, Schedule};
use blockyard_model::storage::{LimitId, LimitInfo, Storage, Ticket};
use blockyard_model::units::Nanos;

use super::Counters;
use super::queue::{Pending, Queue};
use crate::groups::Group;

/// The storage of a group, with what is counted of its IO. Devices, volumes and limits have
/// the group's own numbers.
#[derive(Debug)]
pub(crate) struct Model {
    storage: Storage,
    faults: Faults,
    counters: Counters,
    /// When faults were last looked at.
    now: Nanos,
}

impl Model {
    /// The storage of `group` at rest, to which happens what `schedule` says of all volumes.
    pub(crate) fn new(group: &Group, schedule: &Schedule, seed: u64, counters: Counters) -> Self {
        let mut faults = Faults::new(&group.storage, seed);
        let own = |volume| group.own_volumes(&[volume]).next();
        let schedule = schedule.within(own);
        schedule.drawn(seed).for_each(|fault| faults.start(fault));
        faults.plan(schedule.terms);
        let mut model = Self {
            faults,
            storage: Storage::new(&group.storage, seed),
            counters,
            now: 0,
        };
        model.apply_faults(0, &mut Queue::default());
        model
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

    /// Whether a volume answers nothing, or fails everything.
    pub(super) fn is_paused(&self, volume: usize) -> bool {
        let state = self.faults.applied(volume);
        state.paused || state.failed || state.held
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
        storage.into_iter().chain(self.next_fault()).min()
    }

    /// When a fault begins or is over next, or terms change.
    fn next_fault(&self) -> Option<Nanos> {
        self.faults.next_event(self.now)
    }

    /// Closes the periods that ended before `now` and begins and ends faults.
    pub(super) fn pass(&mut self, now: Nanos, queue: &mut Queue) {
        loop {
            let end = self.counters.period_end();
            let over = self.next_fault().unwrap_or(Nanos::MAX);
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

    /// Gives a limit another rate.
    pub(crate) fn provision(
        &mut self,
        now: Nanos,
        (limit, rate): (LimitId, u64),
        queue: &mut Queue,
    ) {
        self.faults.provision(limit, rate);
        self.apply_faults(now, queue);
    }

    /// Starts a fault of this group's volumes.
    pub(crate) fn start_fault(&mut self, now: Nanos, fault: Fault, queue: &mut Queue) {
        self.faults.start(fault);
        self.apply_faults(now, queue);
    }

    /// Ends the stalls of these volumes.
    pub(crate) fn resume(&mut self, now: Nanos, volumes: &[usize], queue: &mut Queue) {
        self.faults.resume(now, volumes);
        self.apply_faults(now, queue);
    }

    /// Ends all faults that have begun.
    pub(crate) fn clear_faults(&mut self, now: Nanos, queue: &mut Queue) {
        self.faults.clear(now);
        self.apply_faults(now, queue);
    }

    /// Does what faults that started or ended, and other terms, ask for.
    fn apply_faults(&mut self, now: Nanos, queue: &mut Queue) {
        self.advance(now, queue);
        self.now = now;
        let storage = &mut self.storage;
        self.faults.advance(now, &mut |change| {
            let ends = &mut |ticket, reply| queue.ends(now, ticket, reply);
            storage.change(now, change, ends);
        });
    }
}
