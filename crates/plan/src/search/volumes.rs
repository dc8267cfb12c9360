//! The cheapest equal volumes of one type that hold their share of a load.
//!
//! All laws of limits in the catalog are monotone: more of anything never lowers a limit. And a
//! bound on one figure by another only asks for more of the other (IOPS of size, throughput of
//! IOPS). So among all asks that hold a load there is one that has the least of everything, and
//! as prices rise with each figure it is the cheapest. It is found by bisection: the least IOPS,
//! with these the least throughput, with both the least size. The catalog alone says what an ask
//! gets.

use blockyard_catalog::{Ask, Limits, Offer, Provisioned};
use blockyard_model::spec::{Applies, Unit};
use blockyard_model::units::{Bytes, MIB, SECOND};
use blockyard_text::units::{Size, Throughput};

use crate::load::endurance::{Bucket, exhausted_after};
use crate::load::hottest::{Placement, hottest};
use crate::load::profile::{Counted, LoadProfile};
use crate::load::streams::{CHUNK, Counting, Stream};
use crate::reason::Reason;
use crate::requirement::space::volumes_for;

/// What sizes, IOPS and throughputs are rounded up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Bytes of size.
    pub size: Bytes,
    /// IOs a second.
    pub iops: u64,
    /// Bytes a second.
    pub throughput: u64,
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            size: 1 << 30,
            iops: 1,
            throughput: MIB,
        }
    }
}

/// What equal volumes must hold together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StripeLoad<'a> {
    /// The file system on them.
    pub(crate) size: Bytes,
    /// The streams of each mix of the load, with headroom.
    pub(crate) mixes: &'a [Vec<Stream>],
    pub(crate) load_profile: &'a LoadProfile,
    pub(crate) steps: Steps,
    pub(crate) counting: Counting,
    /// Where skewed files lie; none if all volumes have an equal share.
    pub(crate) placement: Option<&'a Placement>,
}

/// What limits of the hottest volume count a second, by unit and by which IO they apply to.
struct Shares([[Counted; 3]; 2]);

impl Shares {
    fn of(&self, unit: Unit, applies: Applies) -> &Counted {
        &self.0[unit as usize][applies as usize]
    }
}

impl StripeLoad<'_> {
    /// What `width` volumes of `offer` need at least.
    ///
    /// # Errors
    /// What of them falls short even at the most that they can have.
    pub(crate) fn cheapest(
        &self,
        offer: &Offer<'_>,
        width: u32,
    ) -> Result<Provisioned, Vec<Reason>> {
        let row = offer.row();
        let Some(sizes) = row.size else {
            return self.disks(offer, width);
        };
        let needed = volumes_for(self.size, width);
        let per_volume = needed.div_ceil(width.into());
        let (least, most) = (sizes.min.bytes(), sizes.max.bytes());
        let step = self.steps.size.next_multiple_of(sizes.step.bytes());
        let needs = per_volume.max(least);
        if needs > most {
            let has = most.saturating_mul(width.into());
            return Err(vec![Reason::Size { needed, has }]);
        }
        let iops_max = row.iops.map_or(0, |range| range.max);
        let throughput_max = row.throughput.map_or(0, |range| range.max.bytes_per_s());
        let ask = |size: u64, iops: u64, throughput: u64| Ask {
            size: Some(Size::new(size)),
            iops: row.iops.map(|_| iops),
            throughput: row.throughput.map(|_| Throughput::new(throughput)),
        };
        let allowed = |iops: u64| {
            row.throughput.map_or(0, |range| {
                let ratio = range.max_per_iops.bytes_per_s();
                let most = iops.saturating_mul(ratio).min(throughput_max);
                (most / MIB * MIB).max(range.min.bytes_per_s())
            })
        };
        let shares = self.shares(width);
        let holds = |ask: &Ask| -> Option<Provisioned> {
            let got = offer.limits(ask).ok()?;
            self.holds(&got, &shares).then_some(got.provisioned)
        };
        let at_most = ask(most, iops_max, allowed(iops_max));
        if holds(&at_most).is_none() {
            return Err(match offer.limits(&at_most) {
                Ok(got) => self.lacks(&got, offer, width),
                Err(refusal) => vec![Reason::Unavailable {
                    message: refusal.to_string(),
                }],
            });
        }
        let iops = row.iops.map_or(0, |range| {
            let steps = Rising::new(range.min, range.max, self.steps.iops);
            let near = self.highest(Unit::Io, &shares);
            steps.first(near, |iops| {
                holds(&ask(most, iops, allowed(iops))).is_some()
            })
        });
        let throughput = row.throughput.map_or(0, |range| {
            let (min, max) = (range.min.bytes_per_s(), allowed(iops));
            let steps = Rising::new(min, max, self.steps.throughput);
            let near = self.highest(Unit::Byte, &shares);
            steps.first(near, |throughput| {
                holds(&ask(most, iops, throughput)).is_some()
            })
        });
        let steps = Rising::new(needs.next_multiple_of(step).min(most), most, step);
        let size = steps.first(0, |size| holds(&ask(size, iops, throughput)).is_some());
        // At most that, which was found to hold.
        holds(&ask(size, iops, throughput)).ok_or_else(Vec::new)
    }

    /// A number of disks of the instance, which sets their size and IOPS.
    fn disks(&self, offer: &Offer<'_>, width: u32) -> Result<Provisioned, Vec<Reason>> {
        let got = offer.limits(&Ask {
            size: None,
            iops: None,
            throughput: None,
        });
        let got = got.map_err(|refusal| {
            let message = refusal.to_string();
            vec![Reason::Unavailable { message }]
        })?;
        // Of a stripe, whole chunks count.
        let each = got.provisioned.size.bytes() / CHUNK * CHUNK;
        let (needed, has) = (
            volumes_for(self.size, width),
            each.saturating_mul(width.into()),
        );
        if has < needed {
            return Err(vec![Reason::Size { needed, has }]);
        }
        match self.holds(&got, &self.shares(width)) {
            true => Ok(got.provisioned),
            false => Err(self.lacks(&got, offer, width)),
        }
    }

    /// What limits of the hottest of `width` volumes count of its share a second.
    fn shares(&self, width: u32) -> Shares {
        let of = |unit, applies| {
            let counted = |it: &Stream| it.counted(unit, applies, self.counting.on(width));
            Counted::of(self.mixes, |mix| {
                hottest(self.placement, mix, width, counted)
            })
        };
        // In the order of the variants.
        let units = [Unit::Io, Unit::Byte];
        Shares(units.map(|unit| {
            [Applies::Both, Applies::Reads, Applies::Writes].map(|applies| of(unit, applies))
        }))
    }

    /// What a limit of all IO must grant a volume a second, at the load's highest.
    fn highest(&self, unit: Unit, shares: &Shares) -> u64 {
        self.load_profile.highest(shares.of(unit, Applies::Both))
    }

    /// What limits of all volumes must grant a second, at the load's highest: of a skewed load each
    /// as much as the hottest.
    fn needed(&self, unit: Unit, applies: Applies, width: u32) -> u64 {
        let highest = |counted: &Counted| self.load_profile.highest(counted);
        if self.placement.is_some() {
            return highest(self.shares(width).of(unit, applies)) * u64::from(width);
        }
        let counting = self.counting.on(width);
        let counted = |stream: &Stream| stream.counted(unit, applies, counting);
        highest(&Counted::of(self.mixes, |mix| {
            mix.iter().map(counted).sum()
        }))
    }

    fn holds(&self, got: &Limits<'_>, shares: &Shares) -> bool {
        got.limits.iter().all(|limit| {
            let rate = shares.of(limit.unit, limit.applies);
            exhausted_after(&bucket(limit), rate, self.load_profile).is_none()
        })
    }

    /// Which limits fall short.
    pub(crate) fn lacks(&self, got: &Limits<'_>, offer: &Offer<'_>, width: u32) -> Vec<Reason> {
        let (mut reasons, shares) = (Vec::new(), self.shares(width));
        for limit in &got.limits {
            let rate = shares.of(limit.unit, limit.applies);
            let Some(after) = exhausted_after(&bucket(limit), rate, self.load_profile) else {
                continue;
            };
            let needed = self.needed(limit.unit, limit.applies, width);
            let has = limit.rate * u64::from(width);
            let volumes = width;
            reasons.push(match (limit.credits, limit.unit) {
                (true, _) => Reason::BurstExhausted {
                    owner: offer.volume_type().name().to_owned(),
                    limit: limit.name.to_owned(),
                    after_s: after as f64 / SECOND as f64,
                    lasts_s: self.load_profile.lasts.map(|it| it as f64 / SECOND as f64),
                    baseline: has,
                },
                (false, Unit::Io) => Reason::VolumeIops {
                    needed,
                    has,
                    volumes,
                },
                (false, Unit::Byte) => Reason::VolumeThroughput {
                    needed,
                    has,
                    volumes,
                },
            });
        }
        Reason::without_idle_credits(reasons)
    }
}

pub(crate) fn bucket(limit: &blockyard_catalog::Limit<'_>) -> Bucket {
    Bucket {
        rate: limit.rate,
        depth: limit.depth,
        credits: limit.credits,
        top_up: limit.top_up,
    }
}

/// Figures from `min` in steps to `max`, which is one of them.
struct Rising {
    min: u64,
    max: u64,
    step: u64,
}

impl Rising {
    fn new(min: u64, max: u64, step: u64) -> Self {
        let step = step.max(1);
        Self { min, max, step }
    }

    fn at(&self, place: u64) -> u64 {
        self.min
            .saturating_add(place.saturating_mul(self.step))
            .min(self.max)
    }

    /// The first that `holds`, which all after it do; the last holds.
    /// The search begins `near` a figure, which is where it mostly is.
    fn first(&self, near: u64, holds: impl Fn(u64) -> bool) -> u64 {
        let places = self.max.saturating_sub(self.min).div_ceil(self.step);
        let place = near
            .saturating_sub(self.min)
            .div_ceil(self.step)
            .min(places);
        let (mut low, mut high) = match holds(self.at(place)) {
            true if place == 0 || !holds(self.at(place - 1)) => return self.at(place),
            true => (0, place - 1),
            // The last holds.
            false => ((place + 1).min(places), places),
        };
        while low < high {
            let middle = low + (high - low) / 2;
            match holds(self.at(middle)) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        self.at(high)
    }
}
