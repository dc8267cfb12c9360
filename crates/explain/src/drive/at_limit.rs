//! The limit at which a slow interval stands.

use blockyard_model::spec::Unit;
use blockyard_record::limit_names::LimitKind;
use blockyard_record::result::EbsStatistics;
use blockyard_record::thresholds::{MOST, NEAR_LIMIT};

use super::Cause;
use super::known::Use;
use super::watched::Watched;
use crate::limits::id::{LimitId, Owner};

/// Whether an interval used what a baseline leaves, as IOs were counted. What it leaves in a pause
/// becomes credits, and is there for the IO after it: so only more than that of the whole interval
/// is above the baseline.
fn stands_at(used: &Use) -> bool {
    used.share >= NEAR_LIMIT && used.whole <= NEAR_LIMIT.recip()
}

/// Whether an interval was above a baseline, or at it: that depends on what EBS merged.
pub(super) fn may_stand_at(used: &Use) -> bool {
    let at = NEAR_LIMIT.recip();
    used.limit.kind.credits && used.whole > at && used.least <= at
}

impl Watched<'_> {
    /// The limit of which most is used, if it is near. Above a baseline there are credits left;
    /// where EBS may have merged so much that there are none, other intervals decide.
    pub(super) fn at_a_limit(&self, place: usize, others: &[&Self]) -> Option<Cause> {
        let used = self.used(place, others).into_iter();
        let near = used.filter(|used| match used.limit.kind.credits {
            true => stands_at(used) || may_stand_at(used) && self.has_stood_at(used, others),
            false => used.share >= NEAR_LIMIT,
        });
        let most = near.max_by(|one, other| one.share.total_cmp(&other.share))?;
        let (limit, per_s) = (most.limit, Some(most.per_s));
        Some(match (limit.kind.credits, limit.is_host()) {
            (true, _) => Cause::Credits { limit, per_s },
            (false, true) => Cause::InstanceLimit { limit, per_s },
            (false, false) => Cause::VolumeLimit { limit, per_s },
        })
    }

    /// Whether a slow interval stands at a baseline, whatever EBS merged.
    fn has_stood_at(&self, baseline: &Use, others: &[&Self]) -> bool {
        let stood_at = self.stood_at.get_or_init(|| {
            let slow = (0..self.expected_us.len()).filter(|&place| self.is_slow(place));
            let used = slow.flat_map(|place| self.used(place, others));
            let mut found = Vec::new();
            for used in used.filter(|used| used.limit.kind.credits && stands_at(used)) {
                if !found.contains(&used.limit) {
                    found.push(used.limit);
                }
            }
            found
        });
        stood_at.contains(&baseline.limit)
    }

    /// The limit that EBS counted most excess demand of, if as long as IO was slow.
    pub(super) fn by_ebs(&self, ebs: &EbsStatistics) -> Option<Cause> {
        let slow = (0..self.expected_us.len()).filter(|&place| self.is_slow(place));
        let least_s = MOST * slow.count() as f64 * self.seen.interval_s;
        let all = [
            (ebs.volume_iops_exceeded_s, Unit::Io, false),
            (ebs.volume_throughput_exceeded_s, Unit::Byte, false),
            (ebs.instance_iops_exceeded_s, Unit::Io, true),
            (ebs.instance_throughput_exceeded_s, Unit::Byte, true),
        ];
        let exceeded = all.into_iter().filter(|one| one.0 >= least_s);
        let (_, counts, of_host) = exceeded.max_by(|one, other| one.0.total_cmp(&other.0))?;
        let name = if counts == Unit::Io {
            "iops"
        } else {
            "throughput"
        };
        let kind = LimitKind::named(name)?;
        let limit = |owner| LimitId { owner, kind };
        Some(match of_host {
            true => Cause::InstanceLimit {
                limit: limit(Owner::Host("host".into())),
                per_s: None,
            },
            false => Cause::VolumeLimit {
                limit: limit(Owner::Device(self.device.name.clone())),
                per_s: None,
            },
        })
    }
}
