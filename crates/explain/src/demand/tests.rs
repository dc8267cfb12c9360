use blockyard_model::streams::Streams;
use proptest::prelude::*;

use super::*;
use crate::testing::scenario;

fn flows(reads: &[u64], io_size: u64) -> Flows {
    Flows {
        reads: reads.to_vec(),
        writes: vec![0; reads.len()],
        read_bytes: reads.iter().map(|ios| ios * io_size).collect(),
        write_bytes: vec![0; reads.len()],
    }
}

fn demand(devices: &[(&str, Flows)]) -> Demand {
    let devices = devices
        .iter()
        .map(|(name, flows)| ((*name).to_owned(), flows.clone()));
    Demand {
        interval_s: 60,
        devices: devices.collect(),
    }
}

fn under(storage: &str, demand: &Demand) -> UnderDemand {
    UnderDemand::of(&scenario(storage).storage, demand).unwrap()
}

fn limit<'a>(found: &'a UnderDemand, owner: &Owner, credits: bool) -> &'a LimitUnderDemand {
    let of = |own: &&LimitUnderDemand| {
        let kind = own.limit.kind;
        own.limit.owner == *owner && kind.counts == Unit::Io && kind.credits == credits
    };
    found.limits.iter().find(of).unwrap()
}

fn device(name: &str) -> Owner {
    Owner::Device(name.to_owned())
}

#[test]
fn gp2_runs_dry_at_the_minute_that_arithmetic_says() {
    // 300 IOPS of 100 GiB; 5.4 million credits last 2,000 s at 3,000 IOPS, after an hour of rest.
    let mut minutes = vec![0; 60];
    minutes.extend([3000 * 60; 60]);
    let load = demand(&[("data", flows(&minutes, 8192))]);
    let found = under("storage: {data: {type: gp2, size: 100GiB}}\n", &load);
    let of = limit(&found, &device("data"), true);
    let credits = of.credits.as_ref().unwrap();
    assert_eq!((of.value, credits.dry_s), (300, Some(3600 + 2000)));
    assert_eq!(
        (credits.dry, credits.lowest_pct, credits.lowest_s),
        (27, 0.0, 3600 + 2040)
    );
    assert_eq!(limit(&found, &device("data"), false).reached, 60);
}

#[test]
fn what_is_above_the_maximum_takes_no_credits() {
    let load = demand(&[("data", flows(&[30_000 * 60; 33], 8192))]);
    let found = under("storage: {data: {type: gp2, size: 100GiB}}\n", &load);
    let credits = limit(&found, &device("data"), true)
        .credits
        .as_ref()
        .unwrap();
    assert_eq!(credits.dry_s, None);
}

#[test]
fn a_large_io_counts_once_for_each_unit() {
    let load = demand(&[("data", flows(&[600], 1 << 20))]);
    let found = under("storage: {data: {type: gp3, size: 100GiB}}\n", &load);
    assert_eq!(limit(&found, &device("data"), false).busiest, 40.0);
}

#[test]
fn the_volumes_of_a_stripe_share_a_load_and_those_of_an_instance_add_up() {
    let storage = "host: {instance: r5.large}
storage:
  data: {stripe: {width: 4, chunk: 64KiB}, of: {type: gp2, size: 100GiB}}
  wal: {type: gp3, size: 100GiB}
";
    let load = demand(&[
        ("data", flows(&[12_000 * 60, 0], 8192)),
        ("wal", flows(&[1_000 * 60, 60], 8192)),
    ]);
    let found = under(storage, &load);
    let data = limit(&found, &device("data"), true);
    assert_eq!(data.value, 1200);
    // Each takes 2,700 above its baseline for a minute, of 5.4 million credits.
    assert_eq!(data.credits.as_ref().unwrap().lowest_pct, 97.0);
    let host = limit(&found, &Owner::Host("host".to_owned()), true);
    assert_eq!((host.value, host.busiest), (3600, 13_000.0));
}

#[test]
fn what_cannot_be_judged_is_said() {
    let said = |storage: &str, name| {
        let load = demand(&[(name, flows(&[1], 8192))]);
        UnderDemand::of(&scenario(storage).storage, &load).unwrap_err()
    };
    let gp3 = "storage: {data: {type: gp3, size: 100GiB}}\n";
    assert_eq!(said(gp3, "wal"), "no device is called `wal`");
    let linear = "storage: {data: {linear: [{type: gp3, size: 1GiB}, {type: gp2, size: 2GiB}]}}\n";
    assert_eq!(
        said(linear, "data"),
        "data: expected a volume, or a stripe of equal volumes"
    );
    let mut odd = flows(&[1, 2], 8192);
    odd.writes.pop();
    let load = demand(&[("data", odd)]);
    let error = UnderDemand::of(&scenario(gp3).storage, &load).unwrap_err();
    assert_eq!(error, "data: 1 intervals; expected 2");
}

proptest! {
    /// However IOs lie, a volume counts no fewer than the least by their number and bytes.
    #[test]
    fn no_volume_merges_more(
        requests in prop::collection::vec((0_u64..6, 1_u64..600, any::<bool>()), 1..200),
        kind in prop::sample::select(vec!["gp2", "st1"]),
    ) {
        let text = format!("storage: {{data: {{type: {kind}, size: 500GiB}}}}\n");
        let storage = scenario(&text).storage;
        let volume = &storage.volumes[0];
        let mut streams = Streams::new(volume.io_unit.ilog2(), false);
        let mut ends = [0; 6];
        let mut moved = [(0, 0); 2];
        let mut counted = [0; 2];
        for (stream, sectors, write) in requests {
            let (offset, len) = (ends[stream as usize], sectors * SECTOR);
            ends[stream as usize] += len;
            let place = offset + (stream << 40);
            counted[usize::from(write)] += streams.follow(place, len, write).ios;
            let (ios, bytes) = &mut moved[usize::from(write)];
            (*ios, *bytes) = (*ios + 1, *bytes + len);
        }
        let least = Counted::merged(volume, moved[0], moved[1]);
        let all = Counted::by(volume, moved[0], moved[1]);
        prop_assert!(least.reads.0 <= counted[0] && least.writes.0 <= counted[1]);
        prop_assert!(least.reads.0 <= all.reads.0 && least.writes.0 <= all.writes.0);
    }
}
