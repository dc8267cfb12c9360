//! The counters of one thread, which count every IO.

use blockyard_model::storage::{LimitId, Op, Request};
use blockyard_model::units::Nanos;

use crate::measure::histogram::Histogram;
use crate::measure::observer::IntervalRow;
use crate::measure::shape::{RunShape, SeriesKey};
use crate::result::{LatencyUs, seconds};

const OPS: usize = 4;

/// The counts of one thread in the running interval.
///
/// A simulation has one; on real storage every thread has its own and hands
/// in what it counted at each interval's end ([`ThreadCounters::close`]).
#[derive(Clone, Debug)]
pub struct ThreadCounters {
    /// Series by `(job, device, op)`.
    index: Vec<Option<usize>>,
    devices: usize,
    pub(crate) counts: Vec<Counts>,
    pub(crate) open_loops: Vec<OpenLoop>,
    /// Per series: the job that it belongs to, if that is an open loop.
    open_loop_of: Vec<Option<usize>>,
    /// Per job: what is late, if anything is.
    late: Vec<Option<Nanos>>,
    /// Start of the running interval.
    pub(crate) start: Nanos,
}

/// An IO in flight, with how it ends as far as that is known.
#[derive(Clone, Copy, Debug)]
pub struct InFlight {
    /// Its series ([`ThreadCounters::series_of`]).
    pub series: usize,
    /// When it was due: its latency counts from there.
    pub due: Nanos,
    /// When it was issued: in an open loop possibly later.
    pub issued: Nanos,
    /// Its bytes.
    pub bytes: u64,
    /// Who of its job issued it.
    pub submitter: u32,
    /// How long limits throttled it.
    pub throttled: Nanos,
    /// The limit that throttled it.
    pub limit: Option<LimitId>,
    /// Whether it failed.
    pub failed: bool,
    /// Whether it is only a part of an fsync, which is counted once, with its last IO.
    pub part: bool,
}

impl InFlight {
    /// An IO that was issued and is not known to be throttled or to have failed.
    #[inline]
    fn issued(series: usize, due: Nanos, issued: Nanos, request: &Request) -> Self {
        Self {
            series,
            due,
            issued,
            bytes: request.len,
            submitter: request.submitter,
            throttled: 0,
            limit: None,
            failed: false,
            part: request.op == Op::Journal,
        }
    }
}

/// How an open-loop job kept to its schedule.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenLoop {
    pub(crate) issued: u64,
    pub(crate) served: u64,
    pub(crate) failed: u64,
    pub(crate) late: u64,
    pub(crate) lags: Histogram,
    /// Of the running interval.
    pub(crate) interval: Slots,
}

impl OpenLoop {
    /// IOs that are no longer in flight.
    pub(crate) fn ended(&self) -> u64 {
        self.served + self.failed
    }
}

/// What the IOs that completed did, summed over them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slots {
    /// How long they waited before they were issued.
    pub(crate) lag: u128,
    /// How long they were in flight.
    pub(crate) in_flight: u128,
}

/// What a thread counted in one interval.
#[derive(Debug)]
pub struct IntervalCounts {
    pub(crate) counts: Vec<Counts>,
    pub(crate) open_loops: Vec<OpenLoop>,
}

impl ThreadCounters {
    /// Counters of the run that `shape` describes.
    pub fn new(shape: &RunShape) -> Self {
        let devices = shape.devices.len();
        let mut index = vec![None; shape.jobs.len() * devices * OPS];
        for (number, &key) in shape.series.iter().enumerate() {
            index[slot(devices, key.job, key.device, key.op)] = Some(number);
        }
        let open_loop_of = |key: &SeriesKey| shape.jobs[key.job].open_loop.then_some(key.job);
        Self {
            index,
            devices,
            open_loop_of: shape.series.iter().map(open_loop_of).collect(),
            counts: vec![Counts::default(); shape.series.len()],
            open_loops: vec![OpenLoop::default(); shape.jobs.len()],
            late: shape.jobs.iter().map(|job| job.latency_limit).collect(),
            start: 0,
        }
    }

    /// The series of a job's IO on a device.
    ///
    /// # Panics
    /// If the shape has no such series: its job does no such IO.
    #[inline]
    #[expect(
        clippy::expect_used,
        reason = "the shape is made of what the jobs say that they do, and counting elsewhere would \
                  be a wrong result"
    )]
    fn series_of(&self, request: &Request) -> usize {
        let slot = |job| slot(self.devices, job, request.device, request.op);
        let series = request
            .requester
            .job()
            .and_then(|job| self.index[slot(job)]);
        series.expect("the shape lists what its jobs do")
    }

    /// A job issued `request` at `now`, which was due at `due`: gives what
    /// [`ThreadCounters::end`] is to know of it.
    ///
    /// # Panics
    /// As [`ThreadCounters::series_of`].
    #[inline]
    pub fn begin(&mut self, now: Nanos, due: Nanos, request: &Request) -> InFlight {
        let series = self.series_of(request);
        self.issued(series, now);
        if let Some(job) = self.open_loop_of[series] {
            self.lagged(job, due, now);
        }
        InFlight::issued(series, due, now, request)
    }

    /// An IO that began here completed at `now`.
    #[inline(never)]
    pub fn end(&mut self, now: Nanos, io: &InFlight) {
        self.completed(now, io);
        if let Some(job) = self.open_loop_of[io.series] {
            self.served(job, io, now);
        }
    }

    /// An IO was issued at `now`.
    #[inline]
    fn issued(&mut self, series: usize, now: Nanos) {
        self.counts[series].issued(now - self.start);
    }

    /// An open-loop job issued an IO at `now` that was due at `due`.
    fn lagged(&mut self, job: usize, due: Nanos, now: Nanos) {
        let open_loop = &mut self.open_loops[job];
        open_loop.issued += 1;
        open_loop.lags.record(now - due);
    }

    /// An IO completed at `now`.
    #[inline]
    fn completed(&mut self, now: Nanos, io: &InFlight) {
        let counts = &mut self.counts[io.series];
        counts.ended(now - self.start);
        if !io.part && !io.failed {
            counts.done(now - io.due, io.bytes);
        }
        counts.errors += u64::from(io.failed);
    }

    /// An open-loop job's IO completed at `now`.
    fn served(&mut self, job: usize, io: &InFlight, now: Nanos) {
        let open_loop = &mut self.open_loops[job];
        if io.failed {
            open_loop.failed += 1;
            return;
        }
        open_loop.served += 1;
        open_loop.late += u64::from(self.late[job].is_some_and(|limit| now - io.due > limit));
        open_loop.interval.lag += u128::from(io.issued - io.due);
        open_loop.interval.in_flight += u128::from(now - io.issued);
    }

    /// Ends the running interval at `end` and gives what was counted in it.
    pub fn close(&mut self, end: Nanos) -> IntervalCounts {
        let length = end - self.start;
        self.start = end;
        IntervalCounts {
            counts: self
                .counts
                .iter_mut()
                .map(|counts| counts.take(length))
                .collect(),
            open_loops: self.open_loops.iter_mut().map(std::mem::take).collect(),
        }
    }

    /// Adds what was counted elsewhere in the same interval, by number of the series.
    pub(crate) fn add<'a>(&mut self, counts: impl Iterator<Item = (usize, &'a Counts)>) {
        for (series, theirs) in counts {
            self.counts[series].add(theirs);
        }
    }

    /// Adds the counts of another thread's open loops in the same interval.
    pub(crate) fn add_open_loops(&mut self, open_loops: &[OpenLoop]) {
        for (mine, theirs) in self.open_loops.iter_mut().zip(open_loops) {
            mine.issued += theirs.issued;
            mine.served += theirs.served;
            mine.failed += theirs.failed;
            mine.late += theirs.late;
            mine.lags.merge(&theirs.lags);
            mine.interval.lag += theirs.interval.lag;
            mine.interval.in_flight += theirs.interval.in_flight;
        }
    }
}

fn slot(devices: usize, job: usize, device: usize, op: Op) -> usize {
    let op = match op {
        Op::Read => 0,
        Op::Write | Op::Zero => 1,
        // An fsync is one flush, whatever it consists of.
        Op::Flush | Op::Journal => 2,
        Op::Trim => 3,
    };
    (job * devices + device) * OPS + op
}

/// The IOs of a series in the running interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) latencies: Histogram,
    pub(crate) bytes: u64,
    pub(crate) errors: u64,
    in_flight: u64,
    /// How many were left in flight at its end by threads that handed it in.
    left: u64,
    /// Time IOs were in flight since the interval's start, less what is added
    /// at its end for those still in flight; wraps, the sum does not.
    flight_time: u64,
}

impl Counts {
    /// An IO was issued, `within` the interval.
    #[inline]
    pub(crate) fn issued(&mut self, within: Nanos) {
        self.in_flight += 1;
        self.flight_time = self.flight_time.wrapping_sub(within);
    }

    /// An IO is no longer in flight, `within` the interval.
    #[inline]
    pub(crate) fn ended(&mut self, within: Nanos) {
        self.in_flight -= 1;
        self.flight_time = self.flight_time.wrapping_add(within);
    }

    /// What was asked for is done.
    #[inline]
    pub(crate) fn done(&mut self, latency: Nanos, bytes: u64) {
        self.latencies.record(latency);
        self.bytes += bytes;
    }

    /// The row of the interval that ends now.
    pub(crate) fn row(&self, series: usize, start: Nanos, length: Nanos) -> IntervalRow {
        let flight = self
            .flight_time
            .wrapping_add(self.in_flight.wrapping_mul(length));
        let latency_us = LatencyUs::of(&self.latencies);
        IntervalRow {
            t_s: seconds(start),
            series,
            ios: self.latencies.count(),
            bytes: self.bytes,
            mean_us: latency_us.map(|figures| figures.mean),
            latency_us,
            queue_depth: flight as f64 / length as f64,
        }
    }

    /// Adds what another thread counted in the same interval.
    pub(crate) fn add(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.in_flight += other.in_flight;
        self.left += other.left;
        self.flight_time = self.flight_time.wrapping_add(other.flight_time);
    }

    /// Begins the next interval with the IOs that are in flight.
    pub(crate) fn roll(&mut self) {
        self.latencies.clear();
        (self.bytes, self.errors, self.flight_time) = (0, 0, 0);
        self.left = 0;
    }

    /// How many IOs are in flight as the interval ends.
    pub(crate) fn in_flight_at_end(&self) -> u64 {
        self.in_flight + self.left
    }

    /// Begins the next interval and gives the one that ended after `length`,
    /// closed: nothing is in flight in it any more.
    pub(crate) fn take(&mut self, length: Nanos) -> Self {
        let next = Self {
            in_flight: self.in_flight,
            ..Self::default()
        };
        let mut ended = std::mem::replace(self, next);
        let rest = ended.in_flight.wrapping_mul(length);
        ended.flight_time = ended.flight_time.wrapping_add(rest);
        (ended.left, ended.in_flight) = (ended.in_flight, 0);
        ended
    }
}
