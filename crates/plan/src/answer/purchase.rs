//! A layout with its limits: what a load takes of each, what latency is to be expected.

use blockyard_catalog::Limit;
use blockyard_model::spec::Unit;
use blockyard_model::units::SECOND;

use crate::answer::layout::{Estimate, Layout, Use, Volumes};
use crate::load::endurance::{Bucket, exhausted_after, left};
use crate::load::hottest::hottest;
use crate::load::profile::{Counted, LoadProfile};
use crate::load::streams::{Counting, Stream};
use crate::market::{Host, Market, Variant};
use crate::requirement::needs::{Needs, Of};
use crate::requirement::space::file_system_on;
use crate::search::candidates::Combination;
use crate::search::joint_limits::taken_of;
use crate::search::latency::estimate;
use crate::search::loss::Loss;
use crate::search::volumes::bucket;

/// A layout with its limits.
pub(crate) struct Purchase<'a, 'm> {
    pub(crate) host: &'m Host<'a>,
    pub(crate) data: Set<'a, 'm>,
    pub(crate) journal: Option<Set<'a, 'm>>,
}

/// Equal volumes.
pub(crate) struct Set<'a, 'm> {
    pub(crate) variant: &'m Variant<'a>,
    /// Of each.
    pub(crate) limits: Vec<Limit<'a>>,
    pub(crate) count: u32,
    /// Bytes of all.
    pub(crate) room: u64,
}

/// The layout with what the load takes of its limits, and the latency that is to be expected.
pub(crate) fn describe(market: &Market<'_>, needs: &Needs, layout: Layout) -> Layout {
    let Some(purchase) = Purchase::of(market, &layout) else {
        return layout;
    };
    Layout {
        hottest: purchase.data.hottest(needs),
        zones: market.zones(purchase.host.instance),
        yearly_loss: purchase.loss().share(layout.copies),
        outgrown: purchase.outgrown(needs),
        limits: purchase.uses(needs),
        replicas: match layout.copies {
            1 => None,
            _ => purchase.replicas(needs, market.prices),
        },
        latency: purchase.estimates(needs),
        ..layout
    }
}

impl Set<'_, '_> {
    /// The size of the file system that is made on them.
    pub(crate) fn file_system(&self) -> u64 {
        file_system_on(self.room, self.count)
    }

    /// The share of the IOs of the data that the hottest of several volumes takes; none of a load
    /// without skew.
    fn hottest(&self, needs: &Needs) -> Option<f64> {
        let placement = needs.placement.as_deref().filter(|_| self.count > 1)?;
        let iops = |it: &Stream| it.iops;
        let all: u64 = needs.data.iter().map(iops).sum();
        let hottest = hottest(Some(placement), &needs.data, self.count, iops);
        Some(hottest as f64 / all.max(1) as f64)
    }

    /// How so many of its type count.
    fn counting(&self) -> Counting {
        self.variant.counting.on(self.count)
    }

    /// What a limit counts of mixes a second, over all the volumes.
    pub(crate) fn counted(&self, limit: &Limit<'_>, mixes: &[Vec<Stream>]) -> Counted {
        let counting = self.counting();
        let counted = |it: &Stream| it.counted(limit.unit, limit.applies, counting);
        Counted::of(mixes, |mix| mix.iter().map(counted).sum())
    }

    /// What a limit of the hottest of the volumes counts of mixes a second.
    pub(crate) fn share(&self, limit: &Limit<'_>, mixes: &[Vec<Stream>], needs: &Needs) -> Counted {
        let counting = self.counting();
        let counted = |it: &Stream| it.counted(limit.unit, limit.applies, counting);
        let placement = needs.placement.as_deref();
        Counted::of(mixes, |mix| hottest(placement, mix, self.count, counted))
    }
}

impl<'a, 'm> Purchase<'a, 'm> {
    /// None for a layout that the market does not have.
    pub(crate) fn of(market: &'m Market<'a>, layout: &Layout) -> Option<Self> {
        let mut hosts = market.instances.iter();
        let host = hosts.find(|it| it.instance.name() == layout.instance)?;
        let set = |volumes: &Volumes| {
            let class = market.classes[host.class].iter().flatten();
            let mut variants = class.map(|it| &market.variants[*it]);
            let variant = variants.find(|it| it.volume_type.name() == volumes.volume_type)?;
            Some(Set {
                variant,
                limits: variant.offer.limits(&volumes.ask()).ok()?.limits,
                count: volumes.count,
                room: volumes.size * u64::from(volumes.count),
            })
        };
        let journal = match &layout.journal {
            Some(journal) => Some(set(journal)?),
            None => None,
        };
        Some(Self {
            host,
            data: set(&layout.data)?,
            journal,
        })
    }

    /// How its volumes count.
    pub(crate) fn counted(&self) -> Combination {
        Combination {
            data: self.data.counting(),
            journal: self.journal.as_ref().map(Set::counting),
        }
    }

    /// What some IO lies on.
    pub(crate) fn variant(&self, of: Of) -> &'m Variant<'a> {
        match (of, &self.journal) {
            (Of::Journal, Some(journal)) => journal.variant,
            _ => self.data.variant,
        }
    }

    /// Of one copy.
    fn loss(&self) -> Loss {
        let sets = [Some(&self.data), self.journal.as_ref()];
        Loss::of(
            sets.into_iter()
                .flatten()
                .map(|it| (it.variant.failures, it.count)),
        )
    }

    fn estimates(&self, needs: &Needs) -> Vec<Estimate> {
        let of = |of: Of| {
            let at = |at| Some(estimate(self.variant(of), needs, of, at)? as f64 / 1e3);
            Some(Estimate {
                of: of.name().to_owned(),
                p50_us: at(0.5)?,
                p99_us: at(0.99)?,
            })
        };
        let all = [Of::Read, Of::Write, Of::Journal];
        all.into_iter().filter_map(of).collect()
    }

    /// What the load takes of each limit.
    pub(crate) fn uses(&self, needs: &Needs) -> Vec<Use> {
        let plain = Needs {
            headroom: 0,
            ..needs.clone()
        };
        let on_data = ("data", &self.data, plain.mixes(self.journal.is_none()));
        let on_journal = self.journal.as_ref();
        let on_journal = on_journal.map(|it| ("journal", it, plain.journal_mixes()));
        let mut uses = Vec::new();
        for (owner, set, mixes) in [Some(on_data), on_journal].into_iter().flatten() {
            for limit in &set.limits {
                let of = LimitOf {
                    owner,
                    name: limit.name,
                    unit: limit.unit,
                };
                let share = set.share(limit, &mixes, needs);
                let mut one = used(of, &bucket(limit), &share, set.count, &needs.load_profile);
                // The headroom is the hottest volume's, the load that of all.
                if needs.placement.is_some() {
                    let all = set.counted(limit, &mixes);
                    one.used = needs.load_profile.highest(&all);
                }
                uses.push(one);
            }
        }
        for (limit, taken) in taken_of(self.host, &plain, self.counted()) {
            let of = LimitOf {
                owner: "instance",
                name: limit.name,
                unit: limit.unit,
            };
            uses.push(used(of, &limit.bucket, &taken, 1, &needs.load_profile));
        }
        if needs.load_profile.lasts.is_none() {
            leave_out_bursts(&mut uses);
        }
        uses
    }
}

/// Takes out limits of bursts beside which a baseline sustains the load.
fn leave_out_bursts(uses: &mut Vec<Use>) {
    let sustained = uses.iter().filter(|it| it.used <= it.has);
    let bursts: Vec<(String, String)> = sustained
        .filter_map(|it| {
            Some((
                it.owner.clone(),
                it.limit.strip_suffix("_credits")?.to_owned(),
            ))
        })
        .collect();
    uses.retain(|it| {
        !bursts
            .iter()
            .any(|(owner, limit)| *owner == it.owner && *limit == it.limit)
    });
}

/// A limit, and whose it is.
struct LimitOf<'a> {
    owner: &'a str,
    name: &'a str,
    unit: Unit,
}

/// What is taken of a limit that each of several volumes has.
fn used(
    of: LimitOf<'_>,
    bucket: &Bucket,
    share: &Counted,
    width: u32,
    load_profile: &LoadProfile,
) -> Use {
    let highest = load_profile.highest(share);
    let (used, has) = (highest * u64::from(width), bucket.rate * u64::from(width));
    let endless = LoadProfile {
        lasts: None,
        ..load_profile.clone()
    };
    let last = exhausted_after(bucket, share, &endless).filter(|_| bucket.credits);
    let last = last.map(|after| after as f64 / SECOND as f64);
    let free = match (last, load_profile.lasts) {
        (Some(last), Some(lasts)) => 1.0 - lasts as f64 / SECOND as f64 / last.max(1e-9),
        // Least is left just before a day ends, or a peak. Of what the baseline sustains
        // the balance says nothing: it stays full up to the last IO.
        _ if bucket.credits && (load_profile.lasts.is_some() || used > has) => {
            left(bucket, share, &endless, 1).lowest as f64 / 1000.0
        }
        _ => 1.0 - used as f64 / has.max(1) as f64,
    };
    Use {
        owner: of.owner.to_owned(),
        limit: of.name.to_owned(),
        unit: match of.unit {
            Unit::Io => "io".into(),
            Unit::Byte => "byte".into(),
        },
        used,
        has,
        credits_last_s: last,
        left: (free * 1e4).round() / 1e4,
    }
}
