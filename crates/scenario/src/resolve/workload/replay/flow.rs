//! From rows in the order of their arrival to the IOs of a replay.

use std::{env, io};

use blockyard_model::units::Nanos;
use blockyard_model::workload::spec::{RecordedIo, Totals};
use blockyard_text::said;
use blockyard_trace::{Chains, Commits, Follows, Link, Row, Step};

use super::known::Known;
use super::places::Places;
use super::spread::Spread;
use super::store::Store;
use super::streams::{StreamKind, Streams};
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
    /// The streams, where a share of them is replayed.
    pub(super) streams: Option<Streams>,
    pub(super) places: Places,
    /// When the trace begins.
    begin: Option<Nanos>,
    digest: crc32fast::Hasher,
    pub(super) kept: Kept,
}

/// What an IO waits for.
pub(super) enum Order {
    Open(Option<Spread>),
    Chains(ReplayLoop, Chains),
    Commits(Commits),
}

/// The IOs as the model gets them.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) totals: Totals,
    pub(super) store: Store,
}

impl<'a> Flow<'a> {
    /// None yet, of a job at `path`; times are recorded in steps of `step`. Where a share of the
    /// streams is replayed, none of them is chosen yet.
    pub(super) fn new(path: &'a str, job: &'a schema::Replay, known: Known, step: Nanos) -> Self {
        let mut streams = None;
        let order = known.pace(path, job).map(|pace| {
            let new = |share| Streams::new(share, StreamKind::of(pace, known.threads));
            streams = job.share().map(new);
            let follows = match pace {
                ReplayLoop::Open => return Order::Open(Spread::new(step)),
                ReplayLoop::Commits => return Order::Commits(Commits::default()),
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
            streams,
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
        self.begin_at(&row);
        let inferred = match &mut self.order {
            Ok(Order::Chains(ReplayLoop::Chains, chains)) => chains.follow(&row),
            _ => None,
        };
        let mut stream = inferred.map_or(0, |link| link.chain);
        if let Some(streams) = &mut self.streams {
            match streams.take(&row, stream) {
                None => return Ok(()),
                Some(number) => stream = number,
            }
        }
        self.add_to_digest(&row);
        let speed = self.job.speed.get();
        let kept = match &mut self.order {
            // All is read nevertheless: what is further on may be worse.
            Err(_) => Ok(()),
            Ok(Order::Open(spread)) => {
                let since = row.begin().zip(self.begin);
                let wait = since.map_or(0, |(time, begin)| time - begin);
                let io = recorded(&row, wait, &mut self.places);
                match spread {
                    None => self.kept.add(0, io, speed),
                    Some(spread) => {
                        let mut given = spread.push(io).into_iter();
                        given.try_for_each(|io| self.kept.add(0, io, speed))
                    }
                }
            }
            Ok(Order::Chains(_, chains)) => {
                let inferred = inferred.map(|link| Link {
                    chain: stream,
                    ..link
                });
                match inferred.or_else(|| chains.follow(&row)) {
                    None => Ok(()),
                    Some(link) => {
                        let mut io = recorded(&row, link.wait, &mut self.places);
                        io.in_flight = link.in_flight.unwrap_or(u32::MAX);
                        self.kept.add(link.chain, io, speed)
                    }
                }
            }
            Ok(Order::Commits(commits)) => {
                let mut steps = Vec::new();
                commits.take(row, &mut steps);
                self.kept.add_steps(&steps, &mut self.places, speed)
            }
        };
        kept.map_err(|error| self.unkept(&error))
    }

    /// The first row that was recorded is the beginning, whether or not it is replayed.
    fn begin_at(&mut self, row: &Row) {
        let (None, Some(first)) = (self.begin, row.begin()) else {
            return;
        };
        let begin = self.known.begin.map_or(first, |begin| begin.min(first));
        self.begin = Some(begin);
        match &mut self.order {
            Ok(Order::Chains(_, chains)) => chains.begin_at(begin),
            Ok(Order::Commits(commits)) => commits.begin_at(begin),
            Ok(Order::Open(_)) | Err(_) => {}
        }
    }

    /// Chooses the streams to replay as another reading of the trace counted them.
    pub(super) fn choose_as(&mut self, counted: &Streams) {
        if let Some(streams) = &mut self.streams {
            streams.choose_as(counted);
        }
    }

    /// Chooses the streams to replay by rows in the order of their arrival.
    pub(super) fn choose(&mut self, rows: &[Row]) {
        let Some(streams) = &mut self.streams else {
            return;
        };
        let mut counted = streams.clone();
        let mut chains = Chains::new(Follows::Any);
        for row in rows.iter().filter_map(|row| self.known.asked_for(*row)) {
            let link = match counted.are {
                StreamKind::Chain => chains.follow(&row),
                StreamKind::Thread | StreamKind::Region => None,
            };
            counted.take(&row, link.map_or(0, |link| link.chain));
        }
        streams.choose_as(&counted);
    }

    /// Whether the trace, now known to its end, is replayed as its first rows seemed to ask for.
    pub(super) fn is_right(&self) -> bool {
        let streams = self.streams.as_ref();
        self.known.agrees(&self.seen, self.job) && streams.is_none_or(Streams::agrees)
    }

    /// All rows were taken: what the IOs wait for.
    pub(super) fn end(&mut self) -> Result<&Order, Invalid> {
        if let Ok(Order::Open(Some(spread))) = &mut self.order {
            let speed = self.job.speed.get();
            let mut given = spread.end().into_iter();
            let kept = given.try_for_each(|io| self.kept.add(0, io, speed));
            kept.map_err(|error| self.unkept(&error))?;
        }
        if let Ok(Order::Commits(commits)) = &mut self.order {
            let mut steps = Vec::new();
            commits.end(&mut steps);
            let speed = self.job.speed.get();
            let kept = self.kept.add_steps(&steps, &mut self.places, speed);
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
        let first = self.begin.unwrap_or(0);
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
        let why = said(error);
        let message = format!("cannot be kept in a temporary file in `{folder}`: {why}");
        Invalid::new(format!("{}.trace", self.path), message)
    }
}

impl Kept {
    fn add(&mut self, chain: u32, mut io: RecordedIo, speed: u32) -> io::Result<()> {
        if speed != 100 {
            let scaled = |time: Nanos| (u128::from(time) * 100 / u128::from(speed)) as Nanos;
            io.wait = scaled(io.wait);
            if let Some(log) = &mut io.after {
                log.work = u32::try_from(scaled(log.work.into())).unwrap_or(u32::MAX);
            }
        }
        self.totals.add(&io);
        self.store.push(chain, &io)
    }

    fn add_steps(&mut self, steps: &[Step], places: &mut Places, speed: u32) -> io::Result<()> {
        steps.iter().try_for_each(|step| {
            let mut io = recorded(&step.row, step.wait, places);
            io.in_flight = step.in_flight.unwrap_or(u32::MAX);
            (io.commits, io.after) = (step.commits, step.after);
            self.add(step.chain, io, speed)
        })
    }
}

fn recorded(row: &Row, wait: Nanos, places: &mut Places) -> RecordedIo {
    let (offset, len) = places.of_row(row);
    RecordedIo {
        wait,
        in_flight: 0,
        offset,
        len,
        op: row.op,
        commits: false,
        after: None,
    }
}
