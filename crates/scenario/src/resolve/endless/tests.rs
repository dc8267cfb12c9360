use crate::load;

/// Why a simulation of one job on `device` is refused, if it is.
fn refused(device: &str, job: &str, host: &str) -> Option<String> {
    let text = format!(
        "{{name: x, duration: 2s, {host} storage: {{d: {device}}}, workload: {{r: {{on: d, {job}}}}}}}"
    );
    let loaded = load(&text, "x.yaml", &[]).expect("a scenario");
    let resolved = loaded.resolve().expect("it resolves");
    loaded
        .needs_time(&resolved)
        .err()
        .map(|error| error.to_string())
}

const UNLIMITED: &str = "{type: unlimited, size: 1GiB}";
const READS: &str = "kind: ranread, file_size: 1MiB, processes: 1";

#[test]
fn a_closed_loop_on_storage_that_takes_no_time_is_refused() {
    let message = refused(UNLIMITED, READS, "").expect("refused");
    assert!(
        message.starts_with("x.yaml:1: workload.r.on: IO on `d` takes no time"),
        "{message}"
    );
    for (device, job) in [
        (
            UNLIMITED,
            "kind: access_spec, file_size: 1MiB, pattern: 4k-random-write, outstanding: 8, processes: [0, 2]",
        ),
        ("{type: unlimited, size: 1GiB, latency: zero}", READS),
        (
            "{stripe: {chunk: 64KiB, width: 2}, of: {type: unlimited, size: 1GiB}}",
            READS,
        ),
        (
            "{linear: [{type: unlimited, size: 1GiB}, {type: gp3, size: 1GiB}]}",
            READS,
        ),
    ] {
        assert!(refused(device, job, "").is_some(), "{device} {job}");
    }
}

#[test]
fn what_takes_time_somewhere_is_not() {
    for (device, job, host) in [
        (UNLIMITED, "kind: ranread, file_size: 1MiB, rate: 100/s", ""),
        (UNLIMITED, READS, "host: {instance: r6i.2xlarge},"),
        ("{type: unlimited, size: 1GiB, latency: gp3}", READS, ""),
        ("{type: gp3, size: 1GiB, latency: zero}", READS, ""),
        (
            "{linear: [{type: unlimited, size: 1MiB}, {type: gp3, size: 1GiB}]}",
            "kind: ranread, file_size: 1GiB, processes: 1",
            "",
        ),
    ] {
        assert_eq!(refused(device, job, host), None, "{device} {job} {host}");
    }
}
