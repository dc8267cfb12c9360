//! What holds where a requirement does not say otherwise, and what becomes of it where it does.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blockyard_catalog::{Catalog, Generation, Purpose};
use blockyard_plan::{CheapestPossible, Layout, Market, Plan, Reason, WIDEST, load, plan};

use crate::common::list_prices;

const GIB: u64 = 1 << 30;

/// A plan at the newest prices, and what would be cheaper without preferences.
fn planned(text: &str) -> (Plan, Option<CheapestPossible>) {
    let loaded = load(&format!("as_of: 2026-11-01\n{text}"), "wanted.yaml", &[]).unwrap();
    let catalog = Catalog::get().unwrap();
    let prices = list_prices(&loaded);
    let market = Market::new(catalog, &prices, &loaded.choice).unwrap();
    let needs = loaded.needs(|_, range| range.mid);
    let plan = plan(&market, &needs);
    let bare = loaded.without_preferences().unwrap();
    let all = Market::new(catalog, &prices, &bare.choice).unwrap();
    let possible = CheapestPossible::find(
        &all,
        &bare.needs(|_, range| range.mid),
        (&needs, &loaded.preferences),
        plan.best.as_ref(),
    );
    (plan, possible)
}

fn best(text: &str) -> Layout {
    planned(text).0.best.expect("a layout")
}

fn of(layout: &Layout) -> (Generation, Purpose) {
    let instance = Catalog::get().unwrap().instance(&layout.instance).unwrap();
    (instance.generation(), instance.purpose())
}

/// The audit's stripe: 28 gp3 at 80,000 IOs a second.
const LARGE: &str = "size: 2000GiB\nreads: {iops: 60000}\nwrites: {iops: 20000}\n";
const SIZED: &str = "instance: {vcpu: 16, memory: 128GiB}\n";

#[test]
fn a_stripe_of_28_stands_beside_one_of_8_with_what_it_loses() {
    let (plan, possible) = planned(&format!("{LARGE}{SIZED}"));
    let best = plan.best.unwrap();
    assert!(best.volumes() <= 8, "{best:?}");
    let CheapestPossible { layout, breaks } = possible.unwrap();
    assert_eq!((layout.data.count, WIDEST), (28, 28));
    assert!(layout.usd_per_month < best.usd_per_month);
    assert!((layout.yearly_loss.unwrap() - 0.0545).abs() < 1e-4);
    assert!(
        matches!(
            breaks[..],
            [
                Reason::Volumes { needed: 28, has: 8 },
                Reason::FreeSpace { .. }
            ]
        ),
        "{breaks:?}"
    );
    // Once all of that is stated there is nothing cheaper.
    let stated = "volumes: {at_most: 28}\nfree_space: 0%\n";
    let (plan, possible) = planned(&format!("{LARGE}{SIZED}{stated}"));
    assert_eq!((plan.best.as_ref(), possible), (Some(&layout), None));
}

#[test]
fn instances_are_current_and_made_for_any_program_unless_said_otherwise() {
    let small = "size: 50GiB\nreads: {iops: 500}\n";
    let (plan, possible) = planned(&format!("{small}instance: {{vcpu: 2, memory: 4GiB}}"));
    let usual = (Generation::Current, Purpose::General);
    assert_eq!(of(plan.best.as_ref().unwrap()), usual);
    assert!(plan.avoided["burstable"] > 0 && plan.avoided["previous generation"] > 0);
    let possible = possible.unwrap();
    assert_eq!(of(&possible.layout).1, Purpose::Burstable);
    assert!(
        matches!(&possible.breaks[0], Reason::Purpose { purpose, .. } if purpose == "burstable")
    );
    // T4g by permission, and by name.
    let allowed = best(&format!(
        "{small}instance: {{vcpu: 2, memory: 4GiB, burstable: true}}"
    ));
    assert_eq!(allowed.instance, possible.layout.instance);
    let named = best(&format!("{small}instance: {{families: [t3], vcpu: 2}}"));
    assert!(named.instance.starts_with("t3."));
    // a1, of 2018, by permission.
    let tutorial = "size: 500GiB\nreads: {iops: 12000}\nwrites: {iops: 4000}\n";
    let sized = "vcpu: 8, memory: 32GiB";
    assert_eq!(
        of(&best(&format!("{tutorial}instance: {{{sized}}}"))),
        usual
    );
    let any = best(&format!("{tutorial}instance: {{{sized}, generation: any}}"));
    assert_eq!(any.instance, "a1.4xlarge");
    // Half a GPU was $92 below the next.
    let fast = "latency: {read: {p99: 700us}}\n";
    let wanted = "size: 500GiB\nreads: {iops: 20000}\nwrites: {iops: 5000}\n";
    let sized = "vcpu: 16, memory: 128GiB";
    assert_eq!(
        of(&best(&format!("{wanted}{fast}instance: {{{sized}}}"))),
        usual
    );
    let gpu = best(&format!(
        "{wanted}{fast}instance: {{{sized}, accelerators: true}}"
    ));
    assert_eq!(of(&gpu).1, Purpose::Accelerated("GPU"));
}

#[test]
fn instances_are_offered_in_the_zones_that_count() {
    let catalog = Catalog::get().unwrap();
    let wanted = "size: 500GiB\nreads: {iops: 12000}\ninstance: {vcpu: 8}\n";
    let zones = |layout: &Layout| {
        let zones = catalog.zones(&layout.instance, "us-east-1");
        zones.unwrap().to_vec()
    };
    let usual = best(wanted);
    assert_eq!(usual.zones, Some((zones(&usual), 6)));
    // In each zone of the region alone, and in all at once.
    let all: Vec<String> = (1..=6).map(|zone| format!("use1-az{zone}")).collect();
    for zone in &all {
        let layout = best(&format!("{wanted}zones: [{zone}]"));
        assert!(zones(&layout).contains(zone), "{layout:?}");
        assert!(layout.micros >= usual.micros);
    }
    let (plan, _) = planned(&format!("{wanted}zones: [use1-az2, use1-az3]"));
    assert!(plan.avoided["not offered there"] > 0);
    let mirror = best(&format!("{wanted}availability: mirror"));
    assert!(zones(&mirror).len() >= 2);
    let refused = |text: &str| load(text, "wanted.yaml", &[]).unwrap_err().to_string();
    assert_eq!(
        refused("size: 1TiB\nreads: {iops: 5}\nzones: [us-east-1a]"),
        "wanted.yaml:3: zones.0: no zone of us-east-1 has the id `us-east-1a`; known are \
         use1-az1, use1-az2, use1-az3, use1-az4, use1-az5, use1-az6"
    );
    assert_eq!(
        refused("size: 1TiB\nreads: {iops: 5}\nregion: af-south-1\ninstance: {type: a1.large}"),
        "wanted.yaml:4: instance.type: `a1.large` is not offered in af-south-1"
    );
}

#[test]
fn io2_comes_before_io1_at_the_same_price() {
    let wanted = "size: 1000GiB\nreads: {iops: 16000}\ninstance: {vcpu: 8}\n";
    let plan = planned(&format!("{wanted}volumes: {{types: [io1, io2]}}")).0;
    let (best, others) = (plan.best.unwrap(), plan.others);
    assert_eq!(best.data.volume_type, "io2");
    assert_eq!(others[0].data.volume_type, "io1");
    assert_eq!(best.micros, others[0].micros);
    assert!(best.yearly_loss < others[0].yearly_loss);
    // A journal of its own, too.
    let journal = "journal: {size: 50GiB, iops: 4000, apart: true}\n";
    let both = planned(&format!("{wanted}{journal}volumes: {{types: [io1, io2]}}")).0;
    assert_eq!(both.best.unwrap().journal.unwrap().volume_type, "io2");
}

#[test]
fn sizes_have_free_space_growth_and_what_file_systems_take() {
    let one = |more: &str| {
        let text = format!(
            "size: 1000GiB\nreads: {{iops: 1000}}\ninstance: {{vcpu: 2}}\nvolumes: {{types: [gp3], at_most: 1}}\n{more}"
        );
        let layout = best(&text);
        (layout.data.size / GIB, layout.outgrown)
    };
    assert_eq!(one("free_space: 0%").0, 1001);
    // 1,250 GiB, and a log of 0.6.
    assert_eq!(one("").0, 1251);
    assert_eq!(one("headroom: 50%").0, 2001);
    assert_eq!(one("headroom: 50%\nfree_space: 10%").0, 1112);
    // 1,000 GiB are 1,953 after three years, 2,441 with free space.
    let (gib, outgrown) = one("growth: 25%/year\nhorizon: 3 years");
    assert_eq!(gib, 2443);
    let outgrown = outgrown.unwrap();
    // ln(2,442 / 1,000) / ln(1.25); 3,000 IOPS are three times the load: ln 3 / ln 1.25.
    assert!((outgrown.data_years - 4.0).abs() < 0.01, "{outgrown:?}");
    assert!(
        (outgrown.load_years.unwrap() - 4.92).abs() < 0.01,
        "{outgrown:?}"
    );
    assert_eq!(outgrown.limit, Some(("data".into(), "iops".into())));
    assert_eq!(one("growth: 25%/year").0, 1564);
    assert_eq!(one("").1, None);
}

#[test]
fn default_quotas_hold_unless_the_account_has_others() {
    let wanted =
        "size: 1TiB\nreads: {iops: 120000}\ninstance: {vcpu: 8}\nvolumes: {types: [io2]}\n";
    let (plan, possible) = planned(wanted);
    assert_eq!(plan.best, None);
    let quota = Reason::Quota {
        volume_type: "io2".into(),
        needed: 133_334,
        has: 100_000,
    };
    assert_eq!(plan.rejected[0].reasons, std::slice::from_ref(&quota));
    assert!(possible.unwrap().breaks.contains(&quota));
    assert_eq!(
        best(&format!("{wanted}quotas: {{io2: 200000}}")).data.iops,
        Some(133_334)
    );
    let stored = "size: 18TiB\nreads: {iops: 1000}\nvolumes: {types: [io2]}\ninstance: {vcpu: 8}\n";
    let reasons = &planned(stored).0.rejected[0].reasons;
    assert!(
        matches!(&reasons[..], [Reason::StorageQuota { has, .. }] if *has == 20 << 40),
        "{reasons:?}"
    );
    assert_eq!(
        best(&format!("{stored}storage_quotas: {{io2: 30TiB}}"))
            .data
            .count,
        1
    );
}

#[test]
fn attachments_stay_free_for_a_volume_more() {
    let wanted =
        "size: 1TiB\nreads: {iops: 70000}\nheadroom: 0%\nvolumes: {types: [gp3], at_most: 28}\n";
    let of =
        |spare: &str| best(&format!("{wanted}instance: {{type: r5b.24xlarge{spare}}}")).volumes();
    // 27 can be attached: the root volume, and what is to stay free.
    assert_eq!(
        (
            of(""),
            of(", spare_attachments: 0"),
            of(", spare_attachments: 6")
        ),
        (24, 24, 20)
    );
}

#[test]
fn losses_add_up_over_data_and_journal_and_multiply_over_copies() {
    let wanted = "size: 1TiB\nreads: {iops: 1000}\ninstance: {vcpu: 2}\nvolumes: {types: [gp3]}\n";
    let near = |layout: Layout, share: f64| {
        let lost = layout.yearly_loss.unwrap();
        assert!((lost / share - 1.0).abs() < 1e-6, "{lost}");
    };
    near(best(wanted), 0.002);
    near(best(&format!("{wanted}availability: mirror")), 4e-6);
    let journal = "journal: {size: 50GiB, iops: 100, apart: true}";
    near(best(&format!("{wanted}{journal}")), 1.0 - 0.998_f64.powi(2));
    let ephemeral = "size: 100GiB\nreads: {iops: 1000}\ndurability: ephemeral\ninstance: {families: [i3]}\nvolumes: {types: [instance-store]}";
    assert_eq!(best(ephemeral).yearly_loss, None);
}

#[test]
fn a_sustained_load_is_held_against_what_is_sustained() {
    let wanted = "size: 100GiB\nreads: {iops: 16000}\ninstance: {type: r6id.4xlarge}\n";
    let of = |text: &str| {
        let limits = best(text).limits.into_iter();
        let host = limits.filter(|it| it.owner == "instance" && it.unit == "io");
        host.map(|it| (it.limit, it.has, it.left))
            .collect::<Vec<_>>()
    };
    assert_eq!(of(wanted), [("iops_credits".into(), 20_000, 0.2)]);
    // For half an hour its burst counts.
    let burst = of(&format!("{wanted}duration: 30m"));
    assert_eq!(burst[0], ("iops".into(), 40_000, 0.6));
}
