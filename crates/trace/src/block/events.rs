//! The events of a trace, whichever of them it has, as rows.

use std::collections::BTreeMap;

use blockyard_model::storage::Op;

use super::event::{Event, FLUSH, Kind, Task};
use super::requests::{Io, Requests, Takes};
use crate::Row;
use crate::found::Found;
use crate::row::SECTOR;

/// The devices of a trace.
#[derive(Debug, Default)]
pub(crate) struct Events(BTreeMap<u32, Device>);

/// A device, and what kinds of events it had so far.
#[derive(Debug)]
struct Device {
    requests: Requests,
    number: u32,
    arrivals: bool,
    issues: bool,
}

impl Events {
    /// Takes the next event, and adds the IO that it ends, if it ends one.
    pub(crate) fn take(&mut self, event: &Event, found: &mut Found) {
        found.note_time(event.time);
        let device = self.0.entry(event.device).or_insert_with(|| {
            let (major, minor) = (event.device >> 20, event.device & 0xf_ffff);
            Device {
                requests: Requests::new(Takes::Requests { fua: false }),
                number: found.devices.number(format!("{major}:{minor}").as_bytes()),
                arrivals: false,
                issues: false,
            }
        });
        if let Some(row) = device.take(event, found) {
            found.push(row);
        }
    }

    /// Forgets all that goes on: events were lost, and what comes next may belong to others.
    pub(crate) fn forget(&mut self) {
        self.0
            .values_mut()
            .for_each(|device| device.requests.forget());
    }

    /// Adds what had not ended.
    pub(crate) fn end(&mut self, found: &mut Found) {
        for device in self.0.values_mut() {
            for open in device.requests.rest() {
                let row = Row {
                    arrival: Some(open.arrival),
                    issue: open.issue,
                    completion: None,
                    op: op(open.op),
                    offset: offset(open.place.0),
                    bytes: open.place.1 * SECTOR,
                    device: device.number,
                    by: by(&open.by, found),
                    failed: false,
                };
                found.push(row);
            }
        }
    }
}

impl Device {
    fn take(&mut self, event: &Event, found: &mut Found) -> Option<Row> {
        let nothing = event.sectors == 0 && event.what.op != FLUSH && !event.what.preflush;
        match event.kind {
            // A command of a program's own, such as one that asks how the device is.
            Kind::Arrival | Kind::Issue if nothing => {
                found.notes.skipped += 1;
                return None;
            }
            Kind::Arrival => {
                self.arrivals = true;
                // The same request, further on its way.
                if self.requests.waits(event.sector) {
                    return None;
                }
            }
            Kind::Merge | Kind::Requeue => {}
            Kind::FrontMerge => {
                let own = Event {
                    kind: Kind::Merge,
                    ..*event
                };
                self.requests.take(&own);
            }
            Kind::Issue => {
                self.issues = true;
                let known = self.arrivals || self.requests.is_open(event.sector);
                if !known && event.what.op != FLUSH {
                    // Recorded from here on.
                    let arrival = Event {
                        kind: Kind::Arrival,
                        ..*event
                    };
                    self.requests.take(&arrival);
                }
            }
            Kind::Completion if !self.arrivals && !self.issues => {
                return Some(self.end_alone(event));
            }
            Kind::Completion => {
                if !self.issues {
                    self.requests.take_bios();
                }
                let begun = event.what.op == FLUSH || event.sectors == 0;
                if !begun && !self.requests.is_open(event.sector) {
                    found.notes.unmatched += 1;
                }
            }
        }
        let io = self.requests.take(event)?;
        Some(self.row(&io, found))
    }

    fn row(&self, io: &Io, found: &mut Found) -> Row {
        let arrival = io.time.saturating_sub(io.latency);
        Row {
            arrival: Some(arrival),
            issue: io.device.map(|time| io.time.saturating_sub(time)),
            completion: Some(io.time),
            op: op(io.op),
            offset: offset(io.place.0),
            bytes: io.place.1 * SECTOR,
            device: self.number,
            by: by(&io.by, found),
            failed: io.failed,
        }
    }

    /// Where nothing but ends was recorded.
    fn end_alone(&self, event: &Event) -> Row {
        Row {
            arrival: None,
            issue: None,
            completion: Some(event.time),
            op: op(event.what.op),
            offset: offset(event.sector),
            bytes: event.sectors * SECTOR,
            device: self.number,
            by: None,
            failed: event.failed,
        }
    }
}

/// A flush has no sector, which some kernels write as the last of all.
fn offset(sector: u64) -> u64 {
    sector.checked_mul(SECTOR).unwrap_or(0)
}

/// The operation of an index into [`crate::OPS`].
pub(crate) fn op(index: usize) -> Op {
    [Op::Read, Op::Write, Op::Flush, Op::Trim][index]
}

fn by(task: &Task, found: &mut Found) -> Option<(u32, u32)> {
    let job = task.name.with(|name| found.jobs.number(name));
    Some((job, task.thread))
}
