//! The service's clock is real here, so nothing is decided by how long
//! anything took: what was recorded is put through the model once more.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use blockyard_model::fault::Schedule;
use blockyard_model::spec::{DeviceSpec, Layout, StorageSpec, VolumeSpec};
use blockyard_model::storage::{Op, Reply, Request, Storage, Ticket};
use blockyard_model::units::{KIB, MICROSECOND, Nanos, SECOND};
use blockyard_record::LatencyLog;

use super::CompletionTimer;
use crate::emulator::{Device, Emulator, Settings};
use crate::request::{IoRequest, IoResult, Responder};
use crate::testing;
use crate::trace::Trace;

const OVERHEAD: Nanos = 40 * MICROSECOND;

/// Tells its reader that a request was answered.
struct Told(Sender<()>);

impl Responder for Told {
    fn send(self: Box<Self>, _: IoResult) {
        let _ = self.0.send(());
    }
}

/// A trace that the test can read.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// 2,000 IOPS, of which 20 at once, and 0.2 ms.
fn storage() -> StorageSpec {
    let mut spec = testing::one("data", 1 << 30, 200 * MICROSECOND);
    spec.volumes[0].limits.push(testing::iops(2000, 20));
    spec
}

/// A recorded service of `spec`, with what it writes down of each request.
fn served(spec: &StorageSpec) -> (Emulator, CompletionTimer, Shared) {
    let log = Shared::default();
    let names = spec.devices.iter().map(|device| device.name.clone());
    let trace = Trace::new(Box::new(log.clone()), names.collect());
    let (emulator, timer) = Emulator::start(spec.clone(), 0, 0).unwrap();
    emulator.serve(Settings {
        seed: 1,
        schedule: Schedule::default(),
        events: Vec::new(),
        interval: SECOND,
        overhead: OVERHEAD,
        log: Some(LatencyLog::new(Box::new(io::sink())).unwrap()),
        trace: Some(trace),
    });
    (emulator, timer, log)
}

/// Clients of a device that have eight requests in flight each.
fn use_device(device: &Device, client: u64, requests: u64) {
    let (told, answers) = channel();
    for number in 0..requests {
        if number >= 8 {
            answers.recv().unwrap();
        }
        let op = match number % 3 {
            0 => Op::Write,
            _ => Op::Read,
        };
        let request = IoRequest {
            arrival: device.now(),
            op,
            offset: (number * 37 + client) % 5000 * 16 * KIB,
            len: 16 * KIB,
        };
        let (_, due) = device.arrived(request, Some(Ok(())), Box::new(Told(told.clone())));
        if let Some(due) = due {
            due.send();
        }
        if number % 50 == 0 {
            thread::sleep(Duration::from_millis(3));
        }
    }
    for _ in 0..8 {
        answers.recv().unwrap();
    }
}

/// Two clients.
fn serve(spec: &StorageSpec, requests: u64) -> String {
    let (emulator, timer, log) = served(spec);
    let device = emulator.devices().remove(0);
    thread::scope(|scope| {
        for client in 0..2 {
            let device = &device;
            scope.spawn(move || use_device(device, client, requests));
        }
    });
    emulator.end();
    emulator.finish().unwrap();
    drop(timer);
    let bytes = log.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

/// A request as the trace has it.
struct Line {
    number: u64,
    arrived: Nanos,
    request: Request,
    due: Nanos,
    answered: Nanos,
}

fn read(trace: &str) -> Vec<Line> {
    let mut lines: Vec<_> = trace
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<_> = line.split(',').collect();
            let number = |index: usize| cells[index].parse::<u64>().unwrap();
            Line {
                number: number(0),
                arrived: number(1),
                request: Request {
                    device: 0,
                    op: match cells[3] {
                        "read" => Op::Read,
                        _ => Op::Write,
                    },
                    offset: number(4),
                    len: number(5),
                    requester: 0.into(),
                    submitter: 0,
                },
                due: number(6),
                answered: number(7),
            }
        })
        .collect();
    lines.sort_by_key(|line| line.number);
    lines
}

/// What the model in virtual time says of each request, and when it came to know it.
fn replayed(spec: &StorageSpec, lines: &[Line]) -> Vec<(Nanos, Reply)> {
    let mut storage = Storage::new(spec, 1);
    let mut replies = BTreeMap::new();
    let advance = |storage: &mut Storage, now, replies: &mut BTreeMap<Ticket, _>| {
        while let Some(at) = storage.next_event()
            && at <= now
        {
            storage.advance(at, &mut |ticket, reply| {
                replies.insert(ticket, (at, reply));
            });
        }
    };
    for (ticket, line) in (0..).zip(lines) {
        advance(&mut storage, line.arrived, &mut replies);
        if let Some(reply) = storage.submit(line.arrived, ticket, &line.request) {
            replies.insert(ticket, (line.arrived, reply));
        }
    }
    advance(&mut storage, Nanos::MAX - 1, &mut replies);
    replies.into_values().collect()
}

#[test]
fn what_was_served_is_what_the_model_says_of_the_same_arrivals() {
    let spec = storage();
    let lines = read(&serve(&spec, 600));
    assert_eq!(lines.len(), 1200);
    let replies = replayed(&spec, &lines);
    let throttled = replies.iter().filter(|(_, reply)| reply.limit.is_some());
    let throttled = throttled.count();
    assert!(throttled > 600, "the limit was to be met: {throttled}");
    for (line, (known, reply)) in lines.iter().zip(replies) {
        let due = (reply.at - OVERHEAD).max(known);
        assert_eq!(line.due, due, "request {}", line.number);
        assert!(line.answered >= line.due, "request {}", line.number);
    }
}

/// Devices that share no stage, each with a lock and a timer of its own, in one record.
#[test]
fn devices_that_share_nothing_are_recorded_as_one() {
    let mut spec = storage();
    for number in 1..5 {
        let name = format!("data.{number}");
        spec.volumes.push(VolumeSpec {
            name: name.clone(),
            ..spec.volumes[0].clone()
        });
        spec.devices.push(DeviceSpec {
            name,
            layout: Layout::Volume(number),
            ..spec.devices[0].clone()
        });
    }
    let (emulator, timer, log) = served(&spec);
    thread::scope(|scope| {
        for (number, device) in (0..).zip(emulator.devices()) {
            scope.spawn(move || use_device(&device, number, 100 * (number + 1)));
        }
    });
    let status = emulator.snapshot().unwrap();
    assert_eq!(status.volumes.len(), 5);
    emulator.end();
    let intervals = emulator.take_intervals();
    let (measured, _, emulated) = emulator.finish().unwrap();
    drop(timer);
    assert_eq!(measured.ios(), 1500);
    assert_eq!(emulated.lateness.count(), 1500);
    let by_device: BTreeMap<_, u64> =
        measured
            .totals
            .iter()
            .fold(BTreeMap::new(), |mut sums, total| {
                *sums.entry(total.device.clone()).or_default() += total.ios;
                sums
            });
    let expected = [100, 200, 300, 400, 500];
    assert_eq!(by_device.into_values().collect::<Vec<_>>(), expected);
    let of_volumes: Vec<_> = measured.volumes.iter().map(|volume| volume.ios).collect();
    assert_eq!(of_volumes, expected);
    let throttled: Vec<_> = measured
        .limits
        .iter()
        .map(|limit| limit.throttled_ios)
        .collect();
    assert_eq!(throttled.len(), 5);
    for (number, expected) in expected.into_iter().enumerate() {
        let rows = intervals
            .iter()
            .map(|(_, interval)| &interval.volumes[number]);
        assert_eq!(rows.map(|row| row.ios).sum::<u64>(), expected);
    }
    let lines = read(std::str::from_utf8(&log.0.lock().unwrap()).unwrap());
    let numbers: Vec<_> = lines.iter().map(|line| line.number).collect();
    assert_eq!(numbers, (0..1500).collect::<Vec<_>>());
}
