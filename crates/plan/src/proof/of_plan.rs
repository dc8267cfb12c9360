//! Layouts of a plan are simulated; one that misses a goal gives way to another.

use blockyard_experiment::Lab;

use crate::answer::frontier::pareto_frontier;
use crate::answer::layout::Layout;
use crate::answer::plan::{Dropped, Plan};
use crate::market::Market;
use crate::proof::prover::{Prover, with_more_headroom};
use crate::proof::scenario::ScenarioWriter;
use crate::proof::simulation::Proof;
use crate::requirement::needs::Needs;

/// Which layouts of a plan are simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proved {
    /// All that the answer shows.
    All,
    /// What to buy alone; the others stay as they were worked out.
    Best,
}

impl Plan {
    /// Simulates its layouts. One that misses its goals with too many seeds is dropped; a few
    /// others of its type are tried, cheapest first, and then the next type takes its place.
    /// A layout whose simulation is stopped stays as it is.
    ///
    /// # Errors
    /// If a layout cannot be simulated, which does not happen to one that was planned.
    pub fn prove(
        &mut self,
        proved: Proved,
        market: &Market<'_>,
        needs: &Needs,
        writer: &ScenarioWriter,
        lab: &mut Lab<'_>,
    ) -> Result<(), String> {
        let best = self.best.take();
        let layouts: Vec<_> = best.into_iter().chain(self.others.drain(..)).collect();
        let stricter = with_more_headroom(needs);
        let prover = Prover::new(market, needs, &stricter, writer);
        let mut kept = match proved {
            Proved::All => self.proven(layouts, &prover, lab)?,
            Proved::Best => self.first_proven(layouts, &prover, lab)?,
        };
        if proved == Proved::All {
            self.prove_fewest(&mut kept, &prover, lab)?;
        }
        kept.sort_by_key(|layout| layout.micros);
        let mut kept = kept.into_iter();
        self.best = kept.next();
        self.others = kept.collect();
        self.pareto_frontier = pareto_frontier(self);
        Ok(())
    }

    /// What is kept of layouts, which are simulated side by side.
    fn proven(
        &mut self,
        layouts: Vec<Layout>,
        prover: &Prover<'_, '_>,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Layout>, String> {
        let proofs = prover.proofs(&layouts, lab)?;
        let mut kept = Vec::new();
        for (layout, proof) in layouts.into_iter().zip(proofs) {
            kept.extend(self.kept(layout, proof, prover, lab)?);
        }
        Ok(kept)
    }

    /// What is kept of layouts, of which the cheapest are simulated one by one until one is kept.
    fn first_proven(
        &mut self,
        mut layouts: Vec<Layout>,
        prover: &Prover<'_, '_>,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Layout>, String> {
        loop {
            // Of equals the one that the search prefers stays first.
            layouts.sort_by_key(|layout| layout.micros);
            if layouts.first().is_none_or(|it| it.simulated.is_some()) {
                return Ok(layouts);
            }
            let first = layouts.remove(0);
            let proof = prover.proofs(std::slice::from_ref(&first), lab)?.pop();
            let stopped = proof.as_ref().is_none_or(Option::is_none);
            let kept = self.kept(first, proof.flatten(), prover, lab)?;
            layouts.splice(0..0, kept);
            if stopped {
                return Ok(layouts);
            }
        }
    }

    /// A layout, or another of its type that takes its place as it misses a goal.
    fn kept(
        &mut self,
        layout: Layout,
        proof: Option<Proof>,
        prover: &Prover<'_, '_>,
        lab: &mut Lab<'_>,
    ) -> Result<Option<Layout>, String> {
        let (volume_type, width) = (layout.data.volume_type.clone(), layout.data.count);
        let proven = self.judged(layout, proof);
        if proven.is_some() {
            return Ok(proven);
        }
        let mut others = prover.others(&volume_type, width);
        others.retain(|it| !self.dropped.iter().any(|one| one.layout.is_same(it)));
        // As many at once as take no more time than one.
        for some in others.chunks(lab.width()) {
            let proofs = prover.proofs(some, lab)?;
            let mut both = some.iter().cloned().zip(proofs);
            let proven = both.find_map(|(other, proof)| self.judged(other, proof));
            if proven.is_some() {
                return Ok(proven);
            }
        }
        Ok(None)
    }

    /// Simulates the layout with the fewest volumes, if it is none that was tried.
    fn prove_fewest(
        &mut self,
        kept: &mut Vec<Layout>,
        prover: &Prover<'_, '_>,
        lab: &mut Lab<'_>,
    ) -> Result<(), String> {
        let tried = |it: &mut Layout| {
            let dropped = self.dropped.iter().map(|it| &it.layout);
            let mut all = kept.iter().chain(dropped);
            all.any(|other| other.is_same(it))
        };
        drop(self.fewest.take_if(tried));
        if let Some(fewest) = self.fewest.take() {
            let proofs = prover.proofs(std::slice::from_ref(&fewest), lab)?;
            self.fewest = self.judged(fewest, proofs.into_iter().next().flatten());
        }
        // Fewer volumes may do where more of them missed a goal, as volumes differ.
        let replaces = |it: &mut Layout| {
            let same = |other: &Layout| other.data.volume_type == it.data.volume_type;
            !kept.iter().any(same)
        };
        kept.extend(self.fewest.take_if(replaces));
        Ok(())
    }

    /// A layout with what its simulation gave, if it has one; none if it missed a goal, and was
    /// dropped.
    fn judged(&mut self, mut layout: Layout, proof: Option<Proof>) -> Option<Layout> {
        let Some(proof) = proof else {
            return Some(layout);
        };
        let reasons = proof.tell(&mut layout);
        if reasons.is_empty() {
            return Some(layout);
        }
        self.dropped.push(Dropped { layout, reasons });
        None
    }
}
