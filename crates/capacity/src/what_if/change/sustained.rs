//! As large as a load needs that burst credits carry for now.

use blockyard_experiment::Edit;
use blockyard_explain::{Facts, Limit, Owner};
use blockyard_model::spec::Unit;

use super::super::need::FREE;
use super::device::Of;
use super::lasting::{lasting, least_size};
use super::{Change, GIB, Proposal};

impl Of<'_> {
    /// Volumes as large as it takes that their baseline carries what credits do now, with a tenth
    /// to spare; none where no credits are spent, or the size brings no more.
    pub(super) fn sustained(&self, facts: &Facts) -> Option<Proposal> {
        let spent = facts.limits.iter().filter(|limit| {
            let own = limit.limit.owner == Owner::Device(self.name.to_owned());
            own && spends_credits(limit)
        });
        let times = |limit: &Limit| {
            limit
                .used
                .map_or(1.0, |used| used.mean / limit.value / (1.0 - FREE))
        };
        let spent: Vec<_> = spent.collect();
        let most = spent.iter().max_by(|a, b| times(a).total_cmp(&times(b)))?;
        let [spot] = &self.places()[..] else {
            return None;
        };
        let get = lasting(self.scenario, self.catalog, self.device, spot.volume)?;
        let rate = |(iops, throughput, _): &(u64, u64, _)| match most.limit.kind.counts {
            Unit::Io => *iops,
            Unit::Byte => *throughput,
        };
        let now = get(spot.volume.size)?;
        let wanted = (rate(&now) as f64 * times(most)).ceil() as u64;
        let from = now.2.size;
        let to = least_size(&get, from, &|it| rate(it) >= wanted)?.bytes() / GIB;
        let change = Change::Size {
            device: self.name.to_owned(),
            volumes: spot.count,
            from: from.bytes() / GIB,
            to,
        };
        let edit = Edit::set(format!("{}.size", spot.path), format!("{to}GiB"));
        Some(Proposal::of(change, vec![edit]))
    }
}

/// Whether it is one of credits, which are spent faster than they come.
pub(super) fn spends_credits(limit: &Limit) -> bool {
    let used = limit.used.map_or(0.0, |used| used.mean);
    limit.limit.kind.credits && used > limit.value
}
