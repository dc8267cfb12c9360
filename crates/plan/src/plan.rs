//! The answer: the cheapest layout, the next best, and why the rest is not among them.

use blockyard_model::units::SECOND;
use schemars::JsonSchema;
use serde::Serialize;

use crate::demand::CHUNK;
use crate::endurance::exhausted_after;
use crate::layout::{Estimate, Item, Layout, Use, Volumes};
use crate::market::{Host, Market};
use crate::reason::Reason;
use crate::search::{Combination, Pick, Search, Sized, Stored, attachable, estimate, taken};
use crate::volumes::{Need, bucket};
use crate::wanted::{Of, Wanted};
use crate::written::Written;

/// What to buy, and what else was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Plan {
    /// The cheapest layout; none if nothing meets the requirement.
    pub best: Option<Layout>,
    /// The cheapest layout with data on each other volume type, cheapest first.
    pub others: Vec<Layout>,
    /// The fewest volumes of the best layout's type that do, on whatever instance; none if that
    /// is the best layout itself.
    pub fewest: Option<Layout>,
    /// All of these by what they cost and by their p99.
    pub front: Vec<Point>,
    /// Why no layout has its data on other volume types.
    pub rejected: Vec<Rejected>,
    /// How the families of instances do with the best layout's volume type, or if there is none
    /// with that which comes nearest: those that hold it first, cheapest first.
    pub families: Vec<Family>,
    /// How many instance types were considered.
    pub instances: usize,
    /// Where nothing meets the requirement: how much of its load could be met.
    pub nearest: Option<Nearest>,
    /// Layouts that the limits allow and that missed a goal when they were simulated.
    pub dropped: Vec<Dropped>,
}

/// A layout that missed a goal in the simulation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Dropped {
    /// The layout.
    pub layout: Layout,
    /// The goals that it missed.
    pub reasons: Vec<Reason>,
}

/// A layout on the plane of cost and latency.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Point {
    /// The volume type of the data.
    #[serde(rename = "type")]
    pub volume_type: String,
    /// How many volumes, and on what.
    pub name: String,
    /// Dollars a month.
    pub usd_per_month: f64,
    /// The worst p99 of its IO, simulated or else estimated, in microseconds.
    pub p99_us: f64,
    /// Whether no other is both cheaper and faster.
    pub on_front: bool,
}

/// A volume type that no layout has its data on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Rejected {
    /// The volume type.
    #[serde(rename = "type")]
    pub volume_type: String,
    /// Why: what the layout that came nearest lacks.
    pub reasons: Vec<Reason>,
}

/// How a family of instances does.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Family {
    /// Its name, `r6i`.
    pub family: String,
    /// The cheapest instance type that holds it, or that which comes nearest.
    pub instance: String,
    /// What the cheapest layout on it costs, in dollars a month; none if none holds it.
    pub usd_per_month: Option<f64>,
    /// Why none does.
    pub reasons: Vec<Reason>,
}

/// The most of a load that can be met.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Nearest {
    /// The share of the load, in 1/1000; 0 if the load is not the reason.
    pub permille: u64,
    /// The cheapest layout that meets so much.
    pub layout: Option<Layout>,
}

/// Plans for a certain requirement.
#[must_use]
pub fn plan(market: &Market<'_>, wanted: &Wanted) -> Plan {
    let search = Search::new(market, wanted);
    let by_type = search.by_type();
    let mut picks: Vec<(usize, Pick)> = Vec::new();
    let mut rejected = Vec::new();
    for (volume_type, pick) in by_type.iter().enumerate() {
        match pick {
            Some(pick) => picks.push((volume_type, *pick)),
            None => rejected.push(Rejected {
                volume_type: market.types[volume_type].name().to_owned(),
                reasons: why_not(&search, volume_type),
            }),
        }
    }
    rejected.extend(market.excluded.iter().map(|volume_type| Rejected {
        volume_type: volume_type.name().to_owned(),
        reasons: vec![Reason::Excluded {
            by: "volumes.types".into(),
        }],
    }));
    picks.sort_by_key(|(number, pick)| (pick.price, *number));
    let best = picks.first().copied();
    let fewest = best.and_then(|(volume_type, pick)| {
        let fewest = search.fewest(volume_type)?;
        (fewest.stored != pick.stored || fewest.host != pick.host).then_some(fewest)
    });
    let layouts: Vec<Layout> = picks.iter().map(|(_, pick)| search.layout(pick)).collect();
    let of_families = best.map_or_else(|| nearest_type(&rejected, market), |(it, _)| Some(it));
    let families = of_families.map_or_else(Vec::new, |it| families(&search, it));
    let nearest = best.is_none().then(|| nearest(market, wanted));
    let mut layouts = layouts.into_iter();
    let mut plan = Plan {
        best: layouts.next(),
        others: layouts.collect(),
        fewest: fewest.map(|pick| search.layout(&pick)),
        front: Vec::new(),
        rejected,
        families,
        instances: market.instances.len(),
        nearest,
        dropped: Vec::new(),
    };
    plan.front = front(&plan);
    plan
}

impl Plan {
    /// Simulates its layouts. One that misses a goal is dropped, and the next takes its place.
    /// `progress` is told of each before it begins, and says whether to go on.
    ///
    /// # Errors
    /// If a layout cannot be simulated, which does not happen to one that was planned.
    pub fn prove(
        &mut self,
        wanted: &Wanted,
        written: &Written,
        progress: &mut dyn FnMut(&Layout) -> bool,
    ) -> Result<(), String> {
        let layouts = self
            .best
            .take()
            .into_iter()
            .chain(std::mem::take(&mut self.others));
        let mut kept = Vec::new();
        for mut layout in layouts {
            if !progress(&layout) {
                kept.push(layout);
                continue;
            }
            let proof = written.proof(wanted, &layout)?;
            layout.simulated = Some(proof.jobs);
            match proof.missed.is_empty() {
                true => kept.push(layout),
                false => self.dropped.push(Dropped {
                    layout,
                    reasons: proof.missed,
                }),
            }
        }
        self.prove_fewest(wanted, written, progress)?;
        // Fewer volumes may do where more of them missed a goal, as volumes differ.
        let replaces = |it: &mut Layout| {
            let same = |other: &Layout| other.data.volume_type == it.data.volume_type;
            !kept.iter().any(same)
        };
        kept.extend(self.fewest.take_if(replaces));
        kept.sort_by_key(|layout| layout.micros);
        let mut kept = kept.into_iter();
        self.best = kept.next();
        self.others = kept.collect();
        self.front = front(self);
        Ok(())
    }

    fn prove_fewest(
        &mut self,
        wanted: &Wanted,
        written: &Written,
        progress: &mut dyn FnMut(&Layout) -> bool,
    ) -> Result<(), String> {
        let Some(mut layout) = self.fewest.take() else {
            return Ok(());
        };
        if progress(&layout) {
            let proof = written.proof(wanted, &layout)?;
            layout.simulated = Some(proof.jobs);
            if !proof.missed.is_empty() {
                let reasons = proof.missed;
                self.dropped.push(Dropped { layout, reasons });
                return Ok(());
            }
        }
        self.fewest = Some(layout);
        Ok(())
    }
}

/// The cheapest layout alone, which is all that worlds of an uncertain requirement ask for.
pub(crate) fn cheapest(market: &Market<'_>, wanted: &Wanted) -> Option<Layout> {
    let search = Search::new(market, wanted);
    let picks = search.by_type().into_iter().flatten();
    let best = picks.min_by_key(|pick| (pick.price, pick.stored.data.0))?;
    Some(search.layout(&best))
}

fn front(plan: &Plan) -> Vec<Point> {
    let layouts = plan.best.iter().chain(&plan.others).chain(&plan.fewest);
    let mut points: Vec<Point> = layouts
        .map(|layout| Point {
            volume_type: layout.data.volume_type.clone(),
            name: format!("{} on {}", layout.data.count, layout.instance),
            usd_per_month: layout.usd_per_month,
            p99_us: layout.p99_us(),
            on_front: true,
        })
        .collect();
    let beaten = |one: &Point| {
        points.iter().any(|other| {
            (other.usd_per_month < one.usd_per_month && other.p99_us <= one.p99_us)
                || (other.usd_per_month <= one.usd_per_month && other.p99_us < one.p99_us)
        })
    };
    let on_front: Vec<bool> = points.iter().map(|point| !beaten(point)).collect();
    for (point, on_front) in points.iter_mut().zip(on_front) {
        point.on_front = on_front;
    }
    points.sort_by(|a, b| a.usd_per_month.total_cmp(&b.usd_per_month));
    points
}

/// Where nothing does: the type whose shortfall is the smallest.
fn nearest_type(rejected: &[Rejected], market: &Market<'_>) -> Option<usize> {
    let share = |it: &Rejected| it.reasons.iter().map(Reason::share).fold(1.0, f64::min);
    let nearest = rejected
        .iter()
        .max_by(|a, b| share(a).total_cmp(&share(b)))?;
    market
        .types
        .iter()
        .position(|it| it.name() == nearest.volume_type)
}

/// How much of the load can be met, to a thousandth.
fn nearest(market: &Market<'_>, wanted: &Wanted) -> Nearest {
    let met = |permille: u64| cheapest(market, &wanted.scaled(permille));
    let (mut low, mut high, mut layout) = (0, 1000, None);
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        match met(middle) {
            Some(found) => (low, layout) = (middle, Some(found)),
            None => high = middle,
        }
    }
    Nearest {
        permille: low,
        layout,
    }
}

/// Why no layout has its data on a volume type: what the nearest lacks.
fn why_not(search: &Search<'_, '_>, volume_type: usize) -> Vec<Reason> {
    let (market, wanted) = (search.market, search.wanted);
    let of_class: Vec<_> = market
        .classes
        .iter()
        .map(|class| &class[volume_type])
        .collect();
    let variants: Vec<usize> = of_class
        .iter()
        .filter_map(|it| it.as_ref().ok().copied())
        .collect();
    if variants.is_empty() {
        let refused = of_class.first().and_then(|it| it.as_ref().err().cloned());
        return refused.into_iter().collect();
    }
    let late = variants.iter().map(|it| search.late[*it][0].clone());
    if let Some(late) = nearest_of(late.collect::<Option<Vec<_>>>().unwrap_or_default()) {
        return vec![late];
    }
    let tables = match search.tables.both.iter().all(Vec::is_empty) {
        true => &search.tables.data,
        false => &search.tables.both,
    };
    let widths = || variants.iter().flat_map(|it| &tables[*it]);
    if !widths().any(Result::is_ok) {
        let short = || widths().filter_map(|it| it.as_ref().err());
        // What lacks nothing but a price comes before what falls short, which the most volumes
        // do least.
        let unpriced = |it: &&Vec<Reason>| matches!(&it[..], [Reason::PriceUnknown { .. }]);
        let widest = variants
            .iter()
            .filter_map(|it| tables[*it].last()?.as_ref().err());
        let share = |it: &&Vec<Reason>| it.iter().map(Reason::share).fold(1.0, f64::min);
        let nearest = widest.max_by(|a, b| share(a).total_cmp(&share(b)));
        return short()
            .find(unpriced)
            .or(nearest)
            .cloned()
            .unwrap_or_default();
    }
    let stored = |class: usize| search.stored_of(class, volume_type);
    let possible: Vec<_> = (0..market.classes.len()).map(stored).collect();
    if possible.iter().all(Vec::is_empty) {
        return beyond_volumes(search, &variants);
    }
    let hosts = market
        .instances
        .iter()
        .filter(|host| !possible[host.class].is_empty());
    let lacks = hosts.map(|host| host_lacks(search, host, &possible[host.class]));
    let share = |it: &Vec<Reason>| it.iter().map(Reason::share).fold(1.0, f64::min);
    let nearest = lacks.max_by(|a, b| share(a).total_cmp(&share(b)));
    nearest.unwrap_or_else(|| {
        let families = wanted.at_most.is_none().then(|| "instance".to_owned());
        vec![Reason::Excluded {
            by: families.unwrap_or_else(|| "volumes.at_most".into()),
        }]
    })
}

fn nearest_of(reasons: Vec<Reason>) -> Option<Reason> {
    reasons
        .into_iter()
        .max_by(|a, b| a.share().total_cmp(&b.share()))
}

/// Volumes hold the load, but quota, durability, the journal's latency or the number of volumes
/// stands against all of them.
fn beyond_volumes(search: &Search<'_, '_>, variants: &[usize]) -> Vec<Reason> {
    let late = variants.iter().map(|it| search.late[*it][1].clone());
    if let Some(late) = nearest_of(late.flatten().collect()) {
        return vec![late];
    }
    let tables = [&search.tables.both, &search.tables.data];
    let mut reasons = Vec::new();
    for variant in variants {
        for sized in tables
            .iter()
            .filter_map(|table| table.get(*variant))
            .flatten()
            .flatten()
        {
            let stored = Stored {
                price: sized.price,
                data: (*variant, sized.count),
                journal: None,
            };
            if search.tables.both[*variant].is_empty() {
                continue;
            }
            reasons.extend(search.quota_lacks(&stored));
            reasons.extend(search.fails_too_often(&stored));
        }
    }
    nearest_of(reasons).into_iter().collect()
}

/// What an instance lacks, of all that volumes would allow: the nearest.
fn host_lacks(
    search: &Search<'_, '_>,
    host: &Host<'_>,
    possible: &[(Combination, Stored)],
) -> Vec<Reason> {
    if let Err(message) = &host.price {
        return vec![Reason::PriceUnknown {
            message: message.clone(),
        }];
    }
    let fewest = possible
        .iter()
        .map(|(_, stored)| stored.volumes())
        .min()
        .unwrap_or(0);
    let most = attachable(host, search.wanted);
    let mut counted: Vec<Combination> = Vec::new();
    for (combination, _) in possible {
        if !counted.contains(combination) {
            counted.push(*combination);
        }
    }
    let lacks = counted.into_iter().map(|it| search.host_lacks(host, it));
    let share = |it: &Vec<Reason>| it.iter().map(Reason::share).fold(1.0, f64::min);
    let mut nearest = lacks
        .max_by(|a, b| share(a).total_cmp(&share(b)))
        .unwrap_or_default();
    if fewest > most {
        nearest.push(Reason::Attachments {
            instance: host.instance.name().to_owned(),
            needed: u64::from(fewest) + 1,
            has: u64::from(most) + 1,
        });
    }
    nearest
}

fn families(search: &Search<'_, '_>, volume_type: usize) -> Vec<Family> {
    let market = search.market;
    let possible: Vec<_> = (0..market.classes.len())
        .map(|class| search.stored_of(class, volume_type))
        .collect();
    let mut all: Vec<Family> = Vec::new();
    for family in market.families() {
        let hosts = market
            .instances
            .iter()
            .filter(|it| it.instance.family() == family);
        let mut cheapest: Option<(i64, &Host<'_>)> = None;
        let mut nearest: Option<(f64, &Host<'_>, Vec<Reason>)> = None;
        for host in hosts {
            let stored = &possible[host.class];
            let lacks = host_lacks(search, host, stored);
            let most = attachable(host, search.wanted);
            let fitting = stored.iter().filter(|(counted, it)| {
                it.volumes() <= most && search.host_lacks(host, *counted).is_empty()
            });
            let least = match lacks.is_empty() {
                true => fitting.map(|(_, it)| it.price).min(),
                false => None,
            };
            match (least, &host.price) {
                (Some(stored), Ok(price)) => {
                    let sum = i64::from(search.copies()) * (price + stored);
                    if cheapest.is_none_or(|(known, _)| sum < known) {
                        cheapest = Some((sum, host));
                    }
                }
                _ => {
                    let share = lacks.iter().map(Reason::share).fold(1.0, f64::min);
                    if nearest.as_ref().is_none_or(|(known, ..)| share > *known) {
                        nearest = Some((share, host, lacks));
                    }
                }
            }
        }
        let found = match (cheapest, nearest) {
            (Some((sum, host)), _) => Some((Some(dollars(sum)), host, Vec::new())),
            (None, Some((_, host, reasons))) => Some((None, host, reasons)),
            (None, None) => None,
        };
        all.extend(found.map(|(usd_per_month, host, reasons)| Family {
            family: family.to_owned(),
            instance: host.instance.name().to_owned(),
            usd_per_month,
            reasons,
        }));
    }
    let key = |it: &Family| it.usd_per_month.unwrap_or(f64::INFINITY);
    all.sort_by(|a, b| key(a).total_cmp(&key(b)));
    all
}

/// Millionths of a dollar in dollars, rounded to cents.
pub(crate) fn dollars(micros: i64) -> f64 {
    (micros as f64 / 1e4).round() / 100.0
}

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
            data: volumes(name(pick.stored.data.0), data),
            journal: pick
                .stored
                .journal
                .and_then(|(variant, _)| Some(volumes(name(variant), journal?))),
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
                let ask = blockyard_catalog::Ask {
                    size: Some(sized.got.size),
                    iops: sized.got.iops,
                    throughput: sized.got.throughput,
                };
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

fn volumes(name: &str, sized: &Sized) -> Volumes {
    Volumes {
        volume_type: name.to_owned(),
        count: sized.count,
        size: sized.got.size.bytes(),
        iops: sized.got.iops,
        throughput: sized.got.throughput.map(|it| it.bytes_per_s()),
        chunk: CHUNK,
    }
}
