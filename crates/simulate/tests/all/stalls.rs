//! A stall that percentiles over all IOs of a closed loop hide.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, STALLS, near, run, run_with};
use blockyard_simulate::Options;

/// (completion, latency) of a job's IOs, in nanoseconds.
fn ios(log: &str, job: &str) -> Vec<(u64, u64)> {
    let lines = log.lines().skip(1).map(|line| line.split(',').collect());
    let own = lines.filter(|line: &Vec<&str>| line[2] == job);
    let ended = own.filter(|line| !line[8].is_empty());
    ended
        .map(|line| {
            let [due, end] = [line[1], line[8]].map(|text| text.parse::<u64>().unwrap());
            (end, end - due)
        })
        .collect()
}

#[test]
fn a_stall_that_the_runs_p99_hides_is_the_worst_second() {
    let folder = std::env::temp_dir().join(format!("blockyard-stalls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let io_log = Some(folder.join("ios.csv"));
    let options = Options {
        io_log,
        ..Options::default()
    };
    let run = run_with(STALLS, &[], options);
    let log = std::fs::read_to_string(folder.join("ios.csv")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();

    let mut seconds = vec![Vec::new(); 50];
    for (end, latency) in ios(&log, "readers") {
        if let Some(second) = seconds.get_mut((end / 1_000_000_000) as usize) {
            second.push(latency);
        }
    }
    let p99 = |second: &mut Vec<u64>| {
        second.sort_unstable();
        second[(0.99 * second.len() as f64).ceil() as usize - 1]
    };
    let p99s: Vec<_> = seconds.iter_mut().map(p99).skip(5).collect();
    let total = run.total("readers.data.read");
    let worst = total.worst_second.unwrap();
    let most = *p99s.iter().max().unwrap();
    near("p99", worst.latency_us.p99, most as f64 / 1e3, 1e-3);
    assert!((29.9..38.0).contains(&worst.t_s), "{worst:?}");
    for above in &total.time_above {
        let count = p99s.iter().filter(|&&p99| p99 as f64 > above.us * 1e3);
        near("share", above.share, count.count() as f64 / 45.0, 1e-9);
    }
    // The case: p99 of 1.3 ms, and for a tenth of the time reads take 33 ms.
    assert!(total.latency_us.unwrap().p99 < 2_200.0, "{total:?}");
    assert!(worst.latency_us.mean > 20_000.0, "{worst:?}");
    let long = total.time_above.last().unwrap();
    assert!(
        long.us == 20_000.0 && (0.05..0.2).contains(&long.share),
        "{long:?}"
    );
    goals(&run);
}

fn goals(run: &Run) {
    let met: Vec<_> = run.result.goals.iter().map(|goal| goal.met).collect();
    assert_eq!(met, [true, false, true, false, true]);
    let worst = run.total("readers.data.read").worst_second.unwrap();
    let measured = &run.result.goals[1].measured;
    assert!(
        measured.contains(&format!("ms at {}s, ", worst.t_s)),
        "{measured}"
    );
    let measured = &run.result.goals[3].measured;
    assert!(measured.contains(" points too high"), "{measured}");
}

#[test]
fn seconds_without_a_completion_have_the_latency_of_what_was_in_flight() {
    let run = run(
        "{name: slow, duration: 18s, workload: {r: {kind: ranread, on: data, file_size: 1GiB, \
         processes: 3}}, storage: {data: {type: gp3, size: 100GiB, \
         latency: {like: zero, read: {min: 5s, max: 5s}}}}}",
    );
    let total = run.total("r.data.read");
    let worst = total.worst_second.unwrap();
    // In the first second none was in flight from before; the last stall goes on at the end.
    assert_eq!((worst.t_s, worst.iops), (1.0, 0.0));
    near("p99", worst.latency_us.p99, 5e6, 1e-3);
    let above: Vec<_> = total.time_above.iter().map(|above| above.us).collect();
    assert_eq!(above, [1e6, 2e6]);
    near("share", total.time_above[1].share, 15.0 / 18.0, 1e-9);
    near("share", total.time_above[0].share, 17.0 / 18.0, 1e-9);
}
