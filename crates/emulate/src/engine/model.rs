//! What decides when requests are due: the storage with its faults, and what is done to it
//! while it serves.

use blockyard_model::fault::{Fault, Faults, Schedule, VolumeState};
use blockyard_model::storage::{LimitId, LimitInfo, Reply, Storage, Ticket};
use blockyard_model::units::Nanos;
use blockyard_record::Network;

use super::Counters;
use super::queue::{Pending, Queue};
use super::status::MirrorStatus;
use crate::groups::Group;

/// The storage of a group, with what is counted of its IO. Devices, volumes and limits have
/// the group's own numbers.
#[derive(Debug)]
pub(crate) struct Model {
    storage: Storage,
    faults: Faults,
    counters: Counters,
    network: Network,
    /// When faults were last looked at.
    now: Nanos,
    /// It panicked: nothing is asked of the storage any more, and all that comes fails.
    is_broken: bool,
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
            network: Network::new(&group.storage),
            counters,
            now: 0,
            is_broken: false,
        };
        model.apply_faults(0, &mut Queue::default());
        model
    }

    /// It panicked.
    pub(super) fn break_down(&mut self) {
        self.is_broken = true;
    }

    /// The storage, unless it is broken.
    fn sound(&mut self) -> Option<&mut Storage> {
        (!self.is_broken).then_some(&mut self.storage)
    }

    pub(crate) fn counters(&mut self) -> &mut Counters {
        &mut self.counters
    }

    /// The same, for reading.
    pub(crate) fn counted(&self) -> &Counters {
        &self.counters
    }

    /// Its links and mirrors, as they were at the end of the last period.
    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    /// Whether a link is down.
    pub(crate) fn is_cut(&self, link: usize) -> bool {
        self.faults.is_cut(link)
    }

    /// The limits over a volume's IO, at the rates in force.
    pub(super) fn limits_over(&self, volume: usize) -> Vec<&LimitInfo> {
        let limits = self.storage.limits();
        limits.over(volume).map(|limit| &limits[limit]).collect()
    }

    /// What faults make of a volume.
    pub(super) fn state_of(&self, volume: usize) -> VolumeState {
        self.faults.applied(volume)
    }

    /// How its mirrors are at `now`, each with the number of its device.
    pub(crate) fn mirrors(&self, now: Nanos) -> impl Iterator<Item = (usize, MirrorStatus)> {
        let sound = (!self.is_broken).then_some(&self.storage);
        let mirrors = sound.into_iter().flat_map(move |it| it.mirrors(now));
        mirrors.map(|it| (it.device, MirrorStatus::new(&it)))
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
        if self.is_broken {
            let failed = Reply {
                at: now,
                throttled: 0,
                limit: None,
                failed: true,
            };
            return queue.ends(now, ticket, Some(failed));
        }
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
        while let Some(storage) = self.sound()
            && let Some(at) = storage.next_event()
            && at <= now
        {
            storage.advance(at, &mut |ticket, reply| queue.ends(at, ticket, Some(reply)));
        }
    }

    /// When [`Model::advance`] or [`Model::pass`] has something to do.
    pub(super) fn next_event(&self) -> Option<Nanos> {
        if self.is_broken {
            return None;
        }
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
            let over = self.next_fault().filter(|_| !self.is_broken);
            let over = over.unwrap_or(Nanos::MAX);
            if end.min(over) > now {
                return;
            }
            if over <= end {
                self.advance(over, queue);
                self.apply_faults(over, queue);
            } else {
                // What happens at the very end of a period belongs to the next.
                self.advance(end - 1, queue);
                self.close(end, false);
            }
        }
    }

    /// Ends the running period early.
    pub(super) fn cut(&mut self, now: Nanos) {
        self.close(now, true);
    }

    /// Closes the running period at its `end`, or `early`.
    fn close(&mut self, end: Nanos, early: bool) {
        let storage = (!self.is_broken).then_some(&mut self.storage);
        if let Some(storage) = &storage {
            self.network.look(storage, end);
        }
        match early {
            true => self.counters.cut(storage, end),
            false => self.counters.end_period(storage),
        }
    }

    /// Gives a limit another rate.
    pub(crate) fn provision(&mut self, now: Nanos, limit: LimitId, rate: u64, queue: &mut Queue) {
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

    /// Ends the cuts of these links.
    pub(crate) fn restore(&mut self, now: Nanos, links: &[usize], queue: &mut Queue) {
        self.faults.restore(now, links);
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
        if self.is_broken {
            return;
        }
        let storage = &mut self.storage;
        self.faults.advance(now, &mut |change| {
            let ends = &mut |ticket, reply| queue.ends(now, ticket, reply);
            storage.change(now, change, ends);
        });
    }
}
