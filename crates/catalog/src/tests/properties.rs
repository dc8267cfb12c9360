//! What holds for every volume that can be asked for, on any day and any host.

use blockyard_model::spec::Unit;
use proptest::prelude::*;

use super::*;

/// Instances of every platform, of families with rows of their own, and with
/// and without local disks and published figures for those.
const HOSTS: [&str; 6] = [
    "r5b.24xlarge",
    "r6in.8xlarge",
    "r5n.24xlarge",
    "c5.metal",
    "r4.4xlarge",
    "i3.2xlarge",
];

const DAYS: [&str; 7] = [
    "2014-06-01",
    "2017-12-05",
    "2018-11-28",
    "2021-07-24",
    "2023-05-11",
    "2024-06-01",
    "2030-01-01",
];

#[derive(Clone, Debug)]
struct Case {
    volume_type: usize,
    host: Option<&'static str>,
    day: Option<&'static str>,
    ask: Ask,
}

impl Case {
    fn host(&self) -> Option<&'static Instance> {
        self.host.map(|name| catalog().instance(name).unwrap())
    }

    fn day(&self) -> Option<Date> {
        self.day.and_then(day)
    }

    fn limits(&self, ask: &Ask) -> Result<Limits<'static>, Refusal<'static>> {
        let volume_type = catalog().volume_types().nth(self.volume_type).unwrap();
        volume_type.limits(ask, self.host(), self.day())
    }
}

/// Figures near the bounds of rows, and any others.
fn cases() -> impl Strategy<Value = Case> {
    let gib = prop_oneof![
        Just(0_u64),
        1..40_u64,
        1..2000_u64,
        1..70_000_u64,
        Just(1000),
        Just(16_384)
    ];
    let iops = prop_oneof![
        Just(0_u64),
        1..5000_u64,
        1..300_000_u64,
        Just(16_000),
        Just(64_000)
    ];
    let mib_per_s = prop_oneof![Just(0_u64), 1..300_u64, 1..3000_u64, Just(1000)];
    let types = catalog().volume_types().count();
    let host = prop::option::of(prop::sample::select(HOSTS.to_vec()));
    let day = prop::option::of(prop::sample::select(DAYS.to_vec()));
    (0..types, host, day, (gib, iops, mib_per_s)).prop_map(|(volume_type, host, day, figures)| {
        let ask = ask(figures.0, figures.1, figures.2);
        Case {
            volume_type,
            host,
            day,
            ask,
        }
    })
}

/// The most that a law gives to any volume of a row.
fn most(rate: &Rate, row: &VolumeRow, host: Option<&Instance>) -> u64 {
    if row.as_stated {
        return u64::MAX;
    }
    let iops = row.iops.map_or(0, |range| range.max);
    match rate {
        Rate::Fixed { fixed } => fixed.per_s,
        Rate::Provisioned { provisioned } => match provisioned {
            Provision::Iops => iops,
            Provision::Throughput => row.throughput.unwrap().max.bytes_per_s(),
        },
        Rate::PerSize {
            per_size,
            each,
            max,
            ..
        } => max.map_or_else(
            || per_size.per_s * (row.size.unwrap().max.bytes() / each.bytes()),
            |max| max.per_s,
        ),
        Rate::PerIops {
            per_iops,
            each,
            max,
        } => max.map_or(per_iops.per_s * (iops / each), |max| max.per_s),
        Rate::BySize { by_size } => by_size.iter().map(|step| step.rate.per_s).max().unwrap(),
        Rate::LargestOf { largest_of } => largest_of
            .iter()
            .map(|rate| most(rate, row, host))
            .max()
            .unwrap(),
        Rate::InstanceStore { instance_store } => {
            let disk = host.unwrap().disk_rates().unwrap();
            match instance_store {
                DiskRate::Reads => disk.reads,
                DiskRate::Writes => disk.writes,
                DiskRate::ReadBytes => disk.read_bytes,
                DiskRate::WriteBytes => disk.write_bytes,
            }
        }
    }
}

/// Whether both refusals are about the same figure and bound.
fn same(one: &Refusal<'_>, other: &Refusal<'_>) -> bool {
    use std::mem::discriminant;
    match (one, other) {
        (Refusal::Beyond { bound: one, .. }, Refusal::Beyond { bound: other, .. }) => {
            discriminant(one) == discriminant(other)
        }
        _ => discriminant(one) == discriminant(other) && one.field() == other.field(),
    }
}

/// The same ask with the field that a refusal names set to the bound that it
/// names; none where the type itself is not available.
fn mended(ask: &Ask, refusal: &Refusal<'_>) -> Option<Ask> {
    let mut ask = *ask;
    match refusal {
        Refusal::SizeMissing { range, .. } => ask.size = Some(range.min),
        Refusal::SizeSetByInstance { .. } => ask.size = None,
        Refusal::SizeStep { asked, step, .. } => {
            ask.size = Some(Size::new(asked.bytes().next_multiple_of(step.bytes())));
        }
        Refusal::NotProvisioned { field, .. } => match field {
            Field::Iops => ask.iops = None,
            _ => ask.throughput = None,
        },
        Refusal::IopsMissing { range, .. } => ask.iops = Some(range.min),
        Refusal::Beyond { bound, .. } => match *bound {
            Bound::Size { asked, range, .. } => ask.size = Some(asked.clamp(range.min, range.max)),
            Bound::Iops { asked, range, .. } => ask.iops = Some(asked.clamp(range.min, range.max)),
            Bound::Throughput { asked, range, .. } => {
                ask.throughput = Some(asked.clamp(range.min, range.max));
            }
            Bound::IopsForSize { needed, .. } => ask.size = Some(needed),
            Bound::ThroughputForIops { needed, .. } => ask.iops = Some(needed),
        },
        _ => return None,
    }
    Some(ask)
}

/// What else a refusal offers for the same figure.
fn remedy<'a>(refusal: &Refusal<'a>) -> Option<Remedy<'a>> {
    match refusal {
        Refusal::Beyond {
            bound:
                Bound::Size { remedy, .. }
                | Bound::Iops { remedy, .. }
                | Bound::Throughput { remedy, .. },
            ..
        } => *remedy,
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_limit_exceeds_its_rows_maximum(case in cases()) {
        let Ok(limits) = case.limits(&case.ask) else { return Ok(()) };
        let row = limits.offer.row();
        for limit in &limits.limits {
            let rule = row.limits.iter().find(|rule| rule.name == limit.name).unwrap();
            prop_assert!(limit.rate <= most(&rule.rate, row, case.host()), "{limit:?}");
            prop_assert!(limit.rate >= 1 && limit.depth >= 1);
            prop_assert_eq!((limit.unit, limit.applies), (rule.unit, rule.applies));
            let is_xen = case.host().is_some_and(|host| host.platform() == "xen");
            if let Some(cap) = rule.max_unless.as_ref().filter(|_| is_xen) {
                prop_assert!(limit.rate <= cap.rate.per_s, "{limit:?}");
            }
        }
        let given = limits.provisioned;
        prop_assert!(case.ask.size.is_none_or(|size| size == given.size));
        prop_assert!(case.ask.iops.is_none_or(|iops| Some(iops) == given.iops));
        prop_assert!(case.ask.throughput.is_none_or(|rate| Some(rate) == given.throughput));
    }

    #[test]
    fn who_asks_for_more_is_limited_to_no_less(
        case in cases(),
        more in (0_u64..3000, 0_u64..100_000, 0_u64..1000),
    ) {
        let Ask { size, iops, throughput } = case.ask;
        let larger = Ask {
            size: size.map(|size| Size::new(size.bytes() + more.0 * GIB)),
            iops: iops.map(|iops| iops + more.1),
            throughput: throughput.map(|rate| Throughput::new(rate.bytes_per_s() + more.2 * MIB)),
        };
        let (Ok(less), Ok(more)) = (case.limits(&case.ask), case.limits(&larger)) else {
            return Ok(());
        };
        // A limit that only smaller volumes have may disappear, but none may
        // appear.
        for limit in &more.limits {
            let before = less.limits.iter().find(|other| other.name == limit.name);
            prop_assert!(before.is_some_and(|before| before.rate <= limit.rate), "{limit:?}");
        }
    }

    #[test]
    fn what_a_refusal_names_is_what_was_wrong(case in cases()) {
        let mut ask = case.ask;
        // Each figure may be wrong by itself and, once mended, because of
        // another.
        for _ in 0..8 {
            let Err(refusal) = case.limits(&ask) else { return Ok(()) };
            let Some(next) = mended(&ask, &refusal) else {
                prop_assert_eq!(refusal.field(), Field::Type);
                return Ok(());
            };
            if let Err(again) = case.limits(&next) {
                prop_assert!(!same(&refusal, &again), "{refusal} and then {again}");
            }
            ask = next;
        }
        prop_assert!(case.limits(&ask).is_ok(), "{ask:?} is still refused");
    }

    #[test]
    fn the_bound_that_a_refusal_names_is_the_nearest(case in cases()) {
        let Err(refusal) = case.limits(&case.ask) else { return Ok(()) };
        let mut short = case.ask;
        match refusal {
            Refusal::Beyond { bound: Bound::IopsForSize { needed, size, .. }, .. } => {
                let less = Size::new(needed.bytes() - GIB);
                prop_assert!(less >= size);
                short.size = Some(less);
            }
            Refusal::Beyond { bound: Bound::ThroughputForIops { needed, iops, .. }, .. } => {
                prop_assert!(needed > iops);
                short.iops = Some(needed - 1);
            }
            _ => return Ok(()),
        }
        // For the same reason, or for another bound that the lesser figure meets first.
        prop_assert!(case.limits(&short).is_err(), "{refusal}");
    }

    #[test]
    fn the_way_out_that_a_refusal_names_is_one(case in cases()) {
        let Err(refusal) = case.limits(&case.ask) else { return Ok(()) };
        let Some(remedy) = remedy(&refusal) else { return Ok(()) };
        let volume_type = catalog().volume_types().nth(case.volume_type).unwrap();
        let fits = |instance: &&Instance| match remedy {
            Remedy::Host(Some(kind)) => kind.fits(Some(instance)),
            _ => true,
        };
        let after = match remedy {
            Remedy::DayUpTo(day) | Remedy::DayFrom(day) => {
                volume_type.limits(&case.ask, case.host(), Some(day))
            }
            Remedy::Host(_) => {
                let host = catalog().instances().iter().find(fits);
                volume_type.limits(&case.ask, host, case.day())
            }
        };
        if let Err(again) = after {
            prop_assert!(!same(&refusal, &again), "{refusal} and then {again}");
        }
    }
}

#[test]
fn limits_of_hosts_are_their_published_figures() {
    for instance in catalog().instances() {
        let limits = catalog().host_limits(instance, None).limits;
        let Some((baseline, maximum)) = instance.baseline().zip(instance.maximum()) else {
            assert!(limits.is_none(), "{}", instance.name());
            continue;
        };
        // The lower of a unit's limits is the sustained one, the other the
        // burst.
        let of = |unit| {
            let limits = limits.iter().flatten().filter(|limit| limit.unit == unit);
            let rates = || limits.clone().map(|limit| limit.rate);
            (rates().min().unwrap(), rates().max().unwrap())
        };
        assert_eq!(of(Unit::Io), (baseline.iops, maximum.iops));
        assert_eq!(of(Unit::Byte), (baseline.throughput, maximum.throughput));
    }
}
