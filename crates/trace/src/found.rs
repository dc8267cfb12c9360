//! What was read of a trace so far.

use std::collections::{HashMap, VecDeque};

use blockyard_model::storage::Op;
use blockyard_model::units::{Bytes, Nanos, SECOND};

use crate::Row;

/// Rows that nobody took yet, the names that they refer to, and what to know of all.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) rows: VecDeque<Row>,
    pub(crate) devices: Names,
    pub(crate) jobs: Names,
    pub(crate) notes: Notes,
    latest: Nanos,
}

/// What to know of a trace beside its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Rows that arrived before one that was recorded earlier.
    pub out_of_order: u64,
    /// By how much at most.
    pub furthest_back: Nanos,
    /// Lines or records of something else than a read, write, flush or trim.
    pub skipped: u64,
    /// Ends of IO whose beginning was not recorded, although others' was.
    pub unmatched: u64,
    /// The file ends in the middle of a line or record, which is left out: where, and how.
    pub cut: Option<String>,
    /// The last line, which counts, has no line end, so it may have been cut.
    pub unended: Option<u64>,
    /// When events were lost, by the second in which that began.
    pub lost: Vec<Lost>,
}

/// Events that were lost: how many, 0 if that is not known, and the last before and first after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// When the last event before them was.
    pub from: Nanos,
    /// When the first event after them was.
    pub to: Nanos,
    /// How many.
    pub events: u64,
}

/// An IO of a format that has them by arrival, and neither when they were issued nor who asked.
pub(crate) struct Arrived {
    pub(crate) at: Nanos,
    pub(crate) completion: Option<Nanos>,
    pub(crate) op: Op,
    pub(crate) offset: Bytes,
    pub(crate) bytes: Bytes,
}

impl Found {
    /// An IO of the device that is called so.
    pub(crate) fn arrived(&mut self, device: &[u8], io: &Arrived) {
        self.note_time(io.at);
        let device = self.devices.number(device);
        self.push(Row {
            arrival: Some(io.at),
            issue: None,
            completion: io.completion,
            op: io.op,
            offset: io.offset,
            bytes: io.bytes,
            device,
            by: None,
            failed: false,
        });
    }

    pub(crate) fn push(&mut self, row: Row) {
        self.rows.push_back(row);
    }

    /// Notes a loss. A ring that is too small loses events many times a second.
    pub(crate) fn lose(&mut self, new: Lost) {
        match self.notes.lost.last_mut() {
            Some(last) if last.from / SECOND == new.from / SECOND => {
                last.from = last.from.min(new.from);
                last.to = last.to.max(new.to);
                last.events = last.events.saturating_add(new.events);
            }
            _ => self.notes.lost.push(new),
        }
    }

    /// Takes back a line, after which there is none, if that is evidently cut: if a digit is
    /// missing, its time runs back further than any before. `before` is what had been noted.
    pub(crate) fn undo_cut(&mut self, rows: usize, before: (u64, Nanos)) -> bool {
        let is_cut = self.notes.furthest_back > before.1;
        if is_cut {
            self.rows.truncate(rows);
            (self.notes.out_of_order, self.notes.furthest_back) = before;
        }
        is_cut
    }

    /// Counts a row that comes after later ones, in a format that has them by arrival.
    pub(crate) fn note_time(&mut self, time: Nanos) {
        let back = self.latest.saturating_sub(time);
        if back > 0 {
            self.notes.out_of_order += 1;
            self.notes.furthest_back = self.notes.furthest_back.max(back);
        }
        self.latest = self.latest.max(time);
    }
}

/// Names by number, in the order in which they were first seen.
#[derive(Debug, Default)]
pub(crate) struct Names {
    all: Vec<String>,
    numbers: HashMap<Vec<u8>, u32>,
    /// The name asked for last: most rows have that of the row before.
    last: Option<(Vec<u8>, u32)>,
}

impl Names {
    pub(crate) fn all(&self) -> &[String] {
        &self.all
    }

    /// The number of a name.
    pub(crate) fn number(&mut self, name: &[u8]) -> u32 {
        if let Some((last, number)) = &self.last
            && last == name
        {
            return *number;
        }
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                let number = self.all.len() as u32;
                self.all.push(String::from_utf8_lossy(name).into_owned());
                self.numbers.insert(name.to_owned(), number);
                number
            }
        };
        self.last = Some((name.to_owned(), number));
        number
    }
}
