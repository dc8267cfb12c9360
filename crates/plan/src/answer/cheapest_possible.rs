//! The cheapest layout without the preferences that a requirement does not state, and which of them
//! it breaks.

use blockyard_catalog::Catalog;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::layout::{Layout, Volumes};
use crate::answer::plan::cheapest;
use crate::answer::purchase::{Purchase, describe};
use crate::market::Market;
use crate::market::inter_zone::InterZoneTraffic;
use crate::proof::scenario::ScenarioWriter;
use crate::reason::Reason;
use crate::requirement::needs::Needs;
use crate::requirement::preferences::Preferences;

/// What would be bought without preferences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheapestPossible {
    /// The layout.
    pub layout: Layout,
    /// The preferences that it breaks, and the goals that it misses in the simulation.
    pub breaks: Vec<Reason>,
}

impl CheapestPossible {
    /// The cheapest of a `market` without preferences for `bare` needs, unless that is no cheaper
    /// than `best`. `needs` and `preferences` are those of the answer.
    #[must_use]
    pub fn find(
        market: &Market<'_>,
        bare: &Needs,
        (needs, preferences): (&Needs, &Preferences),
        best: Option<&Layout>,
    ) -> Option<Self> {
        let mut layout = cheapest(market, bare)?;
        if best.is_some_and(|best| best.micros <= layout.micros) {
            return None;
        }
        layout.charge(
            InterZoneTraffic::of(bare, market.prices)
                .ok()
                .flatten()
                .as_ref(),
        );
        let layout = describe(market, bare, layout);
        let breaks = broken(market, needs, preferences, &layout);
        Some(Self { layout, breaks })
    }

    /// Simulates it: a goal that it misses is among what it breaks.
    ///
    /// # Errors
    /// If it cannot be simulated, which does not happen to a layout that was planned.
    pub fn prove(
        &mut self,
        needs: &Needs,
        writer: &ScenarioWriter,
        lab: &mut blockyard_experiment::Lab<'_>,
    ) -> Result<(), String> {
        let proofs = writer.proofs(needs, std::slice::from_ref(&self.layout), lab)?;
        if let Some(proof) = proofs.into_iter().next().flatten() {
            self.breaks.extend(proof.tell(&mut self.layout));
        }
        Ok(())
    }
}

/// The preferences that a layout breaks.
fn broken(
    market: &Market<'_>,
    needs: &Needs,
    preferences: &Preferences,
    layout: &Layout,
) -> Vec<Reason> {
    let volumes = layout.volumes();
    let mut broken = Vec::new();
    if let Some(most) = preferences.at_most.filter(|most| volumes > *most) {
        broken.push(Reason::Volumes {
            needed: volumes.into(),
            has: most.into(),
        });
    }
    let catalog = Catalog::get().ok();
    let instance = catalog.and_then(|it| it.instance(&layout.instance).ok());
    broken.extend(instance.and_then(|it| preferences.avoided.reason(it)));
    if let Some(instance) = instance {
        let free = instance
            .attachments()
            .saturating_sub(1 + u64::from(volumes));
        let needed = u64::from(preferences.spare_attachments);
        if free < needed {
            let instance = layout.instance.clone();
            let has = free;
            broken.push(Reason::SpareAttachments {
                instance,
                needed,
                has,
            });
        }
    }
    let of = |it: &Volumes| {
        (
            it.volume_type.clone(),
            it.count,
            it.iops.unwrap_or(0),
            it.size,
        )
    };
    let all: Vec<_> = [&layout.data]
        .into_iter()
        .chain(&layout.journal)
        .map(of)
        .collect();
    let all: Vec<_> = all
        .iter()
        .map(|it| (it.0.as_str(), it.1, it.2, it.3))
        .collect();
    broken.extend(preferences.quotas.exceeded(&all, layout.copies));
    let file_systems = Purchase::of(market, layout);
    let file_systems = file_systems.iter().flat_map(|it| it.file_systems(needs));
    let short = file_systems.filter(|(has, needed)| has < needed);
    broken.extend(short.map(|(has, needed)| Reason::FreeSpace { needed, has }));
    broken
}
