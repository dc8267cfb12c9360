//! What is done to the storage while it is served: other rates, pauses, faults.

use blockyard_model::storage::{Change, LimitId, Owner};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::result::Event;

use super::Desk;
use crate::fault::{Fault, PowerChange, VolumeChange};
use crate::rates;

impl Desk {
    /// Gives limits other rates, all or none. An error names the limit, the
    /// rate and what was expected.
    pub(crate) fn set(&mut self, now: Nanos, rates: &[(String, String)]) -> Result<(), String> {
        let volumes = &self.recorder.shape().volumes;
        let changes: Vec<_> = rates
            .iter()
            .map(|(name, rate)| rates::change(&self.provisioned, volumes, name, rate))
            .collect::<Result<_, _>>()?;
        self.pass(now.max(self.now));
        for (change, (name, rate)) in changes.into_iter().zip(rates) {
            if let Change::Limit { limit, rate, depth } = change {
                self.provisioned.set(limit, rate, depth);
                self.enforce(limit);
            }
            self.note(format!("{name} set to {rate}"));
        }
        Ok(())
    }

    /// Starts a fault.
    pub(crate) fn fault(&mut self, now: Nanos, fault: &Fault) -> Result<(), String> {
        self.pass(now.max(self.now));
        self.faults.start(self.now, fault)?;
        let on = fault.on().map(|name| format!(" on {name}"));
        self.note(format!("fault {}{}", fault.kind(), on.unwrap_or_default()));
        self.apply_faults();
        Ok(())
    }

    /// Ends the stalls of a device or volume; without a name all.
    pub(crate) fn resume(&mut self, now: Nanos, name: Option<&str>) -> Result<(), String> {
        self.pass(now.max(self.now));
        self.faults.resume(name)?;
        self.note(format!("{} resumed", name.unwrap_or("all")));
        self.apply_faults();
        Ok(())
    }

    /// Ends all faults.
    pub(crate) fn clear(&mut self, now: Nanos) {
        self.pass(now.max(self.now));
        self.faults.clear();
        self.note("faults cleared".into());
        self.apply_faults();
    }

    /// The power cuts and returns that the stores are to be told of.
    pub(crate) fn take_power(&mut self) -> Vec<PowerChange> {
        self.faults.take_power()
    }

    /// Notes what was done, for the result.
    pub(crate) fn note(&mut self, what: String) {
        let t_s = self.now as f64 / SECOND as f64;
        self.events.push(Event { t_s, what });
    }

    /// Does what faults that started or ended ask for.
    pub(super) fn apply_faults(&mut self) {
        for change in self.faults.advance(self.now) {
            match change {
                VolumeChange::Pause { volume } => self.change(Change::Pause { volume }),
                VolumeChange::Resume { volume } => self.change(Change::Resume { volume }),
                VolumeChange::Share { volume } => {
                    let limits = self.provisioned.of(Owner::Volume(volume));
                    limits.for_each(|limit| self.enforce(limit));
                }
            }
        }
    }

    /// A limit lets through what is provisioned, or the share of it that
    /// faults leave.
    fn enforce(&mut self, limit: LimitId) {
        let info = &self.provisioned[limit];
        let permille = match info.owner {
            Owner::Host => 1000,
            Owner::Volume(volume) => self.faults.applied(volume).permille,
        };
        let rate = (u128::from(info.rate) * u128::from(permille) / 1000).max(1) as u64;
        let depth = rates::depth(info, rate);
        self.change(Change::Limit { limit, rate, depth });
    }

    fn change(&mut self, change: Change) {
        self.advance_storage(self.now);
        let mut changed = Vec::new();
        let ends = &mut |ticket, reply| changed.push((ticket, reply));
        self.storage.change(self.now, change, ends);
        for (ticket, reply) in changed {
            self.ends(ticket, reply);
        }
    }
}
