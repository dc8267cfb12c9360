//! What holds for a layout as a whole: the instance's limits over all its volumes, how many can
//! be attached, quotas, durability.

use blockyard_model::spec::Unit;
use blockyard_model::units::SECOND;

use crate::load::endurance::exhausted_after;
use crate::load::streams::{Counting, Stream};
use crate::market::Host;
use crate::reason::Reason;
use crate::requirement::needs::Needs;
use crate::search::Search;
use crate::search::candidates::{Combination, Placed, Stored};

impl Search<'_, '_> {
    /// The type whose quota the volumes exceed.
    pub(crate) fn quota_lacks(&self, stored: &Stored<'_>) -> Option<Reason> {
        if self.needs.quotas.is_empty() {
            return None;
        }
        let of = |placed: &Placed<'_>| {
            let count = u64::from(placed.sized.count * self.copies());
            let iops = placed.sized.got.iops.unwrap_or(0) * count;
            let variant = &self.market.variants[placed.variant];
            (variant.volume_type.name(), iops)
        };
        let mut sums = vec![of(&stored.data)];
        if let Some((name, iops)) = stored.journal.as_ref().map(of) {
            match sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += iops,
                None => sums.push((name, iops)),
            }
        }
        sums.into_iter().find_map(|(name, needed)| {
            let has = *self.needs.quotas.get(name)?;
            (needed > has).then(|| Reason::Quota {
                volume_type: name.to_owned(),
                needed,
                has,
            })
        })
    }

    /// Whether the volumes fail more often than is allowed. A stripe is lost with any of its
    /// volumes; a mirror if both copies are lost in the same year, which leaves out that one may
    /// long be replaced by then.
    pub(crate) fn fails_too_often(&self, stored: &Stored<'_>) -> Option<Reason> {
        let allowed = self.needs.failures?;
        let of = |placed: Placed<'_>| {
            let failures = self.market.variants[placed.variant].failures?;
            Some(failures * u64::from(placed.sized.count))
        };
        let one = of(stored.data).and_then(|data| {
            let journal = stored.journal.map_or(Some(0), of)?;
            Some(data + journal)
        });
        let expected = match self.needs.mirrored {
            true => one.map(|it| (it * it).div_ceil(1_000_000)),
            false => one,
        };
        let fails = expected.is_none_or(|expected| expected > allowed);
        fails.then_some(Reason::Durability { allowed, expected })
    }

    /// Which limits of an instance fall short.
    pub(crate) fn host_lacks(&self, host: &Host<'_>, counted: Combination) -> Vec<Reason> {
        let instance = host.instance.name().to_owned();
        let Some(limits) = &host.limits else {
            return vec![Reason::Unpublished { instance }];
        };
        let load_profile = &self.needs.load_profile;
        let mut reasons = Vec::new();
        for limit in limits {
            let rate = self.taken(limit.unit, counted);
            let Some(after) = exhausted_after(&limit.bucket, rate, load_profile) else {
                continue;
            };
            let (instance, has) = (instance.clone(), limit.bucket.rate);
            let needed = (rate * load_profile.highest()).div_ceil(1000);
            reasons.push(match (limit.bucket.credits, limit.unit) {
                (true, _) => Reason::BurstExhausted {
                    owner: instance,
                    limit: limit.name.to_owned(),
                    after_s: after as f64 / SECOND as f64,
                    lasts_s: load_profile.lasts.map(|it| it as f64 / SECOND as f64),
                    baseline: has,
                },
                (false, Unit::Io) => Reason::InstanceIops {
                    instance,
                    needed,
                    has,
                },
                (false, Unit::Byte) => Reason::InstanceThroughput {
                    instance,
                    needed,
                    has,
                },
            });
        }
        reasons
    }

    /// What the load takes of an instance's limit a second, with headroom.
    fn taken(&self, unit: Unit, counted: Combination) -> u64 {
        taken(self.needs, self.needs.headroom, unit, counted)
    }
}

/// What a load takes of an instance's limit a second, with so much headroom.
pub(crate) fn taken(needs: &Needs, headroom: u64, unit: Unit, counted: Combination) -> u64 {
    let of = |stream: &Stream, counting: Counting| {
        stream.with_headroom(headroom).behind_host(unit, counting)
    };
    let data = needs.data.iter().map(|stream| of(stream, counted.data));
    let journal = needs.journal.iter();
    let journal = journal.map(|it| of(&it.stream, counted.journal.unwrap_or(counted.data)));
    data.chain(journal).sum()
}

/// How many volumes can be attached beside the root volume.
pub(crate) fn attachable(host: &Host<'_>, needs: &Needs) -> u32 {
    let most = u32::try_from(host.instance.attachments()).unwrap_or(u32::MAX);
    let most = most.saturating_sub(1);
    needs.at_most.map_or(most, |at_most| most.min(at_most))
}
