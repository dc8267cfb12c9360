//! The service's clock is real here, so nothing is decided by how long
//! anything took: what was recorded is put through the model once more.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use blockyard_model::spec::{Applies, LimitSpec, StorageSpec, Unit};
use blockyard_model::storage::{Op, Reply, Request, Storage, Ticket};
use blockyard_model::units::{KIB, MICROSECOND, Nanos, SECOND};

use super::Pacer;
use crate::answer::{Answer, Asked, Outcome};
use crate::desk::{Arrived, Desk};
use crate::testing;
use crate::trace::Trace;

const FLOOR: Nanos = 40 * MICROSECOND;

/// Tells its reader that a request was answered.
struct Told(Sender<()>);

impl Answer for Told {
    fn send(self: Box<Self>, _: Outcome) {
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
    spec.volumes[0].limits.push(LimitSpec {
        name: "iops".into(),
        unit: Unit::Io,
        applies: Applies::Both,
        rate: 2000,
        depth: 20,
        level: 20,
        credits: false,
    });
    spec
}

/// Two clients that each have eight requests in flight.
fn serve(spec: &StorageSpec, requests: u64) -> String {
    let log = Shared::default();
    let mut desk = Desk::new(spec, 1, SECOND, FLOOR);
    let trace = Trace::new(Box::new(log.clone()), vec!["data".into()]);
    desk.write_down(None, Some(trace));
    let (pacer, sending) = Pacer::start(desk, 0).unwrap();
    thread::scope(|scope| {
        for client in 0..2 {
            let pacer = &pacer;
            scope.spawn(move || {
                let (told, answers) = channel();
                for number in 0..requests {
                    if number >= 8 {
                        answers.recv().unwrap();
                    }
                    let op = match number % 3 {
                        0 => Op::Write,
                        _ => Op::Read,
                    };
                    let asked = Asked {
                        arrival: pacer.now(),
                        op,
                        offset: (number * 37 + client) % 5000 * 16 * KIB,
                        len: 16 * KIB,
                    };
                    let (_, ready) = pacer.arrived(Arrived {
                        device: 0,
                        asked,
                        moved: Some(Ok(())),
                        answer: Box::new(Told(told.clone())),
                    });
                    if let Some(ready) = ready {
                        ready.send();
                    }
                    if number % 50 == 0 {
                        thread::sleep(Duration::from_millis(3));
                    }
                }
                for _ in 0..8 {
                    answers.recv().unwrap();
                }
            });
        }
    });
    drop(sending);
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
                    job: 0,
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

/// When the model in virtual time is done with each request.
fn replayed(spec: &StorageSpec, lines: &[Line]) -> Vec<Reply> {
    let mut storage = Storage::new(spec, 1);
    let mut replies = BTreeMap::new();
    for (ticket, line) in (0..).zip(lines) {
        storage.advance(line.arrived, &mut |ticket, reply| {
            replies.insert(ticket, reply);
        });
        if let Some(reply) = storage.submit(line.arrived, ticket, &line.request) {
            replies.insert(ticket, reply);
        }
    }
    storage.advance(Nanos::MAX - 1, &mut |ticket: Ticket, reply| {
        replies.insert(ticket, reply);
    });
    replies.into_values().collect()
}

#[test]
fn what_was_served_is_what_the_model_says_of_the_same_arrivals() {
    let spec = storage();
    let lines = read(&serve(&spec, 600));
    assert_eq!(lines.len(), 1200);
    let replies = replayed(&spec, &lines);
    let held = replies.iter().filter(|reply| reply.limit.is_some()).count();
    assert!(held > 600, "the limit was to be met: {held}");
    for (line, reply) in lines.iter().zip(replies) {
        let floor = if reply.throttled == 0 { FLOOR } else { 0 };
        let due = (reply.at - floor).max(line.arrived);
        assert_eq!(line.due, due, "request {}", line.number);
        assert!(line.answered >= line.due, "request {}", line.number);
    }
}
