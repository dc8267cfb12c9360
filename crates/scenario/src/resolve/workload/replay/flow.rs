//! From rows in the order of their arrival to the IOs of a replay.

use std::{env, io};

use blockyard_model::units::Nanos;
use blockyard_model::workload::spec::{FlushOf, RecordedIo, Totals};
use blockyard_trace::{Chains, Follows, Row};

use super::known::Known;
use super::places::Places;
use super::spread::Spread;
use super::store::Store;
use crate::resolve::Invalid;
use crate::schema::{self, ReplayLoop};

/// The IOs of a replay so far.
pub(super) struct Flow<'a> {
    path: &'a str,
    job: &'a schema::Replay,
    /// What decided how they are replayed.
    pub(super) known: Known,
    /// What would have decided that, had all rows so far been known.
    pub(super) seen: Known,
    order: Result<Order, Invalid>,
    pub(super) places: Places,
    /// When the first one came.
    begin: Option<Nanos>,
    digest: crc32fast::Hasher,
    pub(super) kept: Kept,
}

/// What an IO waits for.
pub(super) enum Order {
    Open(Option<Spread>),
    Chains(ReplayLoop, Chains),
}

/// The IOs as the model gets them.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) totals: Totals,
    pub(super) store: Store,
}

impl<'a> Flow<'a> {
    /// None yet, of a job at `path`; times are recorded in steps of `step`.
    pub(super) fn new(path: &'a str, job: &'a schema::Replay, known: Known, step: Nanos) -> Self {
        let order = known.pace(path, job).map(|pace| {
            let follows = match pace {
                ReplayLoop::Open => return Order::Open(Spread::new(step)),
                ReplayLoop::Commits => Follows::ThreadAndFlush,
                ReplayLoop::Threads => Follows::Thread,
                ReplayLoop::Chains => Follows::Any,
            };
            Order::Chains(pace, Chains::new(follows))
        });
        Self {
            path,
            job,
            known,
            seen: Known::default(),
            order,
            places: Places::new(job, known.extent()),
            begin: None,
            digest: crc32fast::Hasher::new(),
            kept: Kept::default(),
        }
    }

    /// Takes the next row.
    pub(super) fn take(&mut self, row: Row) -> Result<(), Invalid> {
        self.seen.see_recorded(&row);
        let Some(row) = self.known.asked_for(row) else {
            return Ok(());
        };
        self.seen.see(&row);
        self.add_to_digest(&row);
        let speed = self.job.speed.get();
        let kept = match &mut self.order {
            // All is read nevertheless: what is further on may be worse.
            Err(_) => Ok(()),
            Ok(Order::Open(spread)) => {
                let since = row.begin().zip(self.begin);
                let wait = since.map_or(0, |(time, begin)| time - begin);
                let io = recorded(&row, wait, None, &mut self.places);
                match spread {
                    None => self.kept.add(0, io, speed),
                    Some(spread) => {
                        let mut given = spread.push(io).into_iter();
                        given.try_for_each(|io| self.kept.add(0, io, speed))
                    }
                }
            }
            Ok(Order::Chains(_, chains)) => match chains.follow(&row) {
                None => Ok(()),
                Some(link) => {
                    let io = recorded(&row, link.wait, link.flush, &mut self.places);
                    self.kept.add(link.chain, io, speed)
                }
            },
        };
        kept.map_err(|error| self.unkept(&error))
    }

    /// All rows were taken: what the IOs wait for.
    pub(super) fn end(&mut self) -> Result<&Order, Invalid> {
        if let Ok(Order::Open(Some(spread))) = &mut self.order {
            let speed = self.job.speed.get();
            let mut given = spread.end().into_iter();
            let kept = given.try_for_each(|io| self.kept.add(0, io, speed));
            kept.map_err(|error| self.unkept(&error))?;
        }
        self.order.as_ref().map_err(Clone::clone)
    }

    /// What tells the rows from others: of their times, places and threads.
    pub(super) fn digest(&self) -> String {
        format!("{:08x}", self.digest.clone().finalize())
    }

    fn add_to_digest(&mut self, row: &Row) {
        let begin = row.begin();
        let first = *self.begin.get_or_insert(begin.unwrap_or(0));
        let since = |time: Option<Nanos>| time.map_or(Nanos::MAX, |time| time.wrapping_sub(first));
        let (job, thread) = row.by.unwrap_or((u32::MAX, 0));
        let by = u64::from(job) << 32 | u64::from(thread);
        let (begin, end) = (since(begin), since(row.completion));
        let parts = [begin, end, row.op as u64, row.offset, row.bytes, by];
        let mut bytes = [0; 48];
        for (to, part) in bytes.chunks_exact_mut(8).zip(parts) {
            to.copy_from_slice(&part.to_le_bytes());
        }
        self.digest.update(&bytes);
    }

    fn unkept(&self, error: &io::Error) -> Invalid {
        let folder = env::temp_dir();
        let folder = folder.display();
        let message = format!("cannot be kept in a temporary file in `{folder}`: {error}");
        Invalid::new(format!("{}.trace", self.path), message)
    }
}

impl Kept {
    fn add(&mut self, chain: u32, mut io: RecordedIo, speed: u32) -> io::Result<()> {
        if speed != 100 {
            io.wait = (u128::from(io.wait) * 100 / u128::from(speed)) as Nanos;
        }
        self.totals.add(&io);
        self.store.push(chain, &io)
    }
}

fn recorded(row: &Row, wait: Nanos, after: Option<FlushOf>, places: &mut Places) -> RecordedIo {
    let (offset, len) = places.of_row(row);
    RecordedIo {
        wait,
        offset,
        len,
        op: row.op,
        after,
    }
}
