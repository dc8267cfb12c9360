//! Whether what was bought holds another load than that which it was planned for.

use blockyard_catalog::Limit;

use crate::demand::Stream;
use crate::endurance::exhausted_after;
use crate::layout::{Layout, Volumes};
use crate::market::{Host, HostLimit, Market, Variant};
use crate::search::estimate;
use crate::volumes::bucket;
use crate::wanted::{Of, Wanted};

/// A layout with its limits.
pub(crate) struct Bought<'a, 'm> {
    host: &'m Host<'a>,
    data: (&'m Variant<'a>, Vec<Limit<'a>>, u32, u64),
    journal: Option<(&'m Variant<'a>, Vec<Limit<'a>>, u32, u64)>,
}

impl<'a, 'm> Bought<'a, 'm> {
    /// None for a layout that the market does not have.
    pub(crate) fn of(market: &'m Market<'a>, layout: &Layout) -> Option<Self> {
        let host = market
            .instances
            .iter()
            .find(|it| it.instance.name() == layout.instance)?;
        let volumes = |volumes: &Volumes| {
            let class = market.classes[host.class].iter().flatten();
            let mut variants = class.map(|it| &market.variants[*it]);
            let variant = variants.find(|it| it.volume_type.name() == volumes.volume_type)?;
            let got = variant.offer.limits(&volumes.ask());
            let room = volumes.size * u64::from(volumes.count);
            Some((variant, got.ok()?.limits, volumes.count, room))
        };
        let journal = match &layout.journal {
            Some(journal) => Some(volumes(journal)?),
            None => None,
        };
        Some(Self {
            host,
            data: volumes(&layout.data)?,
            journal,
        })
    }

    /// The share of a requirement that it holds: 1 if all of it. Of limits what they grant of
    /// what is needed, of credits for how much of the time they last, of sizes and latency goals
    /// the ratio; the least of these.
    pub(crate) fn holds(&self, wanted: &Wanted) -> f64 {
        let apart = self.journal.is_some();
        let mut share: f64 = 1.0;
        let mut least = |it: f64| share = share.min(it);
        let own: Vec<Stream> = wanted
            .journal
            .iter()
            .map(|it| it.stream.with_headroom(wanted.headroom))
            .collect();
        let sets = [
            Some((&self.data, wanted.streams(!apart), wanted.bytes(!apart))),
            self.journal
                .as_ref()
                .map(|it| (it, own.clone(), wanted.bytes(true) - wanted.size)),
        ];
        for ((variant, limits, count, room), streams, bytes) in sets.into_iter().flatten() {
            least(*room as f64 / bytes.max(1) as f64);
            for limit in limits {
                let counted = |it: &Stream| it.counted(limit.unit, limit.applies, variant.counting);
                let rate: u64 = streams.iter().map(counted).sum();
                least(held(
                    &bucket(limit),
                    rate.div_ceil(u64::from(*count)),
                    wanted,
                ));
            }
        }
        let counting = self.data.0.counting;
        let of_journal = self.journal.as_ref().map_or(counting, |it| it.0.counting);
        for HostLimit { unit, bucket, .. } in self.host.limits.iter().flatten() {
            let taken = |it: &Stream, counting| it.behind_host(*unit, counting);
            let data: u64 = wanted
                .streams(false)
                .iter()
                .map(|it| taken(it, counting))
                .sum();
            let own: u64 = own.iter().map(|it| taken(it, of_journal)).sum();
            least(held(bucket, data + own, wanted));
        }
        for goal in &wanted.latency {
            let variant = match (goal.of, &self.journal) {
                (Of::Journal, Some((variant, ..))) => variant,
                _ => self.data.0,
            };
            if let Some(estimate) = estimate(variant, wanted, goal.of, goal.at) {
                least(goal.most as f64 / estimate as f64);
            }
        }
        share
    }
}

fn held(bucket: &crate::endurance::Bucket, rate: u64, wanted: &Wanted) -> f64 {
    match (
        exhausted_after(bucket, rate, &wanted.course),
        wanted.course.lasts,
    ) {
        (None, _) => 1.0,
        (Some(after), Some(lasts)) if bucket.credits => after as f64 / lasts as f64,
        // Of a load without end what comes in counts, whatever was saved up.
        _ => {
            let needed = rate as f64 * wanted.course.highest() as f64 / 1000.0;
            bucket.rate as f64 / needed
        }
    }
}
