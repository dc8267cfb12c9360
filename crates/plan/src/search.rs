//! The search: exact, as everything that decides adds up.
//!
//! What a layout costs is the sum of instance, data volumes and journal volumes. Which volumes
//! hold a load depends on the class of the instance alone, and whether an instance holds it
//! depends on how the volume types count, not on how many volumes there are. So for each class,
//! type and width the cheapest volumes are worked out once; for each class and pair of types the
//! cheapest pair of widths, for every number of volumes that may be attached; and each instance
//! then only adds its price.

use std::collections::BTreeMap;

use blockyard_catalog::Provisioned;
use blockyard_model::spec::Unit;
use blockyard_model::units::SECOND;

use crate::demand::{Counting, Stream};
use crate::endurance::exhausted_after;
use crate::latency::quantile;
use crate::market::{Host, Market, Variant};
use crate::pairs::Pair;
use crate::price::Line;
use crate::reason::Reason;
use crate::volumes::Need;
use crate::wanted::{Of, Wanted};

/// The most volumes of one stripe.
pub const WIDEST: u32 = 28;

/// Data and journal, each as wide as can be.
pub(crate) const MOST_VOLUMES: usize = 2 * WIDEST as usize;

/// Equal volumes and their price.
#[derive(Clone, Debug)]
pub(crate) struct Sized {
    pub(crate) count: u32,
    pub(crate) got: Provisioned,
    /// Of one volume.
    pub(crate) lines: Vec<Line>,
    /// Of all, in millionths of a dollar a month.
    pub(crate) price: i64,
}

/// By width, from 1: the cheapest volumes of a variant, or why there are none.
pub(crate) type Widths = Vec<Result<Sized, Vec<Reason>>>;

/// What every variant needs for the data alone, with the journal, and for the journal alone.
pub(crate) struct Tables {
    pub(crate) data: Vec<Widths>,
    pub(crate) both: Vec<Widths>,
    pub(crate) journal: Vec<Widths>,
}

/// A layout as numbers of what the market and the tables have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    pub(crate) price: i64,
    pub(crate) host: usize,
    pub(crate) stored: Stored,
}

/// Volumes by the numbers of variants and their widths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) price: i64,
    pub(crate) data: (usize, u32),
    pub(crate) journal: Option<(usize, u32)>,
}

impl Stored {
    pub(crate) fn volumes(&self) -> u32 {
        self.data.1 + self.journal.map_or(0, |(_, width)| width)
    }

    /// Cheaper first; of equally cheap ones the one with fewer volumes.
    pub(crate) fn key(&self) -> (i64, u32) {
        (self.price, self.volumes())
    }
}

/// The search for one certain requirement.
pub(crate) struct Search<'a, 'm> {
    pub(crate) market: &'m Market<'a>,
    pub(crate) wanted: &'m Wanted,
    pub(crate) tables: Tables,
    /// By variant: the latency goal that it misses for data, and for the journal.
    pub(crate) late: Vec<[Option<Reason>; 2]>,
}

impl<'a, 'm> Search<'a, 'm> {
    pub(crate) fn new(market: &'m Market<'a>, wanted: &'m Wanted) -> Self {
        let late = market.variants.iter().map(|variant| {
            [[Of::Read, Of::Write].as_slice(), &[Of::Journal]].map(|of| missed(variant, wanted, of))
        });
        let late: Vec<_> = late.collect();
        let journal = wanted.journal.as_ref();
        let shared = journal.is_none_or(|it| it.apart != Some(true));
        let apart = journal.is_some_and(|it| it.apart != Some(false));
        let of =
            |bytes: u64, streams: &[Stream], wanted_at_all: bool, widest: u32| -> Vec<Widths> {
                let variants = market.variants.iter();
                let table = variants.map(|variant| match wanted_at_all {
                    true => widths(market, wanted, variant, (bytes, streams), widest),
                    false => Vec::new(),
                });
                table.collect()
            };
        let widest = wanted.at_most.map_or(WIDEST, |most| most.min(WIDEST));
        let tables = Tables {
            data: of(wanted.bytes(false), &wanted.streams(false), apart, widest),
            both: of(wanted.bytes(true), &wanted.streams(true), shared, widest),
            journal: journal.map_or_else(Vec::new, |it| {
                let stream = it.stream.with_headroom(wanted.headroom);
                of(it.size, &[stream], apart, widest)
            }),
        };
        Self {
            market,
            wanted,
            tables,
            late,
        }
    }

    /// The cheapest layout with data on each volume type, by type.
    pub(crate) fn by_type(&self) -> Vec<Option<Pick>> {
        let mut best: Vec<Option<Pick>> = vec![None; self.market.types.len()];
        let mut known = BTreeMap::new();
        let per_class: Vec<Vec<Vec<Ranked>>> = (0..self.market.classes.len())
            .map(|class| self.ranked(class, &mut known))
            .collect();
        for (number, host) in self.market.instances.iter().enumerate() {
            let Ok(price) = host.price else { continue };
            let mut known: Vec<(Combination, bool)> = Vec::new();
            for (volume_type, ranked) in per_class[host.class].iter().enumerate() {
                for one in ranked {
                    let Some(stored) = one.within(attachable(host, self.wanted)) else {
                        continue;
                    };
                    let holds = match known.iter().find(|(it, _)| *it == one.counted) {
                        Some((_, holds)) => *holds,
                        None => {
                            let holds = self.host_lacks(host, one.counted).is_empty();
                            known.push((one.counted, holds));
                            holds
                        }
                    };
                    let copies = i64::from(self.copies());
                    let pick = Pick {
                        price: copies * (price + stored.price),
                        host: number,
                        stored,
                    };
                    let better = best[volume_type].is_none_or(|it| before(&pick, &it));
                    if holds && better {
                        best[volume_type] = Some(pick);
                    }
                }
            }
        }
        best
    }

    /// The cheapest layout of the fewest volumes, with data on volumes of one type.
    pub(crate) fn fewest(&self, volume_type: usize) -> Option<Pick> {
        let mut best: Option<Pick> = None;
        for class in 0..self.market.classes.len() {
            let of_class = self.stored_of(class, volume_type);
            for (counted, stored) in &of_class {
                for (number, host) in self.market.instances.iter().enumerate() {
                    let Ok(price) = host.price else { continue };
                    if host.class != class || stored.volumes() > attachable(host, self.wanted) {
                        continue;
                    }
                    let price = i64::from(self.copies()) * (price + stored.price);
                    let pick = Pick {
                        price,
                        host: number,
                        stored: *stored,
                    };
                    let key = |it: &Pick| (it.stored.volumes(), it.price, it.host);
                    let better = best.as_ref().is_none_or(|it| key(&pick) < key(it));
                    if better && self.host_lacks(host, *counted).is_empty() {
                        best = Some(pick);
                    }
                }
            }
        }
        best
    }

    /// The cheapest layout of each number of data volumes of one type, cheapest first.
    pub(crate) fn by_width(&self, volume_type: usize) -> Vec<Pick> {
        let mut best: BTreeMap<u32, Pick> = BTreeMap::new();
        let of_class: Vec<_> = (0..self.market.classes.len())
            .map(|class| {
                // The cheapest of each way of counting and width, whatever its journal.
                let mut cheapest: Vec<(Combination, Stored)> = Vec::new();
                for (counted, stored) in self.stored_of(class, volume_type) {
                    let same = |it: &&mut (Combination, Stored)| {
                        it.0 == counted && it.1.data.1 == stored.data.1
                    };
                    match cheapest.iter_mut().find(same) {
                        Some((_, known)) if stored.key() < known.key() => *known = stored,
                        Some(_) => {}
                        None => cheapest.push((counted, stored)),
                    }
                }
                cheapest
            })
            .collect();
        for (number, host) in self.market.instances.iter().enumerate() {
            let Ok(price) = host.price else { continue };
            for (counted, stored) in &of_class[host.class] {
                let pick = Pick {
                    price: i64::from(self.copies()) * (price + stored.price),
                    host: number,
                    stored: *stored,
                };
                let width = stored.data.1;
                if stored.volumes() <= attachable(host, self.wanted)
                    && best.get(&width).is_none_or(|it| before(&pick, it))
                    && self.host_lacks(host, *counted).is_empty()
                {
                    best.insert(width, pick);
                }
            }
        }
        let mut picks: Vec<Pick> = best.into_values().collect();
        picks.sort_by_key(|it| (it.price, it.stored.volumes()));
        picks
    }

    pub(crate) fn copies(&self) -> u32 {
        if self.wanted.mirrored { 2 } else { 1 }
    }

    /// For each data type of a class: by way of placing the journal, the cheapest volumes. Many
    /// classes have the same pairs of variants, which are `known` once worked out.
    fn ranked(&self, class: usize, known: &mut BTreeMap<Pair, Vec<Stored>>) -> Vec<Vec<Ranked>> {
        let types = 0..self.market.types.len();
        let of = types.map(|volume_type| {
            let mut ranked: Vec<Ranked> = Vec::new();
            let mut cheapest = Vec::new();
            for pair in self.pairs(class, volume_type) {
                let stored = known.entry(pair).or_insert_with(|| self.cheapest_of(pair));
                cheapest.extend(stored.iter().map(|stored| (self.counted(pair), *stored)));
            }
            for (counted, stored) in cheapest {
                let place = ranked.iter().position(|it| it.counted == counted);
                let place = place.unwrap_or_else(|| {
                    ranked.push(Ranked {
                        counted,
                        best: vec![None; MOST_VOLUMES],
                    });
                    ranked.len() - 1
                });
                let slot = &mut ranked[place].best[stored.volumes() as usize - 1];
                if slot.is_none_or(|it: Stored| stored.key() < it.key()) {
                    *slot = Some(stored);
                }
            }
            ranked.iter_mut().for_each(Ranked::accumulate);
            ranked
        });
        of.collect()
    }

    pub(crate) fn sized(&self, stored: &Stored) -> (&Sized, Option<&Sized>) {
        let table = match stored.journal {
            None => &self.tables.both,
            Some(_) => &self.tables.data,
        };
        let data = found(table, stored.data);
        (
            data,
            stored.journal.map(|it| found(&self.tables.journal, it)),
        )
    }

    /// The type whose quota the volumes exceed.
    pub(crate) fn quota_lacks(&self, stored: &Stored) -> Option<Reason> {
        if self.wanted.quotas.is_empty() {
            return None;
        }
        let (data, journal) = self.sized(stored);
        let of = |sized: &Sized, variant: usize| {
            let iops = sized.got.iops.unwrap_or(0) * u64::from(sized.count * self.copies());
            (self.market.variants[variant].volume_type.name(), iops)
        };
        let mut sums = vec![of(data, stored.data.0)];
        if let (Some(sized), Some((variant, _))) = (journal, stored.journal) {
            let (name, iops) = of(sized, variant);
            match sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += iops,
                None => sums.push((name, iops)),
            }
        }
        sums.into_iter().find_map(|(name, needed)| {
            let has = *self.wanted.quotas.get(name)?;
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
    pub(crate) fn fails_too_often(&self, stored: &Stored) -> Option<Reason> {
        let allowed = self.wanted.failures?;
        let of = |(variant, width): (usize, u32)| {
            let failures = self.market.variants[variant].failures?;
            Some(failures * u64::from(width))
        };
        let one = of(stored.data).and_then(|data| {
            let journal = stored.journal.map_or(Some(0), of)?;
            Some(data + journal)
        });
        let expected = match self.wanted.mirrored {
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
        let course = &self.wanted.course;
        let mut reasons = Vec::new();
        for limit in limits {
            let rate = self.taken(limit.unit, counted);
            let Some(after) = exhausted_after(&limit.bucket, rate, course) else {
                continue;
            };
            let (instance, has) = (instance.clone(), limit.bucket.rate);
            let needed = (rate * course.highest()).div_ceil(1000);
            reasons.push(match (limit.bucket.credits, limit.unit) {
                (true, _) => Reason::BurstExhausted {
                    owner: instance,
                    limit: limit.name.to_owned(),
                    after_s: after as f64 / SECOND as f64,
                    lasts_s: course.lasts.map(|it| it as f64 / SECOND as f64),
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
        taken(self.wanted, self.wanted.headroom, unit, counted)
    }
}

/// What a load takes of an instance's limit a second, with so much headroom.
pub(crate) fn taken(wanted: &Wanted, headroom: u64, unit: Unit, counted: Combination) -> u64 {
    let of = |stream: &Stream, counting: Counting| {
        stream.with_headroom(headroom).behind_host(unit, counting)
    };
    let data = wanted.data.iter().map(|stream| of(stream, counted.data));
    let journal = wanted.journal.iter();
    let journal = journal.map(|it| of(&it.stream, counted.journal.unwrap_or(counted.data)));
    data.chain(journal).sum()
}

/// How the types of a layout count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Combination {
    pub(crate) data: Counting,
    pub(crate) journal: Option<Counting>,
}

/// The cheapest volumes by how many there may be.
struct Ranked {
    counted: Combination,
    best: Vec<Option<Stored>>,
}

impl Ranked {
    /// From the cheapest of exactly so many to the cheapest of at most so many.
    fn accumulate(&mut self) {
        let mut least: Option<Stored> = None;
        for slot in &mut self.best {
            if let Some(own) = *slot
                && least.is_none_or(|it| own.key() < it.key())
            {
                least = Some(own);
            }
            *slot = least;
        }
    }

    fn within(&self, most: u32) -> Option<Stored> {
        let place = (most as usize).min(MOST_VOLUMES).checked_sub(1)?;
        self.best[place]
    }
}

fn found(table: &[Widths], (variant, width): (usize, u32)) -> &Sized {
    let sized = table[variant].iter().flatten().find(|it| it.count == width);
    sized.expect("a pick is made of what the tables have")
}

/// A total order, so that the same requirement always gets the same layout.
fn before(one: &Pick, other: &Pick) -> bool {
    let key = |it: &Pick| (it.price, it.stored.volumes(), it.host);
    key(one) < key(other)
}

/// How many volumes can be attached beside the root volume.
pub(crate) fn attachable(host: &Host<'_>, wanted: &Wanted) -> u32 {
    let most = u32::try_from(host.instance.attachments()).unwrap_or(u32::MAX);
    let most = most.saturating_sub(1);
    wanted.at_most.map_or(most, |at_most| most.min(at_most))
}

fn widths(
    market: &Market<'_>,
    wanted: &Wanted,
    variant: &Variant<'_>,
    (size, streams): (u64, &[Stream]),
    widest: u32,
) -> Widths {
    let need = Need {
        size,
        streams,
        course: &wanted.course,
        steps: wanted.steps,
        counting: variant.counting,
    };
    let name = variant.volume_type.name();
    let of = |count: u32| {
        let got = need.cheapest(&variant.offer, count)?;
        let lines = market.prices.volume(name, &got);
        let lines = lines.map_err(|message| vec![Reason::PriceUnknown { message }])?;
        let one: i64 = lines.iter().map(|line| line.amount).sum();
        Ok(Sized {
            count,
            got,
            price: one * i64::from(count),
            lines,
        })
    };
    let most = variant.disks.map_or(widest, |disks| disks.min(widest));
    (1..=most).map(of).collect()
}

/// The first latency goal that volumes of a variant miss although nothing waits.
fn missed(variant: &Variant<'_>, wanted: &Wanted, of: &[Of]) -> Option<Reason> {
    let goals = wanted.latency.iter().filter(|goal| of.contains(&goal.of));
    let mut missed = goals.filter_map(|goal| {
        let estimate = estimate(variant, wanted, goal.of, goal.at)?;
        (estimate > goal.most).then(|| Reason::Latency {
            of: goal.of.name().to_owned(),
            quantile: goal.quantile.to_owned(),
            goal_us: goal.most as f64 / 1e3,
            estimate_us: estimate as f64 / 1e3,
        })
    });
    missed.next()
}

/// A quantile of the latency on volumes of a variant where nothing waits, in nanoseconds.
pub(crate) fn estimate(variant: &Variant<'_>, wanted: &Wanted, of: Of, at: f64) -> Option<u64> {
    let spec = &variant.profile.spec;
    match of {
        Of::Journal => quantile(spec, wanted.journal.iter().map(|it| &it.stream), at),
        of => {
            let data = wanted.data.iter();
            quantile(spec, data.filter(|it| it.write == (of == Of::Write)), at)
        }
    }
}
