//! The search against all there is: on small choices, every instance, type, width, size, IOPS
//! and throughput is tried, and held to limits and credits written down the obvious way.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_catalog::{Ask, Catalog, Instance, Limit, Provisioned};
use blockyard_model::spec::Unit;
use blockyard_plan::{
    Choice, Journal, Line, LoadProfile, Market, Needs, Prices, Steps, Stream, plan,
};
use blockyard_text::units::{Money, Size, Throughput};
use proptest::prelude::*;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const SECOND: u64 = 1_000_000_000;

const TYPES: [&str; 5] = ["gp2", "gp3", "io1", "io2", "st1"];

/// Dollars in millionths, by type: for a GiB, an IO a second, a MiB a second, and for a virtual
/// processor; some instances have no price.
#[derive(Clone, Debug)]
struct Drawn {
    by_type: [[i64; 3]; 5],
    vcpu: i64,
}

impl Prices for Drawn {
    fn instance(&self, instance: &Instance) -> Result<i64, String> {
        match instance.name().len() % 5 {
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

/// What a limit counts of a stream a second, IO by IO.
fn counted(stream: &Stream, unit: Unit, counted_in: u64, whole: bool) -> u64 {
    let (mut units, mut carried) = (0, 0);
    for io in 0..stream.iops {
        // Sequential ones fill up what the last of them has begun.
        let sequential = io < stream.iops * stream.sequential / 1000;
        if sequential && stream.io_size >= 32 << 10 {
            carried += stream.io_size;
        } else {
            units += stream.io_size.div_ceil(counted_in);
        }
    }
    units += carried.div_ceil(counted_in);
    match unit {
        Unit::Io => units,
        Unit::Byte if whole => units * counted_in,
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

struct Brute<'a> {
    catalog: &'static Catalog,
    prices: &'a Drawn,
    needs: &'a Needs,
    choice: &'a Choice,
}

impl Brute<'_> {
    fn lasts(&self) -> Option<u64> {
        self.needs.load_profile.lasts.map(|it| it / SECOND)
    }

    /// The cheapest of all volumes of a type, `width` of them.
    fn volumes(
        &self,
        name: &str,
        host: &Instance,
        width: u32,
        size: u64,
        streams: &[Stream],
    ) -> Option<i64> {
        let day = self.choice.day;
        let volume_type = self.catalog.volume_type(name).unwrap();
        let row = volume_type
            .offer(Some(self.catalog.instance(host.name()).unwrap()), day)
            .ok()?
            .row();
        let steps = self.needs.steps;
        let grid = |min: u64, max: u64, step: u64| {
            (0..).map(move |n| (min + n * step).min(max)).take_while({
                let mut last = false;
                move |it| !std::mem::replace(&mut last, *it == max)
            })
        };
        let (unit, whole) = (row.counted_in.bytes(), row.whole_units);
        let of = |of: Unit| -> u64 { streams.iter().map(|it| counted(it, of, unit, whole)).sum() };
        let (ios, bytes) = (of(Unit::Io), of(Unit::Byte));
        let range = row.size?;
        let sizes = (1..=range.max.bytes() / steps.size).map(|n| n * steps.size);
        let mut best = None;
        for size_of_each in
            sizes.filter(|it| it * u64::from(width) >= size && *it >= range.min.bytes())
        {
            let iops: Vec<Option<u64>> = match row.iops {
                Some(range) => grid(range.min, range.max, steps.iops).map(Some).collect(),
                None => vec![None],
            };
            let throughputs: Vec<Option<u64>> = match row.throughput {
                Some(range) => {
                    let (min, max) = (range.min.bytes_per_s(), range.max.bytes_per_s());
                    grid(min, max, steps.throughput).map(Some).collect()
                }
                None => vec![None],
            };
            for iops in &iops {
                for throughput in &throughputs {
                    let ask = Ask {
                        size: Some(Size::new(size_of_each)),
                        iops: *iops,
                        throughput: throughput.map(Throughput::new),
                    };
                    let Ok(got) = volume_type.limits(&ask, Some(host), day) else {
                        continue;
                    };
                    let all = got.limits.iter().all(|limit| {
                        let rate = if limit.unit == Unit::Io { ios } else { bytes };
                        holds(limit, rate.div_ceil(width.into()), self.lasts())
                    });
                    if !all {
                        continue;
                    }
                    let lines = self.prices.volume(name, &got.provisioned).unwrap();
                    let price = lines[0].amount * i64::from(width);
                    best = Some(best.map_or(price, |it: i64| it.min(price)));
                }
            }
        }
        best
    }

    fn host_holds(&self, host: &Instance, data: &str, journal: &str) -> bool {
        let host = self.catalog.instance(host.name()).unwrap();
        let Some(limits) = self.catalog.host_limits(host, self.choice.day).limits else {
            return false;
        };
        let unit = |name: &str| if name == "st1" { MIB } else { 256 << 10 };
        limits.iter().all(|limit| {
            let data = self
                .needs
                .data
                .iter()
                .map(|it| counted(it, limit.unit, unit(data), false));
            let own = self.needs.journal.iter();
            let own = own.map(|it| counted(&it.stream, limit.unit, unit(journal), false));
            holds(limit, data.chain(own).sum(), self.lasts())
        })
    }

    fn cheapest(&self, widest: u32) -> Option<i64> {
        let mut best = None;
        let needs = self.needs;
        let both: Vec<Stream> = needs
            .data
            .iter()
            .copied()
            .chain(needs.journal.iter().map(|it| it.stream))
            .collect();
        let own: Vec<Stream> = needs.journal.iter().map(|it| it.stream).collect();
        let own_size = needs.journal.as_ref().map_or(0, |it| it.size);
        for host in self.catalog.instances() {
            let families = &self.choice.families;
            if !families.iter().any(|it| it == host.family()) || host.vcpu() < self.choice.vcpu {
                continue;
            }
            let Ok(of_host) = self.prices.instance(host) else {
                continue;
            };
            let types = &self.choice.volume_types;
            for data in types {
                for width in 1..=widest {
                    let shared = self.volumes(data, host, width, needs.size + own_size, &both);
                    if let Some(price) = shared.filter(|_| self.host_holds(host, data, data)) {
                        best =
                            Some(best.map_or(of_host + price, |it: i64| it.min(of_host + price)));
                    }
                    if needs.journal.is_none() {
                        continue;
                    }
                    let Some(price) = self.volumes(data, host, width, needs.size, &needs.data)
                    else {
                        continue;
                    };
                    for journal in types {
                        for beside in 1..=widest - width {
                            let of_own = self.volumes(journal, host, beside, own_size, &own);
                            let Some(of_own) =
                                of_own.filter(|_| self.host_holds(host, data, journal))
                            else {
                                continue;
                            };
                            let sum = of_host + price + of_own;
                            best = Some(best.map_or(sum, |it: i64| it.min(sum)));
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_plan_is_the_cheapest_of_all_layouts(
        by_type in prop::array::uniform5([1_000_i64..200_000, 0..50_000, 0..100_000]),
        vcpu in 1_000_000_i64..60_000_000,
        data in (stream(false), stream(true)),
        journal in prop::option::of(stream(true)),
        lasts in prop::option::of(60_u64..3600),
        tib in 1_u64..20,
        types in prop::sample::subsequence(TYPES.to_vec(), 2),
        family in prop::sample::select(vec!["t3", "r5", "r5b", "r4"]),
    ) {
        let catalog = Catalog::get().unwrap();
        let prices = Drawn { by_type, vcpu };
        let choice = Choice {
            day: Some("2022-11-10".parse().unwrap()),
            families: vec![family.into()],
            vcpu: 8,
            volume_types: types.iter().map(|it| (*it).to_owned()).collect(),
            ..Choice::default()
        };
        let needs = Needs {
            size: tib << 40,
            data: vec![data.0, data.1],
            journal: journal.map(|stream| Journal {
                size: 100 * GIB,
                stream: Stream { sequential: 1000, ..stream },
                apart: None,
            }),
            load_profile: LoadProfile { lasts: lasts.map(|it| it * SECOND), peak: None },
            latency: Vec::new(),
            failures: None,
            mirrored: false,
            headroom: 0,
            quotas: Default::default(),
            at_most: Some(3),
            steps: Steps { size: 4 << 40, iops: 4_000, throughput: 250 * MIB },
            probability: 950,
            placement: None,
        };
        let market = Market::new(catalog, &prices, &choice).unwrap();
        let found = plan(&market, &needs);
        let brute = Brute { catalog, prices: &prices, needs: &needs, choice: &choice };
        let best = found.best.as_ref().map(|it| it.micros);
        prop_assert_eq!(best, brute.cheapest(3), "{:?}", found.best);
        // What is rejected says why.
        prop_assert!(found.rejected.iter().all(|it| !it.reasons.is_empty()), "{:?}", found.rejected);
    }
}
