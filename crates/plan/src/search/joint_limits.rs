//! What holds for a layout as a whole: the instance's limits over all its volumes, how many can
//! be attached, quotas, durability.

use blockyard_model::spec::Unit;
use blockyard_model::units::SECOND;

use crate::load::endurance::exhausted_after;
use crate::load::profile::Counted;
use crate::load::streams::Stream;
use crate::market::{Host, HostLimit, NETWORK};
use crate::reason::Reason;
use crate::requirement::needs::Needs;
use crate::search::Search;
use crate::search::candidates::{Combination, Placed, Stored};

impl Search<'_, '_> {
    /// The quota that the volumes exceed.
    pub(crate) fn quota_lacks(&self, stored: &Stored<'_>) -> Option<Reason> {
        let of = |placed: &Placed<'_>| {
            let got = placed.sized.got;
            let variant = &self.market.variants[placed.variant];
            let name = variant.volume_type.name();
            (
                name,
                placed.sized.count,
                got.iops.unwrap_or(0),
                got.size.bytes(),
            )
        };
        let data = of(&stored.data);
        match stored.journal.as_ref().map(of) {
            Some(journal) => self.needs.quotas.exceeded(&[data, journal], self.copies()),
            None => self.needs.quotas.exceeded(&[data], self.copies()),
        }
    }

    /// Whether the volumes are lost more often than is allowed.
    pub(crate) fn fails_too_often(&self, stored: &Stored<'_>) -> Option<Reason> {
        let allowed = self.needs.failures?;
        let expected = stored.loss.per_million(self.copies());
        let fails = expected.is_none_or(|expected| expected > allowed);
        fails.then_some(Reason::Durability { allowed, expected })
    }

    /// Which limits of an instance fall short.
    pub(crate) fn host_lacks(&self, host: &Host<'_>, counted: Combination) -> Vec<Reason> {
        let instance = host.instance.name().to_owned();
        if host.limits.is_none() {
            return vec![Reason::Unpublished { instance }];
        }
        let load_profile = &self.needs.load_profile;
        let mut reasons = Vec::new();
        for (limit, rate) in taken_of(host, self.needs, counted) {
            let Some(after) = exhausted_after(&limit.bucket, &rate, load_profile) else {
                continue;
            };
            let (instance, has) = (instance.clone(), limit.bucket.rate);
            let needed = load_profile.highest(&rate);
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
                (false, Unit::Byte) if limit.name == NETWORK => Reason::InstanceNetwork {
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
        Reason::without_idle_credits(reasons)
    }
}

/// What a load takes of each limit of an instance a second, with its headroom: of those over all
/// volumes, and of the network where that carries a log.
pub(crate) fn taken_of<'h, 'a>(
    host: &'h Host<'a>,
    needs: &Needs,
    counted: Combination,
) -> impl Iterator<Item = (&'h HostLimit<'a>, Counted)> {
    let limits = host.limits.iter().flatten();
    let over_volumes = limits.map(move |limit| (limit, taken(needs, limit.unit, counted)));
    let sent = needs.sent().map(|sent| (&host.network, sent));
    over_volumes.chain(sent)
}

/// What a load takes of an instance's limit a second, with its headroom.
pub(crate) fn taken(needs: &Needs, unit: Unit, counted: Combination) -> Counted {
    let sum = |mix: &[Stream], counting| -> u64 {
        mix.iter().map(|it| it.behind_host(unit, counting)).sum()
    };
    let of_journal = sum(
        &needs.journal_stream(),
        counted.journal.unwrap_or(counted.data),
    );
    Counted::of(&needs.mixes(false), |mix| {
        sum(mix, counted.data) + of_journal
    })
}

/// How many volumes may be attached beside the root volume and what stays free.
pub(crate) fn attachable(host: &Host<'_>, needs: &Needs) -> u32 {
    let most = u32::try_from(host.instance.attachments()).unwrap_or(u32::MAX);
    let most = most.saturating_sub(1 + needs.spare_attachments);
    needs.at_most.map_or(most, |at_most| most.min(at_most))
}
