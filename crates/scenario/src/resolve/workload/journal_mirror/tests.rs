//! What is wrong with a mirror of a journal.

/// A job whose journal is shipped to another host, with some words in place of others.
fn shipped(from: &str, to: &str) -> String {
    let text = "name: m\nduration: 10s\n\
        hosts:\n  a: {instance: m5.large}\n  b: {instance: m5.large}\n  c: {instance: m5.large}\n\
        links:\n  ab: {between: [a, b], round_trip: 1ms, bandwidth: 1Gbit/s}\n  \
        ac: {between: [a, c], round_trip: 1ms, bandwidth: 1Gbit/s}\n  \
        bc: {between: [b, c], round_trip: 1ms, bandwidth: 1Gbit/s}\n\
        storage:\n  one: {type: gp3, size: 20GiB, host: a}\n  two: {type: gp3, size: 20GiB, host: b}\n  \
        far: {type: gp3, size: 20GiB, host: c}\n\
        workload:\n  writers:\n    kind: ranwrite\n    on: one\n    file_size: 5GiB\n    cache: 1GiB\n    \
        processes: 1\n    mirror:\n      backup: {link: ab, on: two}\n      arbiter: c\n";
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

#[test]
fn what_is_wrong_with_the_mirror_of_a_journal_is_told_with_its_place() {
    let cases = [
        (
            "link: ab",
            "link: ax",
            "backup.link: no link is called `ax`; did you mean `ab`?",
        ),
        (
            "link: ab",
            "link: bc",
            "`bc` is between `b` and `c`; expected one between `a` and `b`",
        ),
        (
            "on: two",
            "on: one",
            "`one` is attached to `a`, as the job itself is; expected a host of its own",
        ),
        (
            "on: two",
            "on: tow",
            "no device is called `tow`; did you mean `two`?",
        ),
        (
            "on: two",
            "on: {data: two, wij: two, journal: far}",
            "`far` is attached to `c` and `two` to `b`",
        ),
        (
            "arbiter: c",
            "arbiter: d",
            "mirror.arbiter: no host is called `d`",
        ),
        ("arbiter: c", "arbiter: b", "`b` is a failover member"),
        (
            "between: [b, c]",
            "between: [a, c]",
            "no link is between `c` and `b`; expected one of `links`",
        ),
        (
            "arbiter: c",
            "qos_timeout: 301s",
            "`301s`; expected 1ms to 5m",
        ),
        (
            "arbiter: c",
            "dejournal: {jobs: 17}",
            "`17` are too many; expected at most 16",
        ),
        (
            "arbiter: c",
            "asynchronous: {dr: {link: ab, on: two}}",
            "`two` is attached to `b`, as the backup is",
        ),
        (
            "workload:",
            "events: [{at: 1s, degrade: ac, loss: 1%}]\nworkload:",
            "events.0.degrade: `ac` carries no data; expected a link of a mirror or a cluster",
        ),
    ];
    for (from, to, expected) in cases {
        let loaded = crate::load(&shipped(from, to), "m.yaml", &[]).unwrap();
        let error = loaded.resolve().unwrap_err().to_string();
        assert!(
            error.contains(expected) && !error.contains('\n'),
            "{to}: {error}"
        );
    }
    let loaded = crate::load(&shipped("arbiter: c", "arbiter: c"), "m.yaml", &[]).unwrap();
    let resolved = loaded.resolve().unwrap();
    let (_, mirror) = resolved.jobs[0].journal_mirror().unwrap();
    assert_eq!((mirror.backup.link, mirror.arbiter), ((0, 0), Some([1, 2])));
}
