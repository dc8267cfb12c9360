//! What is done to the storage while it is served: other rates, pauses, faults.

use blockyard_model::units::Nanos;

use super::{Emulator, Served};
use crate::engine::{Model, Queue};
use crate::fault::Fault;
use crate::groups::Group;
use crate::rates;

impl Emulator {
    /// Gives limits other rates, all or none. An error names the limit, the
    /// rate and what was expected.
    pub(crate) fn set(&self, rates: &[(String, String)]) -> Result<(), String> {
        let mut recording = self.lock();
        let Some(recording) = &mut *recording else {
            return Ok(());
        };
        let plan = recording.plan();
        let changes: Vec<_> = rates
            .iter()
            .map(|(name, rate)| rates::change(&plan.limits, plan.owners(), name, rate))
            .collect::<Result<_, _>>()?;
        for ((limit, rate, depth), (name, text)) in changes.into_iter().zip(rates) {
            self.each_model(|group, model, now, queue| {
                if let Some(own) = group.own_limit(limit) {
                    model.provision(now, (own, rate, depth), queue);
                }
            });
            recording.note(self.now(), format!("{name} set to {text}"));
        }
        Ok(())
    }

    /// Starts a fault.
    pub(crate) fn fault(&self, fault: &Fault) -> Result<(), String> {
        let mut recording = self.lock();
        let Some(recording) = &mut *recording else {
            return Ok(());
        };
        let now = self.now();
        let active = recording.faults.start(now, fault)?;
        let on = fault.on().map(|name| format!(" on {name}"));
        recording.note(
            now,
            format!("fault {}{}", fault.kind(), on.unwrap_or_default()),
        );
        self.each_model(|group, model, now, queue| {
            if let Some(active) = active.within(group) {
                model.start_fault(now, active, queue);
            }
        });
        Ok(())
    }

    /// Ends the stalls of a device or volume; without a name all.
    pub(crate) fn resume(&self, name: Option<&str>) -> Result<(), String> {
        let mut recording = self.lock();
        let Some(recording) = &mut *recording else {
            return Ok(());
        };
        let volumes = recording.faults.resume(name)?;
        recording.note(self.now(), format!("{} resumed", name.unwrap_or("all")));
        self.each_model(|group, model, now, queue| {
            let own: Vec<_> = group.own_volumes(&volumes).collect();
            model.resume(now, &own, queue);
        });
        Ok(())
    }

    /// Ends all faults.
    pub(crate) fn clear(&self) {
        let mut recording = self.lock();
        let Some(recording) = &mut *recording else {
            return;
        };
        recording.faults.clear();
        recording.note(self.now(), "faults cleared".into());
        self.each_model(|_, model, now, queue| model.clear_faults(now, queue));
    }

    /// Changes the model of each group, one after another.
    fn each_model(&self, change: impl Fn(&Group, &mut Model, Nanos, &mut Queue)) {
        for Served { group, engine, .. } in &self.groups {
            engine.with(|engine, now| {
                engine.change(now, |model, now, queue| change(group, model, now, queue))
            });
        }
    }
}
