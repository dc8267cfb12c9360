//! Whatever is read, the outcome is a scenario or a one-line error.

use blockyard_scenario::load;
use proptest::prelude::*;

/// One of everything that a scenario can hold.
const FULL: &str = "\
name: everything
description: \"one of everything\"
as_of: 2022-11-10
warmup: 10s
duration: 10m
repeats: 2
hosts:
  main: {instance: r5n.24xlarge, burst_balance: 50%, zone: here}
  other: {instance: m5.large, zone: there}
zones: {within: 0.25ms, round_trip: {here/there: 1ms}}
quotas: {gp3: 80000}
storage:
  data:
    stripe: {chunk: 4MiB, width: 5}
    of: {type: gp3, size: 400GiB, iops: 16000, throughput: 1000MiB/s}
  log:
    linear:
      - {type: gp2, size: 100GiB, burst_balance: 10%, latency: {like: gp3, spread: 5%}}
      - {type: st1, size: 500GiB, tokens: 0%}
workload:
  readers: {kind: ranread, on: data, file_size: 700GiB, processes: [10, 20]}
  writers:
    kind: ranwrite
    on: {data: data, wij: log, journal: log}
    file_size: 100GiB
    cache: 8GiB
    processes: 5
  mixed:
    kind: access_spec
    on: log
    file_size: 10GiB
    pattern: {size: 4KiB, read: 50%, random: 100%}
    schedule: [{at: 0s, rate: 100/s}, {at: 1m, rate: 0/s}]
goals: [readers.step 2.iops > 60000, mixed.write.latency.p99 < 2ms]
";

fn answer(text: &str, sets: &[String]) -> Result<(), TestCaseError> {
    match load(text, "t.yaml", sets).and_then(|loaded| loaded.resolve()) {
        Ok(_) => Ok(()),
        Err(error) => {
            let line = error.to_string();
            prop_assert!(!line.contains('\n'), "{line}");
            Ok(())
        }
    }
}

#[test]
fn one_of_everything_loads_resolves_and_survives_the_round_trip() {
    let loaded = load(FULL, "t.yaml", &[]).unwrap();
    loaded.resolve().unwrap();
    let effective = loaded.to_yaml().unwrap();
    let again = load(&effective, "effective.yaml", &[]).unwrap();
    assert_eq!(again.scenario, loaded.scenario);
    assert_eq!(again.to_yaml().unwrap(), effective);
    let shown = load(&loaded.show().unwrap(), "shown.yaml", &[]).unwrap();
    assert_eq!(shown.scenario, loaded.scenario);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text(text in any::<String>(), yaml in "[a-c:{}\\[\\],\\-\n\t \"'|>&*!?#0-9]{0,60}") {
        answer(&text, &[])?;
        answer(&yaml, &[])?;
    }

    #[test]
    fn any_set(path in "[a-z.0-9]{0,20}", value in "[a-z:{}\\[\\],\\- \"'0-9]{0,20}") {
        answer(FULL, &[format!("{path}={value}")])?;
    }

    #[test]
    fn a_scenario_with_a_piece_replaced(
        from in 0..FULL.len(), length in 0_usize..30, piece in "[a-z:{}\\[\\],\n\\- \"'0-9%]{0,8}",
    ) {
        let mut text = FULL.to_owned();
        let end = (from + length).min(text.len());
        text.replace_range(from..end, &piece);
        answer(&text, &[])?;
    }

    #[test]
    fn a_scenario_with_a_value_replaced(
        line in 0_usize..40,
        value in prop::sample::select(vec![
            "0", "-1", "18446744073709551616", "1e9", "0s", "100000h", "1ns", "0B", "1B",
            "1048576TiB", "0%", "100%", "0/s", "1000000000/s", "1GiB/s", "null", "[]", "{}",
            "[[]]", "gp2", "io2", "instance-store", "t2.micro", "i3.large", "4k-random-read",
        ]),
    ) {
        let lines = FULL.lines().enumerate().map(|(index, text)| match text.split_once(": ") {
            Some((key, _)) if index == line => format!("{key}: {value}\n"),
            _ => format!("{text}\n"),
        });
        answer(&lines.collect::<String>(), &[])?;
    }

    #[test]
    fn a_field_set_to_an_extreme(
        path in prop::sample::select(vec![
            "seed", "warmup", "duration", "interval", "repeats", "as_of", "hosts.main.instance", "hosts.other",
            "hosts.main.zone", "zones.within", "zones.round_trip", "zones.round_trip.here/there",
            "storage.data.host", "workload.mixed.host",
            "quotas.gp3", "storage.data.stripe.chunk", "storage.data.stripe.width",
            "storage.data.of.size", "storage.data.of.iops", "storage.data.of.throughput",
            "storage.data.of.type", "storage.data.of.latency", "storage.log.linear",
            "workload.readers.file_size", "workload.readers.block", "workload.readers.processes",
            "workload.writers.updates", "workload.writers.cycle", "workload.writers.cache",
            "workload.writers.dirty_limit", "workload.writers.coalesce",
            "workload.writers.wij.write", "workload.writers.wij.asyncwij",
            "workload.writers.wdparm.outstanding", "workload.writers.journal.record",
            "workload.writers.journal.buffer", "workload.writers.journal.file_size",
            "workload.mixed.pattern", "workload.mixed.pattern.size", "workload.mixed.outstanding",
            "workload.mixed.max_outstanding", "workload.mixed.schedule.1.at",
        ]),
        value in prop::sample::select(vec![
            "0", "1", "4294967295", "18446744073709551615", "0s", "100000h", "1ns", "1B", "3KiB",
            "1048576TiB", "0%", "0.1%", "0/s", "1000000000/s", "1B/s", "1024TiB/s", "[]", "{}",
            "gp2", "st1", "instance-store", "t2.micro", "i3.large", "zero", "4k-random-read",
        ]),
    ) {
        answer(FULL, &[format!("{path}={value}")])?;
    }
}
