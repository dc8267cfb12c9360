//! A pick in full: its bill, what the load takes of each limit, what latency is to be expected.

use blockyard_model::units::SECOND;

use crate::demand::CHUNK;
use crate::endurance::exhausted_after;
use crate::layout::{Estimate, Item, Layout, Use, Volumes};
use crate::market::Variant;
use crate::plan::dollars;
use crate::search::{Combination, Pick, Search, Sized, estimate, taken};
use crate::volumes::{Need, bucket};
use crate::wanted::{Of, Wanted};

impl Search<'_, '_> {
    /// A pick in full.
    pub(crate) fn layout(&self, pick: &Pick) -> Layout {
        let host = &self.market.instances[pick.host];
        let (data, journal) = self.sized(&pick.stored);
        let copies = self.copies();
        let mut bill = vec![Item {
            what: host.instance.name().to_owned(),
            count: copies,
            usd_per_month: dollars(host.price.clone().unwrap_or(0) * i64::from(copies)),
        }];
        let mut add = |name: &str, sized: &Sized| {
            bill.extend(
                sized
                    .lines
                    .iter()
                    .filter(|it| it.amount > 0)
                    .map(|line| Item {
                        what: format!("{name} {}", line.what),
                        count: sized.count * copies,
                        usd_per_month: dollars(line.amount * i64::from(sized.count * copies)),
                    }),
            );
        };
        let name = |variant: usize| self.market.variants[variant].volume_type.name();
        add(name(pick.stored.data.0), data);
        if let (Some(sized), Some((variant, _))) = (journal, pick.stored.journal) {
            add(&format!("journal {}", name(variant)), sized);
        }
        Layout {
            instance: host.instance.name().to_owned(),
            vcpu: host.instance.vcpu(),
            memory_mib: host.instance.memory_mib(),
            copies,
            data: volumes(&self.market.variants[pick.stored.data.0], data),
            journal: pick
                .stored
                .journal
                .and_then(|(variant, _)| Some(volumes(&self.market.variants[variant], journal?))),
            bill,
            usd_per_month: dollars(pick.price),
            micros: pick.price,
            limits: self.uses(pick, (data, journal)),
            latency: self.estimates(pick),
            simulated: None,
        }
    }

    fn estimates(&self, pick: &Pick) -> Vec<Estimate> {
        let of = |of: Of, variant: usize| {
            let variant = &self.market.variants[variant];
            let at = |at| Some(estimate(variant, self.wanted, of, at)? as f64 / 1e3);
            Some(Estimate {
                of: of.name().to_owned(),
                p50_us: at(0.5)?,
                p99_us: at(0.99)?,
            })
        };
        let data = pick.stored.data.0;
        let journal = pick.stored.journal.map_or(data, |(variant, _)| variant);
        [
            of(Of::Read, data),
            of(Of::Write, data),
            of(Of::Journal, journal),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn uses(&self, pick: &Pick, (data, journal): (&Sized, Option<&Sized>)) -> Vec<Use> {
        let mut uses = Vec::new();
        let shared = pick.stored.journal.is_none();
        let plain = Wanted {
            headroom: 0,
            ..self.wanted.clone()
        };
        let own = plain.journal.iter().map(|it| it.stream).collect::<Vec<_>>();
        let streams = plain.streams(shared);
        let mut of_volumes =
            |owner: &str, (variant, width): (usize, u32), sized: &Sized, streams| {
                let variant = &self.market.variants[variant];
                let need = Need {
                    size: 0,
                    streams,
                    course: &self.wanted.course,
                    steps: self.wanted.steps,
                    counting: variant.counting,
                };
                let ask = volumes(variant, sized).ask();
                let Ok(got) = variant.offer.limits(&ask) else {
                    return;
                };
                for limit in &got.limits {
                    let share = need.share(limit.unit, limit.applies, width);
                    let owner = (owner, limit.name, limit.unit);
                    uses.push(self.used(owner, &bucket(limit), share, width));
                }
            };
        of_volumes("data", pick.stored.data, data, &streams);
        if let (Some(sized), Some(place)) = (journal, pick.stored.journal) {
            of_volumes("journal", place, sized, &own);
        }
        let host = &self.market.instances[pick.host];
        let counting = |variant: usize| self.market.variants[variant].counting;
        let counted = Combination {
            data: counting(pick.stored.data.0),
            journal: pick.stored.journal.map(|(variant, _)| counting(variant)),
        };
        for limit in host.limits.iter().flatten() {
            let taken = taken(self.wanted, 0, limit.unit, counted);
            let owner = ("instance", limit.name, limit.unit);
            uses.push(self.used(owner, &limit.bucket, taken, 1));
        }
        uses
    }

    fn used(
        &self,
        (owner, limit, unit): (&str, &str, blockyard_model::spec::Unit),
        bucket: &crate::endurance::Bucket,
        share: u64,
        width: u32,
    ) -> Use {
        let highest = (share * self.wanted.course.highest()).div_ceil(1000);
        let (used, has) = (highest * u64::from(width), bucket.rate * u64::from(width));
        let endless = crate::demand::Course {
            lasts: None,
            peak: self.wanted.course.peak,
        };
        let last = exhausted_after(bucket, share, &endless).filter(|_| bucket.credits);
        let last = last.map(|after| after as f64 / SECOND as f64);
        let left = match (last, self.wanted.course.lasts) {
            (Some(last), Some(lasts)) => 1.0 - lasts as f64 / SECOND as f64 / last.max(1e-9),
            _ if bucket.credits => 1.0,
            _ => 1.0 - used as f64 / has.max(1) as f64,
        };
        Use {
            owner: owner.to_owned(),
            limit: limit.to_owned(),
            unit: match unit {
                blockyard_model::spec::Unit::Io => "io".into(),
                blockyard_model::spec::Unit::Byte => "byte".into(),
            },
            used,
            has,
            credits_last_s: last,
            left: (left * 1e4).round() / 1e4,
        }
    }
}

fn volumes(variant: &Variant<'_>, sized: &Sized) -> Volumes {
    Volumes {
        volume_type: variant.volume_type.name().to_owned(),
        count: sized.count,
        size: sized.got.size.bytes(),
        iops: sized.got.iops,
        throughput: sized.got.throughput.map(|it| it.bytes_per_s()),
        local: variant.counting.local,
        chunk: CHUNK,
    }
}
