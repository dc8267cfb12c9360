use std::io::BufReader;
use std::sync::{Arc, Mutex};

use blockyard_model::spec::{
    Applies, DeviceSpec, Discipline, LatencySpec, Layout, LimitSpec, StorageSpec, Unit, VolumeSpec,
};
use blockyard_model::storage::Op;
use blockyard_model::units::{GIB, KIB, MICROSECOND, MILLISECOND, Nanos, SECOND};
use blockyard_record::{LatencyLog, read_log};
use proptest::prelude::*;

use super::{Arrived, Desk};
use crate::answer::{Answer, Asked, Outcome};

/// Notes which request was answered, and how.
struct Noted(usize, Arc<Mutex<Vec<(usize, Outcome)>>>);

impl Answer for Noted {
    fn send(self: Box<Self>, outcome: Outcome) {
        self.1.lock().unwrap().push((self.0, outcome));
    }
}

fn storage(iops: u64, latency: Nanos) -> StorageSpec {
    let table = vec![(0.0, latency), (1.0, latency)];
    StorageSpec {
        host_limits: Vec::new(),
        host_discipline: Discipline::Fifo,
        volumes: vec![VolumeSpec {
            name: "data".into(),
            size: GIB,
            io_unit: 256 * KIB,
            whole_units: false,
            limits: vec![LimitSpec {
                name: "iops".into(),
                unit: Unit::Io,
                applies: Applies::Both,
                rate: iops,
                depth: 1,
                level: 1,
                credits: false,
            }],
            discipline: Discipline::Fifo,
            latency: LatencySpec {
                read: table.clone(),
                write: table,
                base_size: 16 * KIB,
                per_kib: 0,
                slow: Vec::new(),
            },
            reordering_permille: 0,
            behind_host: true,
        }],
        devices: vec![DeviceSpec {
            name: "data".into(),
            size: GIB,
            layout: Layout::Volume(0),
        }],
    }
}

/// A desk, and the requests that it has answered, in virtual time.
struct Bench {
    desk: Desk,
    answered: Arc<Mutex<Vec<(usize, Outcome)>>>,
    sent: Vec<Nanos>,
}

impl Bench {
    fn new(spec: &StorageSpec, floor: Nanos) -> Self {
        Self {
            desk: Desk::new(spec, 1, SECOND, floor),
            answered: Arc::default(),
            sent: Vec::new(),
        }
    }

    /// Submits at `arrival`, once all answers due before are out, each looked
    /// for `late` after its time.
    fn submit(&mut self, number: usize, arrival: Nanos, op: Op, late: Nanos) {
        self.run_until(arrival, late);
        let arrived = Arrived {
            device: 0,
            asked: Asked {
                arrival,
                op,
                offset: 4 * KIB * (number as u64 * 7 % 1000),
                len: 4 * KIB,
            },
            moved: Some(Ok(())),
            answer: Box::new(Noted(number, self.answered.clone())),
        };
        if let (_, Some(ready)) = self.desk.arrived(arrival, arrived) {
            ready.send();
            self.sent.push(arrival);
        }
    }

    fn run_until(&mut self, end: Nanos, late: Nanos) {
        while self.desk.next_event().saturating_add(late) <= end {
            let now = self.desk.next_event() + late;
            for ready in self.desk.advance(now) {
                ready.send();
                self.sent.push(now);
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
fn an_answer_goes_out_at_the_models_time_less_the_floor() {
    let mut bench = Bench::new(&storage(1_000_000, MILLISECOND), 100 * MICROSECOND);
    bench.submit(0, 5_000, Op::Read, 0);
    bench.run_until(10 * MILLISECOND, 0);
    assert_eq!(bench.sent, [5_000 + 900 * MICROSECOND]);
}

#[test]
fn the_floor_never_takes_an_answer_before_its_request() {
    let mut bench = Bench::new(&storage(1_000_000, 50 * MICROSECOND), 100 * MICROSECOND);
    bench.submit(0, 5_000, Op::Read, 0);
    assert_eq!(bench.sent, [5_000]);
}

#[test]
fn the_lateness_of_each_interval_is_logged() {
    let place = tempfile::NamedTempFile::new().unwrap();
    let log = LatencyLog::new(Box::new(place.reopen().unwrap())).unwrap();
    let mut bench = Bench::new(&storage(1000, MILLISECOND), 0);
    bench.desk.write_down(Some(log), None);
    for (second, late) in [(0, 500), (1, 0), (2, 2000)] {
        bench.submit(second, second as Nanos * SECOND, Op::Read, 0);
        bench.run_until((second as Nanos + 1) * SECOND - 1, late);
    }
    bench.desk.close(3 * SECOND);
    bench.desk.finish().unwrap();
    let read = read_log(BufReader::new(place.reopen().unwrap())).unwrap();
    let tags: Vec<_> = read.tags().collect();
    assert_eq!(tags, ["clients.data.read", "lateness"]);
    let late = read.over_time(&["lateness".to_owned()], SECOND);
    let late: Vec<_> = late
        .iter()
        .map(|(start, late)| (start / SECOND, late.max()))
        .collect();
    // The log has no 0.
    assert_eq!(late, [(0, 500), (1, 1), (2, 2000)]);
}

#[test]
fn a_flush_that_is_not_durable_yet_is_not_answered() {
    let mut bench = Bench::new(&storage(1000, 0), 0);
    let arrived = Arrived {
        device: 0,
        asked: Asked {
            arrival: 10,
            op: Op::Flush,
            offset: 0,
            len: 0,
        },
        moved: None,
        answer: Box::new(Noted(0, bench.answered.clone())),
    };
    let (ticket, ready) = bench.desk.arrived(10, arrived);
    assert!(ready.is_none());
    bench.run_until(SECOND, 0);
    assert!(bench.order().is_empty());
    bench.desk.moved(SECOND, ticket, Ok(())).unwrap().send();
    assert_eq!(bench.order(), [0]);
}

#[test]
fn what_a_desk_holds_another_lets_go() {
    let mut bench = Bench::new(&storage(1, MILLISECOND), 0);
    for number in 0..3 {
        bench.submit(number, 0, Op::Read, 0);
    }
    let flush = Arrived {
        device: 0,
        asked: Asked {
            arrival: SECOND / 2,
            op: Op::Flush,
            offset: 0,
            len: 0,
        },
        moved: None,
        answer: Box::new(Noted(3, bench.answered.clone())),
    };
    bench.run_until(SECOND / 2, 0);
    let (ticket, _) = bench.desk.arrived(SECOND / 2, flush);
    assert_eq!(bench.order(), [0]);
    let mut next = Desk::new(&storage(1000, 0), 1, SECOND, 0);
    next.take_over(&mut bench.desk);
    for ready in next.advance(0) {
        ready.send();
    }
    // The flush is still not durable.
    assert_eq!(bench.order(), [0, 1, 2]);
    next.moved(10, ticket, Ok(())).unwrap().send();
    assert_eq!(bench.order(), [0, 1, 2, 3]);
    // The accounts of the first end with what it answered itself.
    bench.desk.close(SECOND / 2);
    let (measured, _) = bench.desk.finish().unwrap();
    let ios: Vec<_> = measured.totals.iter().map(|total| total.ios).collect();
    assert_eq!(ios.iter().sum::<u64>(), 1);
    next.close(SECOND);
    next.finish().unwrap();
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
