//! Simulates layouts, and finds others of a type where one is dropped.

use std::cell::OnceCell;

use blockyard_experiment::Lab;

use crate::answer::layout::Layout;
use crate::answer::purchase::describe;
use crate::market::Market;
use crate::proof::scenario::ScenarioWriter;
use crate::proof::simulation::Proof;
use crate::requirement::needs::Needs;
use crate::search::Search;

/// How many other widths of a type are tried if its cheapest layout misses a goal: volumes
/// differ, and each simulation takes a moment.
const WIDTHS_TRIED: usize = 3;

/// For how many times the load the cheapest layouts are tried beside them, in 1/1000: at its
/// limits chance alone lets IO wait, and a few more IOPS may cost less than another width.
const LOADS_TRIED: [u64; 3] = [1030, 1100, 1250];

/// The same with so much headroom as holds the load times each of [`LOADS_TRIED`].
pub(crate) fn with_more_headroom(needs: &Needs) -> Vec<Needs> {
    let taken = 1000 - needs.headroom.min(999);
    let of = |times: u64| Needs {
        headroom: 1000 - taken * 1000 / times,
        ..needs.clone()
    };
    LOADS_TRIED.map(of).into()
}

/// Simulates layouts, and finds others in their place.
pub(crate) struct Prover<'m, 'a> {
    market: &'m Market<'a>,
    needs: &'m Needs,
    stricter: &'m [Needs],
    writer: &'m ScenarioWriter,
    /// For `needs` and what is `stricter`; made only if a layout misses a goal.
    searches: OnceCell<Vec<Search<'m, 'a>>>,
}

impl<'m, 'a> Prover<'m, 'a> {
    pub(crate) fn new(
        market: &'m Market<'a>,
        needs: &'m Needs,
        stricter: &'m [Needs],
        writer: &'m ScenarioWriter,
    ) -> Self {
        Self {
            market,
            needs,
            stricter,
            writer,
            searches: OnceCell::new(),
        }
    }

    pub(crate) fn proofs(
        &self,
        layouts: &[Layout],
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Option<Proof>>, String> {
        self.writer.proofs(self.needs, layouts, lab)
    }

    /// The next cheapest layouts with data on a type, each of another width, and the cheapest with
    /// more headroom; cheapest first.
    pub(crate) fn others(&self, volume_type: &str, width: u32) -> Vec<Layout> {
        let types = &self.market.types;
        let Some(number) = types.iter().position(|it| it.name() == volume_type) else {
            return Vec::new();
        };
        let searches = self.searches.get_or_init(|| {
            let all = [self.needs].into_iter().chain(self.stricter);
            all.filter_map(|it| Search::new(self.market, it).ok())
                .collect()
        });
        let mut others: Vec<Layout> = Vec::new();
        for (place, search) in searches.iter().enumerate() {
            let (own, tried) = (place == 0, if place == 0 { WIDTHS_TRIED } else { 1 });
            let by_width = search.by_width(number).into_iter();
            let another = by_width.filter(|it| !own || it.stored.data.sized.count != width);
            for candidate in another.take(tried) {
                let layout = search.layout(&candidate);
                if !others.iter().any(|it| it.is_same(&layout)) {
                    others.push(layout);
                }
            }
        }
        others.sort_by_key(|it| it.micros);
        // As the load is, whatever headroom they were found with.
        let described = |it| describe(self.market, self.needs, it);
        others.into_iter().map(described).collect()
    }
}
