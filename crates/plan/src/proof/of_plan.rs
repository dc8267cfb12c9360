//! Layouts of a plan are simulated; one that misses a goal gives way to another.

use std::cell::OnceCell;

use blockyard_experiment::Lab;

use crate::answer::frontier::pareto_frontier;
use crate::answer::layout::Layout;
use crate::answer::plan::{Dropped, Plan};
use crate::market::Market;
use crate::proof::scenario::ScenarioWriter;
use crate::proof::simulation::Proof;
use crate::requirement::needs::Needs;
use crate::search::Search;

impl Plan {
    /// Simulates its layouts. One that misses its goals with too many seeds is dropped; a few
    /// other widths of its type are tried, cheapest first, and then the next type takes its place.
    /// A layout whose simulation is stopped stays as it is.
    ///
    /// # Errors
    /// If a layout cannot be simulated, which does not happen to one that was planned.
    pub fn prove(
        &mut self,
        market: &Market<'_>,
        needs: &Needs,
        writer: &ScenarioWriter,
        lab: &mut Lab<'_>,
    ) -> Result<(), String> {
        let best = self.best.take();
        let layouts: Vec<_> = best.into_iter().chain(self.others.drain(..)).collect();
        let proofs = writer.proofs(needs, &layouts, lab)?;
        // Looked up again only if a layout misses a goal.
        let search = OnceCell::new();
        let search = || {
            search
                .get_or_init(|| Search::new(market, needs).ok())
                .as_ref()
        };
        let mut kept = Vec::new();
        for (layout, proof) in layouts.into_iter().zip(proofs) {
            let (volume_type, width) = (layout.data.volume_type.clone(), layout.data.count);
            let mut proven = self.judged(layout, proof);
            if proven.is_none() {
                let others = other_widths(search(), &volume_type, width);
                // As many at once as take no more time than one.
                for some in others.chunks(lab.width()) {
                    let proofs = writer.proofs(needs, some, lab)?;
                    let mut both = some.iter().cloned().zip(proofs);
                    proven = both.find_map(|(other, proof)| self.judged(other, proof));
                    if proven.is_some() {
                        break;
                    }
                }
            }
            kept.extend(proven);
        }
        // It may be one of the widths that were tried.
        let tried = |it: &mut Layout| {
            let dropped = self.dropped.iter().map(|it| &it.layout);
            let mut all = kept.iter().chain(dropped);
            all.any(|other| other.data == it.data && other.instance == it.instance)
        };
        drop(self.fewest.take_if(tried));
        if let Some(fewest) = self.fewest.take() {
            let proofs = writer.proofs(needs, std::slice::from_ref(&fewest), lab)?;
            self.fewest = self.judged(fewest, proofs.into_iter().next().flatten());
        }
        // Fewer volumes may do where more of them missed a goal, as volumes differ.
        let replaces = |it: &mut Layout| {
            let same = |other: &Layout| other.data.volume_type == it.data.volume_type;
            !kept.iter().any(same)
        };
        kept.extend(self.fewest.take_if(replaces));
        kept.sort_by_key(|layout| layout.micros);
        let mut kept = kept.into_iter();
        self.best = kept.next();
        self.others = kept.collect();
        self.pareto_frontier = pareto_frontier(self);
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

/// How many other widths of a type are tried if its cheapest layout misses a goal: volumes
/// differ, and each simulation takes a moment.
const WIDTHS_TRIED: usize = 3;

/// The next cheapest layouts with data on a type, each of another width.
fn other_widths(search: Option<&Search<'_, '_>>, volume_type: &str, width: u32) -> Vec<Layout> {
    let Some(search) = search else {
        return Vec::new();
    };
    let types = &search.market.types;
    let number = types.iter().position(|it| it.name() == volume_type);
    let picks = number.map_or_else(Vec::new, |number| search.by_width(number));
    let others = picks
        .iter()
        .filter(|it| it.stored.data.sized.count != width);
    others
        .take(WIDTHS_TRIED)
        .map(|it| search.described(it))
        .collect()
}
