//! The seconds of random runs, against what all their IOs say.

use blockyard_model::storage::{Limits, Request};
use blockyard_model::units::MILLISECOND;
use blockyard_model::workload::Offered;
use proptest::prelude::*;

use super::*;
use crate::measure::counters::{InFlight, ThreadCounters};
use crate::measure::recorder::Recorder;
use crate::measure::shape::{JobShape, SeriesKey};
use crate::measure::summary::Summary;

/// Times are multiples of this, so that no latency is within 0.1 % of another.
const TICK: Nanos = 10 * MILLISECOND;

/// An IO on one of two devices.
#[derive(Clone, Copy, Debug)]
struct Io {
    device: usize,
    begin: Nanos,
    end: Nanos,
    fails: bool,
}

fn io() -> impl Strategy<Value = Io> {
    let latency = prop_oneof![4 => 1_u64..30, 1 => 90_u64..600];
    let fails = prop::bool::weighted(0.1);
    (0_usize..2, 0_u64..1200, latency, fails).prop_map(|(device, begin, latency, fails)| Io {
        device,
        begin: begin * TICK,
        end: (begin + latency) * TICK,
        fails,
    })
}

/// Runs of up to 12 s, in intervals of 0.1 to 2 s, with a warm-up and up to two load steps.
fn shape() -> impl Strategy<Value = RunShape> {
    let interval = prop::sample::select(vec![100, 500, 1000, 2000]);
    let times = interval.prop_flat_map(|interval| {
        let most = 12_000 / interval;
        (Just(interval), 0..most / 3, 1..most, most / 2..=most)
    });
    times.prop_map(|(interval, warmup, step, intervals)| {
        let interval = interval * MILLISECOND;
        let steps = [0, step].map(|at| (at * interval, Offered::Processes(1)));
        let job = JobShape {
            name: "readers".into(),
            steps: steps.to_vec(),
            open_loop: false,
            recorded: None,
            latency_limit: None,
            amount: None,
            engine: None,
        };
        let key = |device| SeriesKey {
            job: 0,
            device,
            op: Op::Read,
        };
        RunShape {
            interval,
            warmup: warmup * interval,
            duration: intervals * interval,
            jobs: vec![job],
            devices: vec!["data".into(), "more".into()],
            hosts: Vec::new(),
            volumes: Vec::new(),
            limits: Limits::default(),
            series: vec![key(0), key(1)],
        }
    })
}

/// What a recorder makes of `ios`, which `threads` count; with none it counts itself.
fn recorded(shape: &RunShape, ios: &[Io], threads: usize) -> Summary {
    let mut recorder = Recorder::new(shape.clone(), None);
    let mut counters = vec![ThreadCounters::new(shape); threads];
    let mut running: Vec<Option<InFlight>> = vec![None; ios.len()];
    let ends = (0..ios.len()).map(|io| (ios[io].end, io));
    let mut events: Vec<_> = (0..ios.len()).map(|io| (ios[io].begin, io)).collect();
    events.extend(ends);
    events.sort_unstable();
    let mut events = events.into_iter().peekable();
    for interval in 1..=shape.duration / shape.interval {
        let end = interval * shape.interval;
        while let Some((now, number)) = events.next_if(|event| event.0 < end) {
            let thread = counters.get_mut(number % threads.max(1));
            let thread = thread.unwrap_or_else(|| recorder.counters());
            match running[number].take() {
                Some(io) => thread.end(now, &io),
                None => {
                    let request = Request {
                        device: ios[number].device,
                        op: Op::Read,
                        offset: 0,
                        len: 8192,
                        requester: 0.into(),
                        submitter: 0,
                    };
                    let io = thread.begin(now, now, &request);
                    let failed = ios[number].fails;
                    running[number] = Some(InFlight { failed, ..io });
                }
            }
        }
        for thread in &mut counters {
            recorder.add(&thread.close(end));
        }
        recorder.end_interval(end);
    }
    recorder.finish()
}

/// A second as the IOs of a run say, with its latencies, in order.
#[derive(Debug)]
struct Second {
    from: Nanos,
    to: Nanos,
    completed: Vec<Nanos>,
    fails: bool,
    latencies: Vec<Nanos>,
}

/// All seconds of a run, from its IOs.
fn seconds_of(shape: &RunShape, ios: &[Io]) -> Vec<Second> {
    let length = SECOND.max(shape.interval);
    let breaks = shape.jobs[0].steps.iter().map(|step| step.0);
    let breaks: Vec<_> = breaks.chain([shape.warmup, shape.duration]).collect();
    let mut seconds = Vec::new();
    let mut from = 0;
    while from < shape.duration {
        let next = breaks.iter().copied().filter(|&at| at > from).min();
        let to = next.unwrap().min(from + length);
        let within = ios.iter().filter(|io| (from..to).contains(&io.end));
        let done = within.clone().filter(|io| !io.fails);
        let mut completed: Vec<_> = done.map(|io| io.end - io.begin).collect();
        completed.sort_unstable();
        seconds.push(Second {
            from,
            to,
            latencies: completed.clone(),
            completed,
            fails: within.clone().any(|io| io.fails),
        });
        from = to;
    }
    for place in 0..seconds.len() {
        let is_stalled = |second: &Second| {
            let waits = |io: &&Io| io.begin < second.from && io.end >= second.to;
            let ends = second.fails || !second.completed.is_empty();
            !ends && ios.iter().any(|io| waits(&io))
        };
        if !is_stalled(&seconds[place]) {
            continue;
        }
        let after = seconds[place..]
            .iter()
            .take_while(|s| is_stalled(s))
            .count();
        let before = seconds[..place].iter().rev().take_while(|s| is_stalled(s));
        let (first, last) = (place - before.count(), place + after - 1);
        let (began, last) = (seconds[first].from, &seconds[last]);
        let (end, least) = (last.to, last.to - last.from);
        let next = seconds.get(place + after);
        let slow = next.map_or(&[][..], |next| &next.completed);
        let mut slow: Vec<_> = slow.iter().copied().filter(|&it| it >= least).collect();
        if slow.is_empty() {
            slow.push(end - began);
        }
        seconds[place].latencies = slow;
    }
    seconds
}

fn p99(second: &Second) -> Option<Nanos> {
    let rank = (0.99 * second.latencies.len() as f64).ceil() as usize;
    Some(second.latencies[rank.checked_sub(1)?])
}

/// By what seconds are compared: p99, then the mean.
fn badness(second: &Second) -> Option<(Nanos, f64)> {
    let sum: Nanos = second.latencies.iter().sum();
    Some((p99(second)?, sum as f64 / second.latencies.len() as f64))
}

/// Whether `stats` are those of `seconds`.
fn check(stats: &SecondStats, seconds: &[&Second]) {
    let close = |got: f64, exact: Nanos| (got / exact as f64 - 1.0).abs() < 0.001;
    let mut worst: Option<&Second> = None;
    for second in seconds {
        if badness(second) > worst.and_then(badness) {
            worst = Some(second);
        }
    }
    match (stats.worst(), worst) {
        (None, None) => {}
        (Some(found), Some(worst)) => {
            let [mean, p99_ns, max] = [
                found.latency_us.mean,
                found.latency_us.p99,
                found.latency_us.max,
            ]
            .map(|us| us * 1000.0);
            assert!(close(p99_ns, p99(worst).unwrap()), "{found:?} {worst:?}");
            // Another one may be as bad within the width of a bucket.
            let second = seconds
                .iter()
                .find(|it| seconds_s(it.from) == found.t_s)
                .unwrap();
            assert!(close(p99_ns, p99(second).unwrap()), "{found:?} {second:?}");
            let sum: Nanos = second.latencies.iter().sum();
            assert!(
                close(mean * second.latencies.len() as f64, sum),
                "{found:?} {second:?}"
            );
            assert!(close(max, *second.latencies.last().unwrap()));
            let time = (second.to - second.from) as f64 / SECOND as f64;
            assert!((found.iops - second.completed.len() as f64 / time).abs() < 1e-9);
            let (_, highest) = badness(worst).unwrap();
            assert!(mean > highest * 0.999, "{found:?} {worst:?}");
        }
        other => panic!("{other:?}"),
    }
    let time: Nanos = seconds.iter().map(|second| second.to - second.from).sum();
    for value in [1, 5, 29, 100, 300].map(|ticks| ticks * TICK + TICK / 2) {
        let above = seconds.iter().filter(|second| p99(second) > Some(value));
        let above: Nanos = above.map(|second| second.to - second.from).sum();
        let share = (time > 0).then(|| above as f64 / time as f64);
        assert_eq!(stats.above(value), share, "above {value}");
    }
}

fn seconds_s(time: Nanos) -> f64 {
    crate::result::seconds(time)
}

proptest! {
    #[test]
    fn seconds_are_as_all_their_ios_say(
        shape in shape(),
        ios in prop::collection::vec(io(), 0..60),
        threads in 0_usize..3,
    ) {
        let summary = recorded(&shape, &ios, threads);
        let of = |device| ios.iter().copied().filter(|io| io.device == device).collect::<Vec<_>>();
        for (members, ios) in [(vec![0], of(0)), (vec![1], of(1)), (vec![0, 1], ios.clone())] {
            let seconds = seconds_of(&shape, &ios);
            let counted: Vec<_> = seconds.iter().filter(|second| second.from >= shape.warmup).collect();
            let by_second = summary.by_second.iter().find(|it| it.members == members).unwrap();
            check(&by_second.total, &counted);
            for (step, stats) in by_second.by_step.iter().enumerate() {
                let steps = &shape.jobs[0].steps;
                let within = |second: &&&Second| steps.iter().rposition(|it| it.0 <= second.from) == Some(step);
                check(stats, &counted.iter().filter(within).copied().collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn of_values_with_the_same_share_the_largest_stands() {
    let mut stats = SecondStats::default();
    stats.pass(4 * SECOND);
    for (from, latency) in [(0, 3), (1, 3), (2, 3), (3, 33)] {
        let mut latencies = Histogram::default();
        latencies.record(latency * MILLISECOND);
        stats.add(from * SECOND, SECOND, &latencies, true);
    }
    let found = stats.time_above();
    let found: Vec<_> = found.iter().map(|above| (above.us, above.share)).collect();
    assert_eq!(found, [(2e3, 1.0), (2e4, 0.25)]);
    assert_eq!(stats.worst().unwrap().t_s, 3.0);
    assert_eq!(SecondStats::default().time_above(), []);
}
