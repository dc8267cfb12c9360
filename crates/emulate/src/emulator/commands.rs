//! What is done to the storage while it is served: other rates, pauses, faults.

use blockyard_model::units::Nanos;
use blockyard_scenario::EventKind;

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
        for ((limit, rate), (name, text)) in changes.into_iter().zip(rates) {
            self.each_model(|group, model, now, queue| {
                if let Some(own) = group.own_limit(limit) {
                    model.provision(now, own, rate, queue);
                }
            });
            let what = format!("{name} set to {text}");
            recording.note(self.now(), EventKind::Set, Some(name.clone()), what);
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
            EventKind::Fault,
            fault.on().map(Into::into),
            format!("fault {}{}", fault.kind(), on.unwrap_or_default()),
        );
        self.each_model(|group, model, now, queue| {
            if let Some(mut fault) = active.within(group) {
                // The group may be told later than the registry was.
                fault.from = fault.from.min(now);
                model.start_fault(now, fault, queue);
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
        let now = self.now();
        let volumes = recording.faults.resume(now, name)?;
        let what = format!("{} resumed", name.unwrap_or("all"));
        recording.note(now, EventKind::Fault, name.map(Into::into), what);
        self.each_model(|group, model, now, queue| {
            let own: Vec<_> = group.own_volumes(&volumes).collect();
            model.resume(now, &own, queue);
        });
        Ok(())
    }

    /// Ends the cuts of a link; without a name of all.
    pub(crate) fn restore(&self, name: Option<&str>) -> Result<(), String> {
        let mut recording = self.lock();
        let Some(recording) = &mut *recording else {
            return Ok(());
        };
        let now = self.now();
        let links = recording.faults.restore(now, name)?;
        let what = format!("{} restored", name.unwrap_or("all links"));
        recording.note(now, EventKind::Fault, name.map(Into::into), what);
        self.each_model(|_, model, now, queue| model.restore(now, &links, queue));
        Ok(())
    }

    /// Ends all faults.
    pub(crate) fn clear(&self) {
        let mut recording = self.lock();
        let Some(recording) = &mut *recording else {
            return;
        };
        let now = self.now();
        recording.faults.clear(now);
        recording.note(now, EventKind::Fault, None, "faults cleared".into());
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
