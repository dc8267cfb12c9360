//! The search against all there is: on small choices, every instance, type, width, size, IOPS
//! and throughput is tried, and held to limits and credits written down the obvious way.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blockyard_catalog::{Ask, Catalog, Instance, Limit, Provisioned};
use blockyard_model::spec::Unit;
use blockyard_plan::{CheapestPossible, Layout, Line, Market, Prices, Stream, load, plan};
use blockyard_text::units::{Money, Size, Throughput};
use proptest::prelude::*;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const SECOND: u64 = 1_000_000_000;

const TYPES: [&str; 5] = ["gp2", "gp3", "io1", "io2", "st1"];

/// Dollars in millionths, by type: for a GiB, an IO a second, a MiB a second, and for a virtual
/// processor; only some families have prices, and not all of their instances.
#[derive(Clone, Debug)]
struct Drawn {
    by_type: [[i64; 3]; 5],
    vcpu: i64,
    families: Vec<&'static str>,
}

impl Prices for Drawn {
    fn instance(&self, instance: &Instance) -> Result<i64, String> {
        match instance.name().len() % 5 {
            _ if !self.families.contains(&instance.family()) => Err("not known".into()),
            0 => Err("not known".into()),
            odd => Ok(instance.vcpu() as i64 * self.vcpu + odd as i64 * 1_000_000),
        }
    }

    fn volume(&self, volume_type: &str, got: &Provisioned) -> Result<Vec<Line>, String> {
        let place = TYPES.iter().position(|name| *name == volume_type);
        let [size, iops, throughput] = self.by_type[place.ok_or("not known")?];
        let mib = got.throughput.map_or(0, |it| it.bytes_per_s() / MIB) as i64;
        let amount = (got.size.bytes() / GIB) as i64 * size
            + got.iops.unwrap_or(0) as i64 * iops
            + mib * throughput;
        Ok(vec![Line {
            what: "all".into(),
            amount,
        }])
    }

    fn cross_zone(&self) -> Result<Money, String> {
        Err("not known".into())
    }
}

/// What a limit counts of a stream a second, by how many IOs follow each other, and where in a
/// chunk of 4 MiB of several volumes they begin.
fn counted(stream: &Stream, unit: Unit, counted_in: u64, whole: bool, striped: bool) -> u64 {
    let units = |ios: u64| (ios * stream.io_size).div_ceil(counted_in) as f64;
    let follows = match stream.io_size >= 32 << 10 {
        true => stream.sequential as f64 / 1000.0,
        false => 0.0,
    };
    let chunk = (4 << 20) / stream.io_size;
    let on_stripe = |ios: u64| {
        let of = |left: u64| units(ios.min(left)) + units(ios.saturating_sub(left));
        (1..=chunk).map(of).sum::<f64>() / chunk as f64
    };
    let mut of_one = 0.0;
    let mut share = (1.0 - follows).powi(2);
    for ios in (1..10_000).take_while(|_| follows < 1.0) {
        of_one += share * if striped { on_stripe(ios) } else { units(ios) };
        share *= follows;
        if share < 1e-18 {
            break;
        }
    }
    if follows == 1.0 {
        of_one = stream.io_size as f64 / counted_in as f64;
    }
    let all = stream.iops as f64 * of_one;
    let rounded_up = |it: f64| (it - 1e-6).ceil() as u64;
    match unit {
        Unit::Io => rounded_up(all),
        Unit::Byte if whole => rounded_up(all * counted_in as f64),
        Unit::Byte => stream.iops * stream.io_size,
    }
}

/// Whether a limit holds a rate for so many seconds.
fn holds(limit: &Limit<'_>, rate: u64, seconds: Option<u64>) -> bool {
    if rate <= limit.rate {
        return true;
    }
    // A load that ends takes an hour at most, so no top-up comes within it; one that does not
    // must get by from one to the next.
    let lasts = seconds.or_else(|| Some(limit.top_up?.every / SECOND));
    limit.credits && lasts.is_some_and(|it| (rate - limit.rate) * it <= limit.depth)
}

/// A requirement, drawn. What it does not state is none.
#[derive(Clone, Debug)]
struct Wanted {
    tib: u64,
    /// In percent a year, and for how many years.
    growth: Option<(u32, u32)>,
    free: Option<u64>,
    headroom: u64,
    data: [Stream; 2],
    journal: Option<Stream>,
    lasts: Option<u64>,
    types: Vec<&'static str>,
    families: Vec<&'static str>,
    families_named: bool,
    any_generation: Option<bool>,
    burstable: Option<bool>,
    accelerators: Option<bool>,
    spare: Option<u64>,
    at_most: u32,
    io2_iops: Option<u64>,
    gp3_tib: Option<u64>,
    /// Losses a year of a million.
    losses: Option<u64>,
}

const JOURNAL: u64 = 100 * GIB;

impl Wanted {
    /// As a user writes it.
    fn text(&self) -> String {
        let flow = |it: &Stream| {
            let Stream {
                iops,
                io_size,
                sequential,
                ..
            } = it;
            let sequential = sequential / 10;
            format!("{{iops: {iops}, io_size: {io_size}B, sequential: {sequential}%}}")
        };
        let mut text = format!(
            "size: {}TiB\nreads: {}\nwrites: {}\nheadroom: {}%\nas_of: 2022-11-10\n\
             round_to: {{size: 4TiB, iops: 4000, throughput: 250MiB/s}}\n\
             volumes: {{at_most: {}, types: [{}]}}\n",
            self.tib,
            flow(&self.data[0]),
            flow(&self.data[1]),
            self.headroom,
            self.at_most,
            self.types.join(", "),
        );
        let mut line = |it: Option<String>| text.extend(it.map(|it| it + "\n"));
        line(
            self.growth
                .map(|(percent, years)| format!("growth: {percent}%/year\nhorizon: {years} years")),
        );
        line(self.free.map(|it| format!("free_space: {it}%")));
        line(self.journal.map(|it| {
            format!(
                "journal: {{size: 100GiB, iops: {}, io_size: {}B}}",
                it.iops, it.io_size
            )
        }));
        line(self.lasts.map(|it| format!("duration: {it}s")));
        line(self.io2_iops.map(|it| format!("quotas: {{io2: {it}}}")));
        line(
            self.gp3_tib
                .map(|it| format!("storage_quotas: {{gp3: {it}TiB}}")),
        );
        line(
            self.losses
                .map(|it| format!("durability: {}%", (1_000_000 - it) as f64 / 1e4)),
        );
        line(Some("instance:\n  vcpu: 8".into()));
        let families = self.families.join(", ");
        line(
            self.families_named
                .then(|| format!("  families: [{families}]")),
        );
        let generation = |any| if any { "any" } else { "current" };
        line(
            self.any_generation
                .map(|it| format!("  generation: {}", generation(it))),
        );
        line(self.burstable.map(|it| format!("  burstable: {it}")));
        line(self.accelerators.map(|it| format!("  accelerators: {it}")));
        line(self.spare.map(|it| format!("  spare_attachments: {it}")));
        text
    }

    /// Whether an instance may be taken, by its line in the table; `usual` is what holds where
    /// nothing is stated.
    fn allows(&self, line: &str, usual: bool) -> bool {
        let cells: Vec<&str> = line.split(',').collect();
        let (family, [.., generation, purpose]) = (cells[0].split('.').next(), &cells[..]) else {
            panic!("{line}")
        };
        let usual = usual && !self.families_named;
        self.families.iter().any(|it| Some(*it) == family)
            && cells[1].parse::<u64>().unwrap() >= 8
            && (*generation == "current" || self.any_generation.unwrap_or(!usual))
            && match *purpose {
                "" => true,
                "burstable" => self.burstable.unwrap_or(!usual),
                "hpc" => !usual,
                _ => self.accelerators.unwrap_or(!usual),
            }
    }

    /// What of a file system of so many bytes files may take.
    fn usable(&self, bytes: u64, usual: bool) -> u64 {
        let least = if usual { 20 } else { 0 };
        let free = self.free.unwrap_or(least.max(self.headroom));
        bytes / 100 * (100 - free)
    }

    fn data_bytes(&self) -> u64 {
        let mut bytes = (self.tib << 40) as f64;
        if let Some((percent, years)) = self.growth {
            (0..years).for_each(|_| bytes *= 1.0 + f64::from(percent) / 100.0);
        }
        bytes as u64
    }

    fn streams(&self, with_journal: bool) -> Vec<Stream> {
        let own = self.journal.filter(|_| with_journal);
        let mut all: Vec<Stream> = self.data.iter().copied().chain(own).collect();
        all.iter_mut().for_each(|it| *it = self.with_headroom(*it));
        all
    }

    fn with_headroom(&self, stream: Stream) -> Stream {
        let iops = (stream.iops * 100).div_ceil(100 - self.headroom);
        Stream { iops, ..stream }
    }

    /// IOPS and bytes that the account may have of a type.
    fn quota(&self, name: &str, usual: bool) -> (u64, u64) {
        let default = |of: u64| if usual { of } else { u64::MAX };
        let iops = match name {
            "io1" => default(300_000),
            "io2" => self.io2_iops.unwrap_or(default(100_000)),
            _ => u64::MAX,
        };
        let bytes = match name {
            "io2" => default(20 << 40),
            "gp3" => self.gp3_tib.map_or(default(300 << 40), |it| it << 40),
            _ => default(300 << 40),
        };
        (iops, bytes)
    }
}

/// Equal volumes that hold their part of the load.
#[derive(Clone, Copy, Debug)]
struct Set {
    price: i64,
    /// Of all, as the quotas count them.
    iops: u64,
    bytes: u64,
}

/// Price, losses of a million million years, and volumes.
type Bought = (i64, u64, u32);

struct Brute<'a> {
    catalog: &'static Catalog,
    prices: &'a Drawn,
    wanted: &'a Wanted,
    usual: bool,
}

impl Brute<'_> {
    /// Whether a file system for files of so many bytes can be made on volumes: beside LVM's 8 MiB
    /// of each and XFS's log.
    fn fits(&self, files: u64, each: u64, width: u32) -> bool {
        let all = each * u64::from(width);
        let log = (all / 2048).clamp(64 * MIB, 2 * GIB);
        let file_system = all.saturating_sub(log + 8 * MIB * u64::from(width));
        self.wanted.usable(file_system, self.usual) >= files
    }

    /// All volumes of a type that hold the load, `width` of them, but for those that are beaten in
    /// everything.
    fn volumes(
        &self,
        name: &str,
        host: &Instance,
        width: u32,
        files: u64,
        streams: &[Stream],
    ) -> Vec<Set> {
        let day = Some("2022-11-10".parse().unwrap());
        let volume_type = self.catalog.volume_type(name).unwrap();
        let Ok(offer) = volume_type.offer(Some(self.catalog.instance(host.name()).unwrap()), day)
        else {
            return Vec::new();
        };
        let row = offer.row();
        let grid = |min: u64, max: u64, step: u64| {
            (0..).map(move |n| (min + n * step).min(max)).take_while({
                let mut last = false;
                move |it| !std::mem::replace(&mut last, *it == max)
            })
        };
        let (unit, whole) = (row.counted_in.bytes(), row.whole_units);
        let of = |of: Unit| -> u64 {
            {
                let counted = |it| counted(it, of, unit, whole, width > 1);
                streams.iter().map(counted).sum()
            }
        };
        let (ios, bytes) = (of(Unit::Io), of(Unit::Byte));
        let Some(range) = row.size else {
            return Vec::new();
        };
        let sizes = (1..=range.max.bytes() >> 42).map(|n| n << 42);
        let iops: Vec<Option<u64>> = match row.iops {
            Some(range) => grid(range.min, range.max, 4_000).map(Some).collect(),
            None => vec![None],
        };
        let throughputs: Vec<Option<u64>> = match row.throughput {
            Some(range) => {
                let (min, max) = (range.min.bytes_per_s(), range.max.bytes_per_s());
                grid(min, max, 250 * MIB).map(Some).collect()
            }
            None => vec![None],
        };
        let mut found: Vec<Set> = Vec::new();
        for each in sizes.filter(|it| *it >= range.min.bytes() && self.fits(files, *it, width)) {
            for (iops, throughput) in iops
                .iter()
                .flat_map(|iops| throughputs.iter().map(move |it| (*iops, *it)))
            {
                let ask = Ask {
                    size: Some(Size::new(each)),
                    iops,
                    throughput: throughput.map(Throughput::new),
                };
                let Ok(got) = volume_type.limits(&ask, Some(host), day) else {
                    continue;
                };
                let all = got.limits.iter().all(|limit| {
                    let rate = if limit.unit == Unit::Io { ios } else { bytes };
                    holds(limit, rate.div_ceil(width.into()), self.wanted.lasts)
                });
                if all {
                    let lines = self.prices.volume(name, &got.provisioned).unwrap();
                    found.push(Set {
                        price: lines[0].amount * i64::from(width),
                        iops: iops.unwrap_or(0) * u64::from(width),
                        bytes: each * u64::from(width),
                    });
                }
            }
        }
        found.sort_by_key(|it| (it.price, it.iops, it.bytes));
        let mut kept: Vec<Set> = Vec::new();
        for one in found {
            if !kept
                .iter()
                .any(|it| it.iops <= one.iops && it.bytes <= one.bytes)
            {
                kept.push(one);
            }
        }
        kept
    }

    fn host_holds(&self, host: &Instance, data: &str, journal: &str) -> bool {
        let host = self.catalog.instance(host.name()).unwrap();
        let day = Some("2022-11-10".parse().unwrap());
        let Some(limits) = self.catalog.host_limits(host, day).limits else {
            return false;
        };
        let unit = |name: &str| if name == "st1" { MIB } else { 256 << 10 };
        limits.iter().all(|limit| {
            let streams = self.wanted.streams(false);
            let data = streams
                .iter()
                .map(|it| counted(it, limit.unit, unit(data), false, true));
            let own = self.wanted.journal.iter();
            let own = own.map(|it| {
                counted(
                    &self.wanted.with_headroom(*it),
                    limit.unit,
                    unit(journal),
                    false,
                    true,
                )
            });
            holds(limit, data.chain(own).sum(), self.wanted.lasts)
        })
    }

    /// Losses of some volumes of a million million years, unless quotas or losses forbid them.
    fn allowed(&self, volumes: &[(&str, u32, Set)]) -> Option<u64> {
        for (name, ..) in volumes {
            let same = || volumes.iter().filter(|it| it.0 == *name);
            let (iops, bytes) = self.wanted.quota(name, self.usual);
            if same().map(|it| it.2.iops).sum::<u64>() > iops
                || same().map(|it| it.2.bytes).sum::<u64>() > bytes
            {
                return None;
            }
        }
        let survive = |(name, count, _): &(&str, u32, Set)| {
            let fails: f64 = if *name == "io2" { 1e-5 } else { 2e-3 };
            (1.0 - fails).powi(*count as i32)
        };
        let lost = 1.0 - volumes.iter().map(survive).product::<f64>();
        let most = self.wanted.losses.map_or(1.0, |it| it as f64 / 1e6);
        (lost <= most + 1e-12).then_some((lost * 1e12).round() as u64)
    }

    fn cheapest(&self) -> Option<Bought> {
        let wanted = self.wanted;
        let files = wanted.data_bytes();
        let with_own = files + wanted.journal.map_or(0, |_| JOURNAL);
        let own: Vec<Stream> = wanted
            .journal
            .iter()
            .map(|it| wanted.with_headroom(*it))
            .collect();
        let table = include_str!("../../../../catalog/instances.csv");
        let rows = table
            .lines()
            .skip(2)
            .filter(|line| wanted.allows(line, self.usual));
        let mut best: Option<Bought> = None;
        for row in rows {
            let host = self
                .catalog
                .instance(row.split(',').next().unwrap())
                .unwrap();
            let Ok(of_host) = self.prices.instance(host) else {
                continue;
            };
            let spare = wanted.spare.unwrap_or(if self.usual { 2 } else { 0 });
            let most = (host.attachments().saturating_sub(1 + spare) as u32).min(wanted.at_most);
            let mut put = |volumes: &[(&str, u32, Set)]| {
                let Some(lost) = self.allowed(volumes) else {
                    return;
                };
                let count = volumes.iter().map(|it| it.1).sum();
                let price: i64 = volumes.iter().map(|it| it.2.price).sum();
                let one = (of_host + price, lost, count);
                best = Some(best.map_or(one, |it| it.min(one)));
            };
            for data in &wanted.types {
                for width in 1..=most {
                    if self.host_holds(host, data, data) {
                        let streams = wanted.streams(true);
                        for one in self.volumes(data, host, width, with_own, &streams) {
                            put(&[(data, width, one)]);
                        }
                    }
                    if wanted.journal.is_none() {
                        continue;
                    }
                    let on_data = self.volumes(data, host, width, files, &wanted.streams(false));
                    for journal in &wanted.types {
                        if on_data.is_empty() || !self.host_holds(host, data, journal) {
                            continue;
                        }
                        for beside in 1..=most - width {
                            for of_own in self.volumes(journal, host, beside, JOURNAL, &own) {
                                for one in &on_data {
                                    put(&[(data, width, *one), (journal, beside, of_own)]);
                                }
                            }
                        }
                    }
                }
            }
        }
        best
    }
}

fn stream(write: bool) -> impl Strategy<Value = Stream> {
    let size = prop::sample::select(vec![8_u64 << 10, 64 << 10, 512 << 10]);
    let sequential = prop::sample::select(vec![0_u64, 500, 1000]);
    (1_u64..25_000, size, sequential).prop_map(move |(iops, io_size, sequential)| Stream {
        write,
        iops: (iops << 13) / io_size.max(1 << 13) + 1,
        io_size,
        sequential,
        skew: None,
    })
}

const FAMILIES: [&str; 8] = ["a1", "g4dn", "hpc7g", "r4", "r5", "r5b", "r6g", "t3"];

fn wanted() -> impl Strategy<Value = Wanted> {
    let load = (
        (stream(false), stream(true)),
        prop::option::of(stream(true)),
        prop::option::of(60_u64..3600),
        prop::sample::select(vec![0_u64, 30]),
    );
    let space = (
        1_u64..20,
        prop::option::of((prop::sample::select(vec![10_u32, 40]), 1_u32..4)),
        prop::option::of(prop::sample::select(vec![0_u64, 10, 50])),
    );
    let hosts = (
        prop::sample::subsequence(FAMILIES.to_vec(), 3),
        any::<bool>(),
        prop::option::of(any::<bool>()),
        prop::option::of(any::<bool>()),
        prop::option::of(any::<bool>()),
        prop::option::of(prop::sample::select(vec![0_u64, 24, 25, 26])),
    );
    let volumes = (
        prop::sample::subsequence(TYPES.to_vec(), 2),
        1_u32..4,
        prop::option::of(prop::sample::select(vec![20_000_u64, 60_000, 150_000])),
        prop::option::of(prop::sample::select(vec![8_u64, 24])),
        prop::option::of(prop::sample::select(vec![20_u64, 2_000, 4_000, 5_000])),
    );
    (load, space, hosts, volumes).prop_map(|(load, space, hosts, volumes)| Wanted {
        tib: space.0,
        growth: space.1,
        free: space.2,
        headroom: load.3,
        data: [load.0.0, load.0.1],
        journal: load.1.map(|it| Stream {
            sequential: 1000,
            ..it
        }),
        lasts: load.2,
        types: volumes.0,
        families: hosts.0,
        families_named: hosts.1,
        any_generation: hosts.2,
        burstable: hosts.3,
        accelerators: hosts.4,
        spare: hosts.5,
        at_most: volumes.1,
        io2_iops: volumes.2,
        gp3_tib: volumes.3,
        losses: volumes.4,
    })
}

fn bought(layout: &Layout) -> Bought {
    let lost = layout.yearly_loss.unwrap() * 1e12;
    (layout.micros, lost.round() as u64, layout.volumes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_plan_is_the_cheapest_of_all_layouts(
        mut by_type in prop::array::uniform5([1_000_i64..200_000, 0..50_000, 0..100_000]),
        equal in any::<bool>(),
        vcpu in 1_000_000_i64..60_000_000,
        wanted in wanted(),
    ) {
        // io1 and io2 at one price, as in most regions up to 32,000 IOPS.
        if equal {
            by_type[3] = by_type[2];
        }
        let catalog = Catalog::get().unwrap();
        let prices = Drawn { by_type, vcpu, families: wanted.families.clone() };
        let brute = |usual| Brute { catalog, prices: &prices, wanted: &wanted, usual }.cheapest();
        let Ok(loaded) = load(&wanted.text(), "wanted.yaml", &[]) else {
            // Families of which every type is left out, or too small.
            prop_assert_eq!(brute(true), None, "{}", wanted.text());
            return Ok(());
        };
        let market = Market::new(catalog, &prices, &loaded.choice).unwrap();
        let needs = loaded.needs(|_, range| range.mid);
        let found = plan(&market, &needs);
        let best = found.best.as_ref().map(bought);
        prop_assert_eq!(best, brute(true), "{} {:?}", wanted.text(), found.best);
        // What is rejected says why.
        prop_assert!(found.rejected.iter().all(|it| !it.reasons.is_empty()), "{:?}", found.rejected);

        // Without the preferences that are not stated.
        let bare = loaded.without_preferences().unwrap();
        let all = Market::new(catalog, &prices, &bare.choice).unwrap();
        let possible = CheapestPossible::find(
            &all,
            &bare.needs(|_, range| range.mid),
            (&needs, &loaded.preferences),
            found.best.as_ref(),
        );
        let cheaper = brute(false).filter(|it| best.is_none_or(|best| it.0 < best.0));
        prop_assert_eq!(possible.as_ref().map(|it| bought(&it.layout)), cheaper);
        prop_assert!(possible.is_none_or(|it| !it.breaks.is_empty()), "{}", wanted.text());
    }
}
