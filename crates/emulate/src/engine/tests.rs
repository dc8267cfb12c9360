use std::sync::{Arc, Mutex};

use blockyard_model::fault::{Does, Drawn, Fault, Planned, Schedule, Term, Terms};
use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::{Limits, Op, Request, Storage, Ticket};
use blockyard_model::units::{GIB, KIB, MICROSECOND, MILLISECOND, Nanos, SECOND};
use blockyard_record::RunShape;
use proptest::prelude::*;
use rustix::io::Errno;

use super::{Arrived, Counters, Engine, Model};
use crate::groups::groups;
use crate::request::{IoRequest, IoResult, Responder};
use crate::testing;

mod mirrored;
mod sharing;

/// Notes which request was answered, and how.
struct Noted(usize, Arc<Mutex<Vec<(usize, IoResult)>>>);

impl Responder for Noted {
    fn send(self: Box<Self>, result: IoResult) {
        self.1.lock().unwrap().push((self.0, result));
    }
}

fn storage(iops: u64, latency: Nanos) -> StorageSpec {
    let mut spec = testing::one("data", GIB, latency);
    spec.volumes[0].limits.push(testing::iops(iops, 1));
    spec
}

/// The model of `spec`, which is one group.
fn model(spec: &StorageSpec) -> Model {
    let group = groups(spec).remove(0);
    let plan = RunShape::of_clients(SECOND, spec, &Limits::new(spec));
    Model::new(
        &group,
        &Schedule::default(),
        1,
        Counters::new(&group, &plan, None),
    )
}

/// The same, which fails from 10 to 20 ms and has another rate from 30 ms on.
fn eventful(spec: &StorageSpec, rate: u64) -> Model {
    let group = groups(spec).remove(0);
    let plan = RunShape::of_clients(SECOND, spec, &Limits::new(spec));
    let fault = Fault {
        links: Vec::new(),
        hosts: Vec::new(),
        number: 0,
        volumes: vec![0],
        from: 10 * MILLISECOND,
        until: Some(20 * MILLISECOND),
        does: Does::Fail,
    };
    let terms = Terms {
        at: 30 * MILLISECOND,
        volume: 0,
        limits: vec![Term {
            name: "iops".into(),
            holds: Some((rate, 1)),
        }],
        latency: None,
        host: None,
        reconnects: false,
    };
    let schedule = Schedule {
        faults: vec![Planned {
            fault,
            drawn: Drawn::default(),
        }],
        terms: vec![terms],
    };
    Model::new(&group, &schedule, 1, Counters::new(&group, &plan, None))
}

/// The same, whose node is lost at 10 ms, and which another has from 20 ms on.
fn handed_over(spec: &StorageSpec) -> Model {
    let group = groups(spec).remove(0);
    let plan = RunShape::of_clients(SECOND, spec, &Limits::new(spec));
    let planned = |does| Planned {
        fault: Fault {
            links: Vec::new(),
            hosts: Vec::new(),
            number: 0,
            volumes: vec![0],
            from: 10 * MILLISECOND,
            until: Some(20 * MILLISECOND),
            does,
        },
        drawn: Drawn::default(),
    };
    let terms = Terms {
        at: 20 * MILLISECOND,
        volume: 0,
        limits: Vec::new(),
        latency: None,
        host: Some(0),
        reconnects: false,
    };
    let schedule = Schedule {
        faults: vec![planned(Does::Hold), planned(Does::Detach)],
        terms: vec![terms],
    };
    Model::new(&group, &schedule, 1, Counters::new(&group, &plan, None))
}

fn serving(spec: &StorageSpec, overhead: Nanos) -> Engine {
    let mut engine = Engine::new(0);
    engine.serve(model(spec), overhead);
    engine
}

/// An engine, and the requests that it has answered, in virtual time.
struct Bench {
    engine: Engine,
    answered: Arc<Mutex<Vec<(usize, IoResult)>>>,
    sent: Vec<Nanos>,
}

impl Bench {
    fn new(spec: &StorageSpec, overhead: Nanos) -> Self {
        Self {
            engine: serving(spec, overhead),
            answered: Arc::default(),
            sent: Vec::new(),
        }
    }

    /// Submits at `arrival`, once all answers due before are out, each looked
    /// for `late` after its time.
    fn submit(&mut self, number: usize, arrival: Nanos, op: Op, late: Nanos) {
        self.submit_to(0, number, arrival, op, late);
    }

    /// The same to a device.
    fn submit_to(&mut self, device: usize, number: usize, arrival: Nanos, op: Op, late: Nanos) {
        self.run_until(arrival, late);
        let arrived = Arrived {
            device,
            request: IoRequest {
                arrival,
                op,
                offset: 4 * KIB * (number as u64 * 7 % 1000),
                len: 4 * KIB,
            },
            moved: Some(Ok(())),
            responder: Box::new(Noted(number, self.answered.clone())),
        };
        if let (_, Some(ready)) = self.engine.arrived(arrival, arrived) {
            ready.send();
            self.sent.push(arrival);
        }
    }

    fn run_until(&mut self, end: Nanos, late: Nanos) {
        while let Some(next) = self.engine.next_event()
            && next + late <= end
        {
            let mut due = Vec::new();
            self.engine.advance(next + late, &mut due);
            for reply in due {
                reply.send();
                self.sent.push(next + late);
            }
        }
    }

    fn order(&self) -> Vec<usize> {
        self.answered
            .lock()
            .unwrap()
            .iter()
            .map(|answer| answer.0)
            .collect()
    }
}

#[test]
fn an_answer_goes_out_at_the_models_time_less_the_overhead() {
    let mut bench = Bench::new(&storage(1_000_000, MILLISECOND), 100 * MICROSECOND);
    bench.submit(0, 5_000, Op::Read, 0);
    bench.run_until(10 * MILLISECOND, 0);
    assert_eq!(bench.sent, [5_000 + 900 * MICROSECOND]);
}

#[test]
fn the_overhead_never_takes_an_answer_before_its_request() {
    let mut bench = Bench::new(&storage(1_000_000, 50 * MICROSECOND), 100 * MICROSECOND);
    bench.submit(0, 5_000, Op::Read, 0);
    assert_eq!(bench.sent, [5_000]);
}

/// As far as the end lies ahead of the grant: it is known no earlier.
#[test]
fn the_overhead_comes_off_throttled_requests_as_far_as_their_end_is_known() {
    overhead_comes_off(50 * MICROSECOND, 0);
    overhead_comes_off(150 * MICROSECOND, 50);
}

/// Of 50 requests the ends of so many are known further ahead than the overhead.
fn overhead_comes_off(latency: Nanos, ahead: usize) {
    const OVERHEAD: Nanos = 100 * MICROSECOND;
    let spec = storage(1000, latency);
    let mut bench = Bench::new(&spec, OVERHEAD);
    let mut model = Storage::new(&spec, 1);
    let mut ends = Vec::new();
    for number in 0..50 {
        bench.submit(number, 0, Op::Read, 0);
        let request = Request {
            device: 0,
            op: Op::Read,
            offset: 4 * KIB * (number as u64 * 7 % 1000),
            len: 4 * KIB,
            requester: 0.into(),
            submitter: 0,
        };
        let reply = model.submit(0, number as Ticket, &request);
        ends.extend(reply.map(|reply| (0, reply.at)));
    }
    while let Some(grant) = model.next_event() {
        model.advance(grant, &mut |_, reply| ends.push((grant, reply.at)));
    }
    bench.run_until(SECOND / 2, 0);
    let mut due: Vec<_> = ends
        .iter()
        .map(|&(known, end)| known.max(end.saturating_sub(OVERHEAD)))
        .collect();
    due.sort_unstable();
    assert_eq!(bench.sent, due);
    let is_ahead = |&&(known, end): &&(Nanos, Nanos)| end > known + OVERHEAD;
    assert_eq!(ends.iter().filter(is_ahead).count(), ahead);
    // None was due before that was known: then it would have been late.
    bench.engine.end(SECOND / 2);
    let ended = bench.engine.counters().unwrap().take_period().unwrap();
    let lateness = ended.interval.unwrap().lateness;
    assert_eq!((lateness.count(), lateness.max()), (50, 0));
}

#[test]
fn the_lateness_of_each_interval_is_counted_apart() {
    let mut bench = Bench::new(&storage(1000, MILLISECOND), 0);
    for (second, late) in [(0, 500), (1, 0), (2, 2000)] {
        bench.submit(second, second as Nanos * SECOND, Op::Read, 0);
        bench.run_until((second as Nanos + 1) * SECOND - 1, late);
    }
    bench.engine.end(3 * SECOND);
    let counters = bench.engine.counters().unwrap();
    let intervals = std::iter::from_fn(|| counters.take_period()?.interval);
    let late: Vec<_> = intervals.map(|ended| ended.lateness.max()).collect();
    assert_eq!(late, [500, 0, 2000]);
}

#[test]
fn a_flush_that_is_not_durable_yet_is_not_answered() {
    let mut bench = Bench::new(&storage(1000, 0), 0);
    let arrived = Arrived {
        device: 0,
        request: IoRequest {
            arrival: 10,
            op: Op::Flush,
            offset: 0,
            len: 0,
        },
        moved: None,
        responder: Box::new(Noted(0, bench.answered.clone())),
    };
    let (ticket, ready) = bench.engine.arrived(10, arrived);
    assert!(ready.is_none());
    bench.run_until(SECOND, 0);
    assert!(bench.order().is_empty());
    bench.engine.moved(SECOND, ticket, Ok(())).unwrap().send();
    assert_eq!(bench.order(), [0]);
}

/// A flush at half a second that is not durable yet.
fn flush(bench: &mut Bench, number: usize) -> Ticket {
    let flush = Arrived {
        device: 0,
        request: IoRequest {
            arrival: SECOND / 2,
            op: Op::Flush,
            offset: 0,
            len: 0,
        },
        moved: None,
        responder: Box::new(Noted(number, bench.answered.clone())),
    };
    bench.engine.arrived(SECOND / 2, flush).0
}

#[test]
fn what_limits_hold_at_the_end_is_let_go() {
    let mut bench = Bench::new(&storage(1, MILLISECOND), 0);
    for number in 0..3 {
        bench.submit(number, 0, Op::Read, 0);
    }
    bench.run_until(SECOND / 2, 0);
    let ticket = flush(&mut bench, 3);
    assert_eq!(bench.order(), [0]);
    bench.engine.end(SECOND / 2);
    bench.run_until(SECOND / 2, 0);
    // The flush is still not durable.
    assert_eq!(bench.order(), [0, 1, 2]);
    bench.engine.moved(SECOND, ticket, Ok(())).unwrap().send();
    assert_eq!(bench.order(), [0, 1, 2, 3]);
    // What came later is done at once, and counts for nothing either.
    bench.submit(4, SECOND, Op::Read, 0);
    assert_eq!(bench.order(), [0, 1, 2, 3, 4]);
    let counters = bench.engine.counters().unwrap();
    let ended = counters.take_period().unwrap();
    assert_eq!(ended.interval.unwrap().lateness.count(), 1);
    assert!(counters.take_period().is_none());
}

#[test]
fn what_came_before_the_service_is_done_as_it_begins() {
    let mut bench = Bench {
        engine: Engine::new(10 * SECOND),
        answered: Arc::default(),
        sent: Vec::new(),
    };
    bench.submit(0, SECOND / 4, Op::Read, 0);
    let ticket = flush(&mut bench, 1);
    bench.run_until(SECOND, 0);
    assert!(bench.order().is_empty());
    bench.engine.serve(model(&storage(1000, 0)), 0);
    bench.run_until(0, 0);
    assert_eq!(bench.order(), [0]);
    bench.engine.moved(10, ticket, Ok(())).unwrap().send();
    assert_eq!(bench.order(), [0, 1]);
    bench.engine.end(SECOND);
    let ended = bench.engine.counters().unwrap().take_period().unwrap();
    assert_eq!(ended.interval.unwrap().lateness.count(), 2);
}

proptest! {
    /// However late the thread that sends wakes up, the model's times stay:
    /// what is served over a while is not less for it.
    #[test]
    fn late_wake_ups_shift_nothing(
        gaps in prop::collection::vec(0_u64..2_000_000, 1..200),
        late in 0_u64..1_000_000,
    ) {
        let mut arrival = 0;
        let arrivals: Vec<_> = gaps.iter().map(|gap| { arrival += gap; arrival }).collect();
        let due = |late| {
            let mut bench = Bench::new(&storage(1000, 300 * MICROSECOND), 0);
            for (number, &arrival) in arrivals.iter().enumerate() {
                bench.submit(number, arrival, Op::Read, late);
            }
            bench.run_until(arrival + 1000 * SECOND, late);
            assert_eq!(bench.sent.len(), arrivals.len());
            bench.sent
        };
        let on_time = due(0);
        for (on_time, sent) in on_time.iter().zip(due(late)) {
            // Answers that fall due while the thread is late go out with the
            // first of them.
            prop_assert!((*on_time..=on_time + late).contains(&sent));
        }
    }
}

#[test]
fn a_scenarios_events_happen_at_their_times() {
    let mut bench = Bench::new(&storage(1000, MICROSECOND), 0);
    let spec = storage(1000, MICROSECOND);
    bench.engine.serve(eventful(&spec, 500), 0);
    // One before it fails that is not granted by then, one while it has, two after.
    for (number, arrival) in [9_900, 9_950, 15_000, 40_000, 40_001]
        .into_iter()
        .enumerate()
    {
        bench.submit(number, arrival * MICROSECOND, Op::Read, 0);
    }
    bench.run_until(SECOND, 0);
    let answered = bench.answered.lock().unwrap().clone();
    let failed = |number| answered.contains(&(number, Err(Errno::IO)));
    let all: Vec<_> = (0..5).map(failed).collect();
    assert_eq!(all, [false, true, true, false, false]);
    let micros: Vec<_> = bench.sent.iter().map(|sent| sent / MICROSECOND).collect();
    // By the new rate a token comes each 2 ms; the latency follows.
    assert_eq!(micros, [9_901, 10_000, 16_000, 40_001, 42_001]);
}

#[test]
fn a_shared_disk_fails_what_was_in_flight_and_serves_the_rest_when_it_is_handed_over() {
    let spec = storage(1000, 100 * MICROSECOND);
    let mut bench = Bench::new(&spec, 0);
    bench.engine.serve(handed_over(&spec), 0);
    let requests = [(9_950, Op::Read), (12_000, Op::Read), (15_000, Op::Flush)];
    for (number, (arrival, op)) in requests.into_iter().enumerate() {
        bench.submit(number, arrival * MICROSECOND, op, 0);
    }
    bench.run_until(SECOND, 0);
    let answered = bench.answered.lock().unwrap().clone();
    let failed = |number| answered.contains(&(number, Err(Errno::IO)));
    assert_eq!([0, 1, 2].map(failed), [true, false, false]);
    let micros: Vec<_> = bench.sent.iter().map(|sent| sent / MICROSECOND).collect();
    assert_eq!(micros, [10_000, 20_000, 20_100]);
}
